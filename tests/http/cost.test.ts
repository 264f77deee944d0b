import { expect, spyOn, test } from 'bun:test';
import { representLater } from '../../src/api/assets/representation.ts';
import { describeApi } from '../../src/api/description/openapi.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { Gazetteer } from '../../src/places/gazetteer.ts';
import { clocksPage } from '../../src/site/clocks_page.tsx';
import { mapPage } from '../../src/site/map_page.tsx';
import { openPlanner } from '../../src/site/planner/planner_page.tsx';
import { yearCalendar } from '../../src/site/zone/year_calendar.tsx';
import { zonePage } from '../../src/site/zone/zone_pages.tsx';
import { turnsDuring } from '../support/responses.ts';
import { app, NOW_MS, send, testServer } from '../support/service.ts';

const minutes = (index: number) => String(index % 60).padStart(2, '0');
const OFFSETS = Array.from({ length: 100 }, (_, index) => `-00:${minutes(index)}`).join();

/** How many turns other tasks got while a request was handled. */
function turnsDuringRequest(path: string): Promise<number> {
  return turnsDuring(async () => {
    const response = await app.handle(new Request(`http://localhost${path}`));
    expect(response.status).toBe(200);
  });
}

test('a long list is written in slices, between which other requests are served', async () => {
  const format = encodeURIComponent('%c'.repeat(128));
  const twelve = Array.from({ length: 12 }, () => 'UTC').join();
  const leastTurns = {
    [`/v1/time/current?offset=${OFFSETS}&format=${format}`]: 4,
    [`/v1/time/convert?unix=0&offset=${OFFSETS}&format=${format}`]: 4,
    '/v1/recurrence?cron=* * * * *&count=1000': 4,
    [`/v1/recurrence?cron=* * * * *&count=1000&lang=fr&format=${encodeURIComponent('%%'.repeat(128))}`]: 80,
    // The states of a schedule in many zones.
    [`/v1/work/status?schedule=Mo-Fr 09:00-17:00&offset=${OFFSETS}`]: 4,
    '/v1/timezones?details=true': 2,
    '/v1/holidays.ics?country=NP': 2,
    [`/embed/board?style=digital-segment-red&tz=${twelve}`]: 12,
  };
  for (const [path, least] of Object.entries(leastTurns)) {
    expect(await turnsDuringRequest(path), path).toBeGreaterThanOrEqual(least);
  }
});

test('long documents are sent in slices to clients that accept no coding', async () => {
  for (const path of ['/openapi.json', '/docs', '/', '/clocks']) {
    const read = async () => await (await app.handle(new Request(`http://localhost${path}`))).bytes();
    const { length } = await read(); // builds it
    expect(await turnsDuring(read), path).toBeGreaterThanOrEqual(Math.floor(length / 65_536));
  }
});

