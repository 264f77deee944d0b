import type { Zone } from './zone.ts';

/** At most three names of zones, nearest first, that someone who wrote `name` may have meant. */
export function suggestZoneNames(
  name: string,
  zones: ReadonlyMap<string, Zone>,
  _countryNames: ReadonlyMap<string, string>,
): string[] {
  const wanted = name.slice(0, 64).toLowerCase().replace(/[ -]/g, '_');
  const found = [...zones.values()].filter(zone => zone.name.toLowerCase().split('/').at(-1) === wanted);
  return [...new Set(found.map(zone => zone.canonicalName))].slice(0, 3);
}
