import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { randomNumbers } from '../support/property.ts';
import { INSTANT } from './load.ts';

/**
 * What meridian is compared with. `baseline`: another meridian executable. Servers that return the same bytes: `bare` (bare
 * Elysia), `encoding` (the same, parsing the query and encoding the body for each request), `serve` (bare `Bun.serve`) and
 * `minimal` (a loop in C around epoll). `computing`: bare Elysia around the operations of the service; `validating`: the same
 * with Elysia's validation of queries. `signature`: the unsigned route, plus one native signature per request. `express`:
 * Express and Luxon on Node. `elysia`: Elysia and date-fns on Bun.
 */
export const OPPONENTS = [
  ...(['baseline', 'bare', 'encoding', 'serve', 'minimal'] as const),
  ...(['computing', 'validating', 'signature', 'express', 'elysia'] as const),
];
export type Opponent = (typeof OPPONENTS)[number];

/** Requests whose rate is measured, and what it is compared with. */
export interface Scenario {
  readonly name: string;
  /** Requested in rotation. */
  readonly paths: readonly string[];
  /** The opponents, each with the minimum required ratio of requests per second; null for none. */
  readonly against: Readonly<Partial<Record<Opponent, number | null>>>;
  /** Another scenario to compare with. */
  readonly over?: { readonly name: string; readonly wanted: number };
  /** With an API key whose plan has a rate limit and a monthly quota. */
  readonly keyed?: boolean;
  /** It has too many different requests for the cache. */
  readonly isNew?: boolean;
  /** With `If-None-Match` and the entity tag of its only path, so each response is a 304. */
  readonly isConditional?: boolean;
  /** The number of payloads in a response, if they are counted individually. */
  readonly payloads?: number;
}

/** Must be at least as fast as the usual libraries. */
const RIVALS = { express: 1, elysia: 1 };
/** The unavoidable work of any service on Elysia, and the limits below bare Elysia: the runtime and the machine. */
const LIMITS = { computing: null, validating: null, encoding: null, serve: null, minimal: null };
/** A route whose operation a bare server computes, too. */
const COMPUTED = { bare: 0.85, computing: null, validating: null, ...RIVALS };
const CURRENT = '/v1/time/current?tz=Europe/Paris';
const OVER_CURRENT = { name: 'current', wanted: 0.85 };
const OVER_CURRENT_BY_HALF = { name: 'current', wanted: 0.5 };

export const TEN_ZONES = [
  'Europe/Paris,America/New_York,Asia/Tokyo,Australia/Sydney,Africa/Cairo',
  'America/Sao_Paulo,Asia/Kolkata,Pacific/Auckland,Europe/Dublin,America/Los_Angeles',
].join(',');
export const HUNDRED_ZONES = Array.from({ length: 10 }, () => TEN_ZONES).join(',');

/** Random places on land and sea. */
function anyCoordinates(count: number): string[] {
  const random = randomNumbers();
  return Array.from({ length: count }, () => {
    const [lat, lon] = [random() * 180 - 90, random() * 360 - 180];
    return `/v1/time/current?lat=${lat.toFixed(4)}&lon=${lon.toFixed(4)}`;
  });
}

/** Random instants of this century. */
function anyInstants(count: number): string[] {
  const random = randomNumbers();
  return Array.from({ length: count }, () => {
    const unix = 946_684_800 + Math.floor(random() * 3_000_000_000);
    return `/v1/time/convert?unix=${unix}&tz=Asia/Tokyo`;
  });
}

/** Public IPv4 addresses in different parts of the data. */
const ADDRESSES = [
  ...['8.8.8.8', '81.2.69.142', '133.11.0.1', '200.144.0.1', '196.25.1.1', '1.1.1.1', '202.12.27.33'],
  ...['193.0.6.139', '91.198.174.192', '130.216.1.1', '41.0.0.1', '5.255.255.5', '24.48.0.1', '212.58.244.1'],
].map(ip => `/v1/time/current?ip=${ip}`);

