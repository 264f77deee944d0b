import { once } from '../common/caching.ts';
import { foldName } from '../common/words.ts';
import { LargestPlaces, populationOf } from './largest_places.ts';
import { DEGREE, KEY_END, openPlacePack, type PlacePack, type PlaceRegion, titleCase } from './place_pack.ts';

/** A place, under one of its names. */
export interface Place extends Omit<PlaceRegion, 'adminAreaName'> {
  readonly name: string;
  /** 0 if unknown. */
  readonly population: number;
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

/** The meaning of a name. */
interface Meaning {
  /** Null if no place has the name, or the name is ambiguous. */
  readonly place: Place | null;
  /** The places with the name, largest first. */
  readonly candidates: readonly Place[];
}

/** The rows whose keys have the same first `depth` bytes, from `start` up to, and not including, `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/** A typo in a shorter text would match too much. */
const MIN_TYPO_BYTES = 3;
/** Longer names match nothing; the longest in GeoNames has 66 characters. */
const MAX_NAME_CHARACTERS = 128;

const UTF8 = new TextDecoder();

/** Cities and towns by name. */
export class Gazetteer {
  readonly #pack: PlacePack;
  /** The regions of each qualifier, folded: `us me` and `maine`. */
  readonly #regionsByQualifier: ReadonlyMap<string, ReadonlySet<number>>;
  /** The row of the largest place in each region; scanning all rows takes some milliseconds. */
  readonly #largestRows: () => Uint32Array;

  /** Opens a pack. Throws an `Error` if it is not one. */
  constructor(bytes: Uint8Array) {
    this.#pack = openPlacePack(bytes);
    this.#regionsByQualifier = regionsByQualifier(this.#pack.regions);
    this.#largestRows = once(() => largestRows(this.#pack));
  }

  /** Throws an `Error` if a row has an invalid region; returns the zones of all regions. */
  check(): readonly string[] {
    const { regions, regionOfRow, starts, texts, count } = this.#pack;
    if (regionOfRow.some(region => region >= regions.length) || starts[count] !== texts.length)
      throw new Error('its places are damaged');
    return regions.map(({ zoneName }) => zoneName);
  }

  /**
   * The place that a name refers to, and the largest places with that name. The name may be qualified by a country or an area:
   * `Perth, GB`, `Portland, US-ME`, `Portland, Maine`.
   */
  resolve(name: string, maxCandidates: number): Meaning {
    if (name.length > MAX_NAME_CHARACTERS) return { place: null, candidates: [] };
    const { key, regions } = this.#parse(name);
    const found = new LargestPlaces(this.#pack, Math.max(2, maxCandidates), regions);
    const namesakes = this.#step(this.#startingWith(key), KEY_END);
    found.add(namesakes);
    const candidates = found.rows.slice(0, maxCandidates).map(row => this.placeAt(row));
    const isMeant = found.isFirstDominant || this.#haveOneZone(namesakes, regions);
    return { place: isMeant ? (candidates[0] ?? null) : null, candidates };
  }

  /** Whether the rows of a range in some regions, or in all if null, share one zone. */
  #haveOneZone({ start, end }: Range, regions: ReadonlySet<number> | null): boolean {
    const { regionOfRow, regions: all } = this.#pack;
    let zoneName: string | undefined;
    for (let row = start; row < end; row++) {
      const region = regionOfRow[row]!;
      if (regions !== null && !regions.has(region)) continue;
      zoneName ??= all[region]!.zoneName;
      if (all[region]!.zoneName !== zoneName) return false;
    }
    return true;
  }

  /** At most `limit` places: those with the name, those whose name begins with it, then those that do so except for a typo. */
  search(name: string, limit: number): Place[] {
    return this.searchRows(name, limit).map(row => this.placeAt(row));
  }

