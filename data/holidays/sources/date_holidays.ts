import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { data } from 'date-holidays/data';
import { version } from 'date-holidays/package.json';
import { TABLE_YEARS } from '../dates.ts';
import type { SourceCalendar, SourceDay } from '../types.ts';
import {
  computeDateHolidays,
  LIBRARY_CODES,
  type LibraryDays,
  listLibraryCalendars,
} from './library_days.ts';

/** The source given for days directly from the library. */
export const DATE_HOLIDAYS_SOURCE = `date-holidays ${version}`;

/** The file of computed days: each list of days once, as its first day and the gaps that follow. */
interface LibraryFile {
  readonly version: string;
  readonly lists: readonly (readonly number[])[];
  readonly calendars: readonly [code: string, name: string, days: [holiday: string, list: number][]][];
}

const FILE = new URL('date-holidays.json.gz', import.meta.url);
const NEW_FILE = new URL(`${FILE.href}.new`);

/**
 * All calendars of the library, each country followed by its parts, from the committed file. If that is of another version, computes
 * and writes them first, which takes minutes: the library's lunar arithmetic takes up to a second per year.
 */
export function readOrComputeDateHolidays(): SourceCalendar[] {
  const { lists, calendars } = readFile() ?? writeFile(computeDateHolidays(listLibraryCalendars()));
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

/** Null for a file of another version. */
function readFile(): LibraryFile | null {
  if (!existsSync(FILE)) return null;
  const file: LibraryFile = JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8'));
  return file.version === version ? file : null;
}

/** Writes the file atomically. */
function writeFile(computed: readonly LibraryDays[]): LibraryFile {
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
  const file = { version, lists: [...lists.keys()].map(gaps => JSON.parse(gaps)), calendars };
  writeFileSync(NEW_FILE, gzipSync(JSON.stringify(file), { level: 9 }));
  renameSync(NEW_FILE, FILE);
  return file;
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
