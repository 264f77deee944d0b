import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTzif, readTzif } from './tzif.ts';
import { ZoneDatabase } from './zone_database.ts';
import type { ZoneSource } from './zone_pack.ts';
import { readCountryNames, readZoneNames, readZoneTab } from './zone_tables.ts';

/** Not zones of tzdata: variants of the tree, and aliases of the host's own zone. */
const NOT_ZONES = new Set(['posix', 'right', 'posixrules', 'localtime']);
const MAX_DEPTH = 4; // America/Argentina/Buenos_Aires has three
const MAX_FILE_BYTES = 1_000_000;
const NAME_PART = /^[A-Za-z0-9_+-]{1,64}$/;

/**
 * Opens a tree of TZif files such as `/usr/share/zoneinfo`. Links, countries and version are from the tree's own
 * `tzdata.zi`, `zone.tab` and `+VERSION`, or from `fallback` where it has none. All files are validated at once, so that
 * no request fails later. Throws a one-line `Error` if the directory has no zones or an invalid file.
 */
export function openZoneinfoDirectory(directory: string, fallback: ZoneSource): ZoneDatabase {
  try {
    const files = new Map<string, Uint8Array>();
    collect(directory, '', 1, files);
    if (files.size === 0) throw new Error('it contains no TZif files');
    for (const [name, bytes] of files) checkTzif(name, bytes);
    return new ZoneDatabase(sourceOf(directory, files, fallback));
  } catch (error) {
    throw new Error(`Cannot read zones from '${directory}': ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'ENOTDIR') return 'it is not a directory';
  return message;
}

function sourceOf(
  directory: string,
  files: ReadonlyMap<string, Uint8Array>,
  fallback: ZoneSource,
): ZoneSource {
  function parsed<Value>(name: string, parse: (text: string) => Value): Value | undefined {
    const bytes = bytesOf(join(directory, name));
    return bytes && parse(bytes.toString());
  }
  const names = parsed('tzdata.zi', readZoneNames);
  return {
    version: names?.version ?? parsed('+VERSION', text => text.trim()) ?? 'unknown',
    files,
    links: names?.links ?? fallback.links,
    countryOfZone: parsed('zone.tab', readZoneTab) ?? fallback.countryOfZone,
    countryNames: parsed('iso3166.tab', readCountryNames) ?? fallback.countryNames,
  };
}

/** Collects the TZif files of a folder by name; follows symbolic links to files, but not to folders. */
function collect(root: string, folder: string, depth: number, files: Map<string, Uint8Array>): void {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!NAME_PART.test(entry.name) || NOT_ZONES.has(entry.name)) continue;
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (depth < MAX_DEPTH) collect(root, name, depth + 1, files);
      continue;
    }
    const bytes = bytesOf(join(root, name));
    if (bytes !== undefined && isTzif(bytes)) files.set(name, bytes);
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
    throw new Error(`its ${name} is not a valid TZif file: ${(error as Error).message}`);
  }
}
