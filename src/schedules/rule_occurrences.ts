import type { Recurrence } from './recurrence_rule.ts';
import { countBefore } from './rule_count.ts';
import { instantsFrom } from './rule_instants.ts';
import { type RuleClock, searchOf } from './rule_search.ts';

/*
 * How the occurrences of a recurrence rule are found:
 *
 * 1. `recurrence_rule.ts` parses the rule and its start.
 * 2. `rule_search.ts` prepares a search with a limit of steps. There are two kinds: the periods of DAILY to YEARLY are days of the
 *    calendar (`daily`), those of SECONDLY to HOURLY are elapsed time (`elapsed`).
 * 3. `rule_days.ts` has the days that the parts of a rule select, with `year_days.ts`, and the periods that `INTERVAL` selects.
 * 4. `rule_count.ts` counts the occurrences before the requested span, for rules with `COUNT`.
 * 5. `rule_instants.ts` enumerates those in the span: itself for days, with `elapsed_times.ts` for elapsed time.
 *
 * Instants (`at`, `from`, `end`) are epoch seconds; `local` is what a clock shows, in seconds as if it were UTC.
 */

/** The maximum number of periods and times that are examined for a request: about one millisecond. */
export const MAX_STEPS = 4000;

/** From an instant through another, in epoch seconds; an end without bound is infinite. */
export interface InstantSpan {
  readonly from: number;
  readonly last: number;
}

/**
 * The instants of a recurrence in a span, in epoch seconds, ascending and each once, to the end of the last year that is
 * searched. Dates that do not exist are skipped. Periods of days are those of the wall clock; shorter ones have their exact
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
  if (from > search.lastEpochSeconds) return;
  const { count } = recurrence.rule;
  let left = count === null ? Number.POSITIVE_INFINITY : count - countBefore(search, from, count);
  if (left <= 0) return;
  for (const epochSeconds of instantsFrom(search, from)) {
    yield epochSeconds;
    left--;
    if (left === 0) return;
  }
}
