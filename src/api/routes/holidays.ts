import { Type } from '@sinclair/typebox';
import { BoundedCache } from '../../common/bounded_cache.ts';
import { quotedSigned, unreadable } from '../../common/service_error.ts';
import type { HolidayCalendar } from '../../holidays/holiday_calendar.ts';
import type { Query } from '../../http/query.ts';
import type { Services } from '../../http/services.ts';
import {
  CountriesListing,
  CountryListing,
  HolidayListing,
  listCountries,
  listHolidays,
  listSubdivisions,
} from '../../operations/holidays.ts';
import { always } from '../answer.ts';
import { CountryText, ListedSubdivisionText, SignFlag, YearText } from '../parameters/schemas.ts';
import type { JsonRoute } from '../route.ts';

const NAMES = { country: 'country', subdivision: 'subdivision' };

export const holidaysRoute: JsonRoute = {
  path: '/v1/holidays',
  summary: 'The public holidays that business days are counted by',
  description:
    'Without `country` the countries, with it its subdivisions, and with `year` the holidays and worked weekends of ' +
    'that year, each with its source.',
  query: Type.Object({
    country: Type.Optional(CountryText),
    subdivision: Type.Optional(ListedSubdivisionText),
    year: Type.Optional(YearText),
    sign: Type.Optional(SignFlag),
  }),
  answer: Type.Union([HolidayListing, CountryListing, CountriesListing]),
  examples: [
    { title: 'A year of a subdivision', query: 'country=DE&subdivision=BY&year=2026' },
    { title: 'A year of a country', query: 'country=NZ&year=2026' },
    { title: 'The subdivisions of a country', query: 'country=DE' },
    { title: 'A country that is unknown', query: 'country=XX' },
  ],
  prepare({ query, services }) {
    const { holidays } = services;
    const code = query.get('country');
    if (code === undefined) {
      for (const name of ['subdivision', 'year']) rejectAlone(query, name);
      return always(() => JSON.stringify(listCountries(holidays)));
    }
    // Each parameter is looked up before the next one is read, so that faults are told in their order.
    const country = holidays.country(code, NAMES);
    const subdivision = query.get('subdivision');
    if (subdivision === undefined && !query.has('year'))
      return always(() => JSON.stringify(listSubdivisions(country)));
    const calendar = holidays.calendarOf(country, subdivision ?? null, NAMES);
    const year = query.get('year');
    if (year === undefined) throw unreadable('subdivision', "it wants 'year' beside it");
    const number = parseYear(year, services);
    return always(() => holidaysJson(calendar, number));
  },
};

function rejectAlone(query: Query, name: string): void {
  if (query.get(name) !== undefined) throw unreadable(name, "it wants 'country' beside it");
}

// To read a year out of the table takes ten times as long as all the rest of an answer. Of each calendar the years
// asked for lately are kept, eight at most, of some 3 KB.
const YEARS_KEPT = 4;
const written = new WeakMap<HolidayCalendar, BoundedCache<number, string>>();

function holidaysJson(calendar: HolidayCalendar, year: number): string {
  const years = written.get(calendar) ?? new BoundedCache(YEARS_KEPT);
  written.set(calendar, years);
  const known = years.get(year);
  if (known !== undefined) return known;
  const json = JSON.stringify(listHolidays(calendar, year));
  years.set(year, json);
  return json;
}

const YEAR = new RegExp(YearText.pattern!);
const SIGNED_YEAR = /^[ +-][0-9]{4}$/;

function parseYear(text: string, { holidays }: Services): number {
  const { firstYear, lastYear } = holidays.header;
  const year = YEAR.test(text) ? Number(text) : Number.NaN;
  if (year >= firstYear && year <= lastYear) return year;
  const advice = SIGNED_YEAR.test(text) ? '; it is written without a sign or space' : '';
  throw unreadable('year', `${quotedSigned(text)} is not a year from ${firstYear} to ${lastYear}${advice}`);
}
