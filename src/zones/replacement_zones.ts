import { ZoneDatabase } from './zone_database.ts';
import type { ZoneSource } from './zone_pack.ts';

/** The maximum number of names in a message. */
const MAX_NAMED = 3;

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
  if (isOlder && !allowOlder) {
    throw new Error(
      `its tzdata ${source.version} is older than the embedded ${embedded.version}; --allow-older-data permits it`,
    );
  }
  const zones = new ZoneDatabase(source);
  // An older release lacks zones added since.
  const required = new Set([
    ...source.countryOfZone.keys(),
    ...(isOlder ? [] : embedded.countryOfZone.keys()),
  ]);
  reject(
    'lacks zones of zone.tab',
    [...required].filter(name => zones.find(name) === undefined),
  );
  const isListed = (name: string) => source.countryOfZone.has(zones.find(name)!.canonicalName);
  reject(
    'has no row in zone.tab for',
    [...required].filter(name => !isListed(name)),
  );
  const countries = new Set(source.countryOfZone.values());
  reject(
    'has no row in iso3166.tab for',
    [...countries].filter(code => !source.countryNames.has(code)),
  );
  return zones;
}

function reject(what: string, names: readonly string[]): void {
  if (names.length === 0) return;
  throw new Error(`it ${what}: ${boundedList(names)}`);
}

/** The first names in a list, and the number of others. */
export function boundedList(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
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
