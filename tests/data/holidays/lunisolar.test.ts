import { expect, test } from 'bun:test';
import { dayNumberOfIso } from '../../../data/holidays/dates.ts';
import { carryHinduDaysOn } from '../../../data/holidays/rules/hindu_days.ts';
import {
  type LunisolarMonth,
  lunisolarDay,
  lunisolarMonths,
} from '../../../data/holidays/rules/lunisolar.ts';
import type { SourceDay } from '../../../data/holidays/source_days.ts';
import { readPythonHolidays } from '../../../data/holidays/sources/python_holidays.ts';
import { isoDate } from '../../holidays/table_of.ts';

const YEARS = Array.from({ length: 131 }, (_, index) => 1970 + index);

test('the calendar of 2033: the leap month follows the eleventh month, and Mid-Autumn on September 8', () => {
  // GB/T 33661-2017; the almanac for the year: https://ytliu0.github.io/ChineseCalendar/rules.html
  const months = [...lunisolarMonths(2033, 8), ...lunisolarMonths(2034, 8)];
  const leap = months.filter(({ isLeap }) => isLeap);
  expect(leap.map(({ month, firstDay }) => [month, isoDate(firstDay)])).toEqual([[11, '2033-12-22']]);
  expect(isoDate(lunisolarDay(2033, 8, 15, 8))).toBe('2033-09-08');
  expect(isoDate(lunisolarDay(2034, 1, 1, 8))).toBe('2034-02-19');
});

test('current leap months match the almanac', () => {
  const leaps = [2017, 2020, 2023, 2025, 2028, 2031].map(year => {
    const { month, firstDay } = lunisolarMonths(year, 8).find(({ isLeap }) => isLeap)!;
    return [month, isoDate(firstDay)];
  });
  expect(leaps).toEqual([
    [6, '2017-07-23'],
    [4, '2020-05-23'],
    [2, '2023-03-22'],
    [6, '2025-07-25'],
    [5, '2028-06-23'],
    [3, '2031-04-22'],
  ]);
});

test('New Year differs between Beijing, Seoul and Hanoi if the new moon is near midnight', () => {
  // Tết was a month before the Spring Festival in 1985, and a day in 2007.
  expect(isoDate(lunisolarDay(2007, 1, 1, 8))).toBe('2007-02-18');
  expect(isoDate(lunisolarDay(2007, 1, 1, 7))).toBe('2007-02-17');
  expect(isoDate(lunisolarDay(1985, 1, 1, 7))).toBe('1985-01-21');
  expect(isoDate(lunisolarDay(1985, 1, 1, 8))).toBe('1985-02-20');
});

test('the days match python-holidays’ tables, 1970 to 2100', () => {
  const sources = new Map(readPythonHolidays().map(calendar => [calendar.code, calendar]));
  for (const [code, name, month, day, utcOffsetHours] of [
    ['CN', '春节', 1, 1, 8],
    ['TW', '中秋節', 8, 15, 8],
    ['KR', '추석', 8, 15, 9],
    ['VN', 'Tết Nguyên Đán', 1, 1, 7],
  ] as const) {
    const listed = new Set(
      sources
        .get(code)!
        .holidays.filter(holiday => holiday.name === name)
        .map(({ dayNumber }) => dayNumber),
    );
    const years = new Set([...listed].map(dayNumber => Number(isoDate(dayNumber).slice(0, 4))));
    for (const year of years) {
      const date = lunisolarDay(year, month, day, utcOffsetHours);
      expect({ code, date: isoDate(date), isListed: listed.has(date) }).toEqual({
        code,
        date: isoDate(date),
        isListed: true,
      });
    }
  }
});

