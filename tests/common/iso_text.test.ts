import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { localText, utcText } from '../../src/common/iso_text.ts';
import { Moment } from '../../src/common/moment.ts';

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
