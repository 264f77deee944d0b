import { BoundedCache, once } from '../common/caching.ts';
import { nextTurn } from '../common/promises.ts';
import { decodeReleasePack, type Release, type ReleasePack } from './release_pack.ts';
import type { Timeline } from './timeline.ts';
import { followLinks, parseTimeline, ZoneDatabase } from './zone_database.ts';
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
      if (index % FILES_PER_SLICE === 0) await nextTurn();
      this.#timelineOf(bytes);
    }
    await nextTurn();
    const database = this.#databases.getOrInsertComputed(version, () => this.#databaseOf(source));
    await nextTurn();
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
    return new ZoneDatabase({ ...source, links }, true, bytes => this.#timelineOf(bytes));
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
  const groupOf = (name: string) => groups.get(followLinks(name, links, target => files.has(target))) ?? [];
  for (const name of links.keys()) groupOf(name).push(name);
  return new Map([...files.keys(), ...links.keys()].map(name => [name, groupOf(name)]));
}
