import { BoundedCache, once } from '../common/caching.ts';
import { decompressZstd } from '../common/zlib.ts';
import type { Timeline } from './timeline.ts';
import { parseTimeline, ZoneDatabase } from './zone_database.ts';
import type { ZoneSource } from './zone_pack.ts';

/** Half the maximum number of open databases; each takes up to 0.5 MB plus its timelines. */
const OPEN_RELEASES = 4;
/** Parsing a file takes about 0.15 ms. */
const FILES_PER_SLICE = 4;

/** The zones of past tzdata releases. */
export class ReleaseHistory {
  /** Oldest first. */
  readonly releases: readonly Release[];
  readonly #pack: ReleasePack;
  readonly #databases = new BoundedCache<string, ZoneDatabase>(OPEN_RELEASES);
  /** The timelines of all releases opened so far; 56 releases have 1,089 files. */
  readonly #timelines = new Map<Uint8Array, Timeline>();
  /** For each name in the latest release, all names of the same zone. */
  readonly #aliases = once(() => aliasesOf(this.#pack.sourceOf(this.releases.length - 1)));

  constructor(pack: ReleasePack) {
    this.#pack = pack;
    this.releases = pack.releases;
  }

  /**
   * The zones of a release; undefined for an unknown one. If the release lacks a name, the name becomes a link to another name
   * that the latest release has for the same zone: `Europe/Kyiv` was `Europe/Kiev` before 2022b. All files are parsed first, in
   * slices between which other requests are served.
   */
  async open(version: string): Promise<ZoneDatabase | undefined> {
    const position = this.releases.findIndex(release => release.version === version);
    if (position === -1) return undefined;
    const known = this.#databases.get(version);
    if (known !== undefined) return known;
    const source = this.#pack.sourceOf(position);
    const missing = [...source.files.values()].filter(bytes => !this.#timelines.has(bytes));
    for (const [index, bytes] of missing.entries()) {
      if (index % FILES_PER_SLICE === 0) await new Promise(setImmediate);
      this.#timelineOf(bytes);
    }
    await new Promise(setImmediate);
    const database = this.#databases.getOrInsertComputed(version, () => this.#databaseOf(source));
    await new Promise(setImmediate);
    database.canonicalZones(); // saves the first request 2 ms
    return database;
  }

  #databaseOf(source: ZoneSource): ZoneDatabase {
    const links = new Map(source.links);
    const isKnown = (name: string) => source.files.has(name) || source.links.has(name);
    for (const [name, aliases] of this.#aliases()) {
      const known = isKnown(name) ? undefined : aliases.find(isKnown);
      if (known !== undefined) links.set(name, known);
    }
    const parse = (bytes: Uint8Array) => this.#timelineOf(bytes);
    return new ZoneDatabase({ ...source, links }, { isOfRelease: true, parse });
  }

  #timelineOf(bytes: Uint8Array): Timeline {
    const timeline = this.#timelines.get(bytes) ?? parseTimeline(bytes);
    this.#timelines.set(bytes, timeline);
    return timeline;
  }
}

/** Opens a pack of releases. Rejects with an `Error` if it is not one. */
export async function openReleasePack(pack: Uint8Array): Promise<ReleaseHistory> {
  return new ReleaseHistory(await decodeReleasePack(pack));
}

/** For each name, the names linked to the same zone in any number of steps, with the zone's own names first. */
function aliasesOf({ files, links }: ZoneSource): ReadonlyMap<string, readonly string[]> {
  const groups = new Map([...files.keys()].map(name => [name, [name]]));
  const targetOf = (name: string) => {
    let target = name;
    while (links.has(target)) target = links.get(target)!;
    return target;
  };
  const names = [...groups.keys(), ...links.keys()];
  for (const name of links.keys()) groups.get(targetOf(name))?.push(name);
  return new Map(names.map(name => [name, groups.get(targetOf(name)) ?? []]));
}

/** A tzdata release: its version and publication date. */
export interface Release {
  /** `2024a` */
  readonly version: string;
  /** `YYYY-MM-DD` */
  readonly released: string;
}

/** A release with its zones. */
export interface ReleaseSource extends Release {
  readonly source: ZoneSource;
}

/**
 * Several tzdata releases in one file: each distinct TZif file once, and for each release its differences from the previous one.
 *
 *      0  "MRELEA1\n"       magic and version of this layout
 *      8  zstd frame:
 *           0  u32, big-endian   length of the index
 *           4  index             JSON in UTF-8, see ReleaseIndex
 *           …  TZif files        concatenated, with the lengths in the index
 */

export interface ReleaseIndex {
  /** The lengths of the TZif files, by name and then by release: similar ones follow each other. */
  readonly files: readonly number[];
  /** Oldest first. */
  readonly releases: readonly (Release & {
    /** Each name of a TZif file, and its index in `files`. */
    readonly files: Difference<number>;
    readonly links: Difference<string>;
    readonly countryOfZone: Difference<string>;
    readonly countryNames: Difference<string>;
  })[];
}

/** The difference between two maps; lists of pairs rather than objects, which are unsafe for names such as `__proto__`. */
export interface Difference<Value> {
  readonly set: readonly (readonly [name: string, value: Value])[];
  readonly removed: readonly string[];
}

export const RELEASE_MAGIC = 'MRELEA1\n';
const LENGTH_BYTES = 4;
/** Limit for a decompressed pack; 56 releases have 1.3 MB. */
const MAX_BYTES = 32_000_000;

/** A decoded pack. */
export interface ReleasePack {
  /** Oldest first. */
  readonly releases: readonly Release[];
  /** The zones of a release by position; equal TZif files share the same array in all releases. */
  sourceOf(position: number): ZoneSource;
}

/** Decodes a pack, without blocking during decompression. Rejects with an `Error` if it is truncated or not a pack. */
export async function decodeReleasePack(pack: Uint8Array): Promise<ReleasePack> {
  if (Buffer.from(pack.subarray(0, RELEASE_MAGIC.length)).toString('latin1') !== RELEASE_MAGIC) {
    throw new Error('Not a pack of releases');
  }
  const bytes = await decompressZstd(pack.subarray(RELEASE_MAGIC.length), MAX_BYTES);
  const filesAt = LENGTH_BYTES + bytes.readUInt32BE();
  const { files: lengths, releases } = JSON.parse(
    bytes.toString('utf8', LENGTH_BYTES, filesAt),
  ) as ReleaseIndex;
  let at = filesAt;
  const files = lengths.map(length => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  if (at !== bytes.length) throw new Error('The pack of releases is truncated or has trailing bytes');
  return {
    releases: releases.map(({ version, released }) => ({ version, released })),
    sourceOf(position) {
      const steps = releases.slice(0, position + 1);
      const numbers = applied(steps.map(step => step.files));
      return {
        version: releases[position]!.version,
        files: new Map([...numbers].map(([name, number]) => [name, files[number]!])),
        links: applied(steps.map(step => step.links)),
        countryOfZone: applied(steps.map(step => step.countryOfZone)),
        countryNames: applied(steps.map(step => step.countryNames)),
      };
    },
  };
}

function applied<Value>(differences: readonly Difference<Value>[]): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const { set, removed } of differences) {
    for (const name of removed) values.delete(name);
    for (const [name, value] of set) values.set(name, value);
  }
  return values;
}
