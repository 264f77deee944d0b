import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../common/errors.ts';
import { compareText } from '../common/sorted_list.ts';
import { boundedList } from '../common/words.ts';
import { readCountryNames, readZoneNames, readZoneTab } from './tzdata_tables.ts';
import { isTzif, readTzif } from './tzif.ts';
import { ZoneDatabase } from './zone_database.ts';
import type { ZoneSource } from './zone_pack.ts';

/** Entries that are not tzdata zones: variants of the tree, and aliases of the host's own zone. */
const NOT_ZONES = new Set(['posix', 'right', 'posixrules', 'localtime']);
const MAX_DEPTH = 4; // America/Argentina/Buenos_Aires has three
const MAX_FILE_BYTES = 1_000_000;
const NAME_PART = /^[A-Za-z0-9_+-]{1,64}$/;

/**
 * Reads a tree of TZif files such as `/usr/share/zoneinfo`. Version, links and countries are from the tree's own
 * `tzdata.zi`, `+VERSION`, `zone.tab` and `iso3166.tab`; missing tables and links are taken from `embedded`, since
 * distributions put old links into a separate package. Throws an `Error` with the reason if a table is truncated, or a file
 * with the name of a zone or the TZif magic is not valid TZif.
 */
export function readZoneinfoDirectory(directory: string, embedded: ZoneSource): ZoneSource {
  const names = parsedTable(directory, 'tzdata.zi', readZoneNames);
  const countryOfZone = parsedTable(directory, 'zone.tab', readZoneTab) ?? embedded.countryOfZone;
  const links = withMissingLinks(names, embedded);
  const known = new Set([...countryOfZone.keys(), ...links.keys(), ...embedded.files.keys()]);
  const files = new Map<string, Uint8Array>();
  collect(directory, '', 1, (name, bytes) => {
    if (!isTzif(bytes) && !known.has(name)) return;
    checkTzif(name, bytes);
    files.set(name, bytes);
  });
  if (files.size === 0) throw new Error('it contains no TZif files');
  return {
    version: names?.version ?? parsedTable(directory, '+VERSION', text => text.trim()) ?? 'unknown',
    files,
    links,
    countryOfZone,
    countryNames: parsedTable(directory, 'iso3166.tab', readCountryNames) ?? embedded.countryNames,
  };
}

/** The tree's links, and the embedded links for names that it does not define. */
function withMissingLinks(
  names: ReturnType<typeof readZoneNames> | undefined,
  embedded: ZoneSource,
): ReadonlyMap<string, string> {
  if (names === undefined) return embedded.links;
  const own = new Set(names.zones);
  return new Map([...[...embedded.links].filter(([name]) => !own.has(name)), ...names.links]);
}

/** A parsed text file in the tree; undefined if the tree does not have it. */
function parsedTable<Value>(
  directory: string,
  name: string,
  parse: (text: string) => Value,
): Value | undefined {
  const text = bytesOf(join(directory, name))?.toString();
  if (text === undefined) return undefined;
  if (!text.endsWith('\n')) throw new Error(`its ${name} is truncated: it does not end with a line feed`);
  return parse(text);
}

/** Visits the files in a folder by name; follows symbolic links to files, but not to folders. */
function collect(
  root: string,
  folder: string,
  depth: number,
  visit: (name: string, bytes: Uint8Array) => void,
): void {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => compareText(a.name, b.name))) {
    if (!NAME_PART.test(entry.name) || NOT_ZONES.has(entry.name)) continue;
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (depth < MAX_DEPTH) collect(root, name, depth + 1, visit);
      continue;
    }
    const bytes = bytesOf(join(root, name));
    if (bytes !== undefined) visit(name, bytes);
  }
}

/** The bytes of a regular file no larger than a zone can be; undefined for anything else. */
function bytesOf(path: string): Buffer | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_FILE_BYTES ? readFileSync(path) : undefined;
}

function checkTzif(name: string, bytes: Uint8Array): void {
  try {
    readTzif(bytes);
  } catch (error) {
    throw new Error(`its ${name} is not a valid TZif file: ${messageOf(error)}`);
  }
}

/**
 * Opens zones that replace the embedded ones. Throws an `Error` with the reason if they lack a zone in `zone.tab` or are older.
 * An unknown release is not considered older, see {@link hasKnownRelease}.
 */
export function openReplacementZones(
  source: ZoneSource,
  embedded: ZoneSource,
  { allowOlder }: { readonly allowOlder: boolean },
): ZoneDatabase {
  const isOlder = releaseOf(source.version) < releaseOf(embedded.version);
  if (isOlder && !allowOlder)
    throw new Error(
      `its tzdata ${source.version} is older than the embedded ${embedded.version}; --allow-older-data permits it`,
    );
  const zones = new ZoneDatabase(source);
  // An older release lacks zones added since.
  const required = new Set([
    ...source.countryOfZone.keys(),
    ...(isOlder ? [] : embedded.countryOfZone.keys()),
  ]);
  requireEach(required, 'lacks zones of zone.tab', name => zones.find(name) !== undefined);
  const isListed = (name: string) => source.countryOfZone.has(zones.find(name)!.canonicalName);
  requireEach(required, 'has no row in zone.tab for', isListed);
  const countries = new Set(source.countryOfZone.values());
  requireEach(countries, 'has no row in iso3166.tab for', code => source.countryNames.has(code));
  return zones;
}

function requireEach(names: ReadonlySet<string>, fault: string, holds: (name: string) => boolean): void {
  const faulty = [...names].filter(name => !holds(name));
  if (faulty.length > 0) throw new Error(`it ${fault}: ${boundedList(faulty)}`);
}

/** Whether a version begins with a tzdata release, so that its age is known. */
export function hasKnownRelease(version: string): boolean {
  return RELEASE.test(version);
}

/** `2026f`, `2024b-rearguard` */
const RELEASE = /^\d{4}[a-z]+/;

/** The release in a version, for comparing ages; an unknown one counts as the newest. */
function releaseOf(version: string): string {
  return RELEASE.exec(version)?.[0] ?? '9999';
}
