import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HolidaysTypes } from 'date-holidays';
import Holidays from 'date-holidays';
import { data, type Place } from 'date-holidays/data';
import { version } from 'date-holidays/package.json';
import { calendar as hebrew } from '../../../node_modules/date-holidays-parser/src/internal/hebrew-calendar.js';
import { calendar as islamic } from '../../../node_modules/date-holidays-parser/src/internal/hijri-calendar.js';
import { civilDateOf, dayNumberOf } from '../../../src/common/civil.ts';
import { TABLE_YEARS } from '../dates.ts';
import type { SourceCalendar, SourceDay } from '../types.ts';

/** By month of another calendar: its start in a Gregorian year, three numbers each: month (0–11), day, year. */
export type MonthStarts = (number[] | null)[];

/** date-holidays' table of a calendar, by Gregorian year; its own years count from `year`. */
export interface MonthTable {
  readonly year: number;
  [gregorianYear: number]: MonthStarts;
}

/** The last years for which date-holidays itself has Islamic and Hebrew holidays. */
export const LAST_LIBRARY_YEARS = { islamic: 2076, hebrew: 2099 };

/**
 * Extends date-holidays' tables of the Islamic and the Hebrew calendar to 2101, in this process. They end in 2077 and
 * 2100, and from the year before that the library has no holidays in these calendars: no Eid in Riyadh, no Passover in
 * Jerusalem. The months are ICU's: the Umm al-Qura calendar, and the Hebrew one, which is arithmetic.
 */
export function extendCalendars(): void {
  extend(islamic, monthStarts('islamic-umalqura', LAST_LIBRARY_YEARS.islamic + 1, islamic.year));
  extend(hebrew, monthStarts('hebrew', LAST_LIBRARY_YEARS.hebrew + 1, hebrew.year));
}

const LAST_YEAR = 2101;

function extend(table: MonthTable, years: ReadonlyMap<number, MonthStarts>): void {
  for (const [year, months] of years) table[year] = months;
}

/** The months of a calendar in the form of date-holidays' table, from ICU; `yearZero` is the epoch of its years. */
export function monthStarts(
  calendar: 'islamic-umalqura' | 'hebrew',
  firstYear: number,
  yearZero: number,
  lastYear = LAST_YEAR,
): Map<number, MonthStarts> {
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  const years = new Map<number, MonthStarts>();
  for (let day = dayNumberOf(firstYear, 1, 1); day < dayNumberOf(lastYear + 1, 1, 1); day++) {
    const parts = new Map(format.formatToParts(day * 86_400_000).map(part => [part.type, part.value]));
    if (parts.get('day') !== '1') continue;
    const date = civilDateOf(day);
    const months =
      years.get(date.year) ?? Array.from({ length: calendar === 'hebrew' ? 13 : 12 }, () => null);
    years.set(date.year, months);
    for (const index of monthIndexes(parts.get('month')!)) {
      months[index] = [
        ...(months[index] ?? []),
        date.month - 1,
        date.day,
        Number(parts.get('year')) - yearZero,
      ];
    }
  }
  return years;
}

/** Hebrew years start in autumn, their months with Nisan; outside leap years Adar occupies two positions. */
const HEBREW_MONTHS: Readonly<Record<string, readonly number[]>> = {
  Nisan: [0],
  Iyar: [1],
  Sivan: [2],
  Tamuz: [3],
  Av: [4],
  Elul: [5],
  Tishri: [6],
  Heshvan: [7],
  Kislev: [8],
  Tevet: [9],
  Shevat: [10],
  'Adar I': [11],
  'Adar II': [12],
  Adar: [11, 12],
};

function monthIndexes(month: string): readonly number[] {
  return HEBREW_MONTHS[month] ?? [Number(month) - 1];
}

/** The source given for days directly from the library. */
export const DATE_HOLIDAYS_SOURCE = `date-holidays ${version}`;

/** A date-holidays calendar: a country, a state, or a region of a state. */
export interface LibraryCalendar {
  /** The library's codes: `DE`, `BY`, `A` of `DE-BY-A`. */
  readonly path: readonly [country: string, state?: string, region?: string];
  /** In English if the library has it; a region's name follows its state's: `Bavaria, Stadt Augsburg`. */
  readonly name: string;
}

