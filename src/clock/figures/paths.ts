import { BoundedCache } from '../../common/bounded_cache.ts';

/** Moves a path whose parts each begin absolute, with `M`, and go on relative. */
export function moved(path: string, right: number, down: number): string {
  return path.replace(
    /M(-?[\d.]+) (-?[\d.]+)/g,
    (_, x, y) => `M${tenths(Number(x) + right)} ${tenths(Number(y) + down)}`,
  );
}

/** The shapes of a line's characters, as paths: the last two by themselves, since those change at every second. */
export function litBy(shapes: readonly string[]): { readonly lit: string; readonly tail: string } {
  return { lit: shapes.slice(0, -2).join(''), tail: shapes.slice(-2).join('') };
}

/** As fine as any path here wants to be. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

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

/** As many shapes are kept as some lines of every length want. */
const KEPT = 1024;

/**
 * The paths of a set's shapes at their places. A clock has few figures in few places, and their paths take some
 * microseconds to make: what was made is kept.
 */
export class PlacedShapes {
  readonly #paths = new BoundedCache<string, string>(KEPT);

  /** The path of a shape that `key` names among those of the set; `make` makes it. */
  at(key: string | number, x: number, y: number, make: () => string): string {
    const name = `${key} ${x} ${y}`;
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    const path = make();
    this.#paths.set(name, path);
    return path;
  }
}
