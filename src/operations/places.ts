import { type Static, Type } from '@sinclair/typebox';
import { joinedSchema } from '../common/joined_schema.ts';
import type { Place } from '../places/gazetteer.ts';
import type { Zone } from '../zones/zone.ts';

const Facts = Type.Object({
  name: Type.String({ description: 'The matching name, one of the names of the place.' }),
  admin_area: Type.Union([Type.String(), Type.Null()], {
    description: 'ISO 3166-2 code of the administrative area; null in most countries.',
  }),
  country: Type.String({ description: 'ISO 3166-1 alpha-2 code.' }),
  population: Type.Integer({ description: 'Population according to GeoNames; 0 if unknown.' }),
});

/** `details.place` for a target selected by name. */
export const PlaceDetails = joinedSchema([Facts], {
  $id: 'PlaceDetails',
  description: 'The selected place.',
});
export type PlaceDetails = Static<typeof PlaceDetails>;

/** A place in a list. */
export const PlaceListing = joinedSchema(
  [
    Facts,
    Type.Object({
      lat: Type.Number({ description: 'Latitude in decimal degrees.' }),
      lon: Type.Number({ description: 'Longitude in decimal degrees.' }),
      timezone: Type.String({ description: 'Canonical IANA name of its zone.' }),
    }),
  ],
  { $id: 'PlaceListing', description: 'A city or town.' },
);
export type PlaceListing = Static<typeof PlaceListing>;

export function placeDetails({ name, adminArea, country, population }: Place): PlaceDetails {
  return { name, admin_area: adminArea, country, population };
}

export function placeListing(place: Place, zone: Zone): PlaceListing {
  const { latitude, longitude } = place;
  return { ...placeDetails(place), lat: latitude, lon: longitude, timezone: zone.canonicalName };
}
