import { orient2d } from 'robust-predicates';

/** Coordinates in a cell are whole millionths of a degree. */
export const UNITS_PER_DEGREE = 1e6;

/** A place in degrees, and the lengths of a degree of longitude and of latitude there. */
export interface ScaledPlace {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

/** The distance from a number to a range. */
export function gapTo(value: number, from: number, to: number): number {
  return Math.max(0, from - value, value - to);
}

/** The squared distance from the origin to an edge. */
function squaredDistanceToEdge(fromX: number, fromY: number, toX: number, toY: number): number {
  const alongX = toX - fromX;
  const alongY = toY - fromY;
  const squaredLength = alongX * alongX + alongY * alongY;
  const part = squaredLength === 0 ? 0 : -(fromX * alongX + fromY * alongY) / squaredLength;
  const clamped = Math.min(1, Math.max(0, part));
  const x = fromX + clamped * alongX;
  const y = fromY + clamped * alongY;
  return x * x + y * y;
}

/**
 * Reads the cells of a boundary file: the quadtree leaves that are crossed by borders. Cells are read in place, byte by byte;
 * nothing is decoded ahead or cached. Numbers are LEB128 varints, signed ones in zigzag encoding:
 *
 *     cell  := number of shapes, shape…
 *     shape := zone, length in bytes of its chains, chain…
 *     chain := length in bytes of what follows up to the next chain,
 *              its southern and western ends (signed, from those of the chain before), its height,
 *              latitude and longitude of the first vertex (from those ends),
 *              a step east and a step north (signed) to each further vertex…
 *
 * A shape is a polygon with its holes, cut into chains of consecutive edges: whether a place is inside depends only on the
 * edges, and chains east of the place or not at its latitude are skipped.
 */
export class CellReader {
  #bytes: Uint8Array = new Uint8Array();
  #position = 0;
  // The place that zonesAt searches for, in degrees.
  #x = 0;
  #y = 0;
  // A vertex is at or south of the place's latitude if it is ≤ floor, at or north of it if it is ≥ ceiling.
  #floor = 0;
  #ceiling = 0;

