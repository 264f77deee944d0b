import { describe, expect, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { errorOf, NOW_MS, send, testServer } from '../support/service.ts';

const ELAPSED = '/v1/time/elapsed';

async function elapsed(query: string) {
  return (await send(`${ELAPSED}?${query}`)).body;
}

test('a past reference has passed', async () => {
  expect(await elapsed('unix=1776184187')).toEqual({
    seconds: 90060,
    minutes: 1501,
    hours: 25,
    days: 1,
    human: '1 day, 1 hour, 1 minute ago',
    direction: 'passed',
  });
});

test('a future reference has time left', async () => {
  expect(await elapsed(`unix_ms=${NOW_MS + 3_600_000}`)).toMatchObject({
    seconds: 3600,
    human: '1 hour left',
    direction: 'left',
  });
  expect(await elapsed(`unix_ms=${NOW_MS + 1}`)).toMatchObject({
    human: '0 seconds left',
    direction: 'left',
  });
});

test('a reference compared with itself passed 0 seconds ago', async () => {
  expect(await elapsed(`unix_ms=${NOW_MS}`)).toMatchObject({
    seconds: 0,
    human: '0 seconds ago',
    direction: 'passed',
  });
});

test('exactly one timestamp is required', async () => {
  expect(await errorOf(ELAPSED)).toBe('400 INVALID_TIMESTAMP');
  expect(await errorOf(`${ELAPSED}?tz=Europe/Paris&compare_unix=0`)).toBe('400 AMBIGUOUS_TARGET');
  expect(await errorOf(`${ELAPSED}?compare_unix=0`)).toBe('400 INVALID_TIMESTAMP');
  expect(await errorOf(`${ELAPSED}?tz=Europe/Paris`)).toBe('400 INVALID_TIMESTAMP');
  for (const query of ['unix=0&unix_ms=0', 'unix=0&iso=2026-01-01', 'unix_ms=0&iso=2026-01-01']) {
    expect(await errorOf(`${ELAPSED}?${query}`)).toBe('400 AMBIGUOUS_TARGET');
    const comparisons = query.replaceAll(/unix_ms|unix|iso/g, 'compare_$&');
    expect(await errorOf(`${ELAPSED}?unix=0&${comparisons}`)).toBe('400 AMBIGUOUS_TARGET');
  }
});

test.each(['unix=1.5', 'unix=', 'unix_ms=1e3', 'iso=junk', 'iso=2026-02-29', 'unix=8640000000001'])(
  '%p is an invalid timestamp, as reference and as comparison',
  async query => {
    expect(await errorOf(`${ELAPSED}?${query}`)).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`${ELAPSED}?unix=0&compare_${query}`)).toBe('400 INVALID_PARAMETER');
  },
);

describe('the comparison instant', () => {
  test('is compare_unix, compare_unix_ms or compare_iso instead of now', async () => {
    for (const query of [
      'compare_unix=3600',
      'compare_unix_ms=3600000',
      'compare_iso=1970-01-01T01:00Z',
      'compare_iso=1970-01-01T01:00',
      'compare_iso=1970-01-01T02:00&compare_source_tz=Europe/Paris',
      'compare_iso=1970-01-01T06:30&compare_source_offset=%2B05:30',
      'compare_iso=1970-01-01T06:30+05:30',
      'compare_iso=1970-01-01T02:00[Europe/Paris]',
    ]) {
      expect([query, (await elapsed(`unix=0&${query}`)).seconds]).toEqual([query, 3600]);
    }
    expect(await elapsed('unix=0&compare_unix=-3600')).toMatchObject({
      direction: 'left',
      human: '1 hour left',
    });
  });

  test('is now for a selector, whatever its place', async () => {
    const { seconds } = await elapsed('unix=0');
    expect(seconds).toBe(1776274247);
    for (const selector of ['tz=Asia/Tokyo', 'offset=-05:00', 'ip=2001:218::', 'lat=35.68&lon=139.69']) {
      expect((await elapsed(`unix=0&${selector}`)).seconds).toBe(seconds);
    }
  });

  test('cannot be both', async () => {
    for (const selector of [
      'tz=Asia/Tokyo',
      'offset=-05:00',
      'ip=8.8.8.8',
      'lat=1&lon=2',
      'lat=1',
      'auto_tz=true',
    ]) {
      for (const comparison of [
        'compare_unix=0',
        'compare_unix_ms=0',
        'compare_iso=2026-01-01',
        'compare_iso=',
      ]) {
        expect(await errorOf(`${ELAPSED}?unix=0&${selector}&${comparison}`)).toBe('400 AMBIGUOUS_TARGET');
      }
    }
  });

  test("is now at the client's place", async () => {
    const caller = createApp(testServer(), { peerOf: () => '2001:218::1' });
    const { body } = await send(
      `${ELAPSED}?iso=2026-04-12T15:00Z&auto_tz=true&business_days=true`,
      {},
      caller,
    );
    expect(body).toMatchObject({ seconds: 268247, business_days: 3 });
    expect(await errorOf(`${ELAPSED}?unix=0&auto_tz=true`)).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`${ELAPSED}?unix=0&auto_tz=true&tz=UTC`)).toBe('400 AMBIGUOUS_TARGET');
  });

  test('takes one selector', async () => {
    expect(await errorOf(`${ELAPSED}?unix=0&tz=UTC&offset=-05:00`)).toBe('400 AMBIGUOUS_TARGET');
    expect(await errorOf(`${ELAPSED}?unix=0&tz=UTC,Asia/Tokyo`)).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`${ELAPSED}?unix=0&offset=-05:00,-06:00`)).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`${ELAPSED}?unix=0&tz=Mars/Olympus`)).toBe('400 INVALID_PARAMETER');
  });
});

