import { expect, test } from 'bun:test';
import { parseExpiry, parseKeyName, parseMonth } from '../../src/access/administration.ts';
import { utcText } from '../../src/common/iso_text.ts';
import { parseDuration } from '../../src/common/settings_text.ts';
import { NOW_MS } from './control.ts';

test('a key expires never, at the beginning of a date, at an instant, or after a duration', () => {
  const expiryOf = (text: string) => {
    const epochMs = parseExpiry(text)(NOW_MS);
    return epochMs === null ? null : utcText(epochMs);
  };
  expect(expiryOf('never')).toBeNull();
  expect(expiryOf('2027-01-31')).toBe('2027-01-31T00:00:00Z');
  expect(expiryOf('2027-01-31T12:30:05Z')).toBe('2027-01-31T12:30:05Z');
  expect(expiryOf('90d')).toBe('2027-02-19T02:00:00Z');
  expect(expiryOf('0')).toBe('2026-11-21T02:00:00Z');
});

test.each([
  ...['', 'soon', '2027-02-30', '2027-01-31T24:00:00Z', '2027-02-30T00:00:00Z', '2027-01-31T12:00:00', '-1d'],
])('a key cannot expire at %p', text => {
  expect(() => parseExpiry(text)).toThrow();
});

test('a name is one line of 1 to 100 characters', () => {
  for (const name of ['a', 'mobile app', 'Zoë’s 📱', 'a'.repeat(100)]) expect(parseKeyName(name)).toBe(name);
  for (const name of ['', 'a\nb', 'a\u0000', 'a\u0085b', 'a\u007f', 'a'.repeat(101)]) {
    expect(() => parseKeyName(name)).toThrow('expected one line of at most 100 characters');
  }
});

test('a month has a four-digit year, a duration has a unit', () => {
  expect(parseMonth('2026-11')).toBe('2026-11');
  for (const text of ['2026-13', '2026-1', '26-11', '2026-11-01']) expect(() => parseMonth(text)).toThrow();
  expect([parseDuration('12h'), parseDuration('2w'), parseDuration('0')]).toEqual([
    43_200_000, 1_209_600_000, 0,
  ]);
  for (const text of ['7', '0d', '1.5h', '100000d', '7 d']) expect(() => parseDuration(text)).toThrow();
});
