import { quotedSigned, ServiceError, unreadable } from '../../common/errors.ts';
import { MAX_EPOCH_MS } from '../../common/moment.ts';
import { ROLLS } from '../../holidays/count_business_days.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { Addition, Amounts, BusinessDayOffset } from '../../operations/add.ts';
import { DURATION_PATTERN, parseIsoDuration } from '../../text/duration.ts';
import { calendarParameters, decodeCalendars, requires } from './business_days.ts';
import { type DecodeContext, group, type InputFactory } from './input.ts';
import { choice, parseChoice, parseWholeNumber, text, whole } from './schemas.ts';

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
export const addition: InputFactory<Addition> = group({
  parameters: {
    ...UNITS,
    duration: DURATION,
    business_days: BUSINESS_DAYS,
    roll: ROLL,
    ...calendarParameters(' Requires `business_days`.'),
  },
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
