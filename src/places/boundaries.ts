import { CellReader } from './boundary_cell.ts';
import type { EmbeddedBytes } from './embedded_file.ts';

export interface Boundaries {
  /**
   * The IANA name of the zone at a place, the first if several claim it; at sea an `Etc/GMT±N`.
   * `latitude` is −90…90 and `longitude` −180…180, in degrees; callers validate them.
   */
  zoneNameAt(latitude: number, longitude: number): string;
}

/** The magic of a boundary file, with the version of its layout. */
export const BOUNDARY_MAGIC = 'MBOUNDS2';

// The low two bits of a quadtree entry are its kind, the other thirty its value.

/** No zone claims the quarter; no value. */
export const ENTRY_SEA = 0;
/** A node divides the quarter; its number. */
export const ENTRY_NODE = 1;
/** One zone covers the quarter; its number. */
export const ENTRY_ZONE = 2;
/** Borders cross the quarter; the number of the cell that holds them. */
export const ENTRY_CELL = 3;

/**
 * The limits of the world that the quadtree divides, in degrees. These numbers, and every comparison below, are those of
 * geo-tz, so that both find the same zone for every place.
 */
const NORTH = 89.9999;
const EAST = 179.9999;

const HEADER_BYTES = 20;

/**
 * Opens a boundary file, compiled by `data/boundaries/compile.ts`. Cells are read in place, so the bytes stay in use. All integers are little-endian:
 *
 *     | bytes     | what                                                                              |
 *     |         8 | the magic `MBOUNDS2`                                                              |
 *     |         4 | n: number of nodes of the quadtree                                                |
 *     |         4 | c: number of cells                                                                |
 *     |         4 | a: length of the names                                                            |
 *     |      16 n | the nodes: four 32-bit entries each, north-east, north-west, south-west, south-east |
 *     | 4 (c + 1) | the start of each cell relative to the first, and the end of the last one         |
 *     |         a | the zone names, UTF-8, separated by line feeds                                    |
 *     |      rest | the cells, see boundary_cell.ts                                                   |
 */
export function openBoundaries(bytes: EmbeddedBytes): Boundaries {
  const text = new TextDecoder();
  if (bytes.length < HEADER_BYTES || text.decode(bytes.subarray(0, 8)) !== BOUNDARY_MAGIC) {
    throw new Error('This is not a boundary file of this version');
  }
  const [nodeCount = 0, cellCount = 0, namesLength = 0] = uint32s(bytes, 8, 3);
  const startsAt = HEADER_BYTES + nodeCount * 16;
  const namesAt = startsAt + (cellCount + 1) * 4;
  const cellsAt = namesAt + namesLength;
  const tree = uint32s(bytes, HEADER_BYTES, nodeCount * 4);
  const starts = uint32s(bytes, startsAt, cellCount + 1);
  const zoneNames = text.decode(bytes.subarray(namesAt, cellsAt)).split('\n');
  const reader = new CellReader();

  return {
    zoneNameAt(latitude, longitude) {
      if (latitude === 90) return 'Etc/GMT-12'; // all zones meet at the pole; this is the first
      const y = Math.min(Math.max(latitude, -NORTH), NORTH);
      const x = Math.min(Math.max(longitude, -EAST), EAST);
      const entry = entryAt(tree, x, y);
      const value = entry >>> 2;
      const zone = (entry & 3) === ENTRY_CELL ? reader.zoneAt(cell(value), x, y) : value;
      return (entry & 3) === ENTRY_SEA || zone < 0 ? seaZoneAt(longitude) : zoneNames[zone]!;
    },
  };

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

/**
 * The nautical zones from west to east. POSIX signs are reversed: `Etc/GMT-12` is twelve hours ahead of Greenwich.
 */
const SEA_ZONES = Array.from({ length: 25 }, (_, index) => {
  const hoursEast = index - 12;
  if (hoursEast === 0) return 'Etc/GMT';
  return hoursEast > 0 ? `Etc/GMT-${hoursEast}` : `Etc/GMT+${-hoursEast}`;
});

/**
 * The nautical time zone of a longitude (−180…180): each is 15° wide, `Etc/GMT` from −7.5° to 7.5°, those at the ends
 * half as wide. On the line between two it is the eastern one, and on ±180° `Etc/GMT+12`, as in geo-tz.
 */
function seaZoneAt(longitude: number): string {
  if (longitude === 180) return SEA_ZONES[0]!;
  let index = 24;
  while (index > 0 && (index - 12) * 15 - 7.5 > longitude) index--;
  return SEA_ZONES[index]!;
}
