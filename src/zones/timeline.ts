import { countUpTo } from './count_up_to.ts';
import type { LocalTimeType, PosixTimeZone } from './posix_tz.ts';
import { rearguardRule, rearguardTypes } from './rearguard.ts';
import type { TzifData } from './tzif.ts';
import { YearlyCycle, yearlyChangesAfter } from './yearly_cycle.ts';
import type { ZonePeriod, ZoneTransition } from './zone_period.ts';

/** All periods of a zone: those of its TZif transitions, and after them those of its yearly rule. */
export class Timeline {
  /** The POSIX TZ string of the zone's TZif footer, in tzdata's main form; null where the file has none. */
  readonly posixTz: string | null;
  /** Instants of change, ascending; `#types[i]` holds before `#starts[i]`. */
  readonly #starts: Float64Array;
  readonly #types: readonly LocalTimeType[];
  /** A rule with changes, which speaks from the last start on; null where the last type stays. */
  readonly #rule: PosixTimeZone | null;
  readonly #ruleFrom: number;
  #cycle: YearlyCycle | undefined;

  constructor(data: TzifData) {
    const { transitions, types, isRuled } = continued(data);
    this.posixTz = data.footer?.text ?? null;
    const flagged = rearguardTypes(transitions, types);
    this.#starts = transitions.filter((_, index) => !isSameType(flagged[index]!, flagged[index + 1]!));
    this.#types = flagged.filter((type, index) => index === 0 || !isSameType(flagged[index - 1]!, type));
    this.#rule = isRuled && data.footer !== null ? rearguardRule(data.footer) : null;
    this.#ruleFrom = transitions.at(-1) ?? -Infinity;
  }

  /** The period that an instant lies in. */
  periodAt(epochSeconds: number): ZonePeriod {
    if (this.#rule !== null && epochSeconds >= this.#ruleFrom) {
      return this.#rulePeriod(this.#rule, epochSeconds);
    }
    const index = countUpTo(this.#starts, epochSeconds);
    return period(this.#starts[index - 1] ?? -Infinity, this.#starts[index] ?? Infinity, this.#types[index]!);
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

  /** The last change of offset or DST flag at or before an instant, or null where none precedes it. */
  previousTransition(epochSeconds: number): ZoneTransition | null {
    let after = this.periodAt(epochSeconds);
    while (after.fromEpochSeconds > -Infinity) {
      const before = this.periodAt(after.fromEpochSeconds - 1);
      if (isTransition(before, after)) return { epochSeconds: after.fromEpochSeconds, before, after };
      after = before;
    }
    return null;
  }

  #rulePeriod(rule: PosixTimeZone, epochSeconds: number): ZonePeriod {
    this.#cycle ??= new YearlyCycle(rule);
    const { from, until, isDaylight } = this.#cycle.stretchAt(epochSeconds);
    return period(from, until, (isDaylight ? rule.daylight?.type : undefined) ?? rule.standard);
  }
}

/** Transitions and the types between them, and whether a yearly rule goes on after them. */
interface ContinuedTransitions extends Pick<TzifData, 'transitions' | 'types'> {
  readonly isRuled: boolean;
}

/**
 * Puts the yearly rule's first real change behind the file's transitions, whose last type holds until then. That is
 * also right where the rule alone says otherwise: `zic -b slim` of 2022 and before leaves out the end of a month in
 * which America/Ojinaga had no DST yet.
 */
function continued({ transitions, types, footer }: TzifData): ContinuedTransitions {
  if (footer === null) return { transitions, types, isRuled: false };
  const changes = yearlyChangesAfter(footer, transitions.at(-1) ?? 0);
  const isRuled = changes.length > 0;
  const typeAfter = (isStart: boolean) => (isStart ? footer.daylight?.type : undefined) ?? footer.standard;
  // RFC 9636 §3.3: without transitions the footer says all.
  if (transitions.length === 0) return { transitions, types: [typeAfter(true)], isRuled };
  const lastType = types[transitions.length]!;
  const change = changes.find(({ isStart }) => !isSameType(typeAfter(isStart), lastType));
  if (change === undefined) return { transitions, types, isRuled };
  const longer = new Float64Array(transitions.length + 1);
  longer.set(transitions);
  longer[transitions.length] = change.epochSeconds;
  return { transitions: longer, types: [...types, typeAfter(change.isStart)], isRuled };
}

function period(fromEpochSeconds: number, untilEpochSeconds: number, type: LocalTimeType): ZonePeriod {
  const { offsetSeconds, abbreviation, isDst } = type;
  return { fromEpochSeconds, untilEpochSeconds, offsetSeconds, abbreviation, isDst };
}

function isSameType(a: LocalTimeType, b: LocalTimeType): boolean {
  return a.offsetSeconds === b.offsetSeconds && a.isDst === b.isDst && a.abbreviation === b.abbreviation;
}

function isTransition(before: ZonePeriod, after: ZonePeriod): boolean {
  return before.offsetSeconds !== after.offsetSeconds || before.isDst !== after.isDst;
}
