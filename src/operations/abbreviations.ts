import { type Static, Type } from '@sinclair/typebox';
import { joinedSchema } from '../common/joined_schema.ts';
import type { Populations } from '../zones/populations.ts';
import type { Zone } from '../zones/zone.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import { ZoneListing, zoneListing } from './timezone.ts';

/** A zone that an abbreviation can refer to; offset, abbreviation and flag are those at the instant of the response. */
export const AbbreviationCandidate = joinedSchema(
  [
    ZoneListing,
    Type.Object({
      population: Type.Integer({
        description: 'Total population of its places with at least 1,000 inhabitants, from GeoNames.',
      }),
      meanings: Type.Array(Type.Number(), {
        description: 'The offsets that it has had in the zone since 1970, in minutes east of UTC.',
      }),
    }),
  ],
  { $id: 'AbbreviationCandidate', description: 'A zone that has used an abbreviation since 1970.' },
);
export type AbbreviationCandidate = Static<typeof AbbreviationCandidate>;

/** Earlier uses are not considered, as in tzdata's selection of zones. */
const SINCE_EPOCH_SECONDS = 0;

/** The canonical zones that may have used an abbreviation (case-insensitive) since 1970, most populous first. */
export function zonesOfAbbreviation(
  abbreviation: string,
  zones: ZoneDatabase,
  populations: Populations,
): Zone[] {
  const populationOf = ({ canonicalName }: Zone) => populations.get(canonicalName) ?? 0;
  return zones
    .zonesWithAbbreviation(abbreviation)
    .toSorted((zone, other) => populationOf(other) - populationOf(zone));
}

/** A zone as a candidate for an abbreviation; null if it has not used it since 1970. Parses the zone on first use. */
export function abbreviationCandidate(
  abbreviation: string,
  zone: Zone,
  epochMs: number,
  populations: Populations,
): AbbreviationCandidate | null {
  const offsets = zone.offsetsOf(abbreviation, SINCE_EPOCH_SECONDS);
  if (offsets.length === 0) return null;
  return {
    ...zoneListing(zone, epochMs),
    population: populations.get(zone.canonicalName) ?? 0,
    meanings: offsets.map(offsetSeconds => offsetSeconds / 60),
  };
}
