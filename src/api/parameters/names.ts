import { didYouMean, quoted, ServiceError, unreadable, unwantedList } from '../../common/errors.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { placeListing } from '../../operations/places.ts';
import { type DataSets, dataSets, ZONES } from '../../operations/served_data.ts';
import { selectedTarget, type Target, zoneTarget } from '../../operations/target.ts';
import { abbreviationCandidates, zonesOf } from '../../operations/timezone.ts';
import type { Place } from '../../places/gazetteer.ts';
import { offsetOfName } from '../../text/offset.ts';
import type { Zone } from '../../zones/zone.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import { type DecodeContext, type InputFactory, optional, text } from '../inputs.ts';

/** The target with an IANA or Windows name. Throws `INVALID_PARAMETER`, with similar names or the candidates for an abbreviation. */
export function targetOfName(
  name: string,
  parameter: string,
  context: DecodeContext,
  suggests: boolean,
): Target {
  const { snapshot } = context;
  const zone = ianaZone(name, snapshot.zones);
  if (zone !== undefined) return zoneTarget(zone, ZONES);
  const ofWindows = windowsZone(name, undefined, snapshot);
  if (ofWindows !== undefined) return zoneTarget(ofWindows, ZONES_AND_WINDOWS);
  if (suggests) rejectAbbreviation(name, parameter, context);
  throw unknownZone(name, parameter, snapshot.zones, suggests);
}

/** The zone for the Windows name in `tz` and the supplied `territory`, both with the prefix. Throws `INVALID_PARAMETER`. */
export function zoneOfTerritory(query: Query, prefix: string, { snapshot }: DecodeContext): Zone {
  const { zones, windows } = snapshot;
  const [tz, parameter] = [`${prefix}tz`, `${prefix}territory`];
  const name = query.get(tz);
  if (name === undefined) throw unreadable(tz, `it is missing: '${parameter}' requires it`);
  if (ianaZone(name, zones) !== undefined) {
    throw unreadable(parameter, `it applies only to Windows names, and ${quoted(name)} is an IANA name`);
  }
  if (windowsZone(name, undefined, snapshot) === undefined) throw unknownZone(name, tz, zones, true);
  const territory = query.get(parameter) ?? '';
  const code = territory.toUpperCase();
  const zone = windowsZone(name, code, snapshot);
  if (zone !== undefined && (windows.hasTerritory(code) || zones.countryNames.has(code))) return zone;
  throw unreadable(parameter, `${quoted(territory)} is not an ISO 3166-1 alpha-2 code or '001'`);
}

/** Finds a zone by its IANA name, case-insensitive; the error for an unknown name suggests similar ones. */
export function findZone(name: string, parameter: string, zones: ZoneDatabase): Zone {
  const zone = ianaZone(name, zones);
  if (zone !== undefined) return zone;
  throw unknownZone(name, parameter, zones, true);
}

/** The data sets for finding a zone by name, and for suggestions if it is unknown. */
export const DATA_OF_NAMES = dataSets('zones', 'windows', 'populations');
const ZONES_AND_WINDOWS = dataSets('zones', 'windows');

/** The data sets that {@link targetOfName} reads. */
export function dataOfZoneName(name: string, snapshot: Snapshot): DataSets {
  if (ianaZone(name, snapshot.zones) !== undefined) return ZONES;
  return windowsZone(name, undefined, snapshot) === undefined ? DATA_OF_NAMES : ZONES_AND_WINDOWS;
}

function ianaZone(name: string, zones: ZoneDatabase): Zone | undefined {
  // No zone name has a space: it is an unescaped `+`, as in `Etc/GMT+5`.
  return zones.find(name.includes(' ') ? name.replaceAll(' ', '+') : name);
}

function windowsZone(name: string, territory: string | undefined, snapshot: Snapshot): Zone | undefined {
  const { windows } = snapshot;
  // A space before a digit can be an unescaped `+`, as in `UTC+12`, but not in `Russia Time Zone 3`.
  const zoneName =
    windows.zoneNameOf(name, territory) ?? windows.zoneNameOf(name.replace(/ (?=[0-9])/, '+'), territory);
  return zoneName === undefined ? undefined : snapshot.zones.find(zoneName);
}

/** The maximum numbers of zones examined for an error, and of candidates: each may have to be parsed first, in about 0.1 ms. */
const [EXAMINED_ZONES, MAX_CANDIDATES] = [60, 20];

