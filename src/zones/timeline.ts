import type { LocalTimeType, PosixTimeZone } from './posix_tz.ts';
import { rearguardRule, rearguardTypes } from './rearguard.ts';
import type { TzifData } from './tzif.ts';
import { CYCLE_SECONDS, CYCLE_START_SECONDS, type YearlyCycle, yearlyCycle } from './yearly_cycle.ts';
import type { ZonePeriod, ZoneTransition } from './zone_period.ts';

/** All periods of a zone: those of its TZif transitions, and after them those of its yearly rule. */
export class Timeline {
  /** Instants of change, ascending; `#types[i]` holds before `#starts[i]`. */
  readonly #starts: Float64Array;
  readonly #types: readonly LocalTimeType[];
  /** From the last start on; null where the last type stays. */
  readonly #rule: PosixTimeZone | null;
  /** The last start, from which the rule speaks; −Infinity without transitions. */
  readonly #ruleFrom: number;
  #cycle: YearlyCycle | undefined;

  constructor({ transitions, types, footer }: TzifData) {
    this.#rule = footer === null ? null : rearguardRule(footer);
    this.#ruleFrom = transitions.at(-1) ?? -Infinity;
    const flagged = rearguardTypes(transitions, types);
    const kept = [...transitions.keys()].filter(
      index => index === transitions.length - 1 || !isSameType(flagged[index]!, flagged[index + 1]!),
    );
    this.#starts = Float64Array.from(kept, index => transitions[index]!);
    this.#types = [flagged[0]!, ...kept.map(index => flagged[index + 1]!)];
  }

  /** The period that an instant lies in. */
  periodAt(epochSeconds: number): ZonePeriod {
    if (this.#rule !== null && epochSeconds >= this.#ruleFrom)
      return this.#rulePeriod(this.#rule, epochSeconds);
    const starts = this.#starts;
    const index = countUpTo(starts, epochSeconds);
    return period(starts[index - 1] ?? -Infinity, starts[index] ?? Infinity, this.#types[index]!);
  }

  /** The first change of offset or DST flag after an instant, or null where none follows. */
  nextTransition(epochSeconds: number): ZoneTransition | null {
    let before = this.periodAt(epochSeconds);
    while (before.untilEpochSeconds < Infinity) {
      const after = this.periodAt(before.untilEpochSeconds);
      if (isTransition(before, after)) return { epochSeconds: after.fromEpochSeconds, before, after };
      before = after;
    }
    return null;
  }

  /** The last change of offset or DST flag before an instant, or null where none precedes it. */
  previousTransition(epochSeconds: number): ZoneTransition | null {
    let after = this.periodAt(epochSeconds - 1);
    while (after.fromEpochSeconds > -Infinity) {
      const before = this.periodAt(after.fromEpochSeconds - 1);
      if (isTransition(before, after)) return { epochSeconds: after.fromEpochSeconds, before, after };
      after = before;
    }
    return null;
  }

  #rulePeriod(rule: PosixTimeZone, epochSeconds: number): ZonePeriod {
    this.#cycle ??= yearlyCycle(rule);
    const { changes, firstIsStart } = this.#cycle;
    if (changes.length === 0) {
      return period(this.#ruleFrom, Infinity, rule.daylight?.type ?? rule.standard);
    }
    const turns = Math.floor((epochSeconds - CYCLE_START_SECONDS) / CYCLE_SECONDS);
    const base = turns * CYCLE_SECONDS;
    const index = countUpTo(changes, epochSeconds - base);
    const from = index === 0 ? changes.at(-1)! - CYCLE_SECONDS : changes[index - 1]!;
    const until = index === changes.length ? changes[0]! + CYCLE_SECONDS : changes[index]!;
    const isDaylight = (index % 2 === 1) === firstIsStart;
    const type = isDaylight ? rule.daylight!.type : rule.standard; // only a rule with DST has changes
    return period(Math.max(base + from, this.#ruleFrom), base + until, type);
  }
}

function period(fromEpochSeconds: number, untilEpochSeconds: number, type: LocalTimeType): ZonePeriod {
  const { offsetSeconds, abbreviation, isDst } = type;
  return { fromEpochSeconds, untilEpochSeconds, offsetSeconds, abbreviation, isDst };
}

/** How many of ascending values are at most `limit`. */
function countUpTo(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSameType(a: LocalTimeType, b: LocalTimeType): boolean {
  return a.offsetSeconds === b.offsetSeconds && a.isDst === b.isDst && a.abbreviation === b.abbreviation;
}

function isTransition(before: ZonePeriod, after: ZonePeriod): boolean {
  return before.offsetSeconds !== after.offsetSeconds || before.isDst !== after.isDst;
}
