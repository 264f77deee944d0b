import { BoundedCache } from '../../common/bounded_cache.ts';

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
