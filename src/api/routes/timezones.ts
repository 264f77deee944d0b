import { Type } from '@sinclair/typebox';
import { quoted, unreadable } from '../../common/service_error.ts';
import { isCountryWithZones, timezones, ZoneListing } from '../../operations/timezone.ts';
import { at } from '../answer.ts';
import { CountryText, SignFlag } from '../parameters/schemas.ts';
import type { JsonRoute } from '../route.ts';

const COUNTRY = new RegExp(CountryText.pattern!);

export const timezonesRoute: JsonRoute = {
  path: '/v1/timezones',
  summary: 'All zones, or those of a country',
  description: 'Lists the canonical zones of `zone.tab` and `UTC`, with what holds in each of them now.',
  query: Type.Object({ country: Type.Optional(CountryText), sign: Type.Optional(SignFlag) }),
  answer: Type.Array(ZoneListing),
  examples: [
    { title: 'Of a country', query: 'country=NZ' },
    { title: 'Not a country', query: 'country=ZZ' },
  ],
  prepare({ query, services: { zones } }) {
    const country = query.get('country');
    if (country === undefined) return at(nowMs => JSON.stringify(timezones(nowMs, zones, null)));
    const code = country.toUpperCase();
    if (!(COUNTRY.test(country) && isCountryWithZones(code, zones))) {
      throw unreadable(
        'country',
        `${quoted(country)} is not the ISO 3166-1 alpha-2 code of a country with a zone`,
      );
    }
    return at(nowMs => JSON.stringify(timezones(nowMs, zones, code)));
  },
};
