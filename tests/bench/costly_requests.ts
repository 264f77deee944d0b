/** For each path, expensive requests: the queries of `costly_queries.ts`, paths that end with a name, and bodies. */
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { CURRENT_PATH } from '../../src/clock/clock_config.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { concreteQuery, costlyQueries, QUERY_PATHS } from './costly_queries.ts';

/** A request; placeholders in its target or body are replaced each time it is sent. */
export interface CostlyRequest {
  /** Path and query. */
  readonly target: string;
  /** JSON to post; absent for GET. */
  readonly body?: string;
  /** `Accept`. */
  readonly accept?: string;
}

/** Placeholder for a number that no request had before. */
const UNIQUE = '{unique}';

const zones = openZonePack(readZonePack()).names();
const { countries } = decodeHolidayPack(readHolidayPack());

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const plan = (places: readonly string[], rest = '') =>
  `/planner?${places.map(place => `place=${encodeURIComponent(place)}`).join('&')}${rest}`;
const CITIES = [
  'Paris',
  'Tromsø',
  'San Jose',
  'Springfield',
  'Saan Frransisco',
  'Lodnon',
  'Kolkata',
  'Singapore',
  'Sydney',
  'Los Angeles',
];

/** Paths whose requests consist of more than a query. */
const REQUESTS: Readonly<Record<string, () => readonly CostlyRequest[]>> = {
  '/zone/*': () =>
    [...zones, 'America/Argentina/Buenos_Airres', 'x'.repeat(4000), '%C3%A4'.repeat(1000)].map(name => ({
      target: `/zone/${name}`,
    })),
  '/planner': () =>
    [
      plan(CITIES),
      plan(CITIES, '&date=2026-03-29&length=15'),
      plan(CITIES, '&date=2099-12-30&length=180&from=00:00&to=23:59'),
      plan(Array.from({ length: 10 }, (_, index) => zones[index * 40]!)),
      plan(Array.from({ length: 10 }, (_, index) => `Saan Frransisco ${index}`)),
      plan(Array.from({ length: 10 }, (_, index) => 's'.repeat(80 - index))),
      plan(times(500, 'San Antonio')),
      `/planner?${'place=%FF&'.repeat(800)}`,
    ].map(target => ({ target })),
  '/map': () => [{ target: '/map' }],
  '/api/timezone': () => [{ target: '/api/timezone' }, { target: '/api/timezone.txt' }],
  '/api/timezone/*': () => zones.map(zone => ({ target: `/api/timezone/${zone}` })),
  '/api/ip/*': () =>
    ['1.2.3.4', '2a02:2e0::1', '10.0.0.1', 'x'.repeat(4000)].map(ip => ({ target: `/api/ip/${ip}` })),
  '/api/v3/AvailableCountries': () => [{ target: '/api/v3/AvailableCountries' }],
  '/api/v3/PublicHolidays/*': () =>
    countries.flatMap(({ code }) =>
      [1970, 2026, 2100].map(year => ({ target: `/api/v3/PublicHolidays/${year}/${code}` })),
    ),
  '/api/v3/NextPublicHolidays/*': () =>
    countries.map(({ code }) => ({ target: `/api/v3/NextPublicHolidays/${code}` })),
  '/api/v3/IsTodayPublicHoliday/*': () =>
    countries.map(({ code }) => ({ target: `/api/v3/IsTodayPublicHoliday/${code}` })),
  '/v1/batch': () => batches().map(body => ({ target: '/v1/batch', body })),
  '/mcp': () => messages().map(body => ({ target: '/mcp', body })),
  '/nothing': () =>
    ['text/html', 'application/json'].flatMap(accept =>
      ['/nothing', `/${'x'.repeat(8000)}`, `/v1/${'%C3%A4'.repeat(1000)}`].map(target => ({
        target,
        accept,
      })),
    ),
};

function batches(): string[] {
  const hundred = zones.slice(0, 100).join();
  const batch = (requests: readonly string[]) => JSON.stringify({ requests });
  return [
    batch(times(1000, `${CURRENT_PATH}?tz=Europe/Paris&_=${UNIQUE}`)),
    batch(times(1000, `${CURRENT_PATH}?tz=America/Argentina/Buenos_Airres&_=${UNIQUE}`)),
    batch(times(1000, `${CURRENT_PATH}?place=Saan%20Jose&_=${UNIQUE}`)),
    batch(times(1000, `/v1/places?q=s&limit=50&_=${UNIQUE}`)),
    batch(times(100, `${CURRENT_PATH}?tz=${hundred}&details=true&_=${UNIQUE}`)),
    batch(times(100, `/v1/timezones?details=true&_=${UNIQUE}`)),
    batch(times(100, `/v1/recurrence?cron=*%20*%20*%20*%20*&count=1000&_=${UNIQUE}`)),
    batch(times(1000, `/v1/holidays?country=DE&year=2026&_=${UNIQUE}`)),
    batch(times(1000, '/v1/nothing')),
    batch(times(1000, `${CURRENT_PATH}?${'a&'.repeat(100)}`)),
    batch(times(30, `${CURRENT_PATH}?${'%C3%A4=%C3%A4&'.repeat(600)}`)),
    batch([`${CURRENT_PATH}?${'a&'.repeat(130_000)}`]),
    batch(times(65_000, '/')),
    `{"requests":[${times(130_000, 1).join()}]}`,
    '['.repeat(260_000),
    `{"requests":[${'"\\u00e4",'.repeat(29_000)}""]}`,
  ];
}

function messages(): string[] {
  const message = (method: string, params?: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const call = (name: string, given: unknown) => message('tools/call', { name, arguments: given });
  return [
    message('tools/list'),
    message('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }),
    call('current_time', { tz: zones.slice(0, 100), format: '%c'.repeat(128) }),
    call('current_time', { place: times(100, 'San Jose').join(';') }),
    call('occurrences', { cron: '* * * * *', count: 1000 }),
    call('holidays', { country: 'US', from: '1970-01-01', to: '1979-12-31' }),
    call('clock_changes', { tz: 'Africa/Casablanca', from: '1970-01-01', to: '2100-01-01' }),
    call('work_status', { schedule: 'Mo-Fr 09:00-17:30', holiday_country: '{calendars}' }),
    call('no_such_tool', {}),
    '['.repeat(60_000),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(60_000) }),
  ];
}

/** The listed paths; those that end with a name represent all such paths. */
export const COSTLY_PATHS: readonly string[] = [...QUERY_PATHS, ...Object.keys(REQUESTS)];

/** Requests to a path. */
export function* costlyRequests(path: string): Generator<CostlyRequest> {
  const listed = REQUESTS[path];
  if (listed !== undefined) yield* listed();
  else for (const query of costlyQueries(path)) yield { target: `${path}?${query}` };
}

let nextNumber = 0;

/** The request to send, in a form that no cache has. */
export function concreteRequest({ target, body, accept = '*/*' }: CostlyRequest): Request {
  const url = `http://localhost${concrete(target)}${target.includes('?') ? '&' : '?'}_=${nextNumber++}`;
  if (body === undefined) return new Request(url, { headers: { Accept: accept } });
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return new Request(url, { method: 'POST', headers, body: concrete(body) });
}

function concrete(text: string): string {
  return concreteQuery(text).replaceAll(UNIQUE, () => String(nextNumber++));
}
