import type { LocalTimeType, PosixTimeZone } from './posix_tz.ts';
import { rearguardRule, rearguardTypes } from './rearguard.ts';
import type { TzifData } from './tzif.ts';
import { countUpTo, YearlyCycle, yearlyChangesAfter } from './yearly_cycle.ts';

/** A time span in which a zone has one offset, one abbreviation and one DST flag. */
export interface ZonePeriod {
  /** The first second of the period; `-Infinity` where none precedes it. */
  readonly fromEpochSeconds: number;
  /** The first second after the period; `Infinity` where none follows. */
  readonly untilEpochSeconds: number;
  /** Seconds to add to UTC for local time; east is positive. */
  readonly offsetSeconds: number;
  /** `EDT`, `LMT`, `+03` */
  readonly abbreviation: string;
  /** Whether the clocks are ahead of those of the other part of the year; see `rearguard.ts`. */
  readonly isDst: boolean;
}

/** An instant at which a zone's offset or DST flag changes. */
export interface ZoneTransition {
  /** The first second of `after`. */
  readonly epochSeconds: number;
  readonly before: ZonePeriod;
  readonly after: ZonePeriod;
}

/** All periods of a zone: those of its TZif transitions, followed by those of its yearly rule. */
export class Timeline {
  /** The POSIX TZ string of the zone's TZif footer, in tzdata's main form; null where the file has none. */
  readonly posixTz: string | null;
  /** Instants of change, ascending; `#types[i]` holds before `#starts[i]`. */
  readonly #starts: Float64Array;
  readonly #types: readonly LocalTimeType[];
  /** The yearly rule that applies from `#ruleFrom` on; null where the last type stays. */
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

  /** The period that contains an instant. */
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
    const { from, until, isDaylight } = this.#cycle.spanAt(epochSeconds);
    return period(from, until, (isDaylight ? rule.daylight?.type : undefined) ?? rule.standard);
  }
}

/** Transitions, the types between them, and whether a yearly rule continues them. */
interface ContinuedTransitions extends Pick<TzifData, 'transitions' | 'types'> {
  readonly isRuled: boolean;
}

/**
 * Appends the yearly rule's first real change to the file's transitions; the last type holds until then, even where the
 * rule alone would differ: `zic -b slim` up to 2022 omits the end of a month in which America/Ojinaga had no DST yet.
 */
function continued({ transitions, types, footer }: TzifData): ContinuedTransitions {
  if (footer === null) return { transitions, types, isRuled: false };
  const changes = yearlyChangesAfter(footer, transitions.at(-1) ?? 0);
  const isRuled = changes.length > 0;
  const typeAfter = (isStart: boolean) => (isStart ? footer.daylight?.type : undefined) ?? footer.standard;
  // RFC 9636 §3.3: without transitions the footer applies to all times.
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
