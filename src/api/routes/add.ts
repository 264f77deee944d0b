import { quotedSigned, requires, ServiceError, unreadable } from '../../common/errors.ts';
import { MAX_EPOCH_MS } from '../../common/moment.ts';
import { ROLLS } from '../../holidays/business_days.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { type Addition, addTo, type BusinessDayOffset, type ExactTime } from '../../operations/spans.ts';
import { DURATION_PATTERN, parseIsoDuration } from '../../text/duration.ts';
import { TimePayload } from '../../text/time_payload.ts';
import {
  choice,
  group,
  type InputFactory,
  parseChoice,
  parsedValue,
  parseWholeNumber,
  text,
  whole,
} from '../inputs.ts';
import {
  calendarParameters,
  decodeCalendars,
  READS_OF_CALENDARS,
  usedCalendarDetails,
} from '../parameters/calendars.ts';
import { rendering } from '../parameters/rendering.ts';
import { targetOrUtc } from '../parameters/targets.ts';
import { lifetimeOfTimestamp, timestamp } from '../parameters/timestamps.ts';
import { timeResponse } from '../payloads.ts';
import { jsonRoute } from '../route.ts';

/** The units of exact time, largest first, in seconds. */
const UNITS: Readonly<Record<string, number>> = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
const UNIT_NAMES = Object.keys(UNITS);

/** The largest number of a unit: that of the whole range of times. */
function limitOf(unit: string): number {
  return Math.floor((2 * MAX_EPOCH_MS) / 1000 / (UNITS[unit] ?? UNITS['days']!));
}

const UnitTexts = Object.fromEntries(
  UNIT_NAMES.map(unit => {
    const described = unit === 'days' ? 'days of 86,400 seconds' : unit;
    return [unit, whole(`Whole ${described} to add; negative values subtract.`, -90, limitOf(unit))];
  }),
);

const addition: InputFactory<Addition> = group({
  parameters: {
    ...UnitTexts,
    duration: text(
      'ISO 8601 duration to add; a leading `-` makes it negative. Years, months, weeks and days are calendar units in the ' +
        "target's zone; hours, minutes and seconds are exact time.",
      'P1M2DT12H',
      { pattern: DURATION_PATTERN },
    ),
    business_days: whole(
      'Business days to add; negative values subtract. The time of day stays the same; 0 requires `roll`.',
      3,
      limitOf('business_days'),
    ),
    roll: choice(
      ROLLS,
      'Before business days are added, moves a date that is not a business day to the `following` or `preceding` one; the ' +
        '`modified` variants move in the other direction if that would be in another month. Requires `business_days`.',
    ),
    ...calendarParameters(' Requires `business_days`.'),
  },
  readsOf: READS_OF_CALENDARS,
  select(query) {
    const unit = UNIT_NAMES.find(name => query.has(name));
    const others = ['duration', 'business_days'].filter(name => query.has(name));
    rejectSeveral(unit === undefined ? others : [unit, ...others], 'a request takes one of them');
  },
  decode(query, { snapshot }) {
    const exact = decodeExactTime(query);
    const duration = parsedValue(query, 'duration', parseIsoDuration);
    const businessDays = decodeOffset(query, snapshot);
    if (exact !== null) return { exact };
    if (duration !== null) return { duration };
    if (businessDays !== null) return { businessDays };
    throw new ServiceError(
      'INVALID_PARAMETER',
      "An amount is missing: give 'days', 'hours', 'minutes' or 'seconds', 'duration' or 'business_days'",
    );
  },
});

function decodeExactTime(query: Query): ExactTime | null {
  let seconds = 0;
  let largest: string | null = null;
  for (const unit of UNIT_NAMES) {
    const amount = parsedValue(query, unit, parseAmount);
    if (amount === null) continue;
    seconds += amount * UNITS[unit]!;
    largest ??= unit;
  }
  return largest === null ? null : { seconds, unit: largest };
}

/** `business_days` and its options; null without it. */
function decodeOffset(query: Query, snapshot: Snapshot): BusinessDayOffset | null {
  const count = parsedValue(query, 'business_days', parseAmount);
  const rollText = query.get('roll');
  if (rollText !== undefined && count === null) throw requires('roll', 'business_days');
  const roll = rollText === undefined ? null : parseChoice(rollText, 'roll', ROLLS);
  if (count === 0 && roll === null) throw unreadable('business_days', "0 requires 'roll'");
  const used = decodeCalendars(query, snapshot, count === null ? 'business_days' : null);
  return count === null ? null : { count, roll, used };
}

function parseAmount(text: string, name: string): number {
  const unit = name.replace('_', ' ');
  const parsed = parseWholeNumber(text, name, unit);
  const limit = limitOf(name);
  if (Math.abs(parsed) <= limit) return parsed;
  throw unreadable(name, `${quotedSigned(text)} is more than the whole range of times, ${limit} ${unit}`);
}

export const addRoute = jsonRoute({
  path: '/v1/time/add',
  summary: 'A timestamp shifted by an amount of time, a calendar duration or business days',
  description:
    'Shifts a timestamp, by default the present, in one of three ways. `days`, `hours`, `minutes` and `seconds` shift the ' +
    'instant by their sum, a day being 86,400 seconds. `duration` and `business_days` shift the date on the wall clock of ' +
    'the target, or of UTC without one, and preserve the time of day. If a clock change skips that time, it moves forward by ' +
    'the gap; if it occurs twice, the earlier instant is used.',
  parameters: { instant: timestamp, addition, target: targetOrUtc, rendering },
  payload: TimePayload,
  lifetime: lifetimeOfTimestamp,
  examples: [
    { title: 'In 30 days', query: 'days=30&tz=Australia/Lord_Howe' },
    {
      title: 'Across a clock change',
      query: 'iso=2026-10-25T00:30&source_tz=Europe/London&minutes=120&tz=Europe/London',
    },
    {
      title: 'A month later on the wall clock',
      query: 'iso=2026-01-31T09:00&source_tz=Europe/Paris&duration=P1M&tz=Europe/Paris',
    },
    {
      title: 'In three business days in Bavaria',
      query: 'business_days=3&holiday_country=DE&holiday_subdivision=BY&tz=Europe/Berlin',
    },
    { title: '90 minutes before', query: 'unix=1776274247&minutes=-90&utc=true' },
    { title: 'Nothing to add', query: 'tz=UTC' },
  ],
  handle({ instant, addition, target, rendering }, context) {
    const sum = addTo(instant?.epochMs ?? context.nowMs, addition, target);
    const used = 'businessDays' in addition ? addition.businessDays.used : null;
    return timeResponse(sum, target, rendering, null, context, () => usedCalendarDetails(used));
  },
});
