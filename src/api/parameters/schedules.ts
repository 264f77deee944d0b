import { BoundedCache } from '../../common/caching.ts';
import { DaySet } from '../../common/day_set.ts';
import { quoted, unreadable } from '../../common/errors.ts';
import { nearest } from '../../common/words.ts';
import { codeOf } from '../../holidays/coverage.ts';
import type { HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import type { WorkSchedule } from '../../operations/work.ts';
import { OpenTime } from '../../schedules/open_time.ts';
import {
  MAX_SCHEDULE_LENGTH,
  type NamedSchedules,
  parseOpeningHours,
  SCHEDULE_NAME,
  type Schedule,
} from '../../schedules/opening_hours.ts';
import { calendarParameters, decodeCalendars } from './business_days.ts';
import { group, type InputFactory, type ParameterSchema } from './input.ts';
import { text } from './schemas.ts';

const ScheduleText: ParameterSchema = {
  ...text(
    'Opening hours: the name of a schedule on this server, or a text in the syntax described in `/docs#schedules`. `PH` ' +
      '(public holidays) requires `holiday_country`.',
    'Mo-Fr 09:00-17:30; PH off',
  ),
  maxLength: MAX_SCHEDULE_LENGTH,
};

/** A schedule, and the calendars whose holidays it refers to. */
export const workSchedule: InputFactory<WorkSchedule> = group({
  parameters: { schedule: ScheduleText, ...calendarParameters() },
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

function findSchedule(name: string, named: NamedSchedules): Schedule {
  const found = named.get(name);
  if (found !== undefined) return found;
  // A rule can begin with 'off', but with no other lower-case word.
  if (!SCHEDULE_NAME.test(name) || /^off\b/.test(name)) return parseOpeningHours(name, 'schedule');
  const names = [...named.keys()];
  const [best] = nearest(name, names, 1);
  const advice = best === undefined ? `give ${USAGE}` : `did you mean ${quoted(best)}?`;
  throw unreadable(
    'schedule',
    `this server has no schedule ${quoted(name)}, and it is not a valid rule either; ${advice}`,
  );
}

/** The cache holds up to twice as many schedules, whose prefix sums take up to 350 KB each for eight calendars: at most 22 MB. */
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
    return new OpenTime(schedule, DaySet.union(used.map(calendar => calendar.publicHolidays)));
  });
}
