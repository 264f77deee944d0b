import { calendar as hebrew } from '../../node_modules/date-holidays-parser/src/internal/hebrew-calendar.js';
import { calendar as islamic } from '../../node_modules/date-holidays-parser/src/internal/hijri-calendar.js';
import { civilDateOf, dayNumberOf } from '../../src/common/civil.ts';

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
