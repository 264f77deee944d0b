import { describe, expect, test } from 'bun:test';
import { errorOf, NOW_MS, send } from '../support/service.ts';

test('without a selector the time is UTC, with no zone and no local time', async () => {
  expect((await send('/v1/time/current')).body).toEqual({
    unix: 1776274247,
    unix_ms: 1776274247123,
    utc: '2026-04-15T17:30:47Z',
    iso_local: null,
    rfc2822: 'Wed, 15 Apr 2026 17:30:47 +0000',
    human: 'April 15, 2026, 5:30 PM UTC',
    day_number: 4,
    day_short: 'Wed',
    day_full: 'Wednesday',
    timezone: null,
  });
});

test('a zone gives its local time under its canonical name', async () => {
  expect((await send('/v1/time/current?tz=us/eastern')).body).toEqual({
    unix: 1776274247,
    unix_ms: 1776274247123,
    utc: '2026-04-15T17:30:47Z',
    iso_local: '2026-04-15T13:30:47-04:00',
    rfc2822: 'Wed, 15 Apr 2026 13:30:47 -0400',
    human: 'April 15, 2026, 1:30 PM America/New_York',
    day_number: 4,
    day_short: 'Wed',
    day_full: 'Wednesday',
    timezone: 'America/New_York',
  });
});

test('an offset has a local time and no zone', async () => {
  for (const offset of ['%2B05:30', '+05:30', '%20' + '05:30']) {
    const { body } = await send(`/v1/time/current?offset=${offset}&format=%25Z`);
    expect(body).toMatchObject({
      iso_local: '2026-04-15T23:00:47+05:30',
      human: 'April 15, 2026, 11:00 PM UTC+05:30',
      timezone: null,
      formatted: 'UTC+05:30',
    });
  }
});

test('utc=true is the zone UTC on convert and add, and ignored on current', async () => {
  const expected = { iso_local: '1970-01-01T00:00:00+00:00', timezone: 'UTC' };
  expect((await send('/v1/time/convert?unix=0&utc=true')).body).toMatchObject(expected);
  expect((await send('/v1/time/add?unix=1&seconds=-1&utc=true')).body).toMatchObject(expected);
  const ignored = await send('/v1/time/current?utc=true');
  expect(ignored.headers.get('X-Service-Ignored-Parameters')).toBe('utc');
  expect(ignored.body.timezone).toBeNull();
});

test('names that mean UTC return UTC, with their own abbreviation', async () => {
  for (const tz of ['Etc/UTC', 'Etc/UCT', 'Zulu', 'GMT', 'Etc/GMT', 'Etc/Greenwich', 'Universal', 'GMT0']) {
    const { body } = await send(`/v1/time/current?tz=${tz}&format=%25Z`);
    expect(body.timezone).toBe('UTC');
    expect(body.formatted).toBe(/UTC|UCT|Zulu|Universal/.test(tz) ? 'UTC' : 'GMT');
  }
});

test('names with their own entry in zone.tab are kept, other links are followed', async () => {
  for (const [target, canonical] of [
    ['Europe/Oslo', 'Europe/Oslo'],
    ['Europe/Bratislava', 'Europe/Bratislava'],
    ['Europe/Vatican', 'Europe/Vatican'],
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['EUROPE/KIEV', 'Europe/Kyiv'],
    ['EST', 'EST'],
    ['CET', 'CET'],
    ['EST5EDT', 'EST5EDT'],
    ['etc/gmt+5', 'Etc/GMT+5'],
  ] as const) {
    expect((await send(`/v1/time/current?tz=${encodeURIComponent(target)}`)).body.timezone).toBe(canonical);
    expect((await send(`/v1/time/current?tz=${target}`)).body.timezone).toBe(canonical);
  }
});

test('a misspelt zone is rejected with the nearest names', async () => {
  const { status, body } = await send('/v1/time/current?tz=Europe/Pariss');
  expect(status).toBe(400);
  expect(body.error.code).toBe('INVALID_PARAMETER');
  expect(body.error.message).toContain("'Europe/Paris'");
});

