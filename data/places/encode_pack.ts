import type { Place } from '../../src/places/gazetteer.ts';
import { DEGREE, PLACE_MAGIC, type PlaceRegion, titleCase } from '../../src/places/place_pack.ts';

/** A name of a place; a place has a row for each of its names. */
export interface PlaceRow extends Pick<Place, 'name' | 'population' | 'latitude' | 'longitude'> {
  /** The name, folded. */
  readonly key: string;
  /** Whether it is our own alias rather than a name from GeoNames. */
  readonly isAlias: boolean;
  /** Index of its region. */
  readonly region: number;
}

/** Encodes a pack, in the layout of `openPlacePack`. */
export function encodePlacePack(rows: readonly PlaceRow[], regions: readonly PlaceRegion[]): Uint8Array {
  const encoder = new TextEncoder();
  const encoded = rows.map(row => ({ ...row, bytes: encoder.encode(row.key) }));
  encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes) || weightOf(b) - weightOf(a));
  const texts = encoded.map(({ key, name }) =>
    encoder.encode(`${key}\t${name === titleCase(key) ? '' : name}`),
  );
  if (texts.some(({ length }) => length > 0xff)) throw new Error('A name is longer than 255 bytes');
  if (regions.length > 0xffff) throw new Error(`There are ${regions.length} regions, too many for two bytes`);
  const regionText = encoder.encode(
    regions
      .map(region => [region.country, region.adminArea, region.adminAreaName, region.zoneName].join('\t'))
      .join('\n'),
  );
  const textLength = texts.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat(
    [
      encoder.encode(PLACE_MAGIC),
      Uint32Array.of(rows.length, regionText.length, textLength),
      Uint32Array.from(encoded, weightOf),
      Int32Array.from(encoded, ({ latitude }) => Math.round(latitude * DEGREE)),
      Int32Array.from(encoded, ({ longitude }) => Math.round(longitude * DEGREE)),
      Uint16Array.from(encoded, ({ region }) => region),
      Uint8Array.from(texts, ({ length }) => length),
      regionText,
      ...texts,
    ].map(column => new Uint8Array(column.buffer, column.byteOffset, column.byteLength)),
  );
}

function weightOf({ population, isAlias }: PlaceRow): number {
  return population * 2 + (isAlias ? 0 : 1);
}
