import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { version } from 'date-holidays/package.json';
import { writeAtomically } from '../../artifact.ts';
import { TABLE_YEARS } from '../dates.ts';
import type { SourceCalendar, SourceDay } from '../source_days.ts';
import { SUBSTITUTE_LABELS } from './library.ts';
import { computeDateHolidays, type LibraryDays, libraryAliasesOf } from './library_days.ts';

/** The version of the library, `3.37.0`. */
export const DATE_HOLIDAYS_VERSION = version;
/** The source given for days directly from the library. */
export const DATE_HOLIDAYS_SOURCE = `date-holidays ${version}`;

/** The file of computed days: each list of days once, as its first day and the gaps that follow. */
interface LibraryFile {
  readonly version: string;
  readonly lists: readonly (readonly number[])[];
  readonly calendars: readonly [code: string, name: string, days: [holiday: string, list: number][]][];
}

const FILE = new URL('date-holidays.json.gz', import.meta.url);

/**
 * Computes the days and writes their file if it is of another version of the library. This takes minutes: the library's lunar
 * arithmetic takes up to a second per year.
 */
export async function updateDateHolidays(): Promise<void> {
  if (existsSync(FILE) && readFile().version === version) return;
  const file = encode(computeDateHolidays());
  await writeAtomically(FILE, gzipSync(JSON.stringify(file), { level: 9 }));
}

/** All calendars of the library, each country followed by its subdivisions. Throws an `Error` if the file is of another version. */
export function readDateHolidays(): SourceCalendar[] {
  const { version: fileVersion, lists, calendars } = readFile();
  if (fileVersion !== version) {
    throw new Error(`date-holidays.json.gz is of version ${fileVersion}, not ${version}: run make holidays`);
  }
  const dayNumbers = lists.map(gaps => {
    let day = 0;
    return gaps.map(gap => (day += gap));
  });
  return calendars.map(([code, name, days]) => ({
    code,
    name,
    aliases: libraryAliasesOf(code),
    ...TABLE_YEARS,
    holidays: days.flatMap(([holiday, list]) =>
      dayNumbers[list]!.map(dayNumber => libraryDay(dayNumber, holiday)),
    ),
    workdays: [],
  }));
}

function readFile(): LibraryFile {
  return JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8'));
}

function encode(computed: readonly LibraryDays[]): LibraryFile {
  const lists = new Map<string, number>();
  const listOf = (dayNumbers: readonly number[]) => {
    const inOrder = [...new Set(dayNumbers)].sort((a, b) => a - b);
    const gaps = JSON.stringify(inOrder.map((day, index) => day - (inOrder[index - 1] ?? 0)));
    const list = lists.get(gaps) ?? lists.size;
    lists.set(gaps, list);
    return list;
  };
  const calendars = computed.map(({ code, name, days }): LibraryFile['calendars'][number] => [
    code,
    name,
    Object.entries(days).map(([holiday, dayNumbers]) => [holiday, listOf(dayNumbers)]),
  ]);
  return { version, lists: [...lists.keys()].map(gaps => JSON.parse(gaps)), calendars };
}

const SUBSTITUTE_ENDINGS = Object.values(SUBSTITUTE_LABELS).map(label => `(${label})`);

function libraryDay(dayNumber: number, name: string): SourceDay {
  return {
    dayNumber,
    name,
    nameEn: null,
    status: 'statutory',
    isSubstitute: SUBSTITUTE_ENDINGS.some(ending => name.endsWith(ending)),
    source: DATE_HOLIDAYS_SOURCE,
  };
}