test('offsets other than ±HH:MM are rejected', async () => {
  for (const offset of ['5', '05:30', '%2B5:30', '%2B0530', '%2B24:00', '%2B05:60', '%2B05:30:00', 'Z', '']) {
    expect(await errorOf(`/v1/time/current?offset=${offset}`)).toBe('400 INVALID_PARAMETER');
  }
});

describe('two selector families are ambiguous', () => {
  const families = ['tz=UTC', 'ip=8.8.8.8', 'lat=1&lon=2', 'offset=-04:00', 'auto_tz=true'];
  const paths = ['current?', 'convert?unix=0&', 'add?days=1&', 'calendar?', 'dst?'].map(p => `/v1/time/${p}`);
  for (const path of [...paths, '/v1/timezone?']) {
    test(path, async () => {
      for (const one of families) {
        for (const other of families.filter(family => family !== one)) {
          expect(await errorOf(`${path}${one}&${other}`)).toBe('400 AMBIGUOUS_TARGET');
        }
      }
    });
  }
  test('utc=true is one of them on convert and add', async () => {
    for (const family of [...families, 'tz=UTC,UTC']) {
      expect(await errorOf(`/v1/time/convert?unix=0&utc=true&${family}`)).toBe('400 AMBIGUOUS_TARGET');
      expect(await errorOf(`/v1/time/add?days=1&utc=true&${family}`)).toBe('400 AMBIGUOUS_TARGET');
    }
  });
});

test('half a pair of coordinates, and coordinates out of range, are rejected', async () => {
  for (const pair of [
    'lat=1',
    'lon=1',
    'lat=91&lon=0',
    'lat=0&lon=181',
    'lat=1e1&lon=0',
    'lat=0x1&lon=0',
    'lat=NaN&lon=0',
  ]) {
    expect(await errorOf(`/v1/time/current?${pair}`)).toBe('400 INVALID_PARAMETER');
  }
});

test('malformed addresses are rejected', async () => {
  for (const ip of [
    '1.2.3',
    '1.2.3.4.5',
    '0x8.8.8.8',
    '256.1.1.1',
    'fe80::1%25eth0',
    'localhost',
    '8.8.8.8%0A',
  ]) {
    expect(await errorOf(`/v1/time/current?ip=${ip}`)).toBe('400 INVALID_PARAMETER');
  }
});

test('a bulk has a result for each entry in order, errors included', async () => {
  const { status, headers, body } = await send('/v1/time/current?tz=Asia/Tokyo,Mars/Olympus,,asia/tokyo');
  expect(status).toBe(200);
  expect(body).toHaveLength(4);
  expect(body[0].timezone).toBe('Asia/Tokyo');
  expect(body[1]).toMatchObject({
    error: { code: 'INVALID_PARAMETER' },
    item: 'Mars/Olympus',
    request_id: headers.get('X-Request-Id'),
  });
  expect(body[2]).toMatchObject({ error: { code: 'INVALID_PARAMETER' }, item: '' });
  expect(body[3]).toEqual(body[0]);
  expect(body[0].unix_ms).toBe(NOW_MS);
});

test('only the first failed entries of a bulk get the nearest names, so that invalid lists stay cheap', async () => {
  const list = Array.from({ length: 100 }, (_, index) => `Europe/Pariss${index}`).join(',');
  const { body } = await send(`/v1/time/current?tz=${list}`);
  const advised = body.filter((entry: { error: { message: string } }) =>
    /did you mean/.test(entry.error.message),
  );
  expect(advised).toHaveLength(5);
});

test('a bulk has at most 100 entries', async () => {
  const list = (length: number) => Array.from({ length }, () => 'UTC').join(',');
  expect((await send(`/v1/time/current?tz=${list(100)}`)).body).toHaveLength(100);
  expect(await errorOf(`/v1/time/current?tz=${list(101)}`)).toBe('400 INVALID_PARAMETER');
});

