import { quotedSigned, ServiceError, unreadable } from '../../common/errors.ts';
import { MAX_EPOCH_MS } from '../../common/moment.ts';
import { ROLLS } from '../../holidays/business_days.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { type Addition, type Amounts, addTo, type BusinessDayOffset } from '../../operations/add.ts';
import { DURATION_PATTERN, parseIsoDuration } from '../../text/duration.ts';
import { TimePayload } from '../../text/time_payload.ts';
import {
  CALENDAR_DATA,
  calendarParameters,
  decodeCalendars,
  readsOfCalendars,
  requires,
  usedCalendarDetails,
} from '../parameters/calendars.ts';
import {
  choice,
  type DecodeContext,
  group,
  type InputFactory,
  parseChoice,
  parseWholeNumber,
  text,
  whole,
} from '../parameters/input.ts';
import { rendering } from '../parameters/rendering.ts';
import { targetOrUtc } from '../parameters/targets.ts';
import { timestamp } from '../parameters/timestamps.ts';
import { jsonRoute, ofTimestamp, timeResponse } from '../route.ts';

const UNITS = {
  days: amount('days of 86,400 seconds', 86_400),
  hours: amount('hours', 3600),
  minutes: amount('minutes', 60),
  seconds: amount('seconds', 1),
};
const UNIT_NAMES = Object.keys(UNITS) as (keyof Amounts)[];

const BUSINESS_DAYS = whole(
  'Business days to add; negative values subtract. The time of day stays the same; 0 requires `roll`.',
  3,
  UNITS.days.maximum!,
);

const DURATION = text(
  'ISO 8601 duration to add; a leading `-` makes it negative. Years, months, weeks and days are calendar units in the ' +
    "target's zone; hours, minutes and seconds are exact time.",
  'P1M2DT12H',
  DURATION_PATTERN,
);
const ROLL = choice(
  ROLLS,
  'Before business days are added, moves a date that is not a business day to the `following` or `preceding` one; the ' +
    '`modified` variants move in the other direction if that would be in another month. Requires `business_days`.',
);

/** The amount to add, in one of three forms. */
const addition: InputFactory<Addition> = group({
  parameters: {
    ...UNITS,
    duration: DURATION,
    business_days: BUSINESS_DAYS,
    roll: ROLL,
    ...calendarParameters(' Requires `business_days`.'),
  },
  reads: CALENDAR_DATA,
  readsIn: readsOfCalendars,
  select: rejectSeveralForms,
  decode: decodeAddition,
});

function rejectSeveralForms(query: Query): void {
  const unit = UNIT_NAMES.find(name => query.has(name));
  const others = ['duration', 'business_days'].filter(name => query.has(name));
  rejectSeveral(unit === undefined ? others : [unit, ...others], 'a request takes one of them');
}

function decodeAddition(query: Query, { snapshot }: DecodeContext): Addition {
  const amounts = decodeAmounts(query);
  const text = query.get('duration');
  const duration = text === undefined ? null : parseIsoDuration(text, 'duration');
  const businessDays = decodeOffset(query, snapshot);
  if (amounts !== null) return { amounts };
  if (duration !== null) return { duration };
  if (businessDays !== null) return { businessDays };
  throw new ServiceError(
    'INVALID_PARAMETER',
    "An amount is missing: give 'days', 'hours', 'minutes' or 'seconds', 'duration' or 'business_days'",
  );
}

function decodeAmounts(query: Query): Amounts | null {
  const decoded = {} as Record<keyof Amounts, number | null>;
  for (const unit of UNIT_NAMES) decoded[unit] = decodeAmount(query, unit, UNITS[unit]);
  return UNIT_NAMES.some(unit => decoded[unit] !== null) ? decoded : null;
}

/** `business_days` and its options; null without it. */
function decodeOffset(query: Query, snapshot: Snapshot): BusinessDayOffset | null {
  const count = decodeAmount(query, 'business_days', BUSINESS_DAYS);
  const rollText = query.get('roll');
  if (rollText !== undefined && count === null) throw requires('roll', 'business_days');
  const roll = rollText === undefined ? null : parseChoice(rollText, 'roll', ROLLS);
  if (count === 0 && roll === null) throw unreadable('business_days', "0 requires 'roll'");
  const used = decodeCalendars(query, snapshot, count === null ? 'business_days' : null);
  return count === null ? null : { count, roll, used };
}

/** The schema of a number of units, limited to the whole range of times. */
function amount(unit: string, unitSeconds: number) {
  const limit = Math.floor((2 * MAX_EPOCH_MS) / 1000 / unitSeconds);
  return whole(`Whole ${unit} to add; negative values subtract.`, -90, limit);
}

function decodeAmount(query: Query, name: string, { maximum }: typeof BUSINESS_DAYS): number | null {
  const text = query.get(name);
  if (text === undefined) return null;
  const unit = name.replace('_', ' ');
  const parsed = parseWholeNumber(text, name, unit);
  if (Math.abs(parsed) <= maximum!) return parsed; // set by `whole`
  throw unreadable(name, `${quotedSigned(text)} is more than the whole range of times, ${maximum} ${unit}`);
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
  lifetime: ofTimestamp,
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
