import { expect, test } from 'bun:test';
import { getISOWeek, getISOWeekYear } from 'date-fns';
import { civilDateOf, dayNumberOf, daysInMonth, isoWeekOf, weekdayOf } from '../../src/common/civil.ts';
import { dayAfterMonths } from '../../src/operations/spans.ts';
import { fc } from '../support/property.ts';

const MS_PER_DAY = 86_400_000;
const LAST_DAY = 100_000_000; // the limit of the range of Date, in days in either direction

/** Every day of five centuries, and every 997th of the whole range of `Date`. */
function* sampleDays(): Generator<number> {
  for (let day = -150_000; day <= 50_000; day++) yield day;
  for (let day = -LAST_DAY; day <= LAST_DAY; day += 997) yield day;
  yield LAST_DAY;
}

test('civil dates and weekdays equal those of Date, in both directions', () => {
  for (const dayNumber of sampleDays()) {
    const date = new Date(dayNumber * MS_PER_DAY);
    const civil = civilDateOf(dayNumber);
    if (
      civil.year !== date.getUTCFullYear() ||
      civil.month !== date.getUTCMonth() + 1 ||
      civil.day !== date.getUTCDate() ||
      weekdayOf(dayNumber) !== date.getUTCDay() ||
      dayNumberOf(civil.year, civil.month, civil.day) !== dayNumber
    ) {
      throw new Error(`day ${dayNumber}: ${JSON.stringify(civil)} is not ${date.toISOString()}`);
    }
  }
});

test('ISO weeks equal those of date-fns from 1800 to 2400', () => {
  const first = dayNumberOf(1800, 1, 1);
  const last = dayNumberOf(2400, 1, 1);
  for (let dayNumber = first; dayNumber < last; dayNumber += 3) {
    const { year, month, day } = civilDateOf(dayNumber);
    const date = new Date(year, month - 1, day, 12);
    const week = isoWeekOf(dayNumber);
    if (week.week !== getISOWeek(date) || week.year !== getISOWeekYear(date)) {
      throw new Error(`${year}-${month}-${day}: ${JSON.stringify(week)}`);
    }
  }
});

test('February has 29 days only in leap years', () => {
  expect([1900, 2000, 2024, 2026].map(year => daysInMonth(year, 2))).toEqual([28, 29, 29, 28]);
});

function after(months: number, year: number, month: number, day: number): number[] {
  const date = civilDateOf(dayAfterMonths(dayNumberOf(year, month, day), months));
  return [date.year, date.month, date.day];
}

test('a month after the last of January is the last of February', () => {
  expect(after(1, 2026, 1, 31)).toEqual([2026, 2, 28]);
  expect(after(1, 2024, 1, 31)).toEqual([2024, 2, 29]);
  expect(after(-1, 2026, 3, 31)).toEqual([2026, 2, 28]);
  expect(after(12, 2024, 2, 29)).toEqual([2025, 2, 28]);
  expect(after(48, 2024, 2, 29)).toEqual([2028, 2, 29]);
});

test("a date skipped in the host's zone is valid", () => {
  expect(after(1, 2011, 11, 30)).toEqual([2011, 12, 30]); // Pacific/Apia had no such day
});

test('the day of the month is preserved if the month has it, even beyond the range of Date', () => {
  const day = fc.integer({ min: -100_000_001, max: 100_000_001 });
  fc.assert(
    fc.property(day, fc.integer({ min: -7_000_000, max: 7_000_000 }), (dayNumber, months) => {
      const from = civilDateOf(dayNumber);
      const to = civilDateOf(dayAfterMonths(dayNumber, months));
      expect(to.year * 12 + to.month).toBe(from.year * 12 + from.month + months);
      expect(to.day).toBe(Math.min(from.day, daysInMonth(to.year, to.month)));
    }),
  );
});

test('an infinite number of months has no result', () => {
  expect(dayAfterMonths(0, Infinity)).toBeNaN();
});
