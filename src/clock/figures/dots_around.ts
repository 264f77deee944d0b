import { tenths } from './paths.ts';

/** The dots of a minute stand this far from each other on the edge of a box of 240 by 90 whose corners are round. */
const STEP = 10.714;

/** Dots of a minute, from the middle of the top clockwise, as a path around the origin. */
export function dotsAround(from: number, to: number): string {
  let path = '';
  for (let index = from; index < to; index++) {
    // All four quarters have the same fifteen.
    const half = index % 30;
    const nth = Math.min(half, 30 - half);
    const [x, y] = nth < 11 ? [nth * STEP, 45] : nth > 11 ? [120, (15 - nth) * STEP] : [117.1, 42.1];
    const isUpper = (index + 15) % 60 < 30;
    path += `M${tenths(index < 30 ? x : -x)} ${tenths(isUpper ? -y : y)}h0`;
  }
  return path;
}
