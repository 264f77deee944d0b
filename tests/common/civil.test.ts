import { expect, test } from 'bun:test';
import { getISOWeek, getISOWeekYear } from 'date-fns';
import { civilDateOf, dayNumberOf, daysInMonth, isoWeekOf, weekdayOf } from '../../src/common/civil.ts';
import { DaySet } from '../../src/common/day_set.ts';
import { localText, TimeWriter, utcText } from '../../src/common/iso_text.ts';
import { Moment } from '../../src/common/moment.ts';
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

const BOUNDS = { firstDay: -40, endDay: 100 };
const days = fc.array(fc.integer({ min: -200, max: 200 }));

test('a set lists the days within bounds in ascending order', () => {
  fc.assert(
    fc.property(days, days, (added, deleted) => {
      const set = new DaySet(BOUNDS, added).without(new DaySet(BOUNDS, deleted));
      const expected = new Set(added.filter(day => day >= -40 && day < 100 && !deleted.includes(day)));
      expect(set.toArray()).toEqual([...expected].sort((a, b) => a - b));
      for (let day = -200; day <= 200; day++) expect(set.has(day)).toBe(expected.has(day));
    }),
  );
});

test('a union has the days of all its sets', () => {
  fc.assert(
    fc.property(fc.array(days), lists => {
      const union = DaySet.union(lists.map(list => new DaySet(BOUNDS, list)));
      expect(union.toArray()).toEqual(new DaySet(BOUNDS, lists.flat()).toArray());
    }),
  );
});

const epochMs = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: -1e14, max: 2.5e14 }),
);

/** ECMAScript's own text, without the milliseconds, which it also truncates toward the past. */
const ecmaText = (ms: number) => new Date(ms).toISOString().replace(/\.\d{3}/, '');

test('UTC is written as in ECMAScript, for every instant', () => {
  fc.assert(
    fc.property(epochMs, ms => {
      expect(utcText(ms)).toBe(ecmaText(ms));
    }),
    { numRuns: 2000 },
  );
});

test('local time is the wall-clock time at the offset, followed by the offset', () => {
  fc.assert(
    fc.property(epochMs, fc.integer({ min: -86_399, max: 86_399 }), fc.boolean(), (ms, seconds, whole) => {
      const offsetSeconds = whole ? seconds - (seconds % 60) : seconds;
      const localMs = ms + offsetSeconds * 1000;
      fc.pre(Math.abs(localMs) <= 8.64e15);
      const magnitude = new Date(Math.abs(offsetSeconds) * 1000).toISOString();
      const offset = magnitude.slice(11, offsetSeconds % 60 === 0 ? 16 : 19);
      const sign = offsetSeconds < 0 ? '-' : '+';
      const expected = ecmaText(localMs).slice(0, -1) + sign + offset;
      expect(localText(new Moment(ms, offsetSeconds, 'x'))).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  [8.64e15, 86_399, '+275760-09-13T23:59:59+23:59:59'],
  [8.64e15, 50_400, '+275760-09-13T14:00:00+14:00'],
  [8.64e15, -43_200, '+275760-09-12T12:00:00-12:00'],
  [-8.64e15, -86_399, '-271821-04-19T00:00:01-23:59:59'],
  [-8.64e15, -43_200, '-271821-04-19T12:00:00-12:00'],
  [-8.64e15, 50_400, '-271821-04-20T14:00:00+14:00'],
])('%d at offset %d is %s, even outside the range of Date', (ms, offsetSeconds, expected) => {
  expect(localText(new Moment(ms, offsetSeconds, 'x'))).toBe(expected);
});

test('fractions of a second floor toward the past, even before 1970', () => {
  expect(utcText(999)).toBe('1970-01-01T00:00:00Z');
  expect(utcText(-1)).toBe('1969-12-31T23:59:59Z');
  expect(utcText(-1000)).toBe('1969-12-31T23:59:59Z');
  expect(utcText(-1001)).toBe('1969-12-31T23:59:58Z');
});

test('years outside 0000–9999 have a sign and six digits', () => {
  expect(utcText(Date.UTC(9999, 11, 31, 23, 59, 59))).toBe('9999-12-31T23:59:59Z');
  expect(utcText(Date.UTC(10_000, 0, 1))).toBe('+010000-01-01T00:00:00Z');
  expect(utcText(-62_167_219_200_000)).toBe('0000-01-01T00:00:00Z');
  expect(utcText(-62_167_219_200_001)).toBe('-000001-12-31T23:59:59Z');
});

/** The text that `write` leaves before the position it returns. */
function written(write: (writer: TimeWriter) => number): string {
  const writer = new TimeWriter(100);
  return writer.text(0, write(writer), 'utf8');
}

test('an integer is written as in JSON, from a given position or ending there', () => {
  const any = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -1001, max: 1001 }));
  const check = (number: number) => {
    const writer = new TimeWriter(40);
    writer.code(30, 33);
    expect(writer.text(writer.integerBefore(30, number), 31)).toBe(`${JSON.stringify(number)}!`);
    expect(written(forward => forward.integer(3, number)).slice(3)).toBe(JSON.stringify(number));
  };
  fc.assert(fc.property(any, check));
  for (const number of [
    -0,
    9,
    10,
    999_999,
    1_000_000,
    1_000_001,
    999_999_999_999,
    1e12,
    -1e12,
    2 ** 53 - 1,
  ]) {
    check(number);
  }
});

test('a number below a hundred is written with two digits, or without a leading zero', () => {
  for (let number = 0; number < 100; number++) {
    expect(written(writer => writer.pair(0, number))).toBe(String(number).padStart(2, '0'));
    expect(written(writer => writer.short(0, number))).toBe(String(number));
  }
});

test('literal text of any length and script does not overwrite its neighbours', () => {
  for (const text of ['', 'a', 'x'.repeat(24), 'y'.repeat(25), 'z'.repeat(80), 'Zürich 東京']) {
    const write = (writer: TimeWriter) => {
      const end = writer.literal(writer.pair(0, 7), new TextEncoder().encode(text));
      return writer.four(writer.code(end, 33), 0x41_42_43_44);
    };
    expect(written(write)).toBe(`07${text}!ABCD`);
  }
});

test('a year is written as in ECMAScript', () => {
  for (const year of [0, 33, 2026, 9999, 10_000, 99_999, 275_760, -1, -9999, -10_000, -271_820]) {
    const date = new Date(0);
    date.setUTCFullYear(year);
    expect(written(writer => writer.year(0, year))).toBe(date.toISOString().split(/(?<=.)-/)[0]!);
  }
});