/** A holiday by one of the library's rules. */
interface LibraryDay {
  readonly dayNumber: number;
  readonly name: string;
}

/** The days of a calendar by name. */
export interface LibraryDays {
  readonly code: string;
  readonly name: string;
  readonly days: Readonly<Record<string, readonly number[]>>;
}

/** The file of computed days: each list of days once, as its first day and the gaps that follow. */
interface LibraryFile {
  readonly version: string;
  readonly lists: readonly (readonly number[])[];
  readonly calendars: readonly (readonly [
    code: string,
    name: string,
    days: readonly (readonly [holiday: string, list: number])[],
  ])[];
}

const FILE = new URL('date-holidays.json.gz', import.meta.url);

/**
 * All calendars of the library, each country followed by its parts. Computing them takes minutes, since its lunar
 * arithmetic takes up to a second per year: results are committed, and recomputed for another version.
 */
export function readDateHolidays(): SourceCalendar[] {
  const committed = readFile();
  if (committed?.version !== version) writeFile(computeDateHolidays(listLibraryCalendars()));
  const { lists, calendars } = committed?.version === version ? committed : readFile()!;
  const dayNumbers = lists.map(gaps => {
    let day = 0;
    return gaps.map(gap => (day += gap));
  });
  return calendars.map(([code, name, days]) => ({
    code,
    name,
    aliases: LIBRARY_CODES.has(code) ? [LIBRARY_CODES.get(code)!.slice(3)] : [],
    ...TABLE_YEARS,
    holidays: days.flatMap(([holiday, list]) =>
      dayNumbers[list]!.map(dayNumber => libraryDay(dayNumber, holiday)),
    ),
    workdays: [],
  }));
}

function readFile(): LibraryFile | null {
  return existsSync(FILE) ? JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8')) : null;
}

function writeFile(computed: readonly LibraryDays[]): void {
  const lists = new Map<string, number>();
  const calendars = computed.map(({ code, name, days }) => [
    code,
    name,
    Object.entries(days).map(([holiday, dayNumbers]) => {
      const inOrder = [...new Set(dayNumbers)].sort((a, b) => a - b);
      const gaps = JSON.stringify(inOrder.map((day, index) => day - (inOrder[index - 1] ?? 0)));
      lists.set(gaps, lists.get(gaps) ?? lists.size);
      return [holiday, lists.get(gaps)];
    }),
  ]);
  const file = { version, lists: [...lists.keys()].map(gaps => JSON.parse(gaps)), calendars };
  writeFileSync(FILE, gzipSync(JSON.stringify(file), { level: 9 }));
}

function libraryDay(dayNumber: number, name: string): SourceDay {
  return {
    dayNumber,
    name,
    nameEn: null,
    status: 'statutory',
    isSubstitute: SUBSTITUTE_LABELS.some(label => name.endsWith(`(${label})`)),
    source: DATE_HOLIDAYS_SOURCE,
  };
}

const SUBSTITUTE_LABELS = Object.values(data.names['substitutes']!.name); // the library's own use of it

/** The days of calendars for the years of the table and one more on each side, into which feasts extend. */
export function computeDateHolidays(
  calendars: readonly LibraryCalendar[],
  years = TABLE_YEARS,
): LibraryDays[] {
  extendCalendars();
  return calendars.map(({ path, name }) => {
    const library = openLibraryCalendar(path);
    const days: Record<string, number[]> = {};
    for (let year = years.firstYear - 1; year <= years.lastYear + 1; year++) {
      for (const { dayNumber, name: holiday } of publicDaysOf(library, year)) {
        days[holiday] = [...(days[holiday] ?? []), dayNumber];
      }
    }
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
  const options: HolidaysTypes.Options & { data: unknown } = {
    types,
    timezone: 'UTC',
    data: withUpperCaseCodes,
  };
  if (state === undefined) return new Holidays(country, options);
  if (region === undefined) return new Holidays(country, state, options);
  return new Holidays(country, state, region, options);
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