test('a bulk of offsets works on convert', async () => {
  const { body } = await send('/v1/time/convert?unix=0&offset=%2B01:00,-01:00,1');
  expect(body.map((entry: { iso_local?: string }) => entry.iso_local)).toEqual([
    '1970-01-01T01:00:00+01:00',
    '1969-12-31T23:00:00-01:00',
    undefined,
  ]);
});

describe('a list is rejected if one place is required', () => {
  const lists = [
    ['tz', 'Europe/Paris,Europe/Oslo', 'zone'],
    ['ip', '8.8.8.8,1.1.1.1', 'address'],
    ['offset', '+01:00,+02:00', 'offset'],
  ] as const;
  const refusal = (parameter: string, list: string, wanted: string) =>
    `Cannot read '${parameter}': '${list}' is a list, but only one ${wanted} is allowed`;

  test.each([
    ['/v1/time/add?days=1&', ''],
    ['/v1/time/calendar?', ''],
    ['/v1/time/dst?', ''],
    ['/v1/time/elapsed?unix=1&', ''],
    ['/v1/time/clock?style=analog-station&', ''],
    ['/v1/timezone?', ''],
    ['/v1/time/convert?iso=2026-04-16&utc=true&', 'source_'],
    ['/v1/time/diff?from=now&to=iso=2026-04-16&', 'to_'],
  ])('%s', async (path, prefix) => {
    for (const [family, list, wanted] of lists) {
      for (const written of [list, encodeURIComponent(list)]) {
        const { status, body } = await send(`${path}${prefix}${family}=${written}`);
        expect(status).toBe(400);
        expect(body.error.message).toBe(refusal(prefix + family, list, wanted));
      }
    }
  });

  test('at either end of diff', async () => {
    for (const [family, list, wanted] of lists) {
      const { body } = await send(`/v1/time/diff?to=now&from=${family}=${list}`);
      expect(body.error.message).toBe(refusal('from', list, wanted));
    }
  });
});

test.each([
  [
    '/v1/time/current?tz=UTC%2B1',
    "'UTC+1' is not",
    "; an offset is given as 'offset=+01:00'; did you mean 'UTC'?",
  ],
  [
    '/v1/time/current?tz=UTC+1',
    "'UTC+1' is not",
    "; an offset is given as 'offset=+01:00'; did you mean 'UTC'?",
  ],
  [
    '/v1/time/convert?iso=2026-04-16&utc=true&source_tz=gmt-5:30',
    "'gmt-5:30' is not",
    "'source_offset=-05:30'",
  ],
  ['/v1/time/diff?from=tz=UTC%2B1&to=now', "'UTC+1' is not", '; an offset is written +01:00'],
  [
    '/v1/time/convert?iso=2026-04-16T09:00[UTC%2B1]&utc=true',
    "'UTC+1' is not",
    '; an offset is written +01:00',
  ],
])('%s: the error for an offset given as a zone says how to give it', async (path, quote, hint) => {
  const { message } = (await send(path)).body.error;
  expect(message).toContain(quote);
  expect(message).toContain(hint);
});

test('the error for a name that only resembles an offset has no such advice', async () => {
  for (const tz of ['UTC%2B99', 'Etc/GMT%2B99', 'UTC1', 'America/New+Yorkk']) {
    expect((await send(`/v1/time/current?tz=${tz}`)).body.error.message).not.toContain('offset');
  }
});

test('a number is quoted with the plus as typed', async () => {
  for (const [path, quote] of [
    ['/v1/time/convert?utc=true&unix=+1.5', "'+1.5' is not a whole number"],
    ['/v1/time/add?days=+1.5', "'+1.5' is not a whole number"],
    ['/v1/time/dst?lat=+91&lon=0', "'+91' is not between"],
    ['/v1/time/dst?offset=+1:00', "'+1:00' is not an offset"],
  ] as const) {
    expect((await send(path)).body.error.message).toContain(quote);
  }
});
