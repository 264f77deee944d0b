import { Reader } from 'mmdb-lib';
import { BoundedCache } from '../common/caching.ts';
import type { Boundaries } from './boundaries.ts';
import type { IpAddress } from './ip_address.ts';
import { networkAround } from './network.ts';
import type { IpZones } from './places.ts';

/** Decoded values that a reader caches: enough for the few records of the embedded database. */
const VALUES_CACHED = 1_000;

/** How many addresses have a cached zone (at most twice as many), since clients repeat their requests. */
const ADDRESSES_CACHED = 5_000;

/** Opens a database that is known to be valid, with a bounded cache of decoded values. */
export function openMmdb(bytes: Uint8Array): Reader<never> {
  const cache = new BoundedCache<string | number, unknown>(VALUES_CACHED);
  return new Reader<never>(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { cache });
}

/**
 * The zones of a database that `checkMmdb` has accepted. `boundaries` is called only for records that have coordinates
 * and no zone.
 */
export function mmdbZones(reader: Reader<never>, boundaries?: () => Pick<Boundaries, 'zoneNameAt'>): IpZones {
  const cache = new BoundedCache<string, string>(ADDRESSES_CACHED);

  function find(address: IpAddress): string | undefined {
    if (address.version === 6 && (reader.metadata.ipVersion === 4 || isIpv4Compatible(address)))
      return undefined;
    const placement = placementOf(reader.get(address.text));
    if (placement === undefined) return undefined;
    if ('zoneName' in placement) return placement.zoneName;
    return boundaries?.().zoneNameAt(placement.latitude, placement.longitude);
  }

  const { databaseType, buildEpoch } = reader.metadata;
  const hasDate = !Number.isNaN(buildEpoch.getTime());
  return {
    needsBoundaries: boundaries !== undefined,
    ...(hasDate && { release: { name: databaseType, date: buildEpoch.toISOString().slice(0, 10) } }),
    networkOf: address => networkAround(address, reader.getWithPrefixLength(address.text)[1]),
    zoneNameOf(address) {
      const cached = cache.get(address.text);
      if (cached !== undefined) return cached;
      const zoneName = find(address);
      if (zoneName !== undefined) cache.set(address.text, zoneName);
      return zoneName;
    },
  };
}

/** Looks up an address in several databases; the first one that has a zone wins. */
export function firstZoneOf(databases: readonly IpZones[]): IpZones {
  const [first, ...others] = databases;
  if (first !== undefined && others.length === 0) return first;
  const releases = databases.flatMap(({ release }) => release ?? []);
  const [oldest] = releases.sort((one, other) => (one.date < other.date ? -1 : 1));
  return {
    needsBoundaries: databases.some(({ needsBoundaries }) => needsBoundaries),
    zoneNameOf(address) {
      for (const database of databases) {
        const zoneName = database.zoneNameOf(address);
        if (zoneName !== undefined) return zoneName;
      }
      return undefined;
    },
    networkOf: address =>
      databases.find(database => database.zoneNameOf(address) !== undefined)?.networkOf?.(address),
    ...(oldest !== undefined && { release: oldest }),
  };
}

/** Whether an address is in `::/96`, where databases store IPv4 addresses: `::8.8.8.8` is not the address 8.8.8.8. */
function isIpv4Compatible(address: IpAddress): boolean {
  return address.bytes.subarray(0, 12).every(byte => byte === 0);
}

/** The place of an address, according to a record in a location database. */
export type Placement =
  | { readonly zoneName: string }
  | { readonly latitude: number; readonly longitude: number };

/** The fields that may locate an address; any of them may be absent or of any type. */
type Fields = Readonly<
  Partial<Record<'time_zone' | 'timezone' | 'latitude' | 'longitude' | 'location', unknown>>
>;

/**
 * The place in a record: `time_zone` (our layout), `location.time_zone` (MaxMind's) or `timezone` (ip-location-db's), else
 * the latitude and longitude of any of these. Undefined if the record has none of them.
 */
export function placementOf(record: unknown): Placement | undefined {
  const fields = Object(record) as Fields;
  const location = Object(fields.location) as Fields;
  const zoneName = [fields.time_zone, location.time_zone, fields.timezone].find(isName);
  return zoneName === undefined ? (coordinatesOf(location) ?? coordinatesOf(fields)) : { zoneName };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function coordinatesOf({ latitude, longitude }: Fields): Placement | undefined {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined;
}
