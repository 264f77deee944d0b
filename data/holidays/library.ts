import Holidays, { type HolidaysTypes } from 'date-holidays';
import { data, type Place } from 'date-holidays/data';
import { dayNumberOf } from '../../src/common/civil.ts';

/** One of date-holidays' calendars: a country, a state of it, or a region of a state. */
export interface LibraryCalendar {
  /** `DE`, `BY`, `A` of `DE-BY-A`, as the library writes them. */
  readonly path: readonly [country: string, state?: string, region?: string];
  /** In English where the library has it; a region's follows its state's: `Bavaria, Stadt Augsburg`. */
  readonly name: string;
}

/** A day that a rule of the library makes a holiday. */
export interface LibraryDay {
  readonly dayNumber: number;
  readonly name: string;
  readonly rule: string;
}

/** All calendars of the library, countries by code, each followed by its parts. */
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

/** The library set to a calendar, as if the place kept UTC: then every day has 24 hours. */
export function openLibraryCalendar(path: LibraryCalendar['path']): Holidays {
  const withAllTypes = open(path, ALL_TYPES);
  // Other types cost most of the time, Taiwan's 24 solar terms above all, and matter to rules that speak of them.
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
  const options: HolidaysTypes.Options & { data: unknown } = {
    types,
    timezone: 'UTC',
    data: withUpperCaseCodes,
  };
  if (state === undefined) return new Holidays(country, options);
  if (region === undefined) return new Holidays(country, state, options);
  return new Holidays(country, state, region, options);
}

/** The library looks codes up in upper case only, and so never finds the few that it spells otherwise (`CK-Atiu`). */
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
 * The days of a year's public holidays, in the library's order. A day counts when all of it is holiday:
 *
 * - one that begins in the evening (Islamic and Hebrew days, which the library marks `-0600`) is the day that follows;
 * - one of several days is each of them;
 * - one that begins during the day (`12-24 14:00`) leaves that day a working one; so does the half day at the end of
 *   the Turkish feasts, and the half days for some that China has on March 8 or May 4.
 */
export function publicDaysOf(library: Holidays, year: number): LibraryDay[] {
  const holidays = library.getHolidays(year).filter(({ type }) => type === 'public');
  return holidays.flatMap(({ date, start, end, name, rule }) => {
    const [, yyyy, mm, dd, hour, minute] = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)/.exec(date)!;
    const hours = (end.getTime() - start.getTime()) / HOUR_MS;
    const startHour = Number(hour) + Number(minute) / 60;
    const firstDay = dayNumberOf(Number(yyyy), Number(mm), Number(dd)) + Math.ceil(startHour / 24);
    const endDay = firstDay + Math.floor((hours + startHour) / 24) - Math.ceil(startHour / 24);
    return Array.from({ length: Math.max(0, endDay - firstDay) }, (_, index) => ({
      dayNumber: firstDay + index,
      name,
      rule,
    }));
  });
}
