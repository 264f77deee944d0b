import { quoted, ServiceError, unreadable, unwantedList } from '../../common/service_error.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Services } from '../../http/services.ts';
import { offsetTarget, type Target, UTC_TARGET, zoneTarget } from '../../operations/target.ts';
import { addressClassOf } from '../../places/address_class.ts';
import { type IpAddress, parseAddress, readAddress } from '../../places/ip_address.ts';
import { zoneNameOfAddress } from '../../places/places.ts';
import { offsetOfName, parseOffset } from '../../text/offset.ts';
import type { Zone } from '../../zones/zone.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import type { Caller } from '../route.ts';
import { parseDegrees } from './number.ts';

/** The names of the parameters that say a place; `utc` and `autoTz` are null where a route has no such flag. */
export interface SelectorNames {
  readonly tz: string;
  readonly ip: string;
  readonly lat: string;
  readonly lon: string;
  readonly offset: string;
  readonly autoTz: string | null;
  readonly utc: string | null;
}

/** The names of a hint, all with the same prefix: `source_`, `compare_source_`, `from_`, `to_`. */
export function hintNames(prefix: string): SelectorNames {
  return {
    tz: `${prefix}tz`,
    ip: `${prefix}ip`,
    lat: `${prefix}lat`,
    lon: `${prefix}lon`,
    offset: `${prefix}offset`,
    autoTz: null,
    utc: null,
  };
}

/** The target selectors of most routes. */
export const TARGET_NAMES: SelectorNames = { ...hintNames(''), autoTz: 'auto_tz' };

/** The target selectors of `convert` and `add`. */
export const TARGET_NAMES_WITH_UTC: SelectorNames = { ...TARGET_NAMES, utc: 'utc' };

/** One name for each family of selectors that was supplied. */
export function suppliedSelectors(query: Query, names: SelectorNames): readonly string[] {
  const supplied: string[] = [];
  if (query.has(names.tz)) supplied.push(names.tz);
  if (query.has(names.ip)) supplied.push(names.ip);
  if (query.has(names.lat)) supplied.push(names.lat);
  else if (query.has(names.lon)) supplied.push(names.lon);
  if (query.has(names.offset)) supplied.push(names.offset);
  if (names.autoTz !== null && query.hasFlag(names.autoTz)) supplied.push(names.autoTz);
  if (names.utc !== null && query.hasFlag(names.utc)) supplied.push(names.utc);
  return supplied;
}

/** `AMBIGUOUS_TARGET` for selectors of more than one family. */
export function rejectSeveralSelectors(query: Query, names: SelectorNames): void {
  rejectSeveral(suppliedSelectors(query, names), 'a request takes one of them');
}

/**
 * The place that the selectors name, or null where there is none. Expects that several were refused before. `caller`
 * is for `auto_tz`: null where `names` has none.
 */
export function readSelector(
  query: Query,
  names: SelectorNames,
  services: Services,
  caller: Caller | null,
): Target | null {
  const place = readPlace(query, names, services, caller);
  rejectFaultyFlags(query, names);
  return place;
}

/** Tells a fault of a flag that is off, and was not asked for since another selector decides. */
export function rejectFaultyFlags(query: Query, { autoTz, utc }: SelectorNames): void {
  if (autoTz !== null) query.rejectProblem(autoTz);
  if (utc !== null) query.rejectProblem(utc);
}

function readPlace(
  query: Query,
  names: SelectorNames,
  services: Services,
  caller: Caller | null,
): Target | null {
  const tz = query.get(names.tz);
  if (tz !== undefined) return parseSelector('tz', tz, names.tz, services);
  const ip = query.get(names.ip);
  if (ip !== undefined) return parseSelector('ip', ip, names.ip, services);
  if (query.has(names.lat) || query.has(names.lon)) return readCoordinates(query, names, services);
  const offset = query.get(names.offset);
  if (offset !== undefined) return parseSelector('offset', offset, names.offset, services);
  if (names.autoTz !== null && query.flag(names.autoTz)) return placeOfCaller(caller, names.autoTz, services);
  if (names.utc !== null && query.flag(names.utc)) return UTC_TARGET;
  return null;
}

