import { BoundedCache } from '../../common/bounded_cache.ts';
import { nearest } from '../../common/nearest.ts';
import { quoted, unreadable } from '../../common/service_error.ts';
import { codeOf } from '../../holidays/coverage.ts';
import type { HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import { DIFF_PARAMETERS } from '../../holidays/holiday_calendars.ts';
import type { Query } from '../../http/query.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import { calendarDetails } from '../../operations/calendar_coverage.ts';
import type { Details } from '../../operations/details.ts';
import type { UsedCalendars, WorkSchedule } from '../../operations/work.ts';
import { type NamedSchedules, SCHEDULE_NAME } from '../../schedules/named_schedules.ts';
import { OpenTime } from '../../schedules/open_time.ts';
import { MAX_SCHEDULE_LENGTH, parseOpeningHours } from '../../schedules/opening_hours.ts';
import type { Schedule } from '../../schedules/schedule.ts';
import { requires } from './business_days.ts';
import { readCalendars } from './calendars.ts';
import { group, type InputFactory, type ParameterSchema } from './input.ts';
import { flagSchema, text } from './schemas.ts';

const ScheduleText: ParameterSchema = {
  ...text(
    'When it is open: the name of a schedule of this server, or a text in the subset of `opening_hours` of ' +
      '[Schedules](#schedules), such as `Mo-Fr 09:00-12:00,13:00-17:30; PH off`. `PH` requires `holiday_country`.',
    'Mo-Fr 09:00-17:30; PH off',
  ),
  maxLength: MAX_SCHEDULE_LENGTH,
};

/** The parameters of calendars that do not depend on `business_days=true`. */
export const CALENDAR_PARAMETERS = {
  holiday_country: text(
    'ISO 3166-1 alpha-2 code of the country whose holidays count, with a subdivision `DE-BY`, or a list of up to eight ' +
      'calendars: a holiday of any of them counts.',
    'DE',
  ),
  holiday_subdivision: text(
    'Subdivision of the country, as `/v1/holidays?country=` lists them; requires `holiday_country`, which is no list.',
    'BY',
  ),
  require_coverage: flagSchema(
    'Rejects days outside the years `from` to `announced_through` that `/v1/holidays` gives as the `coverage` of the ' +
      'calendars; requires `holiday_country`.',
  ),
};

/** A schedule, and the calendars whose holidays it refers to. */
export const workSchedule: InputFactory<WorkSchedule> = group({
  parameters: { schedule: ScheduleText, ...CALENDAR_PARAMETERS },
  required: ['schedule'],
  decode(query, { snapshot }) {
    const name = query.get('schedule');
    if (name === undefined) throw unreadable('schedule', `it is missing: give ${USAGE}`);
    const schedule = findSchedule(name, snapshot.schedules);
    const used = decodeCalendars(query, snapshot);
    if (schedule.usesHolidays && used.calendars.length === 0) {
      throw unreadable('schedule', `'PH' in ${quoted(name)} requires 'holiday_country'`);
    }
    return {
      ...used,
      usesHolidays: schedule.usesHolidays,
      open: openTimeOf(name, schedule, used.calendars, snapshot),
    };
  },
});

const USAGE = "the name of a schedule, or a text like 'Mo-Fr 09:00-17:30'";

/** The calendars of a query; none without `holiday_country`. */
export function decodeCalendars(query: Query, { holidays }: Snapshot): UsedCalendars {
  const codes = query.get('holiday_country');
  const calendars = codes === undefined ? [] : readCalendars(codes, query, DIFF_PARAMETERS, holidays);
  const requiresCoverage = query.flag('require_coverage');
  if (codes !== undefined) return { calendars, requiresCoverage };
  if (query.get('holiday_subdivision') !== undefined)
    throw requires('holiday_subdivision', 'holiday_country');
  if (requiresCoverage) throw requires('require_coverage', 'holiday_country');
  return { calendars, requiresCoverage };
}

/** `details` of the calendars that a response was computed with. */
export function usedCalendarDetails({ calendars }: UsedCalendars): Details {
  return calendars.length === 0 ? {} : { holidays: calendarDetails(calendars) };
}

function findSchedule(name: string, named: NamedSchedules): Schedule {
  const found = named.get(name);
  if (found !== undefined) return found;
  if (!SCHEDULE_NAME.test(name) || name === 'off') return parseOpeningHours(name, 'schedule');
  const names = [...named.keys()];
  const [best] = nearest(name, names, 1);
  const advice = best === undefined ? `give ${USAGE}` : `did you mean ${quoted(best)}?`;
  throw unreadable('schedule', `this server has no schedule ${quoted(name)}; ${advice}`);
}

/** Schedules with their prefix sums, of up to 100 KB each: 6.4 MB at most, since twice as many are held. */
const CACHED_SCHEDULES = 32;
const openTimes = perSnapshot(() => new BoundedCache<string, OpenTime>(CACHED_SCHEDULES));

function openTimeOf(
  name: string,
  schedule: Schedule,
  calendars: readonly HolidayCalendar[],
  snapshot: Snapshot,
): OpenTime {
  const used = schedule.usesHolidays ? calendars : [];
  return openTimes(snapshot).getOrInsertComputed([name, ...used.map(codeOf)].join('\n'), () => {
    return new OpenTime(
      schedule,
      used.flatMap(calendar => calendar.publicHolidays()),
    );
  });
}
