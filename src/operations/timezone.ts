import { type Static, Type } from '@sinclair/typebox';
import { joinedSchema } from '../common/joined_schema.ts';
import { TimePayload } from '../text/time_payload.ts';
import type { Zone } from '../zones/zone.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import type { Target } from './target.ts';

const Minutes = Type.Number({
  description: 'Offset at the instant, in minutes east of UTC, with a fraction if it has seconds.',
});
const IsDst = Type.Boolean({ description: 'Whether daylight saving time is in force at the instant.' });
const CountryCodes = Type.Unsafe<readonly string[]>(
  Type.Array(Type.String(), {
    description: 'ISO 3166-1 alpha-2 codes of the countries that use the zone, from `zone.tab`.',
  }),
);

const ZoneFacts = Type.Object({ offset: Minutes, dst: IsDst });
export type ZoneFacts = Static<typeof ZoneFacts>;

const TimeOfZone = joinedSchema([TimePayload, ZoneFacts], {
  $id: 'TimeOfZone',
  description: 'A time with facts about the zone.',
});

export const TimezonePayload = joinedSchema(
  [
    TimeOfZone,
    Type.Object({
      matching_zones: Type.Optional(
        Type.Array(TimeOfZone, {
          description: 'For `offset`: the zones with that offset at the instant, sorted by name.',
        }),
      ),
    }),
  ],
  {
    $id: 'ZoneOfTarget',
    description: 'A time with facts about the zone, or about all zones with an offset.',
  },
);

/** Offset and DST flag of a target at an instant. */
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

/** A zone in `/v1/timezones`; offset, abbreviation and flag are those at the instant of the response. */
export const ZoneListing = Type.Object(
  {
    name: Type.String({ description: 'Canonical IANA name.' }),
    country_codes: CountryCodes,
    offset: Minutes,
    abbreviation: Type.String({ description: 'Abbreviation at the instant, such as `EDT`.' }),
    dst: IsDst,
  },
  { $id: 'ZoneListing', description: 'A zone in the list of all zones.' },
);
export type ZoneListing = Static<typeof ZoneListing>;

/** Whether a country, by its ISO 3166-1 alpha-2 code in capitals, has a zone. */
export function isCountryWithZones(country: string, zones: ZoneDatabase): boolean {
  return zones.canonicalZones().some(zone => zone.countryCodes.includes(country));
}

/** The zones of `zone.tab` and `UTC`, or those of a country (ISO 3166-1 alpha-2, in capitals). */
export function zonesOf(country: string | null, zones: ZoneDatabase): readonly Zone[] {
  const all = zones.canonicalZones();
  return country === null ? all : all.filter(zone => zone.countryCodes.includes(country));
}

export function zoneListing(zone: Zone, epochMs: number): ZoneListing {
  const { offsetSeconds, abbreviation, isDst } = zone.periodAt(Math.floor(epochMs / 1000));
  return {
    name: zone.canonicalName,
    country_codes: zone.countryCodes,
    offset: offsetSeconds / 60,
    abbreviation,
    dst: isDst,
  };
}