/** The first days of the months in ICU's calendar that begin in a year, with leap months marked `bis`. */
function icuMonths(calendar: 'chinese' | 'dangi', year: number): string[] {
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, {
    timeZone: 'UTC',
    month: 'numeric',
    day: 'numeric',
  });
  const [first, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const starts: string[] = [];
  for (let ms = first; ms < end; ms += 86_400_000) {
    const parts = new Map(format.formatToParts(ms).map(part => [part.type, part.value]));
    if (parts.get('day') === '1')
      starts.push(`${new Date(ms).toISOString().slice(0, 10)} ${parts.get('month')}`);
  }
  return starts;
}

function ourMonths(year: number, utcOffsetHours: number): string[] {
  const label = ({ month, isLeap, firstDay }: LunisolarMonth) =>
    `${isoDate(firstDay)} ${month}${isLeap ? 'bis' : ''}`;
  return [...lunisolarMonths(year, utcOffsetHours), ...lunisolarMonths(year + 1, utcOffsetHours)]
    .map(label)
    .filter(text => text.startsWith(String(year)));
}

test('the months match ICU, unless a new moon is within 16 minutes of midnight', () => {
  const differing = (calendar: 'chinese' | 'dangi', utcOffsetHours: number) =>
    YEARS.filter(year => icuMonths(calendar, year).join() !== ourMonths(year, utcOffsetHours).join());
  // New moons in UTC: 1999-01-17 15:47, 2012-08-17 15:55, 2018-11-07 16:03, 2027-02-06 15:57, 2030-02-02 16:08,
  // 2070-03-12 15:53, 2097-08-07 16:00; in 1987 ICU puts the leap month after the seventh, almanacs after the sixth.
  expect(differing('chinese', 8)).toEqual([1987, 1999, 2012, 2018, 2027, 2030, 2070, 2097]);
  // 2017-02-26 14:59, 2051-08-06 15:05 and 2051-11-03 15:00.
  expect(differing('dangi', 9)).toEqual([2017, 2051]);
});

const diwali = (date: string): SourceDay => ({
  dayNumber: dayNumberOfIso(date),
  name: 'Diwali (Deepavali)',
  nameEn: null,
  status: 'statutory',
  isSubstitute: false,
  source: 'library',
});

test("Diwali is the day whose evening has more of Kartika's new moon", () => {
  // From 15:52 on October 31 to 18:16 on November 1 in India: longer on the first evening.
  const carried = carryHinduDaysOn('IN', [diwali('2023-11-12')]);
  expect(carried.slice(0, 4).map(({ dayNumber }) => isoDate(dayNumber))).toEqual([
    '2023-11-12',
    '2024-10-31',
    '2025-10-20',
    '2026-11-08',
  ]);
  expect(carried.at(-1)!.status).toBe('estimated');
  expect(carried.length).toBe(2100 - 2022);
});

test('a table that contradicts the rule is an error, and other holidays are not changed', () => {
  expect(() => carryHinduDaysOn('IN', [diwali('2024-11-01')])).toThrow("no 'Diwali (Deepavali)' of 2024");
  expect(carryHinduDaysOn('DE', [diwali('2024-11-01')])).toEqual([diwali('2024-11-01')]);
});

test("the rule reproduces python-holidays' tables, year by year", () => {
  const sources = readPythonHolidays().filter(({ code }) => ['GY', 'IN', 'MU', 'NP'].includes(code));
  for (const { code, holidays } of sources) {
    const dates = carryHinduDaysOn(code, holidays);
    expect(dates.length).toBeGreaterThan(holidays.length + 60);
    // One year at a time, starting from the year before: the rule reproduces the table.
    const names = new Set(dates.slice(holidays.length).map(({ name }) => name));
    for (const name of names) {
      const table = holidays.filter(day => day.name === name);
      const first = table[0]!;
      const computed = new Set(carryHinduDaysOn(code, [first]).map(({ dayNumber }) => dayNumber));
      const lacking = table
        .filter(({ dayNumber }) => !computed.has(dayNumber))
        .map(day => isoDate(day.dayNumber));
      expect({ code, name, lacking }).toEqual({ code, name, lacking: [] });
    }
  }
});