describe('hints', () => {
  test('place a local reference', async () => {
    for (const query of [
      'iso=2026-04-15T12:30:47&source_tz=America/New_York',
      'iso=2026-04-15T12:30:47&source_offset=-04:00',
      'iso=2026-04-15T16:30:47',
    ]) {
      expect([query, (await elapsed(query)).seconds]).toEqual([query, 3600]);
    }
  });

  test('are rejected with an offset, without a local iso, and with another hint', async () => {
    for (const prefix of ['', 'compare_']) {
      const base = prefix === '' ? '' : 'unix=0&';
      for (const query of [
        `${prefix}iso=2026-04-15T13:30:47Z&${prefix}source_tz=UTC`,
        `${prefix}iso=2026-04-15T13:30:47-04:00&${prefix}source_offset=-04:00`,
        `${prefix}unix=0&${prefix}source_tz=UTC`,
        `${prefix}unix_ms=0&${prefix}source_offset=-04:00`,
        `${prefix}iso=2026-04-15&${prefix}source_tz=Mars/Olympus`,
        `${prefix}iso=2026-04-15&${prefix}source_lat=1`,
      ]) {
        expect([query, await errorOf(`${ELAPSED}?${base}${query}`)]).toEqual([
          query,
          '400 INVALID_PARAMETER',
        ]);
      }
      for (const query of [
        `${prefix}iso=2026-04-15&${prefix}source_tz=UTC&${prefix}source_offset=-04:00`,
        `${prefix}iso=2026-04-15[UTC]&${prefix}source_tz=UTC`,
      ]) {
        expect([query, await errorOf(`${ELAPSED}?${base}${query}`)]).toEqual([query, '400 AMBIGUOUS_TARGET']);
      }
    }
    expect(await errorOf(`${ELAPSED}?unix=0&compare_source_tz=UTC`)).toBe('400 INVALID_PARAMETER');
  });

  test('disambiguation applies to both timestamps', async () => {
    const repeated = (prefix: string) => `${prefix}iso=2026-11-01T01:30&${prefix}source_tz=America/New_York`;
    expect(await elapsed(`${repeated('')}&compare_iso=2026-11-01T06:30Z`)).toMatchObject({ seconds: 3600 });
    expect(await elapsed(`${repeated('')}&compare_iso=2026-11-01T06:30Z&disambiguation=later`)).toMatchObject(
      { seconds: 0 },
    );
    expect(await errorOf(`${ELAPSED}?unix=0&${repeated('compare_')}&disambiguation=reject`)).toBe(
      '400 INVALID_TIMESTAMP',
    );
  });
});

test('format is a duration template', async () => {
  expect((await elapsed('unix=0&compare_unix=90061&format=%25days+d+%25hours+h')).formatted).toBe('1 d 1 h');
  expect(await elapsed('unix=0')).not.toHaveProperty('formatted');
  expect(await errorOf(`${ELAPSED}?unix=0&format=%25Y`)).toBe('400 INVALID_PARAMETER');
});

test('errors are reported in parameter order, after ambiguity', async () => {
  const first = async (query: string) => (await elapsed(query)).error.message.split(':')[0];
  const rest = 'tz=x&format=%25&holiday_country=x';
  expect(await first(`unix=x&compare_unix=x&format=%25`)).toBe("Cannot read 'unix'");
  expect(await first(`unix=0&compare_unix=x&format=%25`)).toBe("Cannot read 'compare_unix'");
  expect(await first(`unix=0&${rest}`)).toBe("Cannot read 'tz'");
  expect(await first(`unix=0&${rest.replace('tz=x', 'tz=UTC')}`)).toBe("Cannot read 'format'");
  expect(await first(`unix=0&holiday_country=x`)).toBe("Cannot read 'holiday_country'");
  expect(await errorOf(`${ELAPSED}?unix=x&${rest}&offset=x`)).toBe('400 AMBIGUOUS_TARGET');
});

test("a reference without its own place has its date in the target's zone", async () => {
  // Now it is Wednesday in UTC and Thursday in Tokyo; the reference was Tuesday in UTC and Wednesday in Tokyo.
  const query = 'iso=2026-04-14T16:00:00Z&business_days=true';
  expect(await elapsed(`${query}&tz=Asia/Tokyo`)).toMatchObject({ business_days: 1 });
  const hinted = 'iso=2026-04-14T16:00:00&source_tz=UTC&business_days=true&tz=Asia/Tokyo';
  expect(await elapsed(hinted)).toMatchObject({ business_days: 2 });
});
