import { expect, test } from 'bun:test';
import { TimeWriter } from '../../src/common/iso_text.ts';
import { fc } from '../support/property.ts';

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
