// The tables are private to date-holidays' parser. It has no other way to extend them, and its `exports` lack them.
import { calendar as hebrew } from '../../../node_modules/date-holidays-parser/src/internal/hebrew-calendar.js';
import { calendar as islamic } from '../../../node_modules/date-holidays-parser/src/internal/hijri-calendar.js';
import { once } from '../../../src/common/caching.ts';
import { civilDateOf, dayNumberOf, MS_PER_DAY } from '../../../src/common/civil.ts';

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
 * Extends date-holidays' tables of the Islamic and the Hebrew calendar to 2101, once in a process. They end in 2077 and
 * 2100, and from the year before that the library has no holidays in these calendars: no Eid in Riyadh, no Passover in
 * Jerusalem. The months are ICU's: the Umm al-Qura calendar, and the Hebrew one, which is arithmetic.
 */
export const extendCalendars = once(() => {
  const { islamic: lastIslamic, hebrew: lastHebrew } = LAST_LIBRARY_YEARS;
  for (const [year, months] of monthStarts('islamic-umalqura', lastIslamic + 1, islamic.year))
    islamic[year] = months;
  for (const [year, months] of monthStarts('hebrew', lastHebrew + 1, hebrew.year)) hebrew[year] = months;
});

/** The months of a calendar in the form of date-holidays' table, from ICU; `yearZero` is the epoch of its years. */
export function monthStarts(
  calendar: 'islamic-umalqura' | 'hebrew',
  firstYear: number,
  yearZero: number,
  lastYear = 2101,
): Map<number, MonthStarts> {
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  const years = new Map<number, MonthStarts>();
  for (let day = dayNumberOf(firstYear, 1, 1); day < dayNumberOf(lastYear + 1, 1, 1); day++) {
    const parts = new Map(format.formatToParts(day * MS_PER_DAY).map(part => [part.type, part.value]));
    if (parts.get('day') !== '1') continue;
    const date = civilDateOf(day);
    const months =
      years.get(date.year) ?? Array.from({ length: calendar === 'hebrew' ? 13 : 12 }, () => null);
    years.set(date.year, months);
    const start = [date.month - 1, date.day, Number(parts.get('year')) - yearZero];
    for (const index of monthIndexes(parts.get('month')!))
      months[index] = [...(months[index] ?? []), ...start];
  }
  return years;
}

/** Hebrew years start in autumn, their months with Nisan; outside leap years Adar occupies the last two positions. */
const HEBREW_MONTHS =
  'Nisan,Iyar,Sivan,Tamuz,Av,Elul,Tishri,Heshvan,Kislev,Tevet,Shevat,Adar I,Adar II'.split(',');

function monthIndexes(month: string): readonly number[] {
  if (month === 'Adar') return [11, 12];
  const hebrew = HEBREW_MONTHS.indexOf(month);
  return [hebrew === -1 ? Number(month) - 1 : hebrew];
}
