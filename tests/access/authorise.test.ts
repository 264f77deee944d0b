import { expect, test } from 'bun:test';
import { parseExpiry, parseKeyName, parseMonth } from '../../src/access/administration.ts';
import { readCredential } from '../../src/access/authorise.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { utcText } from '../../src/common/iso_text.ts';
import { parseDuration } from '../../src/common/settings_text.ts';
import { NOW_MS } from './control.ts';

const MARKETPLACE = { keyHeader: 'X-RapidAPI-Key', hostHeader: 'X-RapidAPI-Host', host: 'time.example' };

function outcome(headers: Record<string, string>): unknown {
  try {
    return readCredential(new Headers(headers), MARKETPLACE);
  } catch (error) {
    return error instanceof ServiceError ? error.code : error;
  }
}

test.each([
  [{ Authorization: 'Bearer abc' }],
  [{ Authorization: 'bearer abc' }],
  [{ Authorization: 'BEARER   abc' }],
  [{ 'X-API-Key': 'abc' }],
  [{ Authorization: 'Bearer abc', 'X-API-Key': 'abc' }],
  [{ 'X-API-Key': 'abc, abc' }],
  [{ Authorization: 'Bearer abc,Bearer abc', 'X-API-Key': 'abc, abc , abc' }],
  [{ Authorization: '', 'X-API-Key': 'abc' }],
  [{ Authorization: 'Bearer abc', 'X-RapidAPI-Key': '' }],
])('%p is the key abc', headers => {
  expect(outcome(headers)).toEqual({ key: 'abc', isSubscription: false });
});

test('the marketplace pair is its subscription key, whatever the letter case of the host', () => {
  const pair = { 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'Time.Example' };
  expect(outcome(pair)).toEqual({ key: 'abc', isSubscription: true });
  const twice = { 'X-RapidAPI-Key': 'abc, abc', 'X-RapidAPI-Host': 'Time.Example, Time.Example' };
  expect(outcome(twice)).toEqual({ key: 'abc', isSubscription: true });
});

test('the key of the pair may be repeated in other headers', () => {
  const pair = { 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'time.example' };
  for (const repeated of [{ 'X-API-Key': 'abc' }, { Authorization: 'Bearer abc', 'X-API-Key': 'abc' }]) {
    expect(outcome({ ...pair, ...repeated })).toEqual({ key: 'abc', isSubscription: true });
  }
});

test.each([[{}], [{ Authorization: '' }], [{ 'X-API-Key': '' }]])('%p is no credential', headers => {
  expect(outcome(headers)).toBe('UNAUTHORIZED');
});

test.each([
  [{ Authorization: 'Bearer' }],
  [{ Authorization: 'Bearer ' }],
  [{ Authorization: 'abc' }],
  [{ Authorization: 'Basic YTpi' }],
  [{ Authorization: 'Bearer abc', 'X-API-Key': 'abd' }],
  [{ Authorization: 'Bearer abc', 'X-API-Key': 'abc, abd' }],
  [{ Authorization: 'Bearer abc, Bearer abd', 'X-API-Key': 'abc' }],
  [{ Authorization: 'Basic YTpi', 'X-API-Key': 'abc' }],
  [{ 'X-RapidAPI-Key': 'abc' }],
  [{ 'X-RapidAPI-Host': 'time.example' }],
  [{ 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'other.example' }],
  [{ 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'time.example', 'X-API-Key': 'abd' }],
  [{ 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'other.example', 'X-API-Key': 'abc' }],
  [{ Authorization: 'Bearer abc', 'X-RapidAPI-Host': 'time.example' }],
  [{ Authorization: ',' }],
  [{ Authorization: ' , ,', 'X-API-Key': 'abc' }],
])('%p is rejected', headers => {
  expect(outcome(headers)).toBe('INVALID_AUTH');
});

test('no message contains the key that was sent', () => {
  for (const headers of [
    { Authorization: 'Basic sesame' },
    { Authorization: 'Bearer sesame', 'X-API-Key': 'open-sesame' },
    { 'X-RapidAPI-Key': 'sesame' },
    { 'X-RapidAPI-Key': 'sesame', 'X-RapidAPI-Host': 'sesame.example' },
  ]) {
    try {
      readCredential(new Headers(headers as Record<string, string>), MARKETPLACE);
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('sesame');
    }
  }
});

test('without a marketplace its headers are ignored', () => {
  expect(() => readCredential(new Headers({ 'X-RapidAPI-Key': 'abc' }))).toThrow('An API key is required');
});

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
