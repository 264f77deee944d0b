import { type Static, Type } from '@sinclair/typebox';
import { nullable, objectSchema } from '../common/json.ts';
import type { Boundaries } from '../places/boundaries.ts';
import type { Place } from '../places/gazetteer.ts';
import type { AddressSource } from '../places/places.ts';
import type { Zone } from '../zones/zone.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';

/** `details.place` for a target selected by name. */
export const PlaceDetails = objectSchema('PlaceDetails', 'The selected place.', {
  name: Type.String({ description: 'The matching name, one of the names of the place.' }),
  admin_area: nullable(Type.String(), 'ISO 3166-2 code of the administrative area; null in most countries.'),
  country: Type.String({ description: 'ISO 3166-1 alpha-2 code.' }),
  population: Type.Integer({ description: 'Population according to GeoNames; 0 if unknown.' }),
});
export type PlaceDetails = Static<typeof PlaceDetails>;

export const PlaceListing = objectSchema('PlaceListing', 'A city or town.', {
  ...PlaceDetails.properties,
  lat: Type.Number({ description: 'Latitude in decimal degrees.' }),
  lon: Type.Number({ description: 'Longitude in decimal degrees.' }),
  timezone: Type.String({ description: 'Canonical IANA name of its zone.' }),
});
export type PlaceListing = Static<typeof PlaceListing>;

export function placeDetails({ name, adminArea, country, population }: Place): PlaceDetails {
  return { name, admin_area: adminArea, country, population };
}

export function placeListing(place: Place, zone: Zone): PlaceListing {
  const { latitude, longitude } = place;
  return { ...placeDetails(place), lat: latitude, lon: longitude, timezone: zone.canonicalName };
}

/** `details.place` for a target selected by IP address. */
export const AddressDetails = objectSchema(
  'AddressDetails',
  'How the zone of an IP address was determined.',
  {
    address: Type.String({
      description:
        'The address that was looked up; for Teredo, 6to4 and NAT64, usually the embedded IPv4 address.',
    }),
    network: nullable(
      Type.String(),
      'The network in the data that contains `address`, in CIDR notation; null if unknown.',
    ),
    accuracy: Type.Unsafe<AddressSource['accuracy']>(
      Type.String({
        enum: ['operator', 'anycast', 'database'],
        description:
          "`operator`: from the operator's own networks; `anycast`: announced from many places, so that the zone is a guess; " +
          '`database`: from the IP database.',
      }),
    ),
  },
);
type AddressDetails = Static<typeof AddressDetails>;

/** `details.place` for a target selected by coordinates. */
export const CoordinatesDetails = objectSchema('CoordinatesDetails', 'The zones at and around coordinates.', {
  candidates: Type.Array(Type.String(), {
    description: 'All zones that claim the place; the first one is used for the response.',
  }),
  border_km: nullable(
    Type.Number(),
    'Kilometres to the nearest zone with a different offset at the instant of the response; 0 if such a zone also claims the ' +
      'place; null from 50 km on. The open sea does not count.',
  ),
});
type CoordinatesDetails = Static<typeof CoordinatesDetails>;

/** Describes how a target was selected, at an instant. */
export type Location = (epochSeconds: number) => AddressDetails | CoordinatesDetails;

/** Borders at or beyond this distance are not reported. */
const MAX_BORDER_KM = 50;

/** The zones at and around coordinates of −90…90 and −180…180 degrees. */
export function coordinatesLocation(
  latitude: number,
  longitude: number,
  boundaries: Boundaries,
  zones: ZoneDatabase,
): Location {
  const names = boundaries.zoneNamesAt(latitude, longitude);
  return epochSeconds => {
    const offsetOf = (name: string) => zones.find(name)?.periodAt(epochSeconds).offsetSeconds;
    const offset = offsetOf(names[0]!); // there is always at least one
    // Zones missing in an older release were then parts of others.
    const isOther = (name: string) => (offsetOf(name) ?? offset) !== offset;
    const km = boundaries.kmToZone(latitude, longitude, MAX_BORDER_KM, isOther);
    return {
      candidates: names.map(name => zones.find(name)?.canonicalName ?? name),
      border_km: km === null ? null : Math.round(km * 10) / 10,
    };
  };
}
