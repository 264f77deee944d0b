import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../src/server/app.ts';
import { addKey, control, openStore } from '../access/control.ts';
import { newFolder } from '../support/process.ts';
import { column, expectAll, expectEach, expectErrors, get as getFrom } from '../support/responses.ts';
import { send, testServer } from '../support/service.ts';

/** An app whose clock shows an instant. */
const appAt = (nowMs: number) => createApp(testServer({ now: () => nowMs }));

interface Holiday {
  readonly date: string;
  readonly localName: string;
  readonly name: string;
  readonly fixed: boolean;
  readonly global: boolean;
  readonly counties: readonly string[] | null;
}

async function holidaysOf(path: string, app?: ReturnType<typeof createApp>): Promise<readonly Holiday[]> {
  const { status, body } = await send(`/api/v3/${path}`, {}, app);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

describe('public holidays', () => {
  test('have the documented members and values', async () => {
    const holidays = await holidaysOf('PublicHolidays/2021/DE');
    const documented =
      '{"date":"2021-01-06","localName":"Heilige Drei Könige","name":"Epiphany","countryCode":"DE","fixed":true,' +
      '"global":false,"counties":["DE-BW","DE-BY","DE-ST"],"launchYear":null,"types":["Public"]}';
    expect(JSON.stringify(holidays.find(({ date }) => date === '2021-01-06'))).toBe(documented);
    expect(column(holidays, 'date')).toEqual(column(holidays, 'date').sort());
  });

  test('equal those of /v1/holidays, nationwide or by subdivision', async () => {
    const holidays = await holidaysOf('PublicHolidays/2026/DE');
    const nationwide = await send('/v1/holidays?country=DE&year=2026');
    const datesOf = (listed: readonly object[]) => [...new Set(column(listed, 'date'))].sort();
    expect(datesOf(holidays.filter(({ global }) => global))).toEqual(datesOf(nationwide.body.holidays));
    for (const code of ['BY', 'BE', 'SN', 'TH']) {
      const { body } = await send(`/v1/holidays?country=DE-${code}&year=2026`);
      const here = holidays.filter(({ global, counties }) => global || counties!.includes(`DE-${code}`));
      expect([code, datesOf(here)]).toEqual([code, datesOf(body.holidays)]);
    }
    expect(holidays.filter(({ global, counties }) => global !== (counties === null))).toEqual([]);
  });

  test('are fixed if they have the same date each year', async () => {
    const holidays = [
      ...(await holidaysOf('PublicHolidays/2026/us')),
      ...(await holidaysOf('PublicHolidays/2026/de')),
    ];
    const isFixed = (name: string) => holidays.find(holiday => holiday.name === name)?.fixed;
    await expectEach(isFixed, { 'Independence Day': true, 'Labor Day': false, 'Good Friday': false });
    const once = await holidaysOf('PublicHolidays/2022/GB');
    const funeral = once.find(({ date }) => date === '2022-09-19');
    expect(funeral).toMatchObject({ name: 'State Funeral of Queen Elizabeth II', fixed: false });
  });

  test('can be cached until the holidays are replaced, unlike those relative to today', async () => {
    const server = testServer();
    const caching = createApp(server);
    const get = (path: string, headers = {}) => request(`/api/v3/${path}`, caching, headers);
    let holidays = 'first';
    server.replace({ digests: { holidays } });
    for (const path of ['PublicHolidays/2026/DE', 'AvailableCountries']) {
      const { headers } = await get(path);
      expect(headers.get('Cache-Control')).toBe('public, max-age=3600, stale-while-revalidate=86400');
      const tag = headers.get('ETag')!;
      expect(tag).toMatch(/^"[\w-]{11,17}"$/);
      const again = await get(path, { 'If-None-Match': tag });
      expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', tag]);
      server.replace({ digests: { holidays, zones: 'replaced' } });
      expect((await get(path, { 'If-None-Match': tag })).status).toBe(304);
      holidays = `replaced after ${path}`;
      server.replace({ digests: { holidays } });
      expect((await get(path, { 'If-None-Match': tag })).status).toBe(200);
    }
    for (const path of ['NextPublicHolidays/DE', 'IsTodayPublicHoliday/DE', 'PublicHolidays/2026/XX']) {
      const { status, headers } = await get(path, { 'If-None-Match': '*' });
      expect([path, status === 304, headers.get('Cache-Control')]).toEqual([path, false, 'no-store']);
      expect(headers.has('ETag')).toBe(false);
    }
    const zipped = await get('PublicHolidays/2026/DE', { 'Accept-Encoding': 'gzip' });
    expect(zipped.headers.get('Content-Encoding')).toBe('gzip');
    const plain = await (await get('PublicHolidays/2026/DE')).text();
    expect(gunzipSync(await zipped.bytes()).toString()).toBe(plain);
  });

  test('the next ones are within 365 days from today', async () => {
    const holidays = await holidaysOf('NextPublicHolidays/DE', appAt(Date.UTC(2026, 11, 25, 12)));
    expect(holidays[0]).toMatchObject({ date: '2026-12-25' });
    expect(holidays.at(-1)).toMatchObject({ date: '2027-12-25' });
  });
});

/** Codes newer than Debian's list: ISO newsletter of 2023-11-23. */
const NEWER_CODES = [
  ...['IN-CG', 'IN-OD', 'IN-TS', 'IN-UK', 'FR-6AE'],
  ...['NO-31', 'NO-32', 'NO-33', 'NO-39', 'NO-40', 'NO-55', 'NO-56'],
];
const ISO_CODES = '/usr/share/iso-codes/json/iso_3166-2.json';

describe('counties', () => {
  test.skipIf(!existsSync(ISO_CODES))('are ISO 3166-2 codes everywhere (requires iso-codes)', async () => {
    const known = new Set([...column((await Bun.file(ISO_CODES).json())['3166-2'], 'code'), ...NEWER_CODES]);
    let count = 0;
    for (const country of column((await send('/api/v3/AvailableCountries')).body, 'countryCode')) {
      const holidays = await holidaysOf(`PublicHolidays/2026/${country}`);
      const codes = holidays.flatMap(({ counties }) => counties ?? []);
      expect(codes.filter(code => !known.has(code))).toEqual([]);
      count += codes.length;
    }
    expect(count).toBeGreaterThan(500);
  });

  test.each([
    ['DE', '2026-08-08', 'Augsburg', null],
    ['US', '2026-03-31', 'Chavez', ['US-CA']],
    ['BQ', '2026-09-06', 'Bonaire', ['BQ-BO']],
    ['IT', '2026-09-07', 'Saint Grat', ['IT-23']],
    ['RU', '2026-11-23', 'Уастырджи', ['RU-SE']],
    ['CK', '2026-11-23', 'Gospel', null],
  ])('%s on %s: %s', async (country, date, name, counties) => {
    const found = (await holidaysOf(`PublicHolidays/2026/${country}`)).filter(
      holiday => holiday.date === date && holiday.name.includes(name),
    );
    expect(found.map(holiday => holiday.counties)).toEqual(counties === null ? [] : [counties]);
  });

  test('in the listing are accepted for today', async () => {
    for (const country of ['BQ', 'DE', 'IT', 'RU']) {
      for (const { date, counties } of await holidaysOf(`PublicHolidays/2026/${country}`)) {
        for (const county of counties ?? []) {
          const path = `/api/v3/IsTodayPublicHoliday/${country}?countyCode=${county.toLowerCase()}`;
          const { status } = await send(path, {}, appAt(Date.parse(date)));
          expect([date, county, status]).toEqual([date, county, 200]);
        }
      }
    }
  });
});

describe('today', () => {
  const statusAt = (nowMs: number) => async (path: string) => {
    const response = await request(`/api/v3/IsTodayPublicHoliday/${path}`, appAt(nowMs));
    expect([await response.text(), response.headers.get('X-Request-Id')?.length]).toEqual(['', 36]);
    return response.status;
  };

  test('is a holiday of the country, or of a county', async () => {
    await expectEach(statusAt(Date.UTC(2026, 11, 25, 12)), { DE: 200 });
    await expectEach(statusAt(Date.UTC(2026, 0, 6, 12)), {
      DE: 204,
      'de?countyCode=DE-BY': 200,
      'DE?countyCode=DE-BE': 204,
    });
  });

  test('begins and ends at midnight in the offset', async () => {
    await expectEach(statusAt(Date.UTC(2026, 11, 24, 23)), { DE: 204, 'DE?offset=1': 200 });
    await expectEach(statusAt(Date.UTC(2026, 11, 27, 1)), { 'DE?offset=-2': 200 });
  });
});

test('the countries are those with holidays', async () => {
  const { countries } = (await send('/v1/holidays')).body;
  expect((await send('/api/v3/AvailableCountries')).body).toEqual(
    countries.map(({ code, name }: { code: string; name: string }) => ({ countryCode: code, name })),
  );
});

test('unknown countries and paths are 404, invalid parameters 400', () =>
  expectErrors('/api/v3/', {
    '404 NOT_FOUND': [
      ...['PublicHolidays/2026/XX', 'PublicHolidays/2026', 'PublicHolidays/2026/DE/BY'],
      ...['LongWeekend/2026/DE', 'NextPublicHolidays/XX', 'IsTodayPublicHoliday/XX'],
    ],
    '400 INVALID_PARAMETER': [
      ...['PublicHolidays/1900/DE', 'PublicHolidays/next/DE', 'IsTodayPublicHoliday/DE?offset=13'],
      ...['IsTodayPublicHoliday/DE?offset=x', 'IsTodayPublicHoliday/DE?countyCode=DE-XX'],
    ],
  }));

/** The instant of WorldTimeAPI's documented response, with microseconds. */
const NOW_MS = 1_682_082_025_102.388;
const CLIENT = '80.189.23.95';

const DOCUMENTED =
  '{"abbreviation":"BST","client_ip":"80.189.23.95","datetime":"2023-04-21T14:00:25.102388+01:00","day_of_week":5,' +
  '"day_of_year":111,"dst":true,"dst_from":"2023-03-26T01:00:00+00:00","dst_offset":3600,' +
  '"dst_until":"2023-10-29T01:00:00+00:00","raw_offset":0,"timezone":"Europe/London","unixtime":1682082025,' +
  '"utc_datetime":"2023-04-21T13:00:25.102388+00:00","utc_offset":"+01:00","week_number":16}';

const AS_TEXT = `abbreviation: BST
client_ip: 80.189.23.95
datetime: 2023-04-21T14:00:25.102388+01:00
day_of_week: 5
day_of_year: 111
dst: true
dst_from: 2023-03-26T01:00:00+00:00
dst_offset: 3600
dst_until: 2023-10-29T01:00:00+00:00
raw_offset: 0
timezone: Europe/London
unixtime: 1682082025
utc_datetime: 2023-04-21T13:00:25.102388+00:00
utc_offset: +01:00
week_number: 16
`;

function appOf(nowMs = NOW_MS, peer = CLIENT) {
  return createApp(testServer({ now: () => nowMs }), { peerOf: () => peer });
}

const request = (path: string, app = appOf(), headers: Record<string, string> = {}) =>
  getFrom(path, headers, app);

async function get(path: string, app = appOf()) {
  const response = await request(path, app);
  return { status: response.status, type: response.headers.get('Content-Type'), text: await response.text() };
}

async function jsonOf(path: string, app = appOf()) {
  return JSON.parse((await get(path, app)).text);
}

describe('the time in a zone', () => {
  test('equals the documented response byte for byte; .txt has a line per member', () =>
    expectEach(get, {
      '/api/timezone/Europe/London': { status: 200, type: 'application/json', text: DOCUMENTED },
      '/api/timezone/Europe/London.txt': { status: 200, type: 'text/plain; charset=utf-8', text: AS_TEXT },
    }));

  test('has no DST members while DST is not in force', async () => {
    const winter = appOf(Date.UTC(2026, 0, 4, 12));
    expect(await jsonOf('/api/timezone/Europe/London', winter)).toMatchObject({
      dst: false,
      dst_from: null,
      dst_until: null,
      dst_offset: 0,
      datetime: '2026-01-04T12:00:00.000000+00:00',
      day_of_week: 0,
      day_of_year: 4,
      week_number: 1,
    });
    expect((await get('/api/timezone/Europe/London.txt', winter)).text).toContain('\ndst_from: \n');
    const tokyo = await jsonOf('/api/timezone/Asia/Tokyo');
    expect(tokyo).toMatchObject({ dst: false, dst_offset: 0, raw_offset: 32_400, utc_offset: '+09:00' });
  });

  test('has half an hour of DST on Lord Howe Island, and a negative offset in America', async () => {
    const summer = appOf(Date.UTC(2026, 0, 4, 12));
    expect(await jsonOf('/api/timezone/Australia/Lord_Howe', summer)).toMatchObject({
      dst_offset: 1800,
      raw_offset: 37_800,
      dst_from: '2025-10-04T15:30:00+00:00',
      dst_until: '2026-04-04T15:00:00+00:00',
    });
    const salta = await jsonOf('/api/timezone/America/Argentina/Salta');
    expect(salta).toMatchObject({ timezone: 'America/Argentina/Salta', raw_offset: -10_800 });
  });

  test('accepts older names, names without an area, any letter case and escapes', async () => {
    for (const [path, name] of Object.entries({
      'US/Eastern': 'US/Eastern',
      EST: 'EST',
      'europe/london': 'Europe/London',
      'America%2FNew_York': 'America/New_York',
      'Etc/GMT+5': 'Etc/GMT+5',
      'Etc/GMT%2B5.txt': 'Etc/GMT+5',
    })) {
      const { status, text } = await get(`/api/timezone/${path}`);
      expect([path, status, text.includes(name)]).toEqual([path, 200, true]);
    }
  });
});

describe('lists', () => {
  test('have all zones, or those of an area', async () => {
    const all = await jsonOf('/api/timezone');
    expect(all.length).toBeGreaterThan(400);
    expect(all).toContainValues(['Europe/London', 'America/Argentina/Salta', 'UTC']);
    const europe = await jsonOf('/api/timezone/Europe');
    expect(europe).toEqual(all.filter((name: string) => name.startsWith('Europe/')));
    expect(await jsonOf('/api/timezone/europe')).toEqual(europe);
    const { text, type } = await get('/api/timezone/Europe.txt');
    expect([text, type]).toEqual([`${europe.join('\n')}\n`, 'text/plain; charset=utf-8']);
    expect((await get('/api/timezone.txt')).text.split('\n')).toHaveLength(all.length + 1);
  });

  test('can be of Etc, or of part of an area', async () => {
    const all: string[] = await jsonOf('/api/timezone');
    const argentina = await jsonOf('/api/timezone/America/Argentina');
    expect(argentina).toContainValues(['America/Argentina/Salta', 'America/Argentina/Ushuaia']);
    expect(argentina).toEqual(all.filter(name => name.startsWith('America/Argentina/')));
    expect((await get('/api/timezone/america/argentina.txt')).text).toBe(`${argentina.join('\n')}\n`);
    const offsets = [...Array(26).keys()].map(index => index - 12).filter(hours => hours !== 0);
    // In these names hours west of Greenwich are positive.
    const names = offsets.map(hours => `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`);
    names.push('Etc/GMT-14');
    const etc = await jsonOf('/api/timezone/Etc');
    expect(etc.toSorted()).toEqual([...new Set([...names, 'Etc/GMT', 'Etc/UTC'])].sort());
    expect(all).toContainValues(['CET', 'EST5EDT', ...etc]);
    expect(all).not.toContain('Factory');
    for (const name of all) expect([name, (await get(`/api/timezone/${name}`)).status]).toEqual([name, 200]);
  });

  test('can be cached until the zones are replaced; times cannot', async () => {
    const server = testServer();
    const app = createApp(server);
    const headersOf = async (path: string, headers: Record<string, string> = {}) => {
      const response = await request(path, app, headers);
      return {
        status: response.status,
        length: (await response.bytes()).length,
        tag: response.headers.get('ETag'),
        caching: response.headers.get('Cache-Control'),
      };
    };
    const paths = ['/api/timezone', '/api/timezone.txt', '/api/timezone/Europe', '/api/timezone/Etc.txt'];
    const tags = new Set<string | null>();
    for (const path of paths) {
      const { tag, caching } = await headersOf(path);
      expect([path, caching]).toEqual([path, 'public, max-age=3600, stale-while-revalidate=86400']);
      tags.add(tag);
      const again = await headersOf(path, { 'If-None-Match': tag! });
      expect(again).toEqual({ status: 304, length: 0, tag, caching });
    }
    expect(tags.size).toBe(paths.length);
    server.replace({ digests: { zones: 'replaced' } });
    for (const path of paths) expect(tags.has((await headersOf(path)).tag)).toBe(false);
    for (const path of ['/api/timezone/Europe/London', '/api/ip/2.125.160.216', '/api/timezone/Mars']) {
      const { caching, tag } = await headersOf(path, { 'If-None-Match': '*' });
      expect([path, caching, tag]).toEqual([path, 'no-store', null]);
    }
  });
});

describe('the time at an address', () => {
  const london = appOf(NOW_MS, '2.125.160.216');

  test("uses the client's address, or the one in the path", async () => {
    expect(await jsonOf('/api/ip', london)).toMatchObject({
      client_ip: '2.125.160.216',
      timezone: 'Europe/London',
    });
    expect(await jsonOf('/api/ip/89.160.20.112')).toMatchObject({
      client_ip: '89.160.20.112',
      timezone: 'Europe/Stockholm',
    });
    expect((await jsonOf('/api/ip/2001:0:d8a0:5338::fd82:5f27')).timezone).toBe('Europe/London');
    expect((await get('/api/ip/2.125.160.216.txt')).text).toContain('timezone: Europe/London\n');
    expect((await get('/api/ip.txt', london)).text).toContain('\nunixtime: 1682082025\n');
  });

  test('is an error in the same shape if it has no zone', async () => {
    expect(await get('/api/ip', appOf(NOW_MS, '127.0.0.1'))).toEqual({
      status: 404,
      type: 'application/json',
      text: '{"error":"unknown location 127.0.0.1"}',
    });
    expect((await get('/api/ip/localhost')).text).toBe('{"error":"unknown location localhost"}');
  });
});

describe('errors', () => {
  test('for unknown places are 404', () =>
    expectEach(async path => Object.values(await get(`/api/timezone/${path}`)).join(' '), {
      'Mars/Olympus': '404 application/json {"error":"unknown location Mars/Olympus"}',
      'Mars/Olympus.txt': '404 text/plain; charset=utf-8 error: unknown location Mars/Olympus\n',
      'America/Argentina/Atlantis':
        '404 application/json {"error":"unknown location America/Argentina/Atlantis"}',
      Eur: '404 application/json {"error":"unknown location Eur"}',
      '%FF': '404 application/json {"error":"unknown location %FF"}',
      'Europe/': '404 application/json {"error":"unknown location Europe/"}',
    }));

  test('for methods are those of the API, and with --compat none those of an unknown path', async () => {
    const { status, headers } = await send('/api/timezone/Europe/London', { method: 'POST' }, appOf());
    expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const without = createApp(testServer(), { hasDialects: false });
    await expectErrors('/api/timezone', { '404 NOT_FOUND': [''] }, without);
  });
});

describe('with keys', () => {
  const folder = newFolder();
  const store = openStore(folder);
  const key = addKey(store, 1, 'plan');
  const plans = [{ name: 'plan', rate: undefined, monthlyQuota: 10 }];
  const { access } = control(folder, { plans });
  const app = createApp(testServer({ access, now: () => NOW_MS }), { peerOf: () => CLIENT });

  afterAll(async () => {
    await access.stop();
    store.close();
  });

  test('each path requires one, and counts', async () => {
    const paths = ['/api/timezone', '/api/timezone/Europe/London', '/api/ip', '/api/ip/1.1.1.1'];
    await expectAll(async path => (await get(path, app)).status, 401, paths);
    for (const path of paths) {
      expect((await get(`${path}.txt`, app)).text).toStartWith('error: An API key is required');
    }
    const response = await request('/api/timezone/Europe/London', app, { 'X-API-Key': key.key });
    expect(await response.text()).toBe(DOCUMENTED);
    expect(response.headers.get('X-Service-Quota-Remaining')).toBe('9');
  });
});
