import { BoundedCache } from '../../common/caching.ts';
import { DaySet } from '../../common/day_set.ts';
import { quoted, requires, ServiceError, unreadable } from '../../common/errors.ts';
import { encode, encodeElements, type Json, withMember } from '../../common/json.ts';
import { whenReady } from '../../common/promises.ts';
import { nearest } from '../../common/words.ts';
import { codeOf, type HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import { perSnapshot, type Snapshot } from '../../http/snapshot.ts';
import { targetDetails } from '../../operations/details.ts';
import { dataSets } from '../../operations/served_data.ts';
import {
  addWorkingTime,
  WorkDayListing,
  WorkDays,
  WorkDiffPayload,
  type WorkSchedule,
  WorkStatusPayload,
  workDiff,
  workStatus,
} from '../../operations/work.ts';
import { OpenTime } from '../../schedules/open_time.ts';
import {
  MAX_SCHEDULE_LENGTH,
  type NamedSchedules,
  parseOpeningHours,
  SCHEDULE_NAME,
  type Schedule,
} from '../../schedules/opening_hours.ts';
import { DURATION_PATTERN, type IsoDuration, parseIsoDuration } from '../../text/duration.ts';
import { TimePayload } from '../../text/time_payload.ts';
import { group, type InputFactory, required, requiredText, text } from '../inputs.ts';
import {
  calendarParameters,
  decodeCalendars,
  decodeHolidayLanguage,
  HolidayLanguageText,
  READS_OF_CALENDARS,
  usedCalendarDetails,
} from '../parameters/calendars.ts';
import { decodeDates, FOUR_DIGIT_YEARS, MAX_YEARS } from '../parameters/dates.ts';
import { ends, instantOfEnd, lifetimeOfEnds } from '../parameters/diff_ends.ts';
import { rendering } from '../parameters/rendering.ts';
import { target, targetOrUtc, targets } from '../parameters/targets.ts';
import { lifetimeOfTimestamp, timestamp } from '../parameters/timestamps.ts';
import { bulkOf, bulkPayload, jsonArrayOf, timeResponse, withDetails } from '../payloads.ts';
import { jsonRoute } from '../route.ts';

const ScheduleText = text(
  'Opening hours: the name of a schedule on this server, or a text in the syntax described in `/docs#schedules`. `PH` ' +
    '(public holidays) requires `holiday_country`.',
  'Mo-Fr 09:00-17:30; PH off',
  { maxLength: MAX_SCHEDULE_LENGTH },
);

/** A schedule, and the calendars whose holidays it refers to. */
const workSchedule: InputFactory<WorkSchedule> = group({
  parameters: { schedule: ScheduleText, ...calendarParameters() },
  required: ['schedule'],
  readsOf: { schedule: dataSets('schedules'), ...READS_OF_CALENDARS },
  decode(query, { snapshot }) {
    const name = requiredText(query, 'schedule', USAGE);
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

/** Evaluating a long schedule takes tens of microseconds. */
const TARGETS_PER_SLICE = 20;

export const workStatusRoute = jsonRoute({
  path: '/v1/work/status',
  summary: 'Whether a schedule is open, and until when',
  description:
    "Evaluates a schedule (`/docs#schedules`) in a target's local time: whether it is open at a timestamp, by default now, " +
    'since and until when, and when it next opens and closes.',
  parameters: { schedule: workSchedule, instant: timestamp, targets },
  payload: bulkPayload(WorkStatusPayload),
  lifetime: lifetimeOfTimestamp,
  examples: [
    { title: 'An office in New York', query: 'schedule=Mo-Fr 09:00-17:00&tz=America/New_York' },
    {
      title: 'On a holiday in Bavaria',
      query:
        'schedule=Mo-Fr 08:00-18:00; PH off&tz=Europe/Berlin&holiday_country=DE&holiday_subdivision=BY&iso=2026-06-04T10:00&source_tz=Europe/Berlin',
    },
    { title: 'Two offices', query: 'schedule=Mo-Fr 09:00-17:00&tz=America/New_York,Asia/Tokyo' },
    { title: 'Not a schedule', query: 'schedule=Mo-Fr 9-17&tz=Europe/Berlin' },
  ],
  handle({ schedule, instant, targets }, context) {
    const epochMs = instant?.epochMs ?? context.nowMs;
    const calendars = usedCalendarDetails(schedule);
    return bulkOf(
      targets,
      context,
      target => {
        const status = encode(workStatus(epochMs, target, schedule));
        return withDetails(status, context, () => ({ ...targetDetails(epochMs, target), ...calendars }));
      },
      TARGETS_PER_SLICE,
    );
  },
});

const duration: InputFactory<IsoDuration> = required(
  text('Working time as an ISO 8601 duration in hours, minutes and seconds; negative subtracts.', 'PT8H', {
    pattern: DURATION_PATTERN,
  }),
  "a duration like 'PT8H'",
  (value, name) => {
    const duration = parseIsoDuration(value, name);
    if (duration.months === 0 && duration.days === 0) return duration;
    throw unreadable(
      name,
      `${quoted(value)} has days or larger units; expected hours, minutes and seconds, like 'PT8H'`,
    );
  },
);

export const workAddRoute = jsonRoute({
  path: '/v1/work/add',
  summary: 'The instant at which an amount of working time has elapsed',
  description:
    'Shifts a timestamp, by default the present, by an amount of open time in a schedule (`/docs#schedules`), evaluated in a ' +
    "target's local time: to the earliest instant at which that much has elapsed or, if negative, the latest one. A skipped " +
    'hour is not worked; a repeated one is worked twice.',
  parameters: { schedule: workSchedule, duration, instant: timestamp, target: targetOrUtc, rendering },
  payload: TimePayload,
  lifetime: lifetimeOfTimestamp,
  examples: [
    {
      title: 'A deadline of eight working hours',
      query:
        'schedule=Mo-Fr 09:00-17:30; PH off&duration=PT8H&iso=2026-12-23T15:00&source_tz=Europe/Berlin&tz=Europe/Berlin&holiday_country=DE&holiday_subdivision=BY',
    },
    {
      title: 'The latest start',
      query: 'schedule=Mo-Fr 09:00-17:00&duration=-PT12H&unix=1776274247&tz=America/New_York',
    },
    { title: 'Never', query: 'schedule=off&duration=PT1H' },
  ],
  handle({ schedule, duration, instant, target, rendering }, context) {
    const epochMs = addWorkingTime(instant?.epochMs ?? context.nowMs, duration, target, schedule);
    return timeResponse(epochMs, target, rendering, null, context, () => usedCalendarDetails(schedule));
  },
});

export const workDiffRoute = jsonRoute({
  path: '/v1/work/diff',
  summary: 'The working time between two instants',
  description:
    "The open time of a schedule (`/docs#schedules`) in a target's local time, from the earlier of two instants to the later, " +
    'at most 400 years apart. The ends are specifiers as in `/v1/time/diff`. `business_days` considers only weekends and ' +
    'holidays, on the local dates of the zones in which the ends were given, or else of the target.',
  parameters: { ends, schedule: workSchedule, target },
  payload: WorkDiffPayload,
  lifetime: lifetimeOfEnds,
  examples: [
    {
      title: 'The working hours in a week',
      query:
        'schedule=Mo-Fr 09:00-12:00,13:00-17:30; PH off&from=iso=2026-05-25T00:00&from_tz=Europe/Berlin&to=iso=2026-06-01T00:00&to_tz=Europe/Berlin&tz=Europe/Berlin&holiday_country=DE',
    },
    {
      title: 'A night shift during which the clock is set forward',
      query: 'schedule=22:00-06:00&from=iso=2026-03-28T12:00Z&to=iso=2026-03-29T12:00Z&tz=Europe/Berlin',
    },
    { title: 'A missing schedule', query: 'from=now&to=unix=1776274247' },
  ],
  handle({ ends: { from, to }, schedule, target }, context) {
    const payload = workDiff(instantOfEnd(from, context), instantOfEnd(to, context), target, schedule);
    return withDetails(encode(payload), context, () => usedCalendarDetails(schedule));
  },
});

const listed = group({
  parameters: {
    from: text(
      `First date. At most ${MAX_YEARS} years, both dates inclusive; with \`holiday_country\`, from 1970 to 2100.`,
      '2026-12-01',
    ),
    to: text('Last date, inclusive.', '2026-12-31'),
    ...calendarParameters(),
    lang: HolidayLanguageText,
  },
  required: ['from', 'to'],
  readsOf: READS_OF_CALENDARS,
  decode(query, { snapshot }) {
    // Without a calendar only weekends matter, which every year has.
    const years = query.has('holiday_country') ? snapshot.holidays.header : FOUR_DIGIT_YEARS;
    const range = decodeDates(query, years);
    if (range === null) {
      const message = "Dates are missing: give 'from' and 'to'";
      throw new ServiceError('INVALID_PARAMETER', message, { parameter: 'from' });
    }
    const used = decodeCalendars(query, snapshot);
    const language = decodeHolidayLanguage(query);
    if (language !== null && used.calendars.length === 0) throw requires('lang', 'holiday_country');
    return { range, used, language };
  },
});

export const workDaysRoute = jsonRoute({
  path: '/v1/work/days',
  summary: 'Which days are worked, with monthly totals',
  description:
    'One entry per day: a business day, a weekend, a holiday outside the weekend, or a worked day that would otherwise be off. ' +
    'Without `holiday_country`, Monday to Friday are business days. The business days of a month are the sum of its `business` ' +
    'and `worked`.',
  parameters: { listed },
  payload: WorkDays,
  lifetime: 'fixed',
  examples: [
    {
      title: 'December in Bavaria',
      query: 'from=2026-12-01&to=2026-12-31&holiday_country=DE&holiday_subdivision=BY',
    },
    {
      title: 'A worked Saturday in China, in English',
      query: 'from=2026-02-13&to=2026-02-16&holiday_country=CN&lang=en',
    },
    {
      title: 'Settlement days in two markets',
      query: 'from=2026-07-01&to=2026-07-07&holiday_country=US,DE&details=true',
    },
    { title: 'Days out of order', query: 'from=2026-12-31&to=2026-12-01' },
  ],
  handle({ listed: { range, used, language } }, context) {
    const listing = new WorkDayListing(range, used, language);
    const months: WorkDays['months'] = [];
    const days = jsonArrayOf(listing.months, month => {
      const { totals, days } = listing.month(month);
      months.push(totals);
      return encodeElements(days);
    });
    const { from, to } = listing;
    const withDays = (days: Json<WorkDays['days']>) =>
      withDetails(withMember(encode({ from, to, months }), 'days', days), context, () =>
        usedCalendarDetails(used),
      );
    return whenReady(days, withDays);
  },
});
