import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Moment } from '../../src/common/moment.ts';
import { rfc2822Text } from '../../src/text/rfc2822.ts';

test('a moment is written with its numeric offset', () => {
  expect(rfc2822Text(new Moment(1_776_274_247_000, -14_400, 'EDT'))).toBe('Wed, 15 Apr 2026 13:30:47 -0400');
  expect(rfc2822Text(new Moment(1_776_274_247_000, 20_700, '+0545'))).toBe('Wed, 15 Apr 2026 23:15:47 +0545');
});

test('at offset 0 it is what ECMAScript writes, but for GMT', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), ms => {
      const expected = new Date(ms).toUTCString().replace('GMT', '+0000');
      expect(rfc2822Text(new Moment(ms, 0, 'UTC'))).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

test('what is written with whole minutes is read back by ECMAScript', () => {
  const range = { min: -30_000_000_000, max: 253_000_000_000 };
  fc.assert(
    fc.property(fc.integer(range), fc.integer({ min: -1439, max: 1439 }), (epochSeconds, minutes) => {
      const text = rfc2822Text(new Moment(epochSeconds * 1000, minutes * 60, 'x'));
      expect(new Date(text).getTime()).toBe(epochSeconds * 1000);
    }),
    { numRuns: 1000 },
  );
});

test("an offset's seconds, for which RFC 2822 has no room, are left out", () => {
  expect(rfc2822Text(new Moment(-315_619_200_000, -2670, 'MMT'))).toBe('Thu, 31 Dec 1959 23:15:30 -0044');
});

test('years outside 0000–9999 have a sign and six digits', () => {
  expect(rfc2822Text(new Moment(253_402_300_799_000, 0, 'x'))).toBe('Fri, 31 Dec 9999 23:59:59 +0000');
  expect(rfc2822Text(new Moment(253_402_300_800_000, 0, 'x'))).toBe('Sat, 01 Jan +010000 00:00:00 +0000');
  expect(rfc2822Text(new Moment(-62_167_219_200_001, 0, 'x'))).toBe('Fri, 31 Dec -000001 23:59:59 +0000');
  expect(rfc2822Text(new Moment(8.64e15, 50_400, 'x'))).toBe('Sat, 13 Sep +275760 14:00:00 +1400');
  expect(rfc2822Text(new Moment(-8.64e15, -43_200, 'x'))).toBe('Mon, 19 Apr -271821 12:00:00 -1200');
});
