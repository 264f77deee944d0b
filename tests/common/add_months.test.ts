import { expect, test } from 'bun:test';
import { civilDateOf, dayNumberOf, daysInMonth } from '../../src/common/civil.ts';
import { dayAfterMonths } from '../../src/operations/calendar_duration.ts';
import { fc } from '../support/property.ts';

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