/** The families of selectors that take one value, and a list of them where a route allows it. */
export type SelectorFamily = 'tz' | 'ip' | 'offset';

/**
 * The place that one value of a selector names; `parameter` is what messages call it. `suggests` says whether the
 * error for an unknown zone looks for the nearest names, which takes some tenths of a millisecond.
 */
export function parseSelector(
  family: SelectorFamily,
  text: string,
  parameter: string,
  services: Services,
  suggests = true,
): Target {
  switch (family) {
    case 'tz':
      return zoneTarget(findZone(text, parameter, services.zones, suggests));
    case 'offset': {
      const offsetSeconds = parseOffset(text, parameter);
      return offsetTarget(offsetSeconds);
    }
    case 'ip':
      return placeOfAddress(addressOf(text, parameter), parameter, services);
  }
}

function addressOf(text: string, parameter: string): IpAddress {
  const address = readAddress(text);
  if (address !== undefined) return address;
  if (text.includes(',')) throw unwantedList(parameter, quoted(text), 'address');
  return parseAddress(text, parameter); // which says what is wrong with it
}

/** The zone of a name in any letter case; the error for an unknown one suggests the nearest names. */
export function findZone(name: string, parameter: string, zones: ZoneDatabase, suggests = true): Zone {
  // No zone's name has a space: it is the `+` of `Etc/GMT+5`, typed raw into a query.
  const zone = zones.find(name.includes(' ') ? name.replaceAll(' ', '+') : name);
  if (zone !== undefined) return zone;
  if (name.includes(',')) throw unwantedList(parameter, quoted(name), 'zone');
  const suggestions = suggests ? zones.suggest(name) : [];
  const advice = suggestions.length === 0 ? '' : `; did you mean ${suggestions.map(quoted).join(', ')}?`;
  const offset = offsetOfName(name);
  const shown = quoted(offset === null ? name : name.replace(' ', '+'));
  const hint = offset === null ? '' : offsetHint(offset, parameter);
  throw unreadable(parameter, `${shown} is not a zone of the IANA time zone database${hint}${advice}`);
}

/** Says how the offset is given that was given as a zone: under the name beside that of the zone, where that is known. */
function offsetHint(offset: string, parameter: string): string {
  if (!parameter.endsWith('tz')) return `; an offset is written ${offset}`;
  return `; an offset is given as '${parameter.slice(0, -'tz'.length)}offset=${offset}'`;
}

function placeOfAddress(address: IpAddress, parameter: string, { places, zones }: Services): Target {
  const zoneName = zoneNameOfAddress(places, address);
  const zone = zoneName === undefined ? undefined : zones.find(zoneName);
  if (zone !== undefined) return zoneTarget(zone);
  const addressClass = addressClassOf(address);
  const what = addressClass === undefined ? `'${address.text}'` : `'${address.text}', ${addressClass}`;
  throw unreadable(parameter, `no time zone is known for ${what}`);
}

function placeOfCaller(caller: Caller | null, parameter: string, services: Services): Target {
  const address = caller?.();
  if (address === undefined)
    throw unreadable(parameter, 'the address that the request comes from is not known');
  return placeOfAddress(address, parameter, services);
}

function readCoordinates(query: Query, names: SelectorNames, { places, zones }: Services): Target {
  const lat = query.get(names.lat);
  if (lat === undefined) throw unreadable(names.lon, `'${names.lat}' is missing: coordinates are a pair`);
  const latitude = parseDegrees(lat, names.lat, 90);
  const lon = query.get(names.lon);
  if (lon === undefined) throw unreadable(names.lat, `'${names.lon}' is missing: coordinates are a pair`);
  const longitude = parseDegrees(lon, names.lon, 180);
  const zoneName = places.boundaries.get().zoneNameAt(latitude, longitude);
  const zone = zones.find(zoneName);
  if (zone !== undefined) return zoneTarget(zone);
  // An older zoneinfo tree of the operator's may lack a new zone.
  throw new ServiceError('DEPENDENCY_NOT_READY', `The zone data of this server lacks ${zoneName}`);
}
