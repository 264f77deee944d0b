import { expect, test } from 'bun:test';
import { getISOWeek, getISOWeekYear } from 'date-fns';
import { civilDateOf, dayNumberOf, daysInMonth, isoWeekOf, weekdayOf } from '../../src/common/civil.ts';

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
