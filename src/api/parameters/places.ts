import { quoted, ServiceError, unreadable, unwantedList } from '../../common/errors.ts';
import { placeListing } from '../../operations/places.ts';
import { placeTarget, type Target } from '../../operations/target.ts';
import type { Place } from '../../places/gazetteer.ts';
import type { Zone } from '../../zones/zone.ts';
import type { ZoneDatabase } from '../../zones/zone_database.ts';
import type { DecodeContext } from './input.ts';

/** The maximum number of candidates in an error. */
const MAX_CANDIDATES = 10;
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
  const { place, candidates } = places.resolve(name, suggests ? MAX_CANDIDATES : MAX_SUGGESTIONS);
  if (place !== null) return placeTarget(place, zoneOfPlace(place.zoneName, zones));
  if (candidates.length > 0) throw ambiguous(name, parameter, candidates, zones);
  if (name.includes(';')) throw unwantedList(parameter, quoted(name), 'place');
  const suggestions = suggests ? places.suggest(name, MAX_SUGGESTIONS).map(qualified) : [];
  const advice = suggestions.length === 0 ? '' : `; did you mean ${suggestions.map(quoted).join(', ')}?`;
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
