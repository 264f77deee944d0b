import { countUpTo } from '../common/sorted_list.ts';
import { isSameType, type LocalTimeType, type PosixTimeZone } from './posix_tz.ts';
import { rearguardRule, rearguardTypes } from './rearguard.ts';
import type { TzifData } from './tzif.ts';
import { YearlyCycle, yearlyChangesAfter } from './yearly_cycle.ts';

/** A period in which a zone has one local time type, flagged as in `rearguard.ts`. */
export interface ZonePeriod extends LocalTimeType {
  /** The first second of the period; `-Infinity` if none precedes it. */
  readonly fromEpochSeconds: number;
  /** The first second after the period; `Infinity` if none follows. */
  readonly untilEpochSeconds: number;
}

/** All periods of a zone: those of its TZif transitions, followed by those of its yearly rule. */
export class Timeline {
  /** The POSIX TZ string in the zone's TZif footer, in tzdata's main format; null if the file has none. */
  readonly posixTz: string | null;
  /** Instants of change, ascending; `#types[i]` applies before `#starts[i]`. */
  readonly #starts: Float64Array;
  readonly #types: readonly LocalTimeType[];
  /** The yearly rule that applies from `#ruleFrom` on; null if the last type remains in force. */
  readonly #rule: PosixTimeZone | null;
  readonly #ruleFrom: number;
  #cycle: YearlyCycle | undefined;

  constructor(data: TzifData) {
    const { transitions, types, footer: rule } = continued(data);
    this.posixTz = data.footer?.text ?? null;
    const flagged = rearguardTypes(transitions, types);
    this.#starts = transitions.filter((_, index) => !isSameType(flagged[index]!, flagged[index + 1]!));
    this.#types = flagged.filter((type, index) => index === 0 || !isSameType(flagged[index - 1]!, type));
    this.#rule = rule && rearguardRule(rule);
    this.#ruleFrom = transitions.at(-1) ?? -Infinity;
  }

  periodAt(epochSeconds: number): ZonePeriod {
    if (this.#rule !== null && epochSeconds >= this.#ruleFrom)
      return this.#rulePeriod(this.#rule, epochSeconds);
    const index = countUpTo(this.#starts, epochSeconds);
    return period(this.#starts[index - 1] ?? -Infinity, this.#starts[index] ?? Infinity, this.#types[index]!);
  }

  /** The types in force at an instant or later; recurring ones may be repeated. */
  typesFrom(epochSeconds: number): readonly LocalTimeType[] {
    const listed = this.#types.slice(countUpTo(this.#starts, epochSeconds));
    const rule = this.#rule;
    if (rule === null) return listed;
    return rule.daylight === null
      ? [...listed, rule.standard]
      : [...listed, rule.standard, rule.daylight.type];
  }

  #rulePeriod(rule: PosixTimeZone, epochSeconds: number): ZonePeriod {
    this.#cycle ??= new YearlyCycle(rule);
    const { from, until, isDaylight } = this.#cycle.spanAt(epochSeconds);
    return period(from, until, (isDaylight ? rule.daylight?.type : undefined) ?? rule.standard);
  }
}

/**
 * Appends the yearly rule's first real change to the file's transitions, and removes a rule without changes. Until then the
 * last type applies, even if the rule would differ: `zic -b slim` up to 2022 omits the end of a month in which
 * America/Ojinaga did not have DST yet.
 */
function continued({ transitions, types, footer }: TzifData): TzifData {
  if (footer === null) return { transitions, types, footer };
  const changes = yearlyChangesAfter(footer, transitions.at(-1) ?? 0);
  const rule = changes.length > 0 ? footer : null;
  const typeAfter = (isStart: boolean) => (isStart ? footer.daylight?.type : undefined) ?? footer.standard;
  // RFC 9636 §3.3: without transitions the footer applies to all times.
  if (transitions.length === 0) return { transitions, types: [typeAfter(true)], footer: rule };
  const lastType = types[transitions.length]!;
  const change = changes.find(({ isStart }) => !isSameType(typeAfter(isStart), lastType));
  if (change === undefined) return { transitions, types, footer: rule };
  return {
    transitions: Float64Array.of(...transitions, change.epochSeconds),
    types: [...types, typeAfter(change.isStart)],
    footer: rule,
  };
}

export function period(fromEpochSeconds: number, untilEpochSeconds: number, type: LocalTimeType): ZonePeriod {
  const { offsetSeconds, abbreviation, isDst } = type;
  return { fromEpochSeconds, untilEpochSeconds, offsetSeconds, abbreviation, isDst };
}
