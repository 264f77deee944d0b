import type { Recurrence } from './recurrence_rule.ts';
import { countBefore } from './rule_count.ts';
import { instantsFrom } from './rule_instants.ts';
import { type RuleClock, searchOf } from './rule_search.ts';

/** The maximum number of periods and times that are examined for a request: about one millisecond. */
export const MAX_STEPS = 4000;

/** From an instant through another, in epoch seconds; an end without bound is infinite. */
export interface InstantSpan {
  readonly from: number;
  readonly last: number;
}

/**
 * The instants of a recurrence in a span, in epoch seconds, ascending and each once, to the end of the last year that is
 * searched. Dates that do not exist are skipped. From DAILY on, periods are those of the wall clock; below, they have their exact
 * length in elapsed time, and the parts of the rule apply to what the clock shows. `COUNT` counts from `DTSTART` on.
 * Throws `INVALID_PARAMETER` where no date matches, or where an occurrence takes too many steps to find.
 */
export function* ruleOccurrences(
  recurrence: Recurrence,
  clock: RuleClock,
  { from, last }: InstantSpan,
  parameter: string,
  maxSteps = MAX_STEPS,
): Generator<number> {
  const search = searchOf(recurrence, clock, last, parameter, maxSteps);
  if (from > search.until) return;
  const { count } = recurrence.rule;
  let left = count === null ? Number.POSITIVE_INFINITY : count - countBefore(search, from, count);
  if (left <= 0) return;
  for (const epochSeconds of instantsFrom(search, from)) {
    yield epochSeconds;
    left--;
    if (left === 0) return;
  }
}