  /** The rows of the places that {@link search} returns. */
  searchRows(name: string, limit: number): readonly number[] {
    if (name.length > MAX_NAME_CHARACTERS) return [];
    const { key, regions } = this.#parse(name);
    if (key === '') return [];
    const found = new LargestPlaces(this.#pack, limit, regions);
    const prefixed = this.#startingWith(key);
    found.add(this.#step(prefixed, KEY_END));
    found.nextClass();
    found.add(prefixed);
    found.nextClass();
    if (!found.isFull) this.#addTypos(key, found);
    return found.rows;
  }

  /** The place of a row, with the row's name. */
  placeAt(row: number): Place {
    const { latitudes, longitudes, regionOfRow, regions } = this.#pack;
    const { adminArea, country, zoneName } = regions[regionOfRow[row]!]!;
    return {
      name: this.#nameOf(row),
      adminArea,
      country,
      population: populationOf(row, this.#pack),
      latitude: latitudes[row]! / DEGREE,
      longitude: longitudes[row]! / DEGREE,
      zoneName,
    };
  }

  #nameOf(row: number): string {
    const { starts, texts } = this.#pack;
    const [key, name] = UTF8.decode(texts.subarray(starts[row]!, starts[row + 1]!)).split('\t');
    return name || titleCase(key!); // a row has a key
  }

  /** At most `limit` suggestions for an unknown name; ignores its country or area if nothing is found otherwise. */
  suggest(name: string, limit: number): Place[] {
    const found = this.search(name, limit);
    const comma = name.lastIndexOf(',');
    return found.length > 0 || comma === -1 ? found : this.search(name.slice(0, comma), limit);
  }

  /** The largest place in a country or area, given by code or name: `DE-BY`, `Bavaria`. */
  largestIn(area: string): Place | undefined {
    const regions = this.#regionsByQualifier.get(foldName(area));
    if (regions === undefined) return undefined;
    const found = new LargestPlaces(this.#pack, 1, regions);
    for (const region of regions) {
      const row = this.#largestRows()[region]!;
      found.add({ start: row, end: row + 1 });
    }
    const [largest] = found.rows;
    return largest === undefined ? undefined : this.placeAt(largest);
  }

  #parse(name: string): { readonly key: string; readonly regions: ReadonlySet<number> | null } {
    const comma = name.lastIndexOf(',');
    const regions = this.#regionsByQualifier.get(foldName(name.slice(comma + 1)));
    return comma === -1 || regions === undefined
      ? { key: foldName(name), regions: null }
      : { key: foldName(name.slice(0, comma)), regions };
  }

  /** All rows whose keys start with a text. */
  #startingWith(text: string): Range {
    return this.#follow({ start: 0, end: this.#pack.count, depth: 0 }, new TextEncoder().encode(text), 0);
  }

  /** Adds matches with one typo: an extra, missing or wrong ASCII character, or two swapped ones. */
  #addTypos(text: string, found: LargestPlaces): void {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length < MIN_TYPO_BYTES) return;
    let range: Range = { start: 0, end: this.#pack.count, depth: 0 };
    for (let at = 0; at < bytes.length && range.start < range.end; at++) {
      if (at + 1 < bytes.length) {
        const swapped = this.#step(this.#step(range, bytes[at + 1]!), bytes[at]!);
        found.add(this.#follow(swapped, bytes, at + 2));
      }
      found.add(this.#follow(range, bytes, at + 1));
      for (const next of this.#branches(range)) {
        found.add(this.#follow(next, bytes, at + 1));
        found.add(this.#follow(next, bytes, at));
      }
      range = this.#step(range, bytes[at]!);
    }
  }

  /** The rows of a range whose keys continue with the bytes from an index on. */
  #follow(range: Range, bytes: Uint8Array, from: number): Range {
    let rest = range;
    for (let at = from; at < bytes.length && rest.start < rest.end; at++) rest = this.#step(rest, bytes[at]!);
    return rest;
  }

  /** The rows of a range whose keys continue with a byte. */
  #step({ start, end, depth }: Range, byte: number): Range {
    const first = this.#firstFrom(start, end, depth, byte);
    return { start: first, end: this.#firstFrom(first, end, depth, byte + 1), depth: depth + 1 };
  }

  /** A sub-range for each byte with which the keys of a range continue. */
  *#branches({ start, end, depth }: Range): Generator<Range> {
    for (let first = start; first < end; ) {
      const byte = this.#byteAt(first, depth);
      const next = this.#firstFrom(first, end, depth, byte + 1);
      if (byte !== KEY_END) yield { start: first, end: next, depth: depth + 1 };
      first = next;
    }
  }

  /**
   * The first row with a byte of at least `byte` at a depth; `end` if there is none. With `firstWhere`, searches for typos would
   * take twice as long.
   */
  #firstFrom(start: number, end: number, depth: number, byte: number): number {
    let low = start;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#byteAt(middle, depth) < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #byteAt(row: number, depth: number): number {
    return this.#pack.texts[this.#pack.starts[row]! + depth]!;
  }
}

/** The regions that each country or area covers, by its code and its name, folded. */
function regionsByQualifier(regions: readonly PlaceRegion[]): Map<string, Set<number>> {
  const folded = new Map<string, Set<number>>();
  const unfolded = new Map<string, string>();
  for (const [index, { country, adminArea, adminAreaName }] of regions.entries()) {
    for (const qualifier of [country, adminArea, adminAreaName]) {
      if (qualifier === null) continue;
      const key = unfolded.get(qualifier) ?? foldName(qualifier);
      unfolded.set(qualifier, key);
      folded.set(key, (folded.get(key) ?? new Set()).add(index));
    }
  }
  return folded;
}

function largestRows({ regions, regionOfRow, weights, count }: PlacePack): Uint32Array {
  const rows = new Uint32Array(regions.length);
  const most = new Float64Array(regions.length).fill(-1);
  for (let row = 0; row < count; row++) {
    const region = regionOfRow[row]!;
    if (weights[row]! <= most[region]!) continue;
    most[region] = weights[row]!;
    rows[region] = row;
  }
  return rows;
}
