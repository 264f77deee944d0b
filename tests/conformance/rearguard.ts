/**
 * tzdata's source without negative savings, like the "rearguard" form that tz's `ziguard.awk` writes from comments in the
 * full files, which `tzdata.zi` no longer has. Clocks are the same; only what counts as DST differs.
 */

/** The zones whose source has negative savings. */
export const NEGATIVE_DST_ZONES = [
  'Africa/Casablanca',
  'Africa/El_Aaiun',
  'Africa/Windhoek',
  'Europe/Dublin',
  'Europe/Prague',
];

/** Each change: the text in the source, how often it occurs, and its replacement in rearguard form. */
const CHANGES: readonly (readonly [pattern: RegExp, count: number, replacement: string])[] = [
  // Ireland: the winter is standard time, the summer an hour ahead.
  [/^(R IE .*) 0 -$/gm, 2, '$1 1 -'],
  [/^(R IE .*) -1 -$/gm, 5, '$1 0 -'],
  [/^1 IE IST\/GMT$/gm, 1, '1 - IST 1971 O 31 2u\n0 IE GMT/IST'],
  // Namibia: the same, from 1994 until it stayed on what had been its summer time.
  [/^(R NA .*) 0 CAT$/gm, 1, '$1 1 CAT'],
  [/^(R NA .*) -1 WAT$/gm, 2, '$1 0 WAT'],
  [/^2 NA %s$/gm, 1, '2 - CAT 1994 Mar 21\n1 NA %s 2017 O 24\n2 - CAT'],
  // Morocco: Ramadan is standard time from 2019 on; the summer time of 2018 lasts until the first.
  [/^(R M (?:2019|202\d) .*) 0 -$/gm, 8, '$1 1 -'],
  [/^(R M (?:2019|202\d) .*) -1 -$/gm, 8, '$1 0 -'],
  [/^R M 2013 2018 - O lastSu 3 0 -$/gm, 1, 'R M 2013 2017 - O lastSu 3 0 -'],
  [/^0 M %z 2018 O 28 3\n1 M %z 2026 S 20 2$/gm, 2, '0 M %z 2026 S 20 2'],
  // Czechoslovakia: the winter of 1946.
  [/^1 -1 GMT 1947 F 23 2$/gm, 1, '0 - GMT 1947 F 23 2'],
];

/** Writes the rearguard form of `tzdata.zi`. Throws if the source is not the one these changes were written for. */
export function rearguardSource(zi: string): string {
  return CHANGES.reduce((source, [pattern, count, replacement]) => {
    const found = source.match(pattern)?.length ?? 0;
    if (found !== count) throw new Error(`${pattern} is ${found} times in tzdata.zi, not ${count}`);
    return source.replace(pattern, replacement);
  }, zi);
}
