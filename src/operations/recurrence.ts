import { type Static, Type } from '@sinclair/typebox';
import type { DayBounds } from '../common/day_set.ts';
import { objectSchema } from '../common/json.ts';
import { outsideTable, requireWithin } from '../holidays/business_days.ts';
import { type Cron, cronOccurrences } from '../schedules/cron.ts';
import type { Recurrence } from '../schedules/recurrence_rule.ts';
import { type InstantSpan, ruleOccurrences } from '../schedules/rule_occurrences.ts';
import { TimePayload } from '../text/time_payload.ts';
import { checkCoverage, type UsedCalendars } from './business_days.ts';
import { dateAndTimeOf, localToEpochMs } from './instant.ts';
import type { Target } from './target.ts';

const Occurrence = objectSchema(
  'Occurrence',
  'The instant of an occurrence and its local time.',
  TimePayload.properties,
);

export const RecurrencePayload = objectSchema('Recurrence', 'The occurrences of a cron job or a rule.', {
  occurrences: Type.Array(Occurrence, { description: 'The occurrences, in order.' }),
});
export type RecurrencePayload = Static<typeof RecurrencePayload>;

export type Recurring =
  | { readonly kind: 'cron'; readonly cron: Cron }
  | { readonly kind: 'rrule'; readonly recurrence: Recurrence };

/** At most `count` occurrences from `fromMs` up to, and not including, `untilMs`; both are epoch milliseconds. */
interface OccurrenceRange {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly count: number;
}

/** The first instant of a rule, in milliseconds since 1970-01-01T00:00:00Z. */
export function startOf({ start }: Recurrence, target: Target): number {
  const localMs = start.localSeconds * 1000;
  return start.isUtc ? localMs : localToEpochMs(localMs, target, 'compatible');
}

/** The occurrences within a range in epoch milliseconds, except those on public holidays in `excluded`. */
export function occurrences(
  recurring: Recurring,
  target: Target,
  { fromMs, untilMs, count }: OccurrenceRange,
  excluded: UsedCalendars | null,
): number[] {
  const dayOf = (epochMs: number) => dateAndTimeOf({ epochMs, frame: target }).dayNumber;
  const check = Number.isFinite(untilMs) ? requireWithin : requireSearched(count);
  const isExcluded = excluded === null ? () => false : holidayTest(excluded, check);
  // Days after the range are not searched for one that is not excluded.
  const lastDay = Number.isFinite(untilMs) ? dayOf(untilMs - 1) : untilMs;
  const found: number[] = [];
  let lastMs = fromMs;
  const span = { from: Math.ceil(fromMs / 1000), last: Math.ceil(untilMs / 1000) - 1 };
  for (const epochSeconds of candidates(recurring, target, span, day => day <= lastDay && isExcluded(day))) {
    const epochMs = epochSeconds * 1000;
    if (epochMs >= untilMs) break;
    lastMs = epochMs;
    if (excluded !== null && isExcluded(dayOf(epochMs))) continue;
    found.push(epochMs);
    if (found.length === count) break;
  }
  if (excluded !== null) {
    const isExhausted = found.length < count && Number.isFinite(untilMs);
    checkCoverage(excluded, dayOf(fromMs), dayOf(isExhausted ? Math.max(fromMs, untilMs - 1) : lastMs));
  }
  return found;
}

function candidates(
  recurring: Recurring,
  target: Target,
  span: InstantSpan,
  isExcluded: (day: number) => boolean,
) {
  if (recurring.kind === 'cron') return cronOccurrences(recurring.cron, target, span.from, isExcluded);
  const clock = {
    periodAt: (epochSeconds: number) => target.periodAt(epochSeconds),
    resolve: (localSeconds: number) => localToEpochMs(localSeconds * 1000, target, 'compatible') / 1000,
  };
  return ruleOccurrences(recurring.recurrence, clock, span, 'rrule');
}

/** Throws `INVALID_PARAMETER` for a day that a calendar does not have. */
type CheckDay = (bounds: DayBounds, day: number) => void;

/** Returns the check for a search without `to`, in which the client named no last day: the error says how to limit it. */
function requireSearched(count: number): CheckDay {
  return (bounds, day) => {
    if (day < bounds.endDay) return requireWithin(bounds, day);
    const reason = "the search left these years before it had found them; 'to' bounds it";
    throw outsideTable(`Cannot find ${count} occurrences`, bounds, reason);
  };
}

/** Tests whether a day is a holiday in any calendar. A rule can occur each second, so most calls are for the same day. */
function holidayTest({ calendars }: UsedCalendars, check: CheckDay): (day: number) => boolean {
  let [latestDay, isLatest] = [Number.NaN, false];
  return day => {
    if (day === latestDay) return isLatest;
    for (const { bounds } of calendars) check(bounds, day);
    [latestDay, isLatest] = [day, calendars.some(({ publicHolidays }) => publicHolidays.has(day))];
    return isLatest;
  };
}
