import type { LocalTimeType, PosixTimeZone } from './posix_tz.ts';

/**
 * tzdata's main format calls Ireland's winter time "DST" with a saving of −1 h, since Irish law calls the summer time
 * the standard one; likewise Morocco's Ramadan (2019–2026), Namibia's winters (1994–2017) and Czechoslovakia's winter
 * of 1946. What people mean by DST is the rearguard format's: the clock is ahead of what it is in the other part of
 * the year. These functions turn the first sense into the second.
 */

const SECONDS_PER_YEAR = 366 * 86_400;

/** A yearly rule with its flags in rearguard sense: swapped where "DST" is behind standard time. */
export function rearguardRule(rule: PosixTimeZone): PosixTimeZone {
  const { standard, daylight } = rule;
  if (daylight === null || daylight.type.offsetSeconds >= standard.offsetSeconds) return rule;
  return {
    ...rule,
    standard: { ...standard, isDst: true },
    daylight: { ...daylight, type: { ...daylight.type, isDst: false } },
  };
}

/**
 * The types between transitions (`types[i]` holds before `transitions[i]`) with their flags in rearguard sense.
 *
 * A flagged stretch that is behind its unflagged neighbours has negative DST and reads as standard time. The
 * neighbours of such a stretch read as DST, unless they are standard time all the same: for a year or longer (Ireland
 * 1968–1971, Namibia since 2017), or beside a flagged stretch that is ahead of them (Prague around that winter).
 */
export function rearguardTypes(
  transitions: Float64Array,
  types: readonly LocalTimeType[],
): readonly LocalTimeType[] {
  if (!types.some((_, index) => isNegative(types, index))) return types;
  return types.map((type, index) => {
    if (isNegative(types, index)) return { ...type, isDst: false };
    const bordersNegative = isNegative(types, index - 1) || isNegative(types, index + 1);
    if (type.isDst || !bordersNegative) return type;
    const lasts = (transitions[index] ?? Infinity) - (transitions[index - 1] ?? -Infinity);
    const bordersPositive = [types[index - 1], types[index + 1]].some(
      neighbour => neighbour?.isDst === true && neighbour.offsetSeconds > type.offsetSeconds,
    );
    return { ...type, isDst: lasts < SECONDS_PER_YEAR && !bordersPositive };
  });
}

/**
 * Whether a stretch is flagged DST between unflagged ones that are ahead of it; at an end of time one is enough. (With
 * one alone elsewhere it need not be: Iqaluit's clocks begin with war time, and before them "-00" is ahead.)
 */
function isNegative(types: readonly LocalTimeType[], index: number): boolean {
  const type = types[index];
  if (type?.isDst !== true || types.length === 1) return false;
  const isAhead = (neighbour: LocalTimeType | undefined) =>
    neighbour === undefined || (!neighbour.isDst && neighbour.offsetSeconds > type.offsetSeconds);
  return isAhead(types[index - 1]) && isAhead(types[index + 1]);
}
