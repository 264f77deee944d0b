import { ZONE_OF_MOVED_LINK } from './moved_links.ts';
import { Timeline } from './timeline.ts';
import { readTzif } from './tzif.ts';
import { Zone } from './zone.ts';
import { ZoneNameSuggester } from './zone_name_suggester.ts';
import { decodeZonePack } from './zone_pack.ts';
import type { ZoneSource } from './zone_source.ts';

const UTC = 'UTC';
/** Names whose zone is UTC, whatever they are called: `Zulu`, `GMT`, `Etc/Greenwich` lead to one of these. */
const UTC_KIN = new Set([UTC, 'Etc/UTC', 'GMT', 'Etc/GMT', 'Etc/UCT']);

/** Longer than any chain of links; a ring of links ends here too. */
const MAX_HOPS = 8;

/** All zones of one release of tzdata, under all their names. */
export class ZoneDatabase {
  /** The release of tzdata: `2026f`. */
  readonly version: string;
  /** The English name of each ISO 3166 code. */
  readonly countryNames: ReadonlyMap<string, string>;
  readonly #source: ZoneSource;
  /** The zones that were asked for: to make all 600 would take 2 ms of a start. */
  readonly #zones = new Map<string, Zone>();
  readonly #timelines = new Map<string, Timeline>();
  #namesByFoldedName: ReadonlyMap<string, string> | undefined;
  #canonicalZones: readonly Zone[] | undefined;
  #suggester: ZoneNameSuggester | undefined;

  constructor(source: ZoneSource) {
    this.#source = source;
    this.version = source.version;
    this.countryNames = source.countryNames;
  }

  /** The zone of a name, in any case of ASCII letters; the same object for the same name. */
  find(name: string): Zone | undefined {
    return this.#findExactly(name) ?? this.#findFolded(name);
  }

  /** At most three canonical names, nearest first, that someone who wrote `name` may have meant. */
  suggest(name: string): string[] {
    const { countryOfZone, countryNames } = this.#source;
    this.#suggester ??= new ZoneNameSuggester({ zones: this.#all(), countryOfZone, countryNames });
    return this.#suggester.suggest(name);
  }

  /** The zones of `zone.tab` and `UTC`, sorted by name. */
  canonicalZones(): readonly Zone[] {
    this.#canonicalZones ??= this.#all()
      .filter(
        ({ name, canonicalName, countryCodes }) =>
          name === canonicalName && (countryCodes.length > 0 || name === UTC),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#canonicalZones;
  }

  /** All names that `find` knows, in tzdata's letter case, sorted. */
  names(): string[] {
    return this.#all()
      .map(({ name }) => name)
      .sort();
  }

  #all(): Zone[] {
    const { files, links } = this.#source;
    const names = new Set([...files.keys(), ...links.keys()]); // Debian has files under the names of links too
    return [...names].map(name => this.#findExactly(name)).filter(zone => zone !== undefined); // a link to nothing has none
  }

  #findExactly(name: string): Zone | undefined {
    const known = this.#zones.get(name);
    if (known !== undefined) return known;
    const zone = zoneOf(name, this.#source, this.#timelines);
    if (zone !== undefined) this.#zones.set(name, zone);
    return zone;
  }

  #findFolded(name: string): Zone | undefined {
    // Only ASCII letters are folded: the Kelvin sign in a name like 'Asia/Kolkata' would become a k.
    if (!/^[\x21-\x7e]{1,64}$/.test(name)) return undefined;
    this.#namesByFoldedName ??= new Map(this.names().map(known => [known.toLowerCase(), known]));
    const known = this.#namesByFoldedName.get(name.toLowerCase());
    return known === undefined ? undefined : this.#findExactly(known);
  }
}

/** Opens the embedded pack of zones. Throws an `Error` where the bytes are no pack. */
export function openZonePack(pack: Uint8Array): ZoneDatabase {
  return new ZoneDatabase(decodeZonePack(pack));
}

/** The zone of a name in its exact spelling; zones of one file share its timeline. */
function zoneOf(name: string, source: ZoneSource, timelines: Map<string, Timeline>): Zone | undefined {
  const fileName = followLinks(name, source, next => source.files.has(next));
  const bytes = source.files.get(fileName);
  if (bytes === undefined) return undefined;
  const load = () => {
    const timeline = timelines.get(fileName) ?? new Timeline(readTzif(bytes));
    timelines.set(fileName, timeline);
    return timeline;
  };
  const canonicalName = canonicalNameOf(name, source);
  const country = source.countryOfZone.get(canonicalName);
  return new Zone(name, canonicalName, country === undefined ? [] : [country], load);
}

/** Links are followed, but a name with its own row in `zone.tab` keeps it: `Europe/Oslo` is not `Europe/Berlin`. */
function canonicalNameOf(name: string, source: ZoneSource): string {
  const meant = ZONE_OF_MOVED_LINK.get(name);
  if (meant !== undefined && source.countryOfZone.has(meant)) return meant;
  const target = followLinks(name, source, next => source.countryOfZone.has(next));
  return UTC_KIN.has(target) ? UTC : target;
}

/** The first name on the way along the links that is good enough, else the last one. */
function followLinks(name: string, source: ZoneSource, isEnough: (name: string) => boolean): string {
  let current = name;
  for (let hops = 0; hops < MAX_HOPS && !isEnough(current); hops++) {
    current = source.links.get(current) ?? current;
  }
  return current;
}
