import { BoundedCache } from '../../common/bounded_cache.ts';

/** Moves a path whose subpaths each begin with an absolute `M` and continue with relative commands. */
export function moved(path: string, right: number, down: number): string {
  return path.replace(
    /M(-?[\d.]+) (-?[\d.]+)/g,
    (_, x, y) => `M${tenths(Number(x) + right)} ${tenths(Number(y) + down)}`,
  );
}

/** Concatenates closed paths, with relative commands only: after each, the next begins relative to its starting point. */
export function inTurn(paths: readonly string[]): string {
  let [fromX, fromY] = [0, 0];
  return paths
    .map(path => {
      const [start, x, y] = /^M(-?[\d.]+) (-?[\d.]+)/.exec(path)!; // every path here begins like this
      const move = `m${tenths(Number(x) - fromX)} ${tenths(Number(y) - fromY)}`;
      [fromX, fromY] = [Number(x), Number(y)];
      return move + path.slice(start.length);
    })
    .join('');
}

/** Joins the shapes of a line's characters; the last two are separate, since they change every second. */
export function litBy(shapes: readonly string[]): { readonly lit: string; readonly tail: string } {
  return { lit: shapes.slice(0, -2).join(''), tail: shapes.slice(-2).join('') };
}

/** Rounds to tenths, the precision of all paths here. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Distance between the dots of a minute on the edge of a box of 240 by 90 with rounded corners. */
const STEP = 10.714;

/** The dots of seconds `from` … `to` - 1, clockwise from the middle of the top, as a path around the origin. */
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

/** A cache of the paths of a set's shapes, by shape and position: they take microseconds to compute, and are few. */
export function placedShapes(): BoundedCache<string, string> {
  return new BoundedCache(1024);
}
