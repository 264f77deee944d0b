import type { HolidaysTypes } from 'date-holidays';
import Holidays from 'date-holidays';
import { data, type Place } from 'date-holidays/data';
import { dayNumberOf } from '../../../src/common/civil.ts';
import { TABLE_YEARS, yearsIn } from '../dates.ts';
import type { SourceDay } from '../types.ts';
import { extendCalendars } from './library_months.ts';

/** A date-holidays calendar: a country, a state, or a region of a state. */
export interface LibraryCalendar {
  /** The library's codes: `DE`, `BY`, `A` of `DE-BY-A`. */
  readonly path: readonly [country: string, state?: string, region?: string];
  /** In English if the library has it; a region's name follows its state's: `Bavaria, Stadt Augsburg`. */
  readonly name: string;
}

/** A holiday by one of the library's rules. */
type LibraryDay = Pick<SourceDay, 'dayNumber' | 'name'>;

/** The days of a calendar by name. */
export interface LibraryDays {
  readonly code: string;
  readonly name: string;
  readonly days: Readonly<Record<string, readonly number[]>>;
}

/** The days of calendars for the years of the table and one more on each side, into which feasts extend. */
export function computeDateHolidays(
  calendars: readonly LibraryCalendar[],
  years = TABLE_YEARS,
): LibraryDays[] {
  extendCalendars();
  return calendars.map(({ path, name }) => {
    const library = openLibraryCalendar(path);
    const computedYears = yearsIn({ firstYear: years.firstYear - 1, lastYear: years.lastYear + 1 });
    const holidays = computedYears.flatMap(year => publicDaysOf(library, year));
    const byName = [...Map.groupBy(holidays, day => day.name)];
    const days = Object.fromEntries(byName.map(([key, ofName]) => [key, ofName.map(day => day.dayNumber)]));
    const code = path.join('-').toUpperCase();
    return { code: OTHER_CODES[code] ?? code, name, days };
  });
}

/** The library's codes that differ from ISO 3166-2. */
const OTHER_CODES: Readonly<Record<string, string>> = {
  'BQ-BO': 'BQ-BON',
  'BQ-SA': 'BQ-SAB',
  'BQ-SE': 'BQ-STA',
  'CL-NU': 'CL-NB',
  'CL-NU-CH': 'CL-NB-CH',
  'FR-GF': 'FR-973',
  'FR-GP': 'FR-971',
  'FR-MQ': 'FR-972',
  'FR-RE': 'FR-974',
  'FR-YT': 'FR-976',
  'IN-CT': 'IN-CG',
  'IN-OR': 'IN-OD',
  'IN-TG': 'IN-TS',
  'IN-UT': 'IN-UK',
};

/** The library's code of a calendar with another code here. */
export const LIBRARY_CODES: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_CODES).map(([library, code]) => [code, library]),
);

/** All calendars of the library, countries by code, each followed by its subdivisions. */
export function listLibraryCalendars(): LibraryCalendar[] {
  const library = new Holidays();
  return sorted(library.getCountries('en')).flatMap(([country, name]) => [
    { path: [country], name },
    ...sorted(library.getStates(country, 'en')).flatMap(([state, stateName]): LibraryCalendar[] => [
      { path: [country, state], name: stateName },
      ...sorted(library.getRegions(country, state, 'en')).map(
        ([region, regionName]): LibraryCalendar => ({
          path: [country, state, region],
          name: `${stateName}, ${regionName}`,
        }),
      ),
    ]),
  ]);
}

function sorted(names: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(names ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The library set to a calendar, as if the place used UTC, so that every day has 24 hours. */
function openLibraryCalendar(path: LibraryCalendar['path']): Holidays {
  const withAllTypes = open(path, ALL_TYPES);
  // Other types take most of the time, above all Taiwan's 24 solar terms, and matter only to rules that refer to them.
  const needsOtherTypes = withAllTypes
    .getRules()
    .some(({ rule }) => /\b(observance|bank|school|optional) holiday/.test(rule));
  return needsOtherTypes ? withAllTypes : open(path, ['public']);
}

const ALL_TYPES: HolidaysTypes.HolidayType[] = ['observance', 'optional', 'school', 'bank', 'public'];

function open(
  [country, state, region]: LibraryCalendar['path'],
  types: HolidaysTypes.HolidayType[],
): Holidays {
  const options = { types, timezone: 'UTC', data: withUpperCaseCodes };
  return new Holidays({ country, state, region } as HolidaysTypes.Country, options as HolidaysTypes.Options);
}

/** The library looks up codes only in upper case, and so never finds the few with another spelling (`CK-Atiu`). */
const withUpperCaseCodes = { ...data, holidays: upperCased(data.holidays) };

function upperCased(places: Readonly<Record<string, Place>>): Record<string, Place> {
  return Object.fromEntries(
    Object.entries(places).map(([code, place]) => [
      code.toUpperCase(),
      {
        ...place,
        ...(place.states === undefined ? {} : { states: upperCased(place.states) }),
        ...(place.regions === undefined ? {} : { regions: upperCased(place.regions) }),
      },
    ]),
  );
}

const HOUR_MS = 3_600_000;

/**
 * The days of a year's public holidays, in the library's order. A day counts if all of it is a holiday:
 *
 * - one that begins in the evening (Islamic and Hebrew days, which the library marks `-0600`) is the next day;
 * - one of several days is each of these days;
 * - one that begins during the day (`12-24 14:00`) leaves that day a working one; so do the half day at the end of
 *   Turkish feasts, and China's half days for some people on March 8 or May 4.
 */
export function publicDaysOf(library: Holidays, year: number): LibraryDay[] {
  const holidays = library.getHolidays(year).filter(({ type }) => type === 'public');
  return holidays.flatMap(({ date, start, end, name }) => {
    const [, yyyy, mm, dd, hour, minute] = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)/.exec(date)!;
    const hours = (end.getTime() - start.getTime()) / HOUR_MS;
    const startHour = Number(hour) + Number(minute) / 60;
    const firstDay = dayNumberOf(Number(yyyy), Number(mm), Number(dd)) + Math.ceil(startHour / 24);
    const endDay = firstDay + Math.floor((hours + startHour) / 24) - Math.ceil(startHour / 24);
    return Array.from({ length: Math.max(0, endDay - firstDay) }, (_, index) => ({
      dayNumber: firstDay + index,
      name,
    }));
  });
}
