import { type Static, Type } from '@sinclair/typebox';
import { weekdayOf } from '../common/civil.ts';
import type { HolidayCalendar, NamedDay } from '../holidays/holiday_calendar.ts';
import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import type { CountryEntry } from '../holidays/holiday_pack.ts';
import { utcText } from '../text/iso_text.ts';
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
const Place = Type.Object({ code: Type.String(), name: Type.String() });

/** The holidays of a calendar in a year. */
export const HolidayListing = Type.Object({
  country: Type.String(),
  subdivision: Type.Union([Type.String(), Type.Null()]),
  year: Type.Integer(),
  weekend: Weekend,
  one_off_days_known_through: KnownThrough,
  holidays: Type.Array(
    Type.Object({ date: Type.String(), name: Type.String(), day_full: Type.String(), source: Source }),
    { description: 'All days that are holidays, by date; two may share one.' },
  ),
  workdays: Type.Array(Type.Object({ date: Type.String(), name: Type.String(), source: Source }), {
    description: 'Days that would be off and are worked.',
  }),
});
export type HolidayListing = Static<typeof HolidayListing>;

/** A country and its subdivisions. */
export const CountryListing = Type.Object({
  country: Type.String(),
  name: Type.String(),
  weekend: Weekend,
  one_off_days_known_through: KnownThrough,
  subdivisions: Type.Array(Place),
});
export type CountryListing = Static<typeof CountryListing>;

/** All countries. */
export const CountriesListing = Type.Object({
  source: Type.String(),
  weekends: Type.String(),
  first_year: Type.Integer(),
  last_year: Type.Integer(),
  countries: Type.Array(Place),
});
export type CountriesListing = Static<typeof CountriesListing>;

/** What is counted in a year, so that a caller sees why a count is what it is. */
export function listHolidays(calendar: HolidayCalendar, year: number): HolidayListing {
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
