import { dateInYear, isYearlyUntil, SNAPSHOT_YEAR, yearOf } from '../dates.ts';
import { CHINESE_UTC_OFFSET, lunisolarDay } from '../rules/lunisolar.ts';
import type { CompiledCalendar } from '../types.ts';

/** A lunar holiday moves by 11 days, or forward by 18 to 20, from one year to the next; a solar one by at most two. */
const LUNAR_SHIFT_DAYS = 8;
/** Over decades a lunar holiday falls on many dates. */
const LUNAR_DATES = 15;
/** The first checked year: earlier dates are historical, with changes between calendars. */
const FIRST_YEAR = 2015;

/**
 * Impossible dates of a calendar's lunar holidays, as messages: the same date in three consecutive years, as in a table
 * copied from one year to others; and a yearly holiday that is absent from some year on, within the years that the
 * calendar covers.
 */
export function lunarFaults({ code, days, coverage }: CompiledCalendar): string[] {
  const firstYear = Math.max(FIRST_YEAR, coverage.from);
  const yearly = days.holidays.filter(
    day => !day.isSubstitute && day.status !== 'announced' && yearOf(day.dayNumber) >= firstYear,
  );
  return [...Map.groupBy(yearly, ({ name }) => name)].flatMap(([name, holidays]) => {
    const dayNumbers = holidays.map(({ dayNumber }) => dayNumber);
    const dates = Map.groupBy(dayNumbers, dateInYear);
    if (dates.size < LUNAR_DATES || !isLunar(dayNumbers)) return [];
    const repeated = [...dates].find(([, ofDate]) => hasThreeRunning(ofDate.map(yearOf)));
    const missing = missingYear(new Set(dayNumbers.map(yearOf)), coverage.to);
    return [
      ...(repeated === undefined ? [] : [`${code}: ${name} is on ${repeated[0]} in three years running`]),
      ...(missing === undefined
        ? []
        : [`${code}: ${name} is missing from ${missing} on, within its coverage`]),
    ];
  });
}

/** Whether in most years the holiday is more than a week from its date in the previous year. */
function isLunar(dayNumbers: readonly number[]): boolean {
  const inOrder = dayNumbers.toSorted((a, b) => a - b);
  const shifts = inOrder
    .slice(1)
    .map((day, index) => day - inOrder[index]!)
    .filter(gap => gap > DAYS_OF_ONE_FEAST)
    .map(gap => Math.abs(gap - 365));
  return shifts.length > 5 && shifts.filter(shift => shift >= LUNAR_SHIFT_DAYS).length > shifts.length / 2;
}

/** Days of one holiday that are closer together belong to one feast. */
const DAYS_OF_ONE_FEAST = 20;

function hasThreeRunning(years: readonly number[]): boolean {
  return years.some(year => years.includes(year + 1) && years.includes(year + 2));
}

/** The year after which a holiday of at least five consecutive years never recurs, before the coverage ends. */
function missingYear(years: ReadonlySet<number>, lastYear: number): number | undefined {
  const end = Math.max(...years);
  return isYearlyUntil(end, years) && end >= SNAPSHOT_YEAR && end < lastYear - 1 ? end + 1 : undefined;
}

const KOREAN_UTC_OFFSET = 9;
const VIETNAMESE_UTC_OFFSET = 7;

/** The holidays whose dates are computed; laws name each by its date in the lunisolar calendar of a meridian. */
const HOLIDAYS: readonly [codes: string, name: string, utcOffsetHours: number, month: number, day: number][] =
  [
    ['BN', 'Tahun Baru Cina', CHINESE_UTC_OFFSET, 1, 1],
    ['CN', '春节', CHINESE_UTC_OFFSET, 1, 1],
    ['CN', '端午节', CHINESE_UTC_OFFSET, 5, 5],
    ['CN', '中秋节', CHINESE_UTC_OFFSET, 8, 15],
    ['HK', '農曆年初一', CHINESE_UTC_OFFSET, 1, 1],
    ['HK MO TW', '端午節', CHINESE_UTC_OFFSET, 5, 5],
    ['HK MO', '中秋節翌日', CHINESE_UTC_OFFSET, 8, 16],
    ['MO', '農曆正月初一', CHINESE_UTC_OFFSET, 1, 1],
    ['MO', '重陽節', CHINESE_UTC_OFFSET, 9, 9],
    ['MU', 'Chinese Spring Festival', CHINESE_UTC_OFFSET, 1, 1],
    ['MY', 'Tahun Baharu Cina', CHINESE_UTC_OFFSET, 1, 1],
    ['PH SG', 'Chinese New Year', CHINESE_UTC_OFFSET, 1, 1],
    ['TW', '中秋節', CHINESE_UTC_OFFSET, 8, 15],
    ['KP', '설명절', KOREAN_UTC_OFFSET, 1, 1],
    ['KP KR', '추석', KOREAN_UTC_OFFSET, 8, 15],
    ['KR', '설날', KOREAN_UTC_OFFSET, 1, 1],
    ['KR', '부처님오신날', KOREAN_UTC_OFFSET, 4, 8],
    ['VN', 'Tết Nguyên Đán', VIETNAMESE_UTC_OFFSET, 1, 1],
    ['VN', 'Ngày Giỗ Tổ Hùng Vương', VIETNAMESE_UTC_OFFSET, 3, 10],
  ];

/** The first year from which all these calendars follow the rule, and the sources have them. */
const FIRST_CHECKED_YEAR = 2008;

/** The lunisolar holidays of compiled calendars that contradict new moons and solar terms, as messages. */
export function lunisolarFaults(calendars: readonly CompiledCalendar[]): string[] {
  return HOLIDAYS.flatMap(([codes, name, utcOffsetHours, month, day]) =>
    calendars
      .filter(({ code }) => codes.split(' ').includes(code))
      .flatMap(({ code, days, coverage }) => {
        const named = new Set(
          days.holidays.filter(day => day.name === name).map(({ dayNumber }) => dayNumber),
        );
        const years = new Set([...named].map(yearOf));
        return [...years]
          .filter(year => year >= FIRST_CHECKED_YEAR && year >= coverage.from && year <= coverage.to)
          .filter(year => !named.has(lunisolarDay(year, month, day, utcOffsetHours)))
          .map(year => `${code}: ${name} of ${year} is not on day ${day} of month ${month}`);
      }),
  );
}
