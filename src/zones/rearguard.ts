import { SECONDS_PER_DAY } from '../common/civil.ts';
import type { LocalTimeType, PosixTimeZone } from './posix_tz.ts';

const SECONDS_PER_YEAR = 366 * SECONDS_PER_DAY;

/**
 * A yearly rule with rearguard flags: swapped if its DST is behind its standard time.
 *
 * tzdata's main format flags Ireland's winter time as DST with a saving of −1 h, since Irish law defines summer time as
 * the standard one; likewise Morocco's Ramadan (2019–2026), Namibia's winters (1994–2017) and Czechoslovakia's winter
 * of 1946. In common usage, DST is what the rearguard format flags: the time of year when clocks are ahead.
 */
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
 * The types between transitions (`types[i]` holds before `transitions[i]`) with rearguard flags.
 *
 * A flagged type that is behind its unflagged neighbours is negative DST and becomes standard time. Its neighbours
 * become DST, unless they are standard time even so: if they last a year or longer (Ireland 1968–1971, Namibia since
 * 2017), or are next to a flagged type that is ahead of them (Prague around that winter).
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
 * Whether a type is flagged as DST and both neighbours are unflagged and ahead of it; at either end of the list one is
 * enough. Elsewhere both are needed: Iqaluit starts with war time after "-00", which is ahead of it.
 */
function isNegative(types: readonly LocalTimeType[], index: number): boolean {
  const type = types[index];
  if (type?.isDst !== true || types.length === 1) return false;
  const isAhead = (neighbour: LocalTimeType | undefined) =>
    neighbour === undefined || (!neighbour.isDst && neighbour.offsetSeconds > type.offsetSeconds);
  return isAhead(types[index - 1]) && isAhead(types[index + 1]);
}
