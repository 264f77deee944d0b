/** A region: the common properties of places in the same administrative area and zone. */
export interface PlaceRegion {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** ISO 3166-2 code; null outside the countries whose areas are known. */
  readonly adminArea: string | null;
  /** Name of the area; null without one. */
  readonly adminAreaName: string | null;
  /** IANA name. */
  readonly zoneName: string;
}

/** The rows by column, sorted by key in UTF-8 bytes. */
export interface PlacePack {
  readonly count: number;
  /** Twice the population, and 1 more for the name in GeoNames, so that it precedes the aliases of its place. */
  readonly weights: Uint32Array;
  /** Units of 10⁻⁵ degrees. */
  readonly latitudes: Int32Array;
  readonly longitudes: Int32Array;
  readonly regionOfRow: Uint16Array;
  readonly regions: readonly PlaceRegion[];
  /** Where each row begins in {@link texts}, and the end of the last. */
  readonly starts: Uint32Array;
  /** For each row the key, {@link KEY_END}, and the name unless it is the key in title case. */
  readonly texts: Uint8Array;
}

export const PLACE_MAGIC = 'MPLACES1';
/** Follows a key; sorts before every character of one. */
export const KEY_END = 9;
const HEADER_BYTES = 20;
/** The size of the fixed-width columns. */
const BYTES_PER_ROW = 4 + 4 + 4 + 2 + 1;
/** Coordinates are stored as multiples of 10⁻⁵ degrees. */
export const DEGREE = 1e5;

/**
 * Opens a pack; its columns are views of `bytes`. Throws an `Error` if it is not one. All integers are little-endian:
 *
 *     | bytes | what                                                                     |
 *     |     8 | the magic `MPLACES1`                                                     |
 *     |     4 | n: number of rows                                                        |
 *     |     4 | r: length of the regions                                                 |
 *     |     4 | t: length of the texts                                                   |
 *     |   4 n | the weights                                                              |
 *     |   4 n | the latitudes                                                            |
 *     |   4 n | the longitudes                                                           |
 *     |   2 n | the regions of the rows                                                  |
 *     |     n | the lengths of the texts                                                 |
 *     |     r | the regions: country, area, its name and zone, a line each, by tabs      |
 *     |     t | the texts: key, tab and name; no name where it is the key in title case  |
 */
export function openPlacePack(bytes: Uint8Array): PlacePack {
  const text = new TextDecoder();
  if (bytes.length < HEADER_BYTES || text.decode(bytes.subarray(0, 8)) !== PLACE_MAGIC)
    throw new Error('This is not a file of places of this version');
  const sizes = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, 3);
  const [count = 0, regionsLength = 0, textLength = 0] = sizes;
  if (bytes.length !== HEADER_BYTES + BYTES_PER_ROW * count + regionsLength + textLength)
    throw new Error('The file of places is truncated or has trailing bytes');
  let at = HEADER_BYTES;
  const column = (length: number) => {
    at += length;
    return bytes.byteOffset + at - length;
  };
  const weights = new Uint32Array(bytes.buffer, column(4 * count), count);
  const latitudes = new Int32Array(bytes.buffer, column(4 * count), count);
  const longitudes = new Int32Array(bytes.buffer, column(4 * count), count);
  const regionOfRow = new Uint16Array(bytes.buffer, column(2 * count), count);
  const lengths = new Uint8Array(bytes.buffer, column(count), count);
  const regionText = text.decode(new Uint8Array(bytes.buffer, column(regionsLength), regionsLength));
  const texts = new Uint8Array(bytes.buffer, column(textLength), textLength);
  const starts = new Uint32Array(count + 1);
  for (let row = 0; row < count; row++) starts[row + 1] = starts[row]! + lengths[row]!;
  const regions = regionText.split('\n').map(line => {
    const [country = '', area, areaName, zoneName = ''] = line.split('\t');
    return { country, adminArea: area || null, adminAreaName: areaName || null, zoneName };
  });
  return { count, weights, latitudes, longitudes, regionOfRow, regions, starts, texts };
}

/** `new york` as `New York`. */
export function titleCase(key: string): string {
  return key.replace(/(^| )\p{L}/gu, start => start.toUpperCase());
}
