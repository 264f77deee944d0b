import { type Static, Type } from '@sinclair/typebox';
import { objectSchema } from '../common/json.ts';
import { TimePayload } from '../text/time_payload.ts';
import type { Zone } from '../zones/zone.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import { CountryCodes, minutes } from './details.ts';
import type { ServedData } from './served_data.ts';
import type { Target } from './target.ts';

const Minutes = minutes('Offset at the instant');
const IsDst = Type.Boolean({ description: 'Whether daylight saving time is in force at the instant.' });
const ZoneFacts = Type.Object({ offset: Minutes, dst: IsDst });
type ZoneFacts = Static<typeof ZoneFacts>;

const TimeOfZone = objectSchema('TimeOfZone', 'A time with facts about the zone.', {
  ...TimePayload.properties,
  ...ZoneFacts.properties,
});

export const TimezonePayload = objectSchema(
  'ZoneOfTarget',
  'A time with facts about the zone, or about all zones with an offset.',
  {
    ...TimeOfZone.properties,
    matching_zones: Type.Optional(
      Type.Array(TimeOfZone, {
        description: 'For `offset`: the zones with that offset at the instant, sorted by name.',
      }),
    ),
  },
);

export function zoneFacts(epochMs: number, target: Target): ZoneFacts {
  const { offsetSeconds, isDst } = target.periodAt(Math.floor(epochMs / 1000));
  return { offset: offsetSeconds / 60, dst: isDst };
}

/** Every canonical zone that has the offset of a target at an instant. */
export function zonesWithOffsetOf(target: Target, epochMs: number, zones: ZoneDatabase): Zone[] {
  const epochSeconds = Math.floor(epochMs / 1000);
  const { offsetSeconds } = target.periodAt(epochSeconds);
  return zones.canonicalZones().filter(zone => zone.periodAt(epochSeconds).offsetSeconds === offsetSeconds);
}

export const ZoneListing = objectSchema('ZoneListing', 'A zone in the list of all zones.', {
  name: Type.String({ description: 'Canonical IANA name.' }),
  country_codes: CountryCodes,
  offset: Minutes,
  abbreviation: Type.String({ description: 'Abbreviation at the instant, such as `EDT`.' }),
  dst: IsDst,
});
export type ZoneListing = Static<typeof ZoneListing>;

/** The zones of `zone.tab` and `UTC`, or those of a country (ISO 3166-1 alpha-2, in capitals). */
export function zonesOf(country: string | null, zones: ZoneDatabase): readonly Zone[] {
  const all = zones.canonicalZones();
  return country === null ? all : all.filter(zone => zone.countryCodes.includes(country));
}

export function zoneListing(zone: Zone, epochMs: number): ZoneListing {
  const { offsetSeconds, abbreviation, isDst } = zone.periodAt(Math.floor(epochMs / 1000));
  const { canonicalName: name, countryCodes } = zone;
  return { name, country_codes: countryCodes, offset: offsetSeconds / 60, abbreviation, dst: isDst };
}

/** A zone that an abbreviation can refer to; offset, abbreviation and flag are those at the instant of the response. */
export const AbbreviationCandidate = objectSchema(
  'AbbreviationCandidate',
  'A zone that has used an abbreviation since 1970.',
  {
    ...ZoneListing.properties,
    population: Type.Integer({
      description: 'Total population of its places with at least 1,000 inhabitants, from GeoNames.',
    }),
    meanings: Type.Array(Type.Number(), {
      description: 'The offsets that it has had in the zone since 1970, in minutes east of UTC.',
    }),
  },
);
export type AbbreviationCandidate = Static<typeof AbbreviationCandidate>;

/** Earlier uses are not considered, as in tzdata's selection of zones. */
const SINCE_EPOCH_SECONDS = 0;

/**
 * The zones that have used an abbreviation (case-insensitive) since 1970 with their facts at an instant, most populous first.
 * Null for a zone that has not, since each takes up to 0.1 ms.
 */
export function* abbreviationCandidates(
  abbreviation: string,
  epochMs: number,
  { zones, populations }: Pick<ServedData, 'zones' | 'populations'>,
): Generator<AbbreviationCandidate | null, void> {
  const populationOf = ({ canonicalName }: Zone) => populations.get(canonicalName) ?? 0;
  const byPopulation = (a: Zone, b: Zone) => populationOf(b) - populationOf(a);
  for (const zone of zones.zonesWithAbbreviation(abbreviation).toSorted(byPopulation)) {
    const meanings = zone.offsetsOf(abbreviation, SINCE_EPOCH_SECONDS).map(seconds => seconds / 60);
    const population = populationOf(zone);
    yield meanings.length === 0 ? null : { ...zoneListing(zone, epochMs), population, meanings };
  }
}