/** Throws `INVALID_PARAMETER` for an abbreviation, with the zones that it can refer to. */
function rejectAbbreviation(name: string, parameter: string, { snapshot, nowMs }: DecodeContext): void {
  if (offsetOfName(name) !== null) return; // tzdata abbreviates -03 as `-03`
  const examined = abbreviationCandidates(name, nowMs, snapshot).take(EXAMINED_ZONES);
  const candidates = [...examined.filter(candidate => candidate !== null).take(MAX_CANDIDATES)];
  if (candidates.length === 0) return;
  const shown = candidates.slice(0, 3).map(candidate => quoted(candidate.name));
  const reason = `${quoted(name)} is an abbreviation, not a zone; give a zone that uses it, such as ${shown.join(', ')}`;
  const { message } = unreadable(parameter, reason);
  throw new ServiceError('INVALID_PARAMETER', message, { parameter, candidates });
}

function unknownZone(name: string, parameter: string, zones: ZoneDatabase, suggests: boolean): ServiceError {
  if (name.includes(',')) return unwantedList(parameter, quoted(name), 'zone');
  const advice = didYouMean(suggests ? zones.suggest(name) : []);
  const offset = offsetOfName(name);
  const shown = quoted(offset === null ? name : name.replace(' ', '+'));
  const hint = offset === null ? '' : offsetHint(offset, parameter);
  return unreadable(parameter, `${shown} is not a zone of ${zones.title}${hint}${advice}`);
}

/** How to write an offset that was given as a zone, with the name of the offset parameter if there is one. */
function offsetHint(offset: string, parameter: string): string {
  if (!parameter.endsWith('tz')) return `; an offset is written ${offset}`;
  return `; an offset is given as '${parameter.slice(0, -'tz'.length)}offset=${offset}'`;
}

const MAX_PLACE_CANDIDATES = 10;
/** The maximum number of names in its message. */
const MAX_SUGGESTIONS = 3;

/**
 * The target of a place name. With `suggests`, the error for an unknown name suggests similar ones, which takes tenths of a
 * millisecond, and the error for an ambiguous name has more candidates than its message.
 */
export function parsePlace(
  name: string,
  parameter: string,
  { snapshot: { gazetteer, zones } }: DecodeContext,
  suggests: boolean,
): Target {
  const places = gazetteer.get();
  const { place, candidates } = places.resolve(name, suggests ? MAX_PLACE_CANDIDATES : MAX_SUGGESTIONS);
  if (place !== null) return selectedTarget(zoneOfPlace(place.zoneName, zones), { place });
  if (candidates.length > 0) throw ambiguous(name, parameter, candidates, zones);
  if (name.includes(';')) throw unwantedList(parameter, quoted(name), 'place');
  const advice = didYouMean(suggests ? places.suggest(name, MAX_SUGGESTIONS).map(qualified) : []);
  throw unreadable(parameter, `${quoted(name)} is not a city or town in GeoNames${advice}`);
}

/** The zone of a place, which an older release or an operator's older zones may lack. */
export function zoneOfPlace(zoneName: string, zones: ZoneDatabase): Zone {
  const zone = zones.find(zoneName);
  if (zone !== undefined) return zone;
  if (zones.isOfRelease)
    throw unreadable('tzdata', `${zones.title} lacks ${zoneName}, the zone of the place`);
  throw new ServiceError('DEPENDENCY_NOT_READY', `The zone data of this server lacks ${zoneName}`);
}

function ambiguous(
  name: string,
  parameter: string,
  places: readonly Place[],
  zones: ZoneDatabase,
): ServiceError {
  const names = [...new Set(places.map(qualified))].slice(0, MAX_SUGGESTIONS).map(quoted);
  return new ServiceError(
    'AMBIGUOUS_TARGET',
    `Cannot read '${parameter}': ${quoted(name)} is the name of several places: write ${names.join(' or ')}, or give coordinates`,
    { parameter, candidates: places.map(place => placeListing(place, zoneOfPlace(place.zoneName, zones))) },
  );
}

/** `Portland, US-ME` */
function qualified({ name, adminArea, country }: Place): string {
  return `${name}, ${adminArea ?? country}`;
}

export const CountryText = text('ISO 3166-1 alpha-2 country code.', 'DE', { pattern: '^[A-Za-z]{2}$' });
const COUNTRY = new RegExp(CountryText.pattern!); // it has one

/** The upper-case code of a country that has a zone. */
export const country: InputFactory<string | null> = optional(CountryText, countryCode, ZONES);

export function countryCode(text: string, parameter: string, { snapshot }: DecodeContext): string {
  const code = text.toUpperCase();
  if (COUNTRY.test(text) && zonesOf(code, snapshot.zones).length > 0) return code;
  throw unreadable(parameter, `${quoted(text)} is not the ISO 3166-1 alpha-2 code of a country with a zone`);
}
