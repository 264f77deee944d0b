import { once } from '../common/caching.ts';
import { SECONDS_PER_HOUR } from '../common/civil.ts';
import { period, type Timeline, type ZonePeriod } from './timeline.ts';

/** An instant at which a zone's offset or DST flag changes. */
export interface ZoneTransition {
  /** The first second of `after`. */
  readonly epochSeconds: number;
  readonly before: ZonePeriod;
  readonly after: ZonePeriod;
}

const NEVER = period(Infinity, -Infinity, { offsetSeconds: 0, abbreviation: '', isDst: false });

/**
 * A time zone under one of its names. Instants are whole seconds since 1970-01-01T00:00:00Z within the range of `Date`,
 * ±8.64e12.
 */
export class Zone {
  /** In tzdata's spelling: `US/Eastern`. */
  readonly name: string;
  /** The name used in responses: `America/New_York`. */
  readonly canonicalName: string;
  /** The ISO 3166 codes that `zone.tab` gives the canonical zone. */
  readonly countryCodes: readonly string[];
  readonly #timeline: () => Timeline;
  #latest = NEVER;

  /** `load` is called once, on first use, since parsing all zones would take longer than the rest of startup. */
  constructor(name: string, canonicalName: string, countryCodes: readonly string[], load: () => Timeline) {
    this.name = name;
    this.canonicalName = canonicalName;
    this.countryCodes = countryCodes;
    this.#timeline = once(load);
  }

  /** The period that contains an instant. The last one is cached, so that instants within it take only two comparisons. */
  periodAt(epochSeconds: number): ZonePeriod {
    const latest = this.#latest;
    if (epochSeconds >= latest.fromEpochSeconds && epochSeconds < latest.untilEpochSeconds) return latest;
    this.#latest = this.#timeline().periodAt(epochSeconds);
    return this.#latest;
  }

  /** The period after one of this zone's periods; null after the last. */
  periodAfter({ untilEpochSeconds }: ZonePeriod): ZonePeriod | null {
    return untilEpochSeconds === Infinity ? null : this.#timeline().periodAt(untilEpochSeconds);
  }

  /** The first change of offset or DST flag after an instant; null if there is none. */
  nextTransition(epochSeconds: number): ZoneTransition | null {
    let before = this.#timeline().periodAt(epochSeconds);
    while (before.untilEpochSeconds < Infinity) {
      const after = this.#timeline().periodAt(before.untilEpochSeconds);
      if (isTransition(before, after)) return { epochSeconds: after.fromEpochSeconds, before, after };
      before = after;
    }
    return null;
  }

  /** The last change of offset or DST flag at or before an instant; null if there is none. */
  previousTransition(epochSeconds: number): ZoneTransition | null {
    let after = this.#timeline().periodAt(epochSeconds);
    while (after.fromEpochSeconds > -Infinity) {
      const before = this.#timeline().periodAt(after.fromEpochSeconds - 1);
      if (isTransition(before, after)) return { epochSeconds: after.fromEpochSeconds, before, after };
      after = before;
    }
    return null;
  }

  /** The changes of offset or DST flag from an instant up to, and not including, another, in order. */
  transitionsBetween(fromEpochSeconds: number, untilEpochSeconds: number): ZoneTransition[] {
    const transitions: ZoneTransition[] = [];
    let change = this.nextTransition(fromEpochSeconds - 1);
    while (change !== null && change.epochSeconds < untilEpochSeconds) {
      transitions.push(change);
      change = this.nextTransition(change.epochSeconds);
    }
    return transitions;
  }

  /** The distinct offsets in seconds of a case-insensitive abbreviation at an instant or later. */
  offsetsOf(abbreviation: string, fromEpochSeconds: number): number[] {
    const folded = abbreviation.toLowerCase();
    const types = this.#timeline().typesFrom(fromEpochSeconds);
    const named = types.filter(type => type.abbreviation.toLowerCase() === folded);
    return [...new Set(named.map(type => type.offsetSeconds))];
  }

  /** Whether two zones have the same periods because they are compiled from the same file. */
  sharesTimelineWith(other: Zone): boolean {
    return this.#timeline() === other.#timeline();
  }

  /** Seconds to add to UTC for the standard time in force at an instant, DST or not. */
  standardOffsetAt(epochSeconds: number): number {
    return standardOffsetAt(this.#timeline(), epochSeconds);
  }

  /**
   * The zone's rule after its last listed transition, as the POSIX TZ string in its TZif footer; null without one.
   * In tzdata's main format: Europe/Dublin's `IST-1GMT0,M10.5.0,M3.5.0/1` has DST in winter.
   */
  get posixTz(): string | null {
    return this.#timeline().posixTz;
  }
}

function isTransition(before: ZonePeriod, after: ZonePeriod): boolean {
  return before.offsetSeconds !== after.offsetSeconds || before.isDst !== after.isDst;
}

/**
 * The offset of the standard time in force at an instant. TZif files have offsets and DST flags but not the saving,
 * so in DST it is inferred:
 *
 * 1. Candidates are the offsets of the nearest non-DST period on either side, if they are behind this one.
 * 2. A candidate with a saving of one hour wins, else the nearer one, else the earlier. This matters if standard time
 *    changes while DST is in force, so that the two sides differ.
 * 3. Without a candidate the saving is an hour, the default of POSIX TZ strings: clocks that went from standard time
 *    to "DST" without moving took the DST of the next zone to the west, as Argentina did in 1999.
 *
 * Compared with tzdata's own STDOFF column, this is wrong for thirteen periods, all before 1980: double summer time next to
 * a change of standard time (Paris and Monaco 1941–1945, Moscow 1919, Jersey and Guernsey 1945), and half-hour savings
 * next to another half hour (Montevideo 1923 and 1942, Rarotonga 1978).
 */
export function standardOffsetAt(timeline: Timeline, epochSeconds: number): number {
  const period = timeline.periodAt(epochSeconds);
  if (!period.isDst) return period.offsetSeconds;
  const before = standardBefore(timeline, period);
  const after = standardAfter(timeline, period);
  const isBeforeNearer =
    period.fromEpochSeconds - before.untilEpochSeconds <= after.fromEpochSeconds - period.untilEpochSeconds;
  const candidates = (isBeforeNearer ? [before, after] : [after, before]).filter(
    ({ isDst, offsetSeconds }) => !isDst && offsetSeconds < period.offsetSeconds,
  );
  const hourBehind = period.offsetSeconds - SECONDS_PER_HOUR;
  if (candidates.some(({ offsetSeconds }) => offsetSeconds === hourBehind)) return hourBehind;
  return candidates[0]?.offsetSeconds ?? hourBehind;
}

/** The last standard time before a period, or else the first period. */
function standardBefore(timeline: Timeline, period: ZonePeriod): ZonePeriod {
  let current = period;
  while (current.isDst && current.fromEpochSeconds > -Infinity)
    current = timeline.periodAt(current.fromEpochSeconds - 1);
  return current;
}

/** The first standard time after a period, or else the last period. */
function standardAfter(timeline: Timeline, period: ZonePeriod): ZonePeriod {
  let current = period;
  while (current.isDst && current.untilEpochSeconds < Infinity)
    current = timeline.periodAt(current.untilEpochSeconds);
  return current;
}
