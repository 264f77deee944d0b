import { isDeepStrictEqual } from 'node:util';
import { defineCommand } from '../command.ts';
import { COMMON_FLAGS } from '../flags.ts';
import { readCommandLine } from '../settings.ts';
import { MCP_FLAGS, openLocalApp } from './get.ts';

export const selfTestCommand = defineCommand({
  name: 'self-test',
  synopsis: '',
  summary: 'compare fifty responses from the embedded data with known results, offline',
  flags: COMMON_FLAGS,
  ignoresEnvironment: true,
  async run(_, { print, readConfig }) {
    // Ignores this host's settings, which may configure other data.
    const { settings } = readCommandLine(MCP_FLAGS, [], { environment: {}, readConfig });
    const { app } = await openLocalApp(settings, {});
    const differences: string[] = [];
    for (const request of GOLDEN_REQUESTS) {
      const response = await app.handle(new Request(`http://localhost${request.path}`));
      differences.push(...differencesOf(request, response.status, await response.json()));
    }
    for (const difference of differences) print(`FAIL  ${difference}`);
    print(`${GOLDEN_REQUESTS.length} requests, ${differences.length} differences`);
    return differences.length === 0 ? 0 : 1;
  },
});

function differencesOf({ path, expected }: GoldenRequest, status: number, body: unknown): string[] {
  return Object.entries(expected).flatMap(([member, value]) => {
    const found = member === 'status' ? status : memberOf(body, member);
    if (isDeepStrictEqual(found, value)) return [];
    return [`${path}: ${member} is ${JSON.stringify(found)}, expected ${JSON.stringify(value)}`];
  });
}

/** The member at a path such as `0.date`. */
function memberOf(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], body);
}

/** A request whose response does not depend on the current time, with expected values of some response members. */
export interface GoldenRequest {
  readonly path: string;
  /** By member path, such as `0.date`; `status` is the response's status. */
  readonly expected: Readonly<Record<string, unknown>>;
}

/** Local times of instants, taken from tzdata's comments and reference tables. */
const CONVERSIONS = [
  ['unix=0', 'tz=UTC', '1970-01-01T00:00:00+00:00'],
  ['unix=0', 'tz=America/New_York', '1969-12-31T19:00:00-05:00'],
  ['unix=0', 'tz=Europe/London', '1970-01-01T01:00:00+01:00'],
  ['unix=0', 'tz=Africa/Monrovia', '1969-12-31T23:15:30-00:44:30'],
  ['unix=1000000000', 'tz=Asia/Tokyo', '2001-09-09T10:46:40+09:00'],
  ['unix=1782889200', 'tz=Asia/Kolkata', '2026-07-01T12:30:00+05:30'],
  ['unix=1782889200', 'tz=Asia/Kathmandu', '2026-07-01T12:45:00+05:45'],
  ['unix=1782889200', 'tz=Australia/Lord_Howe', '2026-07-01T17:30:00+10:30'],
  ['unix=1782889200', 'tz=Pacific/Chatham', '2026-07-01T19:45:00+12:45'],
  ['unix=1782889200', 'tz=Pacific/Kiritimati', '2026-07-01T21:00:00+14:00'],
  ['unix=1782889200', 'tz=America/St_Johns', '2026-07-01T04:30:00-02:30'],
  ['unix=1782889200', 'tz=US/Eastern', '2026-07-01T03:00:00-04:00'],
  ['unix=1782889200', 'tz=W. Europe Standard Time', '2026-07-01T09:00:00+02:00'],
  ['iso=2026-01-15T12:00:00Z', 'tz=Antarctica/Troll', '2026-01-15T12:00:00+00:00'],
  ['iso=2026-07-15T12:00:00Z', 'tz=Antarctica/Troll', '2026-07-15T14:00:00+02:00'],
  ['iso=2011-12-30T09:59:59Z', 'tz=Pacific/Apia', '2011-12-29T23:59:59-10:00'],
  ['iso=2011-12-30T10:00:00Z', 'tz=Pacific/Apia', '2011-12-31T00:00:00+14:00'],
  ['iso=2026-03-08T06:59:59Z', 'tz=America/New_York', '2026-03-08T01:59:59-05:00'],
  ['iso=2026-03-08T07:00:00Z', 'tz=America/New_York', '2026-03-08T03:00:00-04:00'],
  ['iso=2026-03-29T01:00:00Z', 'tz=Europe/Paris', '2026-03-29T03:00:00+02:00'],
  ['iso=2026-10-25T01:00:00Z', 'tz=Europe/Paris', '2026-10-25T02:00:00+01:00'],
  ['iso=2026-07-01T09:00&source_tz=Europe/Paris', 'tz=America/Los_Angeles', '2026-07-01T00:00:00-07:00'],
  ['iso=2026-02-01T12:00:00Z', 'offset=-03:30', '2026-02-01T08:30:00-03:30'],
  ['iso=2026-07-01T00:00:00Z', 'lat=48.8566&lon=2.3522', '2026-07-01T02:00:00+02:00'],
  ['iso=2026-07-01T00:00:00Z', 'lat=40.7128&lon=-74.006', '2026-06-30T20:00:00-04:00'],
  ['iso=2026-07-01T00:00:00Z', 'lat=-33.8688&lon=151.2093', '2026-07-01T10:00:00+10:00'],
  ['iso=2026-07-01T00:00:00Z', 'lat=0&lon=-150', '2026-06-30T14:00:00-10:00'],
  ['iso=2026-07-01T00:00:00Z', 'place=Munich', '2026-07-01T02:00:00+02:00'],
  ['iso=2026-07-01T00:00:00Z', 'place=Portland, US-ME', '2026-06-30T20:00:00-04:00'],
] as const;

