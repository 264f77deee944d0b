import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { dayNumberOfIso, SNAPSHOT } from '../dates.ts';
import { type CountryNames, kindOf, parseNames } from '../decisions/names.ts';
import type { SourceCalendar, SourceDay } from '../source_days.ts';
import codes from './codes.json' with { type: 'json' };
import given from './names.json' with { type: 'json' };
import { englishNamesOf, parseSnapshotName } from './snapshot_names.ts';

/** The source given for days directly from the snapshot. */
export const PYTHON_HOLIDAYS_SOURCE = `python-holidays ${SNAPSHOT}`;

/** A date and the names of its holidays, joined by `; `. */
type SnapshotDay = readonly [date: string, names: string];

/** A country as written by `snapshot_python_holidays.py`. */
interface SnapshotCountry {
  readonly language: string | null;
  readonly start_year: number;
  readonly end_year: number;
  readonly aliases: Readonly<Record<string, string>>;
  readonly days: readonly SnapshotDay[];
  readonly worked_weekends: readonly string[];
  readonly subdivisions: Readonly<
    Record<string, { readonly add: readonly SnapshotDay[]; readonly drop: readonly SnapshotDay[] }>
  >;
  /** English names by local ones, from 2005 to 2045. */
  readonly english: Readonly<Record<string, string>>;
}

const FILE = new URL('python-holidays-1970-2100.json.gz', import.meta.url);

/** The codes here of subdivisions that the library identifies by name. */
const SUBDIVISION_CODES: Readonly<Record<string, string>> = codes.pythonHolidays;

/** All calendars of the snapshot, each country followed by its subdivisions. */
export function readPythonHolidays(namesOf = parseNames()): SourceCalendar[] {
  const countries: Record<string, SnapshotCountry> = JSON.parse(
    gunzipSync(readFileSync(FILE)).toString('utf8'),
  );
  return Object.entries(countries).flatMap(([code, country]) =>
    countryCalendars(code, country, namesOf(code)),
  );
}

function countryCalendars(code: string, country: SnapshotCountry, names: CountryNames): SourceCalendar[] {
  const { language, english } = country;
  const isEnglish = language === null || language.startsWith('en');
  const englishOf = isEnglish ? () => null : englishNamesOf(code, english, names);
  const holidaysOf = (days: readonly SnapshotDay[]) =>
    days.flatMap(([date, texts]) =>
      texts.split('; ').map(text => readDay(dayNumberOfIso(date), text, names, englishOf)),
    );
  const shared = {
    firstYear: country.start_year,
    lastYear: country.end_year,
    workdays: country.worked_weekends.map(date => workedDay(code, dayNumberOfIso(date))),
  };
  return [
    { ...shared, code, name: null, aliases: [], holidays: holidaysOf(country.days) },
    ...Object.entries(country.subdivisions).map(([part, { add, drop }]) => {
      const dropped = new Set(drop.map(String));
      const days = [...country.days.filter(day => !dropped.has(String(day))), ...add];
      const fullCode = SUBDIVISION_CODES[`${code}-${part}`] ?? `${code}-${part}`;
      const others = Object.keys(country.aliases).filter(alias => country.aliases[alias] === part);
      const aliases = [...others, ...(fullCode.endsWith(part) ? [] : [part])];
      return { ...shared, code: fullCode, name: aliases[0] ?? null, aliases, holidays: holidaysOf(days) };
    }),
  ];
}

/** A day with a name that `names.txt` decides. */
function readDay(
  dayNumber: number,
  text: string,
  names: CountryNames,
  englishOf: (name: string) => string | null,
): SourceDay {
  const { name, isEstimated, isDated } = parseSnapshotName(text, names);
  const isOneOff = isDated || kindOf(name, names) === 'once';
  return {
    dayNumber,
    name,
    nameEn: englishOf(name),
    status: isEstimated ? 'estimated' : isOneOff ? 'announced' : 'statutory',
    isSubstitute: names.substitutes.has(name),
    source: PYTHON_HOLIDAYS_SOURCE,
  };
}

function workedDay(country: string, dayNumber: number): SourceDay {
  const named = { name: WORKED_DAY_NAMES[country] ?? 'Working day', nameEn: 'Working day' };
  return { dayNumber, ...named, status: 'announced', isSubstitute: false, source: PYTHON_HOLIDAYS_SOURCE };
}

/** The name of worked weekends that the snapshot lists without one. */
const WORKED_DAY_NAMES: Readonly<Record<string, string>> = given.workedDays;
