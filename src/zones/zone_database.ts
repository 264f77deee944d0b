import { once } from '../common/caching.ts';
import { Timeline } from './timeline.ts';
import { readAbbreviations, readTzif } from './tzif.ts';
import { Zone } from './zone.ts';
import { decodeZonePack, type ZoneSource } from './zone_pack.ts';
import { ZoneNameSuggester } from './zone_suggester.ts';

const UTC = 'UTC';
/** Zones that are UTC under another name: `Zulu`, `GMT` and `Etc/Greenwich` link to one of these. */
const UTC_ALIASES = new Set([UTC, 'Etc/UTC', 'GMT', 'Etc/GMT', 'Etc/UCT']);

/**
 * Old names that tzdata now links to a zone in another country, with the zone in `zone.tab` that they stand for.
 *
 * Since 1970 these places have had the same time as a larger one, so `tzdata.zi` links `Iceland` to `Africa/Abidjan`.
 * The zones are from comments in tzdata's full sources: `#= Atlantic/Reykjavik` in the file `backward`, or the links
 * under `#PACKRATLIST zone.tab` in `backzone`. Timbuktu is in Mali; Jan Mayen shares `SJ` in `zone.tab` with Svalbard.
 */
export const ZONE_OF_MOVED_LINK: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['Africa/Timbuktu', 'Africa/Bamako'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Virgin', 'America/St_Thomas'],
  ['Antarctica/South_Pole', 'Antarctica/McMurdo'],
  ['Atlantic/Jan_Mayen', 'Arctic/Longyearbyen'],
  ['Iceland', 'Atlantic/Reykjavik'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
  ['Pacific/Yap', 'Pacific/Chuuk'],
]);

/** Longer than any chain of links; also terminates cycles. */
const MAX_HOPS = 8;

/** All zones of one release of tzdata, under all their names. */
export class ZoneDatabase {
  /** The release of tzdata: `2026f`. */
  readonly version: string;
  /** Whether it is a release selected by a request. */
  readonly isOfRelease: boolean;
  readonly countryNames: ReadonlyMap<string, string>;
  readonly #source: ZoneSource;
  readonly #parse: (bytes: Uint8Array) => Timeline;
  /** Created on demand, since all 600 would add 2 ms to startup. */
  readonly #zones = new Map<string, Zone>();
  readonly #timelines = new Map<string, Timeline>();
  readonly #namesByFoldedName = once(() => new Map(this.names().map(name => [name.toLowerCase(), name])));
  readonly #zonesByAbbreviation = once(() => this.#indexAbbreviations());
  readonly #namesByCanonicalName = once(() =>
    Map.groupBy(this.names(), name => this.#findExactly(name)!.canonicalName),
  );
  readonly #suggester = once(() => new ZoneNameSuggester(this.#all(), this.#source));

  /** `parse` creates the timeline of a TZif file; databases with common files can share timelines. */
  constructor(source: ZoneSource, isOfRelease = false, parse = parseTimeline) {
    this.#source = source;
    this.#parse = parse;
    this.isOfRelease = isOfRelease;
    this.version = source.version;
    this.countryNames = source.countryNames;
  }

  /** Its name in messages. */
  get title(): string {
    const database = 'the IANA time zone database';
    return this.isOfRelease ? `release ${this.version} of ${database}` : database;
  }

  /** The zone with a name, ignoring the case of ASCII letters; always the same object for a name. */
  find(name: string): Zone | undefined {
    return this.#findExactly(name) ?? this.#findFolded(name);
  }

  /** At most three canonical names that resemble `name`, nearest first. */
  suggest(name: string): string[] {
    return this.#suggester().suggest(name);
  }

  /** The canonical zones whose file contains an abbreviation, case-insensitive, for any time. */
  zonesWithAbbreviation(abbreviation: string): readonly Zone[] {
    return this.#zonesByAbbreviation().get(abbreviation.toLowerCase()) ?? [];
  }

