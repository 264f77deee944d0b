import { type Static, Type } from '@sinclair/typebox';
import type { Boundaries } from '../places/boundaries.ts';
import type { AddressSource } from '../places/places.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';

/** `details.place` of a target that was selected by an address. */
export const AddressDetails = Type.Object(
  {
    network: Type.Union([Type.String(), Type.Null()], {
      description:
        'The network of the data that contains the address, in CIDR notation, of the IPv4 address within one of 6to4 or NAT64; null ' +
        'where it is unknown.',
    }),
    accuracy: Type.Unsafe<AddressSource['accuracy']>(
      Type.String({
        enum: ['operator', 'anycast', 'database'],
        description:
          "`operator`: from the operator's own networks; `anycast`: announced from many places, so that the zone is a guess; " +
          '`database`: from the IP database.',
      }),
    ),
  },
  { $id: 'AddressDetails', description: 'Where the zone of an address is from.' },
);
type AddressDetails = Static<typeof AddressDetails>;

/** `details.place` of a target that was selected by coordinates. */
export const CoordinatesDetails = Type.Object(
  {
    candidates: Type.Array(Type.String(), {
      description: 'All zones that claim the place; the first is that of the response.',
    }),
    border_km: Type.Union([Type.Number(), Type.Null()], {
      description:
        'Kilometres to the nearest zone with another offset at the instant of the response, 0 where one claims the place, too; null ' +
        'from 50 km on. The open sea does not count.',
    }),
  },
  { $id: 'CoordinatesDetails', description: 'The zones at and around coordinates.' },
);
type CoordinatesDetails = Static<typeof CoordinatesDetails>;

/** Describes what selected a target, at an instant. */
export type Location = (epochSeconds: number) => AddressDetails | CoordinatesDetails;

/** Borders at this distance and beyond it are not of interest. */
const MAX_BORDER_KM = 50;

/** The zones at and around a place, −90…90 and −180…180 degrees. */
export function coordinatesLocation(
  latitude: number,
  longitude: number,
  boundaries: Boundaries,
  zones: ZoneDatabase,
): Location {
  const names = boundaries.zoneNamesAt(latitude, longitude);
  return epochSeconds => {
    const offsetOf = (name: string) => zones.find(name)?.periodAt(epochSeconds).offsetSeconds;
    const offset = offsetOf(names[0]!); // there is always one
    // An older release lacks zones, which then were parts of others.
    const isOther = (name: string) => (offsetOf(name) ?? offset) !== offset;
    const km = boundaries.kmToZone(latitude, longitude, MAX_BORDER_KM, isOther);
    return {
      candidates: names.map(name => zones.find(name)?.canonicalName ?? name),
      border_km: km === null ? null : Math.round(km * 10) / 10,
    };
  };
}
