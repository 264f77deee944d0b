import Holidays from 'date-holidays';
import { partOf } from '../codes.ts';
import { TABLE_YEARS, yearsIn } from '../dates.ts';
import codes from './codes.json' with { type: 'json' };
import { type LibraryPath, openPlace, publicDaysOf } from './library.ts';

/** A date-holidays calendar: a country, a state, or a region of a state. */
export interface LibraryCalendar {
  readonly path: LibraryPath;
  /** In English if the library has it; a region's name follows its state's: `Bavaria, Stadt Augsburg`. */
  readonly name: string;
}

/** The days of a calendar by name. */
export interface LibraryDays {
  readonly code: string;
  readonly name: string;
  readonly days: Readonly<Record<string, readonly number[]>>;
}

/** The days of calendars for the years of the table and one more on each side, into which feasts extend. */
export function computeDateHolidays(
  calendars: readonly LibraryCalendar[] = listLibraryCalendars(),
  years = TABLE_YEARS,
): LibraryDays[] {
  const computedYears = yearsIn({ firstYear: years.firstYear - 1, lastYear: years.lastYear + 1 });
  return calendars.map(({ path, name }) => {
    const library = openPlace(path);
    const holidays = computedYears.flatMap(year => publicDaysOf(library, year));
    const byName = [...Map.groupBy(holidays, day => day.name)];
    const days = Object.fromEntries(byName.map(([key, ofName]) => [key, ofName.map(day => day.dayNumber)]));
    const code = path.join('-').toUpperCase();
    return { code: OTHER_CODES[code] ?? code, name, days };
  });
}

/** The library's codes that differ from ISO 3166-2. */
const OTHER_CODES: Readonly<Record<string, string>> = codes.dateHolidays;

/** The library's code of a subdivision within its country, if it differs from ours: `OR` for `IN-OD`. */
export function libraryAliasesOf(code: string): string[] {
  const others = Object.keys(OTHER_CODES).filter(library => OTHER_CODES[library] === code);
  return others.flatMap(library => partOf(library) ?? []);
}

/** All calendars of the library, countries by code, each followed by its subdivisions. */
export function listLibraryCalendars(): LibraryCalendar[] {
  const library = new Holidays(); // only for the names of places
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
