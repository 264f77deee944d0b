import { orient2d } from 'robust-predicates';

/** Coordinates in a cell are whole millionths of a degree. */
export const UNITS_PER_DEGREE = 1e6;

/**
 * Reads the cells of a boundary file: the leaves of the quadtree that borders run through. A cell is read in place, byte
 * by byte, so nothing is decoded ahead and nothing is kept. Numbers are LEB128 varints, signed ones in zigzag:
 *
 *     cell  := number of shapes, shape…
 *     shape := zone, length in bytes of its chains, chain…
 *     chain := length in bytes of what follows up to the next chain,
 *              lowest latitude (signed, from that of the chain before), height,
 *              longitude (signed) and latitude (above the lowest) of the first vertex,
 *              a step east and a step north (signed) to each further vertex…
 *
 * A shape is a polygon with its holes, cut into chains of consecutive edges: whether a place lies inside depends on its
 * edges alone, and a chain whose latitudes do not reach the place is passed over unread.
 */
export class CellReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The zone of the first shape of the cell at `offset` that holds the place, borders included; −1 where none does. */
  zoneAt(offset: number, x: number, y: number): number {
    this.#position = offset;
    let shapes = this.#unsigned();
    for (; shapes > 0; shapes--) {
      const zone = this.#unsigned();
      const length = this.#unsigned();
      const end = this.#position + length;
      if (this.#holds(end, x, y)) return zone;
      this.#position = end;
    }
    return -1;
  }

  /** Whether the shape whose chains end at `end` holds the place: a line from it westward crosses its edges an odd number of times. */
  #holds(end: number, x: number, y: number): boolean {
    // A vertex is at or below the place when it is ≤ floor, at or above when it is ≥ ceiling.
    let floor = Math.floor(y * UNITS_PER_DEGREE);
    if (floor / UNITS_PER_DEGREE > y) floor--;
    else if ((floor + 1) / UNITS_PER_DEGREE <= y) floor++;
    const ceiling = floor / UNITS_PER_DEGREE === y ? floor : floor + 1;

    let odd = false;
    let lowest = 0;
    while (this.#position < end) {
      const length = this.#unsigned();
      const chainEnd = this.#position + length;
      lowest += this.#signed();
      const highest = lowest + this.#unsigned();
      if (lowest <= floor && highest >= ceiling) {
        const crossings = this.#crossings(chainEnd, lowest, floor, ceiling, x, y);
        if (crossings < 0) return true;
        if (crossings % 2 === 1) odd = !odd;
      }
      this.#position = chainEnd;
    }
    return odd;
  }

  /**
   * How many edges of a chain lie west of the place at its latitude; −1 where it lies on an edge. The rules are those of
   * "Optimal Reliable Point-in-Polygon Test" (Hao et al. 2018, Symmetry 10(10) 477) as point-in-polygon-hao has them.
   */
  #crossings(end: number, lowest: number, floor: number, ceiling: number, x: number, y: number): number {
    let crossings = 0;
    let toX = this.#signed();
    let toY = lowest + this.#unsigned();
    while (this.#position < end) {
      const fromX = toX;
      const fromY = toY;
      toX += this.#signed();
      toY += this.#signed();
      if (!(toY >= ceiling && fromY <= floor) && !(toY <= floor && fromY >= ceiling)) continue;
      const u1 = fromX / UNITS_PER_DEGREE - x;
      const u2 = toX / UNITS_PER_DEGREE - x;
      const v1 = fromY / UNITS_PER_DEGREE - y;
      const v2 = toY / UNITS_PER_DEGREE - y;
      if (v1 === 0 && v2 === 0) {
        if ((u2 <= 0 && u1 >= 0) || (u1 <= 0 && u2 >= 0)) return -1;
        continue;
      }
      const side = orient2d(u1, u2, v1, v2, 0, 0);
      if (side === 0) return -1;
      if ((side > 0 && v2 > 0 && v1 <= 0) || (side < 0 && v2 <= 0 && v1 > 0)) crossings++;
    }
    return crossings;
  }

  #unsigned(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#position++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.#position++]!;
      value |= (byte & 0x7f) << shift;
    }
    return value;
  }

  #signed(): number {
    const value = this.#unsigned();
    return (value >>> 1) ^ -(value & 1);
  }
}
