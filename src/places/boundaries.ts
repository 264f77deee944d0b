import { CellReader, gapTo, type ScaledPlace } from './boundary_cell.ts';
import { statutoryZone } from './statutes.ts';

/** Read-only bytes: a `Uint8Array`, or memory outside the heap. */
export interface EmbeddedBytes {
  readonly length: number;
  subarray(start: number, end: number): Uint8Array;
}

export interface Boundaries {
  /**
   * The IANA name of the zone at a place: the zone of its statutory time, else the first if several claim it; at sea an
   * `Etc/GMT±N`. `latitude` is −90…90 and `longitude` −180…180, in degrees; callers validate them.
   */
  zoneNameAt(latitude: number, longitude: number): string;
  /** The names of all zones that claim a place, beginning with that of {@link zoneNameAt}. */
  zoneNamesAt(latitude: number, longitude: number): readonly string[];
  /**
   * The distance in kilometres from a place to the nearest point in a matching zone, 0 within one; null if that is `limitKm` or
   * more. The sea belongs to no zone. Distances are planar: exact to 1 % up to 70° of latitude.
   */
  kmToZone(
    latitude: number,
    longitude: number,
    limitKm: number,
    isSought: (zoneName: string) => boolean,
  ): number | null;
  /** The IANA names of all zones. */
  allZoneNames(): readonly string[];
  /** Decodes all entries and cells, which takes a quarter of a second. Throws an `Error` if one is damaged. */
  check(): void;
}

/** The magic of a boundary file, with the version of its layout. */
export const BOUNDARY_MAGIC = 'MBOUNDS2';

// The low two bits of a quadtree entry are its kind, the other thirty its value.

/** No zone claims the quarter; no value. */
export const ENTRY_SEA = 0;
/** A node divides the quarter; its number. */
export const ENTRY_NODE = 1;
/** One or more zones cover the quarter; the number of the line with their names. */
export const ENTRY_ZONE = 2;
/** Borders cross the quarter; the number of the cell that contains them. */
export const ENTRY_CELL = 3;

const kindOf = (entry: number): number => entry & 3;
const valueIn = (entry: number): number => entry >>> 2;

/**
 * The limits of the world that the quadtree divides, in degrees. These numbers and every comparison below are the same as in
 * geo-tz, so that both find the same zone for every place.
 */
const NORTH = 89.9999;
const EAST = 179.9999;

const HEADER_BYTES = 20;

/** The first of all zones, which meet at the pole. */
const POLE_ZONE = 'Etc/GMT-12';

/** For the mean radius of the Earth, 6,371.0088 km. */
const KM_PER_DEGREE = 111.1951;

/** A part of the world, in degrees. */
interface Rectangle {
  readonly north: number;
  readonly south: number;
  readonly east: number;
  readonly west: number;
}

/** The entry of the root of the quadtree: the first node. */
const ROOT = ENTRY_NODE;
const WORLD: Rectangle = { north: NORTH, south: -NORTH, east: EAST, west: -EAST };

/** The quarters of a rectangle in the order of the entries of a node. */
function quartersOf({ north, south, east, west }: Rectangle): readonly Rectangle[] {
  const y = (north + south) / 2;
  const x = (west + east) / 2;
  return [
    { north, south: y, east, west: x },
    { north, south: y, east: x, west },
    { north: y, south, east: x, west },
    { north: y, south, east, west: x },
  ];
}

function squaredDistanceTo(quarter: Rectangle, { x, y, scaleX, scaleY }: ScaledPlace): number {
  const toX = gapTo(x, quarter.west, quarter.east) * scaleX;
  const toY = gapTo(y, quarter.south, quarter.north) * scaleY;
  return toX * toX + toY * toY;
}

function clamp(degrees: number, limit: number): number {
  return Math.min(Math.max(degrees, -limit), limit);
}

/**
 * Opens a boundary file, compiled by `data/boundaries/compile.ts`. Cells are read in place, so the bytes stay in use. All integers
 * are little-endian:
 *
 *     | bytes     | what                                                                              |
 *     |         8 | the magic `MBOUNDS2`                                                              |
 *     |         4 | n: number of nodes of the quadtree                                                |
 *     |         4 | c: number of cells                                                                |
 *     |         4 | a: length of the names                                                            |
 *     |      16 n | the nodes: four 32-bit entries each, north-east, north-west, south-west, south-east |
 *     | 4 (c + 1) | the start of each cell relative to the first, and the end of the last one         |
 *     |         a | the zone names, UTF-8, separated by line feeds; then lists of them with spaces, of  |
 *     |           | zones that cover quarters together                                                |
 *     |      rest | the cells, see boundary_cell.ts                                                   |
 */
