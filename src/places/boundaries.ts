import { CellReader } from './boundary_cell.ts';
import { seaZoneAt } from './sea_zone.ts';

/** Answers which time zone a place on Earth lies in. */
export interface Boundaries {
  /**
   * The IANA name of the zone at a place, the first where several claim it; at sea an `Etc/GMT±N`.
   * `latitude` is −90…90 and `longitude` −180…180, in degrees; the caller has checked them.
   */
  zoneNameAt(latitude: number, longitude: number): string;
}

/** The first bytes of a boundary file: its name and the version of its layout. */
export const BOUNDARY_MAGIC = 'MBOUNDS1';

// What an entry of the quadtree is, its low two bits say, and the other thirty what is meant by it.

/** No zone claims the quarter. */
export const ENTRY_SEA = 0;
/** The number of a node that divides the quarter. */
export const ENTRY_NODE = 1;
/** The number of the zone that has all of the quarter. */
export const ENTRY_ZONE = 2;
/** The offset of the cell with the borders in the quarter. */
export const ENTRY_CELL = 3;

/**
 * The world that the quadtree divides and the reach of a place in it. These numbers, and every comparison below, are
 * geo-tz's, so that both name the same zone for every place.
 */
const NORTH = 89.9999;
const EAST = 179.9999;

/**
 * Opens a boundary file, compiled by `data/boundaries/compile.ts`; the bytes are read in place and stay in use.
 * All integers are little-endian:
 *
 *     | bytes | what                                                                              |
 *     |     8 | the magic `MBOUNDS1`                                                              |
 *     |     4 | a: length of the names                                                            |
 *     |     4 | n: number of nodes of the quadtree                                                |
 *     | 16 n  | the nodes: four 32-bit entries each, north-east, north-west, south-west, south-east |
 *     |     a | the zone names, UTF-8, with line feeds between                                    |
 *     |  rest | the cells, see boundary_cell.ts                                                   |
 */
export function openBoundaries(bytes: Uint8Array): Boundaries {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = new TextDecoder();
  if (bytes.length < 16 || text.decode(bytes.subarray(0, 8)) !== BOUNDARY_MAGIC) {
    throw new Error('This is not a boundary file of this version');
  }
  const namesLength = header.getUint32(8, true);
  const nodeCount = header.getUint32(12, true);
  const namesStart = 16 + nodeCount * 16;
  const tree = Uint32Array.from({ length: nodeCount * 4 }, (_, entry) =>
    header.getUint32(16 + entry * 4, true),
  );
  const zoneNames = text.decode(bytes.subarray(namesStart, namesStart + namesLength)).split('\n');
  const cells = new CellReader(bytes.subarray(namesStart + namesLength));

  return {
    zoneNameAt(latitude, longitude) {
      if (latitude === 90) return 'Etc/GMT-12'; // all zones meet at the pole; this is the first
      const y = Math.min(Math.max(latitude, -NORTH), NORTH);
      const x = Math.min(Math.max(longitude, -EAST), EAST);
      const entry = entryAt(tree, x, y);
      const value = entry >>> 2;
      const zone = (entry & 3) === ENTRY_CELL ? cells.zoneAt(value, x, y) : value;
      return (entry & 3) === ENTRY_SEA || zone < 0 ? seaZoneAt(longitude) : zoneNames[zone]!;
    },
  };
}

/** Descends to the leaf of the quadtree that holds a place. */
function entryAt(tree: Uint32Array, x: number, y: number): number {
  let north = NORTH;
  let south = -NORTH;
  let east = EAST;
  let west = -EAST;
  let middleY = 0;
  let middleX = 0;
  let entry = ENTRY_NODE;
  while ((entry & 3) === ENTRY_NODE) {
    const node = (entry >>> 2) * 4;
    if (y >= middleY) south = middleY;
    else north = middleY;
    if (x >= middleX) west = middleX;
    else east = middleX;
    if (y >= middleY) entry = tree[x >= middleX ? node : node + 1]!;
    else entry = tree[x >= middleX ? node + 3 : node + 2]!;
    middleY = (north + south) / 2;
    middleX = (west + east) / 2;
  }
  return entry;
}
