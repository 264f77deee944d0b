import { expect, test } from 'bun:test';
import { AsciiSheet, ascii, fourLetters } from '../../src/text/ascii_sheet.ts';
import { fc } from '../property.ts';

test('a whole number is written as JSON writes it, and ends where it should', () => {
  const sheet = new AsciiSheet(40);
  const any = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -1001, max: 1001 }));
  const sixes = fc.integer({ min: -9, max: 9 }).map(millions => millions * 1e6);
  fc.assert(
    fc.property(fc.oneof(any, sixes), fc.integer({ min: 20, max: 39 }), (number, end) => {
      fc.pre(Math.abs(number) < 2 ** 31 * 1e6);
      expect(sheet.text(sheet.putNumberBefore(end, number), end)).toBe(JSON.stringify(number));
    }),
  );
  expect(sheet.text(sheet.putNumberBefore(9, -0), 9)).toBe('0');
});

test('numbers below a hundred are written with a leading zero or without', () => {
  const sheet = new AsciiSheet(2);
  for (let number = 0; number < 100; number++) {
    sheet.putPair(0, number);
    expect(sheet.text(0, 2)).toBe(String(number).padStart(2, '0'));
    expect(sheet.text(0, sheet.putShort(0, number))).toBe(String(number));
  }
});

test('texts are put behind a place or before it, long ones too', () => {
  const sheet = new AsciiSheet(100);
  for (const text of ['a', 'unix', 'x'.repeat(24), 'y'.repeat(25), 'z'.repeat(80)]) {
    expect(sheet.put(10, ascii(text))).toBe(10 + text.length);
    expect(sheet.text(10, 10 + text.length)).toBe(text);
    expect(sheet.putBefore(90, ascii(text))).toBe(90 - text.length);
    expect(sheet.text(90 - text.length, 90)).toBe(text);
  }
  sheet.putFour(3, fourLetters('Wed,'));
  expect(sheet.text(3, 7)).toBe('Wed,');
});
