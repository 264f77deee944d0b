import { Type } from '@sinclair/typebox';
import { encode } from '../../common/json.ts';
import { quoted, unreadable } from '../../common/service_error.ts';
import { zoneDetails } from '../../operations/details.ts';
import { zoneTarget } from '../../operations/target.ts';
import { isCountryWithZones, ZoneListing, zoneListing, zonesOf } from '../../operations/timezone.ts';
import { optional } from '../parameters/input.ts';
import { CountryText } from '../parameters/schemas.ts';
import { jsonRoute } from '../route.ts';

const COUNTRY = new RegExp(CountryText.pattern!); // it has one

const country = optional(CountryText, (text, name, { snapshot }) => {
  const code = text.toUpperCase();
  if (COUNTRY.test(text) && isCountryWithZones(code, snapshot.zones)) return code;
  throw unreadable(name, `${quoted(text)} is not the ISO 3166-1 alpha-2 code of a country with a zone`);
});

export const timezonesRoute = jsonRoute({
  path: '/v1/timezones',
  summary: 'All zones, or those of a country',
  description: 'Lists the canonical zones of `zone.tab` and `UTC`, with the offset of each now.',
  parameters: { country },
  payload: Type.Array(ZoneListing),
  examples: [
    { title: 'Of a country', query: 'country=NZ' },
    { title: 'Not a country', query: 'country=ZZ' },
  ],
  handle({ country }, { nowMs, snapshot, wantsDetails }) {
    const zones = zonesOf(country, snapshot.zones);
    if (!wantsDetails) return encode(zones.map(zone => zoneListing(zone, nowMs)));
    return encode(
      zones.map(zone => ({
        ...zoneListing(zone, nowMs),
        details: { zone: zoneDetails(nowMs, zoneTarget(zone)) },
      })),
    );
  },
});
