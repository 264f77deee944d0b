import { expect, test } from 'bun:test';
import { readCredential } from '../../src/access/authorise.ts';
import { ServiceError } from '../../src/common/errors.ts';

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
  [{ Authorization: '', 'X-API-Key': 'abc' }],
  [{ Authorization: 'Bearer abc', 'X-RapidAPI-Key': '' }],
])('%p is the key abc', headers => {
  expect(outcome(headers)).toEqual({ key: 'abc', isSubscription: false });
});

test('the marketplace pair is its subscription key, whatever the letter case of the host', () => {
  const pair = { 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'Time.Example' };
  expect(outcome(pair)).toEqual({ key: 'abc', isSubscription: true });
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
  [{ Authorization: 'Basic YTpi', 'X-API-Key': 'abc' }],
  [{ 'X-RapidAPI-Key': 'abc' }],
  [{ 'X-RapidAPI-Host': 'time.example' }],
  [{ 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'other.example' }],
  [{ 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'time.example', 'X-API-Key': 'abd' }],
  [{ 'X-RapidAPI-Key': 'abc', 'X-RapidAPI-Host': 'other.example', 'X-API-Key': 'abc' }],
  [{ Authorization: 'Bearer abc', 'X-RapidAPI-Host': 'time.example' }],
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
