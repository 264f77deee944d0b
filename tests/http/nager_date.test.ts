import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../src/server/app.ts';
import { errorOf, send, testServer } from '../support/service.ts';

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
    expect(holidays.map(({ date }) => date)).toEqual(holidays.map(({ date }) => date).sort());
  });

  test('equal those of /v1/holidays, nationwide or by subdivision', async () => {
    const holidays = await holidaysOf('PublicHolidays/2026/DE');
    const nationwide = await send('/v1/holidays?country=DE&year=2026');
    const datesOf = (listed: readonly { date: string }[]) =>
      [...new Set(listed.map(({ date }) => date))].sort();
    expect(datesOf(holidays.filter(({ global }) => global))).toEqual(datesOf(nationwide.body.holidays));
    for (const code of ['BY', 'BE', 'SN', 'TH']) {
      const { body } = await send(`/v1/holidays?country=DE-${code}&year=2026`);
      const here = holidays.filter(({ global, counties }) => global || counties!.includes(`DE-${code}`));
      expect([code, datesOf(here)]).toEqual([code, datesOf(body.holidays)]);
    }
    expect(holidays.filter(({ global, counties }) => global !== (counties === null))).toEqual([]);
  });

  test('are fixed if they have the same date each year', async () => {
    const fixed = new Map(
      (await holidaysOf('PublicHolidays/2026/us')).map(({ name, fixed }) => [name, fixed]),
    );
    expect([fixed.get('Independence Day'), fixed.get('Labor Day')]).toEqual([true, false]);
    const german = await holidaysOf('PublicHolidays/2026/de');
    expect(german.find(({ date }) => date === '2026-04-03')).toMatchObject({
      name: 'Good Friday',
      fixed: false,
    });
  });

  test('can be cached until the holidays are replaced, unlike those relative to today', async () => {
    const server = testServer();
    const caching = createApp(server);
    const get = async (path: string, headers: Record<string, string> = {}) =>
      await caching.handle(new Request(`http://localhost/api/v3/${path}`, { headers }));
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
    expect(new TextDecoder().decode(gunzipSync(await zipped.bytes()))).toBe(
      await (await get('PublicHolidays/2026/DE')).text(),
    );
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
  test.skipIf(!existsSync(ISO_CODES))(
    'are ISO 3166-2 codes in every country (requires iso-codes)',
    async () => {
      const list = await Bun.file(ISO_CODES).json();
      const known = new Set(list['3166-2'].map(({ code }: { code: string }) => code).concat(NEWER_CODES));
      const { body } = await send('/api/v3/AvailableCountries');
      let count = 0;
      for (const { countryCode } of body as { countryCode: string }[]) {
        const counties = (await holidaysOf(`PublicHolidays/2026/${countryCode}`)).flatMap(
          ({ counties }) => counties ?? [],
        );
        expect(counties.filter(code => !known.has(code))).toEqual([]);
        count += counties.length;
      }
      expect(count).toBeGreaterThan(500);
    },
  );

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
  const statusAt = async (nowMs: number, path: string) => {
    const request = new Request(`http://localhost/api/v3/IsTodayPublicHoliday/${path}`);
    const response = await appAt(nowMs).handle(request);
    expect([await response.text(), response.headers.get('X-Request-Id')?.length]).toEqual(['', 36]);
    return response.status;
  };

  test('is a holiday of the country, or of a county', async () => {
    const christmas = Date.UTC(2026, 11, 25, 12);
    const epiphany = Date.UTC(2026, 0, 6, 12);
    expect(await statusAt(christmas, 'DE')).toBe(200);
    expect(await statusAt(epiphany, 'DE')).toBe(204);
    expect(await statusAt(epiphany, 'de?countyCode=DE-BY')).toBe(200);
    expect(await statusAt(epiphany, 'DE?countyCode=DE-BE')).toBe(204);
  });

  test('begins and ends at midnight in the offset', async () => {
    const eve = Date.UTC(2026, 11, 24, 23);
    expect(await statusAt(eve, 'DE')).toBe(204);
    expect(await statusAt(eve, 'DE?offset=1')).toBe(200);
    expect(await statusAt(Date.UTC(2026, 11, 27, 1), 'DE?offset=-2')).toBe(200);
  });
});

test('the countries are those with holidays', async () => {
  const { body } = await send('/api/v3/AvailableCountries');
  const { body: known } = await send('/v1/holidays');
  expect(body).toEqual(
    known.countries.map(({ code, name }: { code: string; name: string }) => ({ countryCode: code, name })),
  );
});

test.each([
  ['PublicHolidays/2026/XX', '404 NOT_FOUND'],
  ['PublicHolidays/2026', '404 NOT_FOUND'],
  ['PublicHolidays/2026/DE/BY', '404 NOT_FOUND'],
  ['PublicHolidays/1900/DE', '400 INVALID_PARAMETER'],
  ['PublicHolidays/next/DE', '400 INVALID_PARAMETER'],
  ['NextPublicHolidays/XX', '404 NOT_FOUND'],
  ['IsTodayPublicHoliday/XX', '404 NOT_FOUND'],
  ['IsTodayPublicHoliday/DE?offset=13', '400 INVALID_PARAMETER'],
  ['IsTodayPublicHoliday/DE?offset=x', '400 INVALID_PARAMETER'],
  ['IsTodayPublicHoliday/DE?countyCode=DE-XX', '400 INVALID_PARAMETER'],
  ['LongWeekend/2026/DE', '404 NOT_FOUND'],
])('%s is %s', async (path, error) => {
  expect(await errorOf(`/api/v3/${path}`)).toBe(error);
});