export function openBoundaries(bytes: EmbeddedBytes): Boundaries {
  const text = new TextDecoder();
  if (bytes.length < HEADER_BYTES || text.decode(bytes.subarray(0, 8)) !== BOUNDARY_MAGIC)
    throw new Error('This is not a boundary file of this version');
  const [nodeCount = 0, cellCount = 0, namesLength = 0] = uint32s(bytes, 8, 3);
  const startsAt = HEADER_BYTES + nodeCount * 16;
  const namesAt = startsAt + (cellCount + 1) * 4;
  const cellsAt = namesAt + namesLength;
  const tree = uint32s(bytes, HEADER_BYTES, nodeCount * 4);
  const starts = uint32s(bytes, startsAt, cellCount + 1);
  const namesOf = text
    .decode(bytes.subarray(namesAt, cellsAt))
    .split('\n')
    .map(line => line.split(' '));
  const reader = new CellReader();

  return {
    zoneNameAt(latitude, longitude) {
      if (latitude === 90) return POLE_ZONE;
      const [zone] = claimsAt(latitude, longitude, 1);
      if (zone === undefined) return seaZoneAt(longitude);
      return statutoryZone(namesOf[zone]![0]!, clamp(longitude, EAST), clamp(latitude, NORTH));
    },

    zoneNamesAt(latitude, longitude) {
      const claims = claimsAt(latitude, longitude, Infinity).flatMap(zone => namesOf[zone]!);
      return [...new Set([this.zoneNameAt(latitude, longitude), ...claims])];
    },

    kmToZone(latitude, longitude, limitKm, isSought) {
      if (this.zoneNamesAt(latitude, longitude).some(isSought)) return 0;
      const known: boolean[] = [];
      const isSoughtZone = (zone: number) => (known[zone] ??= namesOf[zone]!.some(isSought));
      const scaleX = KM_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
      const squaredLimit = limitKm * limitKm;
      const squaredKm = [0, -360, 360].reduce((least, turn) => {
        const place = { x: longitude + turn, y: latitude, scaleX, scaleY: KM_PER_DEGREE };
        return nearest(ROOT, WORLD, place, least, isSoughtZone);
      }, squaredLimit);
      return squaredKm < squaredLimit ? Math.sqrt(squaredKm) : null;
    },

    allZoneNames: () => [...new Set(namesOf.flat())],

    check() {
      const limits = [Infinity, nodeCount, namesOf.length, cellCount]; // by the kind of entry
      for (const [index, entry] of tree.entries()) {
        const kind = kindOf(entry);
        const value = valueIn(entry);
        // A node precedes its parts, so that no path can be a cycle.
        const isForward = kind !== ENTRY_NODE || value > index >>> 2;
        if (!(value < limits[kind]! && isForward))
          throw new Error('the quadtree of its boundaries is damaged');
      }
      if (cellsAt + starts[cellCount]! !== bytes.length) throw new Error('its boundaries are truncated');
      for (let number = 0; number < cellCount; number++) reader.check(cell(number), namesOf.length);
    },
  };

  /** The numbers of the zones or lists of zones that claim a place, at most `limit`. */
  function claimsAt(latitude: number, longitude: number, limit: number): readonly number[] {
    const x = clamp(longitude, EAST);
    const y = clamp(latitude, NORTH);
    const entry = entryAt(tree, x, y);
    if (kindOf(entry) === ENTRY_CELL) return reader.zonesAt(cell(valueIn(entry)), x, y, limit);
    return kindOf(entry) === ENTRY_ZONE ? [valueIn(entry)] : [];
  }

  /** The minimum squared distance to a matching zone within a rectangle, at most `limit`; searches the nearest quarters first. */
  function nearest(
    entry: number,
    rectangle: Rectangle,
    place: ScaledPlace,
    limit: number,
    isSought: (zone: number) => boolean,
  ): number {
    const value = valueIn(entry);
    const distance = squaredDistanceTo(rectangle, place);
    if (distance >= limit) return limit;
    switch (kindOf(entry)) {
      case ENTRY_SEA:
        return limit;
      case ENTRY_ZONE:
        return isSought(value) ? distance : limit;
      case ENTRY_CELL:
        return reader.squaredDistance(cell(value), place, limit, isSought);
    }
    return quartersOf(rectangle)
      .map((part, index) => ({ part, entry: tree[value * 4 + index]!, gap: squaredDistanceTo(part, place) }))
      .sort((a, b) => a.gap - b.gap)
      .reduce((least, child) => nearest(child.entry, child.part, place, least, isSought), limit);
  }

  function cell(number: number): Uint8Array {
    return bytes.subarray(cellsAt + starts[number]!, cellsAt + starts[number + 1]!);
  }
}

function uint32s(bytes: EmbeddedBytes, start: number, count: number): Uint32Array {
  const { buffer, byteOffset } = bytes.subarray(start, start + count * 4);
  const view = new DataView(buffer, byteOffset);
  return Uint32Array.from({ length: count }, (_, index) => view.getUint32(index * 4, true));
}

/** Descends to the leaf of the quadtree that contains a place. */
function entryAt(tree: Uint32Array, x: number, y: number): number {
  let north = NORTH;
  let south = -NORTH;
  let east = EAST;
  let west = -EAST;
  let entry = ROOT;
  while (kindOf(entry) === ENTRY_NODE) {
    const middleY = (north + south) / 2;
    const middleX = (west + east) / 2;
    const isNorth = y >= middleY;
    const isEast = x >= middleX;
    if (isNorth) south = middleY;
    else north = middleY;
    if (isEast) west = middleX;
    else east = middleX;
    const quarter = isNorth ? (isEast ? 0 : 1) : isEast ? 3 : 2;
    entry = tree[valueIn(entry) * 4 + quarter]!;
  }
  return entry;
}

/** The nautical zones from west to east. POSIX signs are reversed: `Etc/GMT-12` is twelve hours ahead of Greenwich. */
const SEA_ZONES = Array.from({ length: 25 }, (_, index) => {
  const hoursEast = index - 12;
  if (hoursEast === 0) return 'Etc/GMT';
  return hoursEast > 0 ? `Etc/GMT-${hoursEast}` : `Etc/GMT+${-hoursEast}`;
});

/**
 * The nautical time zone of a longitude (−180…180): each is 15° wide, `Etc/GMT` from −7.5° to 7.5°, the ones at the ends
 * half as wide. On the line between two it is the eastern one, and at ±180° `Etc/GMT+12`, as in geo-tz.
 */
function seaZoneAt(longitude: number): string {
  if (longitude === 180) return SEA_ZONES[0]!;
  return SEA_ZONES.findLast((_, index) => (index - 12) * 15 - 7.5 <= longitude)!;
}
