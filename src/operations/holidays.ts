import { type Static, Type } from '@sinclair/typebox';
import { BoundedCache } from '../common/bounded_cache.ts';
import { weekdayOf } from '../common/civil.ts';
import { utcText } from '../common/iso_text.ts';
import { encode, type Json } from '../common/json.ts';
import type { HolidayCalendar, NamedDay } from '../holidays/holiday_calendar.ts';
import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import type { CountryEntry } from '../holidays/holiday_pack.ts';
import { WEEKDAYS_FULL } from '../text/names.ts';

const Weekend = Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
  description: 'Weekdays that are not worked: 1 is Monday, 7 Sunday.',
});
const KnownThrough = Type.Union([Type.Integer(), Type.Null()], {
  description:
    'The last year whose official one-off days are in the table; null where they are not followed.',
});
const Source = Type.String({
  description: 'The library, the official text behind a correction, or the organisation calendar.',
});
const Code = Type.String({ description: 'ISO 3166-1 alpha-2 code of the country.' });
const Place = Type.Object(
  {
    code: Type.String({ description: 'Its code, as parameters take it.' }),
    name: Type.String({ description: 'Its name.' }),
  },
  { $id: 'HolidayPlace', description: 'A country or a subdivision that has holidays of its own.' },
);
const DayDate = Type.String({ description: 'Date, `YYYY-MM-DD`.' });
const DayName = Type.String({ description: 'Name of the day.' });
const Holiday = Type.Object(
  {
    date: DayDate,
    name: DayName,
    day_full: Type.String({ description: 'Weekday.' }),
    source: Source,
  },
  { $id: 'Holiday', description: 'A public holiday.' },
);
const Workday = Type.Object(
  { date: DayDate, name: DayName, source: Source },
  {
    $id: 'Workday',
    description: 'A day that is worked although it would be off.',
  },
);

/** The holidays of a calendar in a year. */
export const HolidayListing = Type.Object(
  {
    country: Code,
    subdivision: Type.Union([Type.String(), Type.Null()], {
      description: 'Code of the subdivision, where one was given.',
    }),
    year: Type.Integer({ description: 'The year of the holidays.' }),
    weekend: Weekend,
    one_off_days_known_through: KnownThrough,
    holidays: Type.Array(Holiday, {
      description: 'All days that are holidays, by date; two may share one.',
    }),
    workdays: Type.Array(Workday, { description: 'Days that would be off and are worked.' }),
  },
  { $id: 'HolidaysOfYear', description: 'The holidays of a year, with `country` and `year`.' },
);
export type HolidayListing = Static<typeof HolidayListing>;

/** A country and its subdivisions. */
export const CountryListing = Type.Object(
  {
    country: Code,
    name: Type.String({ description: 'Name of the country.' }),
    weekend: Weekend,
    one_off_days_known_through: KnownThrough,
    subdivisions: Type.Array(Place, { description: 'Those with holidays of their own.' }),
  },
  { $id: 'HolidayCountry', description: 'A country and its subdivisions, with `country` alone.' },
);
export type CountryListing = Static<typeof CountryListing>;

/** All countries. */
export const CountriesListing = Type.Object(
  {
    source: Type.String({ description: 'The library that the holidays come from.' }),
    weekends: Type.String({ description: 'Where the weekends come from.' }),
    first_year: Type.Integer({ description: 'First year of the table.' }),
    last_year: Type.Integer({ description: 'Last year of the table.' }),
    countries: Type.Array(Place, { description: 'The countries, by code.' }),
  },
  { $id: 'HolidayCountries', description: 'The countries that have holidays, without parameters.' },
);
export type CountriesListing = Static<typeof CountriesListing>;

/** The cached years of a calendar: decoding one takes ten times as long as everything else. At most twice as many, of 3 KB. */
const CACHED_YEARS = 4;
const listings = new WeakMap<HolidayCalendar, BoundedCache<number, Json<HolidayListing>>>();

/** The holidays of a year, as JSON. */
export function holidayListing(calendar: HolidayCalendar, year: number): Json<HolidayListing> {
  const years = listings.get(calendar) ?? new BoundedCache(CACHED_YEARS);
  listings.set(calendar, years);
  const json = years.get(year) ?? encode(listHolidays(calendar, year));
  years.set(year, json);
  return json;
}

function listHolidays(calendar: HolidayCalendar, year: number): HolidayListing {
  return {
    country: calendar.country.code,
    subdivision: calendar.subdivision?.code ?? null,
    year,
    weekend: [...calendar.weekend],
    one_off_days_known_through: calendar.knownThrough,
    holidays: calendar.holidaysOf(year).map(day => ({
      date: dateText(day.dayNumber),
      name: day.name,
      day_full: WEEKDAYS_FULL[weekdayOf(day.dayNumber)]!,
      source: day.source,
    })),
    workdays: calendar.workdaysOf(year).map(workday),
  };
}

function workday({ dayNumber, name, source }: NamedDay): HolidayListing['workdays'][number] {
  return { date: dateText(dayNumber), name, source };
}

function dateText(dayNumber: number): string {
  return utcText(dayNumber * MS_PER_DAY).slice(0, 10);
}

const MS_PER_DAY = 86_400_000;

/** The subdivisions of a country. */
export function listSubdivisions(country: CountryEntry): CountryListing {
  return {
    country: country.code,
    name: country.name,
    weekend: [...country.weekend],
    one_off_days_known_through: country.knownThrough,
    subdivisions: country.subdivisions.map(({ code, name }) => ({ code, name })),
  };
}

/** The countries that have a calendar. */
export function listCountries({ header, countries }: HolidayCalendars): CountriesListing {
  return {
    source: header.library,
    weekends: header.weekends,
    first_year: header.firstYear,
    last_year: header.lastYear,
    countries: countries.map(({ code, name }) => ({ code, name })),
  };
}