/** The required ratio to a baseline: new requests must not be slower, cached ones may be slower by a tenth. */
export const requiredOverBaseline = ({ isNew }: Scenario): number => (isNew ? 1 : 0.9);

/** A scenario with one path. */
function one(
  name: string,
  path: string,
  against: Scenario['against'],
  more: Omit<Partial<Scenario>, 'name' | 'paths' | 'against'> = {},
): Scenario {
  return { name, paths: [path], against, ...more };
}

export const SCENARIOS: readonly Scenario[] = [
  one('current', CURRENT, { bare: 0.85, ...LIMITS, ...RIVALS }),
  one('current, with format', `${CURRENT}&format=%25Y-%25m-%25d+%25H:%25M`, { bare: null, ...RIVALS }),
  one('current, with a key', CURRENT, {}, { keyed: true, over: { name: 'current', wanted: 0.8 } }),
  // Requests in the same millisecond share a signature, so the limit of one signature per request does not apply.
  one('current, signed', `${CURRENT}&sign=true`, { signature: null, ...RIVALS }),
  {
    name: 'current, signed, 400 places in turns', // all are cached, and none is requested twice in a millisecond
    paths: anyCoordinates(400).map(path => `${path}&sign=true`),
    against: { signature: 0.9, ...RIVALS },
  },
  one('current by ip', '/v1/time/current?ip=8.8.8.8', RIVALS, { over: OVER_CURRENT }),
  one('current by ip, IPv6', '/v1/time/current?ip=2001:4860:4860::8888', RIVALS, { over: OVER_CURRENT }),
  { name: 'current by ip, 14 in turns', paths: ADDRESSES, against: RIVALS, over: OVER_CURRENT },
  one('current by lat, lon', '/v1/time/current?lat=48.8566&lon=2.3522', RIVALS, { over: OVER_CURRENT }),
  one('current by lat, lon, at a border', '/v1/time/current?lat=51.4430&lon=4.9340', RIVALS, {
    over: OVER_CURRENT,
  }),
  {
    name: 'current, 1,000 places in turns',
    paths: anyCoordinates(1000),
    against: { bare: 0.78, ...LIMITS, ...RIVALS },
    isNew: true,
  },
  one(
    'current, bulk of 100',
    `/v1/time/current?tz=${HUNDRED_ZONES}`,
    { bare: 0.27, ...LIMITS, ...RIVALS },
    { payloads: 100 },
  ),
  one(
    'convert',
    '/v1/time/convert?iso=2026-04-15T13:30:47&source_tz=America/New_York&tz=Asia/Tokyo',
    COMPUTED,
  ),
  {
    name: 'convert, 1,000 instants in turns',
    paths: anyInstants(1000),
    against: { bare: 0.75, ...LIMITS, ...RIVALS },
    isNew: true,
  },
  one(
    'convert, not modified',
    '/v1/time/convert?unix=1776274247&tz=Asia/Tokyo',
    {},
    { isConditional: true, over: { name: 'current', wanted: 1.1 } },
  ),
  one('add', '/v1/time/add?days=1&hours=-3&tz=Asia/Tokyo', COMPUTED),
  one('add, a duration', '/v1/time/add?duration=P1M2DT3H&tz=Asia/Tokyo', { bare: null }),
  one(
    'add, business days of Bavaria',
    '/v1/time/add?business_days=30&holiday_country=DE&holiday_subdivision=BY&tz=Europe/Berlin',
    { bare: null },
  ),
  one('calendar', '/v1/time/calendar?week=true&tz=Asia/Tokyo', COMPUTED),
  one('dst', '/v1/time/dst?next=true&tz=Europe/Paris', COMPUTED),
  one('diff', '/v1/time/diff?from=iso=1970-01-01&to=iso=2100-12-31', COMPUTED),
  one(
    'diff, business days of Bavaria, 11 years',
    '/v1/time/diff?from=iso=2020-01-01&to=iso=2030-12-31&business_days=true&holiday_country=DE&holiday_subdivision=BY',
    { bare: 0.85, ...RIVALS },
  ),
  {
    name: 'diff, business days of Taiwan, 131 years',
    paths: ['/v1/time/diff?from=iso=1970-01-01&to=iso=2100-12-31&business_days=true&holiday_country=TW'],
    against: { bare: 0.85 }, // the rivals take more than a minute for the first response
  },
  one('elapsed', '/v1/time/elapsed?iso=2026-04-15T13:30:47&source_tz=America/New_York', COMPUTED),
  {
    name: 'durations that never repeat',
    paths: [
      `/v1/time/diff?from=unix=0&to=unix=${INSTANT}`,
      `/v1/time/elapsed?unix=${INSTANT}&compare_unix=4000000000`,
    ],
    against: { bare: 0.7, ...LIMITS },
    isNew: true,
  },
  {
    // Depends on the current time, so each response is computed.
    name: 'work/add',
    paths: [
      '/v1/work/add?schedule=Mo-Fr+09:00-17:30;+PH+off&duration=PT8H&tz=Europe/Berlin&holiday_country=DE-BY',
    ],
    against: { bare: null },
    over: { name: 'current', wanted: 0.8 },
  },
  one('timezone', '/v1/timezone?tz=Europe/Paris', { bare: null, ...RIVALS }),
  one('timezone by offset', '/v1/timezone?offset=%2B01:00', { bare: null, ...RIVALS }),
  one('timezones, all', '/v1/timezones', { bare: null, ...RIVALS }),
  one('timezones of a country', '/v1/timezones?country=NZ', { bare: null, ...RIVALS }),
  one('current by name of a place', '/v1/time/current?place=Munich', { bare: null }),
  {
    name: 'places by the beginning of their name',
    paths: ['/v1/places?q=mun', '/v1/places?q=san&limit=50', '/v1/places?q=lodnon'],
    against: { bare: null },
  },
  one('transitions of all zones, 5 years', '/v1/time/transitions?all=true&from=2024-01-01&to=2029-01-01', {
    bare: null,
  }),
  one(
    'clock',
    '/v1/time/clock?style=analog-station&tz=Europe/Paris',
    { bare: null, ...RIVALS },
    { over: OVER_CURRENT_BY_HALF },
  ),
  {
    name: 'clock, all thirty in turns',
    paths: STYLE_NAMES.map(style => `/v1/time/clock?style=${style}&tz=Europe/Paris`),
    against: {},
    over: OVER_CURRENT_BY_HALF,
  },
  one('holidays of a year', '/v1/holidays?country=DE&subdivision=BY&year=2026', { bare: null, ...RIVALS }),
  one(
    'work days of a month',
    '/v1/work/days?from=2026-12-01&to=2026-12-31&holiday_country=DE&holiday_subdivision=BY',
    { bare: null, ...RIVALS },
  ),
];

/** Scenarios against these opponents only; all of them can be compared with a baseline. */
export function against(scenarios: readonly Scenario[], opponents: ReadonlySet<Opponent>): Scenario[] {
  return scenarios.map(scenario => {
    const all = { baseline: requiredOverBaseline(scenario), ...scenario.against };
    const chosen = Object.entries(all).filter(([name]) => opponents.has(name as Opponent));
    return { ...scenario, against: Object.fromEntries(chosen) };
  });
}

/** The scenarios whose names match, and those they are compared with. */
export function chooseScenarios(scenarios: readonly Scenario[], pattern: RegExp): Scenario[] {
  const chosen = scenarios.filter(({ name }) => pattern.test(name));
  const needed = new Set(chosen.flatMap(({ name, over }) => [name, over?.name]));
  return scenarios.filter(({ name }) => needed.has(name));
}