/** Fifty requests that cover all kinds of embedded data; `meridian self-test` sends them. */
export const GOLDEN_REQUESTS: readonly GoldenRequest[] = [
  ...CONVERSIONS.map(([instant, target, iso_local]) => ({
    path: `/v1/time/convert?${instant}&${target}`,
    expected: { status: 200, iso_local },
  })),
  golden('convert?unix=0&tz=Europe/Berlin&lang=de', { day_full: 'Donnerstag' }),
  golden('convert?unix=0&tz=Europe/Paris&lang=fr', { day_full: 'jeudi' }),
  golden('convert?unix=951782400&utc=true&format=%25G-W%25V-%25u', { formatted: '2000-W09-2' }),
  golden('convert?iso=2026-02-30T00:00:00Z&utc=true', { status: 400, 'error.code': 'INVALID_PARAMETER' }),
  golden('convert?unix=0&tz=Nowhere/City', { status: 400 }),
  golden('calendar?iso=2027-01-01T12:00:00Z&week=true', { week_number: 53, month_name: 'January' }),
  golden('add?iso=2028-01-31T12:00:00Z&duration=P1M&utc=true', { utc: '2028-02-29T12:00:00Z' }),
  golden('add?unix=0&days=-1&utc=true', { utc: '1969-12-31T00:00:00Z' }),
  golden('dst?tz=Europe/Berlin&unix=1767225600&next=true', {
    dst_active: false,
    next_transition: '2026-03-29T02:00:00+01:00',
  }),
  golden('dst?tz=Australia/Sydney&unix=1767225600', { dst_active: true }),
  golden('diff?from=iso=2024-02-28T00:00:00Z&to=iso=2024-03-01T00:00:00Z', { days: 2, direction: 'forward' }),
  golden(
    'diff?from=iso=2026-12-21T09:00:00Z&to=iso=2026-12-28T09:00:00Z&business_days=true&holiday_country=DE',
    { days: 7, business_days: 4 },
  ),
  golden('transitions?tz=Europe/Berlin&from=2026-01-01&to=2027-01-01', {
    'transitions.0.utc': '2026-03-29T01:00:00Z',
    'transitions.1.utc': '2026-10-25T01:00:00Z',
  }),
  golden('../timezone?tz=Asia/Calcutta&unix=0', { timezone: 'Asia/Kolkata', offset: 330, dst: false }),
  golden('../timezone?ip=8.8.8.8&unix=0', { status: 200, timezone: 'America/Los_Angeles' }),
  golden('../abbreviations?name=IST&unix=0', { 'candidates.0.name': 'Asia/Kolkata' }),
  golden('../holidays?country=US&year=2026', {
    'holidays.0.date': '2026-01-01',
    'holidays.1.date': '2026-01-19', // Martin Luther King Jr. Day
  }),
  golden('../holidays?country=DE&subdivision=BY&year=2026', { 'holidays.1.date': '2026-01-06' }),
  golden('../work/days?from=2026-12-24&to=2026-12-31&holiday_country=GB', {
    'days.1.kind': 'holiday',
    'days.4.kind': 'holiday', // for Boxing Day, a Saturday
  }),
  golden('../work/add?schedule=Mo-Fr 09:00-17:00&duration=PT8H&iso=2026-07-03T16:00&source_tz=UTC&tz=UTC', {
    utc: '2026-07-06T16:00:00Z',
  }),
  golden('../recurrence?cron=0 9 * * 1-5&tz=Europe/Berlin&from=2026-01-03&count=1', {
    'occurrences.0.utc': '2026-01-05T08:00:00Z',
  }),
];

/** A request by its path from `/v1/time/`. */
function golden(path: string, expected: GoldenRequest['expected']): GoldenRequest {
  return { path: `/v1/time/${path}`, expected };
}
