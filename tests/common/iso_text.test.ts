import { expect, test } from 'bun:test';
import { localText, TimeWriter, utcText } from '../../src/common/iso_text.ts';
import { Moment } from '../../src/common/moment.ts';
import { fc } from '../support/property.ts';

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