  /**
   * The zones of the shapes of a cell that contain the place with longitude `x` and latitude `y`, borders included, in order; at
   * most `limit`.
   */
  zonesAt(cell: Uint8Array, x: number, y: number, limit: number): number[] {
    this.#open(cell);
    this.#setPlace(x, y);
    const zones: number[] = [];
    for (let shapes = this.#unsigned(); shapes > 0 && zones.length < limit; shapes--) {
      const zone = this.#unsigned();
      const end = this.#end();
      if (!zones.includes(zone) && this.#shapeContains(end)) zones.push(zone);
      this.#position = end;
    }
    return zones;
  }

  /**
   * The minimum squared distance from a place to an edge of a shape of a matching zone, in the units of the scales; `limit` if
   * none is nearer.
   */
  squaredDistance(
    cell: Uint8Array,
    place: ScaledPlace,
    limit: number,
    isSought: (zone: number) => boolean,
  ): number {
    const { x, y, scaleX, scaleY } = place;
    this.#open(cell);
    let least = limit;
    for (let shapes = this.#unsigned(); shapes > 0; shapes--) {
      const isOfSought = isSought(this.#unsigned());
      const end = this.#end();
      let south = 0;
      let west = 0;
      while (isOfSought && this.#position < end) {
        const chainEnd = this.#end();
        south += this.#signed();
        west += this.#signed();
        const north = south + this.#unsigned();
        const toY = gapTo(y, south / UNITS_PER_DEGREE, north / UNITS_PER_DEGREE) * scaleY;
        const toX = Math.max(0, west / UNITS_PER_DEGREE - x) * scaleX;
        if (toX * toX + toY * toY < least)
          least = Math.min(least, this.#squaredDistanceToChain(chainEnd, south, west, place));
        this.#position = chainEnd;
      }
      this.#position = end;
    }
    return least;
  }

  #squaredDistanceToChain(
    end: number,
    south: number,
    west: number,
    { x, y, scaleX, scaleY }: ScaledPlace,
  ): number {
    let least = Infinity;
    let unitsY = south + this.#unsigned();
    let unitsX = west + this.#unsigned();
    let toY = (unitsY / UNITS_PER_DEGREE - y) * scaleY;
    let toX = (unitsX / UNITS_PER_DEGREE - x) * scaleX;
    while (this.#position < end) {
      const fromX = toX;
      const fromY = toY;
      unitsX += this.#signed();
      unitsY += this.#signed();
      toX = (unitsX / UNITS_PER_DEGREE - x) * scaleX;
      toY = (unitsY / UNITS_PER_DEGREE - y) * scaleY;
      least = Math.min(least, squaredDistanceToEdge(fromX, fromY, toX, toY));
    }
    return least;
  }

  /** Decodes a whole cell. Throws an `Error` unless its parts have the stated lengths and valid zone numbers. */
  check(cell: Uint8Array, zoneCount: number): void {
    this.#open(cell);
    const expectThat = (holds: boolean) => {
      if (!holds) throw new Error('a cell of its boundaries is damaged');
    };
    for (let shapes = this.#unsigned(); shapes > 0; shapes--) {
      expectThat(this.#unsigned() < zoneCount);
      const end = this.#end();
      while (this.#position < end) {
        const chainEnd = this.#end();
        expectThat(chainEnd <= end);
        for (let ends = 0; ends < 5; ends++) this.#unsigned(); // south, west, height and the first vertex
        while (this.#position < chainEnd) {
          this.#signed();
          this.#signed();
        }
        expectThat(this.#position === chainEnd);
      }
      expectThat(this.#position === end && end <= cell.length);
    }
    expectThat(this.#position === cell.length);
  }

  #open(cell: Uint8Array): void {
    this.#bytes = cell;
    this.#position = 0;
  }

  #setPlace(x: number, y: number): void {
    this.#x = x;
    this.#y = y;
    this.#floor = Math.floor(y * UNITS_PER_DEGREE);
    if (this.#floor / UNITS_PER_DEGREE > y) this.#floor--;
    else if ((this.#floor + 1) / UNITS_PER_DEGREE <= y) this.#floor++;
    this.#ceiling = this.#floor / UNITS_PER_DEGREE === y ? this.#floor : this.#floor + 1;
  }

  /** Whether the shape whose chains end at `end` contains the place, i.e. a line westward crosses its edges an odd number of times. */
  #shapeContains(end: number): boolean {
    let odd = false;
    let south = 0;
    let west = 0;
    while (this.#position < end) {
      const chainEnd = this.#end();
      south += this.#signed();
      west += this.#signed();
      const north = south + this.#unsigned();
      if (south <= this.#floor && north >= this.#ceiling && west / UNITS_PER_DEGREE <= this.#x) {
        const crossings = this.#crossings(chainEnd, south, west);
        if (crossings < 0) return true;
        if (crossings % 2 === 1) odd = !odd;
      }
      this.#position = chainEnd;
    }
    return odd;
  }

  /**
   * The number of edges of a chain west of the place at its latitude; −1 if the place is on an edge. The rules are from
   * "Optimal Reliable Point-in-Polygon Test" (Hao et al. 2018, Symmetry 10(10) 477) as implemented by point-in-polygon-hao.
   */
  #crossings(end: number, south: number, west: number): number {
    const x = this.#x;
    const y = this.#y;
    const floor = this.#floor;
    const ceiling = this.#ceiling;
    let crossings = 0;
    let toY = south + this.#unsigned();
    let toX = west + this.#unsigned();
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

  /** The end of a part that begins with its length. */
  #end(): number {
    const length = this.#unsigned();
    return this.#position + length;
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
