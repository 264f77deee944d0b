import { readZonePack } from '../../data/zones/embedded.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';

/** The embedded zones, opened once for all tests. */
export const zones = openZonePack(readZonePack());

/** A zone that is known to exist. */
export function zoneOf(name: string): Zone {
  const zone = zones.find(name);
  if (zone === undefined) throw new Error(`There is no zone ${name}`);
  return zone;
}

/** Epoch seconds of an ISO 8601 time, UTC by default. */
export function seconds(iso: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`) / 1000;
}

/** Seconds since 1970, in UTC or local time, as `2026-11-20T12:00:00`. */
export function isoOf(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, -5);
}