  /** The zones of `zone.tab` and `UTC`, sorted by name. */
  readonly canonicalZones: () => readonly Zone[] = once(() =>
    this.names()
      .map(name => this.#findExactly(name)!)
      .filter(({ name, canonicalName }) => name === canonicalName)
      .filter(({ name, countryCodes }) => countryCodes.length > 0 || name === UTC),
  );

  /** All names that `find` accepts, in tzdata's spelling, sorted. */
  names(): string[] {
    return this.#all()
      .map(({ name }) => name)
      .sort();
  }

  /** All names of a canonical zone, sorted. */
  namesOf(canonicalName: string): readonly string[] {
    return this.#namesByCanonicalName().get(canonicalName) ?? [];
  }

  #all(): Zone[] {
    const { files, links } = this.#source;
    const names = new Set([...files.keys(), ...links.keys()]); // Debian's directory has files for links, too
    return [...names].map(name => this.#findExactly(name)).filter(zone => zone !== undefined); // dangling links
  }

  #findExactly(name: string): Zone | undefined {
    const known = this.#zones.get(name);
    if (known !== undefined) return known;
    const fileName = this.#fileNameOf(name);
    const bytes = this.#source.files.get(fileName);
    if (bytes === undefined) return undefined;
    const canonicalName = canonicalNameOf(name, this.#source);
    const countries = [this.#source.countryOfZone.get(canonicalName)].filter(code => code !== undefined);
    const zone = new Zone(name, canonicalName, countries, () => this.#timelineOf(fileName, bytes));
    this.#zones.set(name, zone);
    return zone;
  }

  #fileNameOf(name: string): string {
    return followLinks(name, this.#source.links, next => this.#source.files.has(next));
  }

  #indexAbbreviations(): ReadonlyMap<string, readonly Zone[]> {
    const zones = new Map<string, Zone[]>();
    for (const zone of this.canonicalZones()) {
      const file = this.#source.files.get(this.#fileNameOf(zone.name))!; // a canonical zone has one
      const folded = readAbbreviations(file).map(abbreviation => abbreviation.toLowerCase());
      for (const abbreviation of new Set(folded))
        zones.set(abbreviation, [...(zones.get(abbreviation) ?? []), zone]);
    }
    return zones;
  }

  /** Names with the same file share a timeline. */
  #timelineOf(fileName: string, bytes: Uint8Array): Timeline {
    const timeline = this.#timelines.get(fileName) ?? this.#parse(bytes);
    this.#timelines.set(fileName, timeline);
    return timeline;
  }

  #findFolded(name: string): Zone | undefined {
    // ASCII only: toLowerCase() would turn the Kelvin sign into a k.
    if (!/^[\x21-\x7e]{1,64}$/.test(name)) return undefined;
    const known = this.#namesByFoldedName().get(name.toLowerCase());
    return known === undefined ? undefined : this.#findExactly(known);
  }
}

/** The timeline of a TZif file. Throws an `Error` if it is invalid. */
export function parseTimeline(bytes: Uint8Array): Timeline {
  return new Timeline(readTzif(bytes));
}

/** Opens the embedded pack of zones. Throws an `Error` if it is not one. */
export function openZonePack(pack: Uint8Array): ZoneDatabase {
  return new ZoneDatabase(decodeZonePack(pack));
}

/** Follows links up to a name with its own row in `zone.tab`: `Europe/Oslo` does not become `Europe/Berlin`. */
function canonicalNameOf(name: string, source: ZoneSource): string {
  const moved = ZONE_OF_MOVED_LINK.get(name);
  if (moved !== undefined && source.countryOfZone.has(moved)) return moved;
  const target = followLinks(name, source.links, next => source.countryOfZone.has(next));
  return UTC_ALIASES.has(target) ? UTC : target;
}

/** The first name along the chain of links that satisfies `isTarget`, else the last one. */
export function followLinks(
  name: string,
  links: ZoneSource['links'],
  isTarget: (name: string) => boolean,
): string {
  let current = name;
  for (let hops = 0; hops < MAX_HOPS && !isTarget(current); hops++) current = links.get(current) ?? current;
  return current;
}