test('the entries of a long list are decoded in slices, also in a tool call', async () => {
  let nowNs = 0;
  const clock = spyOn(Bun, 'nanoseconds').mockImplementation(() => (nowNs += 1e6)); // every check finds the slice used up
  try {
    const list = (name: string, separator: string) => Array(100).fill(name).join(separator);
    const turnsFor = (query: string) => turnsDuringRequest(`/v1/time/current?${query}`);
    expect(await turnsFor(`place=${list('San Jose', ';')}`)).toBeGreaterThanOrEqual(100);
    expect(await turnsFor(`tz=${list('Mars', ',')}`)).toBeGreaterThanOrEqual(100);
    expect(await turnsFor(`tz=${list('Asia/Tokyo', ',')}`)).toBeLessThan(10);
    const call = { name: 'current_time', arguments: { place: list('San Jose', ';') } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    const turns = await turnsDuring(async () => {
      const response = await app.handle(new Request('http://localhost/mcp', { method: 'POST', body }));
      expect(response.status).toBe(200);
    });
    expect(turns).toBeGreaterThanOrEqual(100);
  } finally {
    clock.mockRestore();
  }
});

test('a list decoded in slices preserves its order, and reports the first error', async () => {
  const names = Array(25).fill(['Tokyo', 'San Jose', 'Xyzzyx', 'Lima']).flat() as string[];
  const { body } = await send(`/v1/time/current?place=${names.join(';')}`);
  for (const [index, name] of names.entries()) {
    const { body: alone } = await send(`/v1/time/current?place=${name}`);
    if (index % 4 === 0 || index % 4 === 3) expect(body[index]).toMatchObject({ timezone: alone.timezone });
    else expect(body[index]).toMatchObject({ item: name, error: { code: alone.error.code } });
  }
  const rejected = await send(`/v1/time/current?place=${names.join(';')}&format=${'%'.repeat(300)}`);
  expect(rejected.body.error.details.parameter).toBe('format');
});

test('slices make up the whole response, in order', async () => {
  const { body } = await send(`/v1/time/current?offset=${OFFSETS}&format=${'%25c'.repeat(60)}`);
  const shown = body.map(({ iso_local }: { iso_local: string }) => iso_local.slice(-6));
  expect(shown).toEqual(OFFSETS.replaceAll('-00:00', '+00:00').split(','));
});

test('a place is encoded once for all searches that find it', async () => {
  const search = async (query: string) => (await send(`/v1/places?${query}`)).body.places;
  await search('q=a&limit=1'); // builds the description, which has examples
  const reads = spyOn(Gazetteer.prototype, 'placeAt');
  try {
    const found = await search('q=zw&limit=20');
    expect(found).toHaveLength(20);
    expect(reads).toHaveBeenCalledTimes(20);
    expect(await search('q=zw&limit=7')).toEqual(found.slice(0, 7));
    expect(await search('q=zwi&limit=1')).toHaveLength(1);
    expect(reads).toHaveBeenCalledTimes(20);
  } finally {
    reads.mockRestore();
  }
});

test('a batch that would take long to parse is rejected first', async () => {
  const parse = JSON.parse;
  let calls = 0;
  JSON.parse = (...given) => {
    calls++;
    return parse(...given);
  };
  try {
    const rows = [
      ['['.repeat(200_000), 'nested deeper'],
      [`{"requests":[${'1,'.repeat(100_000)}1]}`, 'the maximum is 1000 entries'],
    ] as const;
    for (const [body, reason] of rows) {
      const headers = { 'Content-Type': 'application/json' };
      const request = new Request('http://localhost/v1/batch', { method: 'POST', headers, body });
      const response = await app.handle(request);
      expect(await response.text()).toContain(reason);
      expect(response.status).toBe(400);
    }
    expect(calls).toBe(0);
  } finally {
    JSON.parse = parse;
  }
});

test('a flood of malformed parameters is not decoded', async () => {
  for (const query of ['tz=%FF&'.repeat(1000), '%FF&'.repeat(2000)]) {
    const decode = globalThis.decodeURIComponent;
    let calls = 0;
    globalThis.decodeURIComponent = text => {
      calls++;
      return decode(text);
    };
    try {
      await app.handle(new Request(`http://localhost/v1/time/current?${query}`));
    } finally {
      globalThis.decodeURIComponent = decode;
    }
    expect(calls).toBeLessThanOrEqual(20);
  }
});

const server = testServer();
const snapshot = server.snapshot();
const frame = { snapshot, isKeyed: false, nowMs: NOW_MS };

test('pages rendered per request are rendered in slices, between which other requests are served', async () => {
  const input = { ...frame, document: await describeApi(server) };
  await snapshot.outlines.load();
  const zone = snapshot.zones.find('Europe/Paris')!;
  expect(await turnsDuring(() => zonePage({ ...frame, zone, news: [], days: '' }))).toBeGreaterThanOrEqual(5);
  const [country] = snapshot.holidays.countries;
  const calendar = snapshot.holidays.calendarOf(country!, null);
  expect(await turnsDuring(() => yearCalendar(calendar, '2026-04-15'))).toBeGreaterThanOrEqual(12);
  expect(await turnsDuring(() => clocksPage(input))).toBeGreaterThanOrEqual(STYLE_NAMES.length);
  const map = mapPage(snapshot.outlines.get(), 'digest');
  expect(await turnsDuring(() => map(input))).toBeGreaterThanOrEqual(10);
  const planner = openPlanner(server);
  const plan = 'http://localhost/planner?place=Berlin&place=Tokyo&place=Paris&place=Lima';
  expect(await turnsDuring(() => planner(plan, frame))).toBeGreaterThanOrEqual(16);
});

test('a page is compressed on another thread', async () => {
  const page = '<p>Some page.</p>'.repeat(10_000);
  const representation = await representLater(page, 'text/html');
  const body = representation.bodyIn('gzip');
  expect(body).toBeInstanceOf(Promise);
  expect(new TextDecoder().decode(Bun.gunzipSync(await body))).toBe(page);
});
