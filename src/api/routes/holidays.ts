import { Type } from '@sinclair/typebox';
import { encode, type Json } from '../../common/json.ts';
import { quotedSigned, unreadable } from '../../common/service_error.ts';
import type { HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import type { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import {
  CountriesListing,
  CountryListing,
  HolidayListing,
  holidayListing,
  listCountries,
  listSubdivisions,
} from '../../operations/holidays.ts';
import { requires } from '../parameters/business_days.ts';
import { group, type InputFactory } from '../parameters/input.ts';
import { CountryText, text } from '../parameters/schemas.ts';
import { jsonRoute } from '../route.ts';
import { withDetails } from '../time_response.ts';

const YEAR = '^[0-9]{4}$';
const NAMES = { country: 'country', subdivision: 'subdivision' };

/** What to list: the countries, a country with its subdivisions, or a year of a calendar. */
type Listed =
  | { readonly kind: 'countries' }
  | { readonly kind: 'country'; readonly country: ReturnType<HolidayCalendars['country']> }
  | { readonly kind: 'year'; readonly calendar: HolidayCalendar; readonly year: number };

const listed: InputFactory<Listed> = group({
  parameters: {
    country: CountryText,
    subdivision: text('Subdivision of the country, as `?country=` alone lists them; requires `year`.', 'BY'),
    year: text('Calendar year, 1970 to 2100; requires `country`.', '2026', YEAR),
  },
  decode: (query, { snapshot }) => decodeListed(query, snapshot),
});

function decodeListed(query: Query, { holidays }: Snapshot): Listed {
  const code = query.get('country');
  if (code === undefined) {
    for (const name of ['subdivision', 'year']) {
      if (query.get(name) !== undefined) throw requires(name, 'country');
    }
    return { kind: 'countries' };
  }
  // Each parameter is looked up before the next one is decoded, so that errors are reported in their order.
  const country = holidays.country(code, NAMES);
  const subdivision = query.get('subdivision');
  if (subdivision === undefined && !query.has('year')) return { kind: 'country', country };
  const calendar = holidays.calendarOf(country, subdivision ?? null, NAMES);
  const year = query.get('year');
  if (year === undefined) throw requires('subdivision', 'year');
  return { kind: 'year', calendar, year: parseYear(year, holidays) };
}

export const holidaysRoute = jsonRoute({
  path: '/v1/holidays',
  summary: 'The public holidays that business days are counted with',
  description:
    'Without `country` the countries, with it its subdivisions, and with `year` the holidays and worked weekends of ' +
    'that year, each with its source.',
  parameters: { listed },
  payload: Type.Union([HolidayListing, CountryListing, CountriesListing]),
  examples: [
    { title: 'A year of a subdivision', query: 'country=DE&subdivision=BY&year=2026' },
    { title: 'A year of a country', query: 'country=NZ&year=2026' },
    { title: 'The subdivisions of a country', query: 'country=DE' },
    { title: 'An unknown country', query: 'country=XX' },
  ],
  handle: ({ listed }, context) => withDetails(listing(listed, context.snapshot.holidays), context),
});

function listing(
  listed: Listed,
  holidays: HolidayCalendars,
): Json<HolidayListing | CountryListing | CountriesListing> {
  switch (listed.kind) {
    case 'countries':
      return encode(listCountries(holidays));
    case 'country':
      return encode(listSubdivisions(listed.country));
    case 'year':
      return holidayListing(listed.calendar, listed.year);
  }
}

const YEAR_PATTERN = new RegExp(YEAR);
const SIGNED_YEAR = /^[ +-][0-9]{4}$/;

function parseYear(value: string, { header }: HolidayCalendars): number {
  const { firstYear, lastYear } = header;
  const year = YEAR_PATTERN.test(value) ? Number(value) : Number.NaN;
  if (year >= firstYear && year <= lastYear) return year;
  const advice = SIGNED_YEAR.test(value) ? '; it is written without a sign or space' : '';
  throw unreadable('year', `${quotedSigned(value)} is not a year from ${firstYear} to ${lastYear}${advice}`);
}
