/** For each path, expensive requests: the most expensive values of its parameters, paths that end with a name, and bodies. */
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { CLOCK_PATH, CURRENT_PATH } from '../../src/clock/clock_config.ts';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { FREQUENCIES } from '../../src/schedules/recurrence_rule.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { randomNumbers } from '../support/property.ts';

/** Alternatives for one part of a query; '' leaves it out. */
type Part = readonly string[];

const random = randomNumbers();
const zones = openZonePack(readZonePack()).names();
const names = zones.filter(name => name.includes('/'));
const { countries } = decodeHolidayPack(readHolidayPack());
const codes = countries.flatMap(({ code, subdivisions }) => [
  code,
  ...subdivisions.map(part => `${code}-${part.code}`),
]);

const list = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join();
const any = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
const group = () => Math.floor(random() * 0x10000).toString(16);
const repeated = (directive: string) =>
  encodeURIComponent(directive.repeat(Math.floor(256 / directive.length)));

/** An unknown name that resembles many zones, as long as a list of a hundred allows. */
const misspelt = (index: number) =>
  `America/Argentina/Buenos_Airres${String.fromCharCode(97 + (index % 26))}${index}`;
const address = () => Array.from({ length: 8 }, group).join(':');

const FORMATS: Part = [
  '',
  ...[
    ...['%A', '%c', '%G', '%j', '%s', '%::z', '%r', '%D', '%F', '%^30c', '%0999A', '%_9N', '%x', '%Z', '%%'],
    ...['\u00e4', 'x'],
  ].map(directive => `format=${repeated(directive)}`),
  `lang=ru&format=${repeated('%^A')}`,
  `lang=dz&format=${repeated('%B')}`,
];
const DURATION_FORMATS: Part = [
  '',
  `format=${encodeURIComponent('%days '.repeat(500))}`,
  `format=${'%25x'.repeat(500)}`,
];
const STYLES: Part = STYLE_NAMES.map(style => `style=${style}`);
const DETAILS: Part = ['', 'details=true'];
const SIGNED: Part = ['', 'sign=true'];
const INSTANTS: Part = [
  '',
  'unix=1776274247',
  'unix=-8640000000000',
  'unix_ms=8640000000000000',
  'iso=2026-03-08T02:30&source_tz=America/New_York',
  'iso=9999-11-01T01:30:59.999999999&source_tz=Antarctica/Troll',
  'iso=2026-10-25T02:30:00.5[Europe/Amsterdam]',
  `iso=2026-10-25T02:30&source_tz=${misspelt(1)}`,
  'iso=2026-10-25T02:30&source_lat=60.1&source_lon=24.9',
];
const TARGETS: Part = [
  '',
  'tz=America/Argentina/ComodRivadavia',
  `tz=${misspelt(2)}`,
  `tz=${'Z'.repeat(3000)}`,
  'lat=60.39&lon=5.32',
  'lat=51.4406&lon=4.9300',
  'lat=-89.99&lon=179.99',
  `ip=${address()}`,
  ...['ip=2a02:2e0::1', 'offset=%2B00:00', 'offset=-23:59', 'auto_tz=true', 'place=San Antonio'],
  'place=Saan Frransisco, US',
];
const LISTS: Part = [
  ...TARGETS,
  `tz=${list(100, () => any(names))}`,
  `tz=${list(100, index => misspelt(index))}`,
  `tz=${list(100, index => `${misspelt(index).repeat(2)}`)}`,
  `ip=${list(100, address)}`,
  `ip=${list(100, index => `10.0.0.${index}`)}`,
  `offset=${list(100, index => `-${String(index % 24).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`)}`,
  `tz=${','.repeat(99)}`,
  `place=${Array.from({ length: 100 }, () => 'San Francisco').join(';')}`,
  `place=${Array.from({ length: 100 }, () => 'Saan Jose').join(';')}`,
];
const ENDS: Part = [
  ...['now', 'unix=-8640000000000', 'unix_ms=8640000000000000', 'iso=1970-01-01', 'iso=2100-12-31T23:59'],
  `tz=${misspelt(3)}`,
];
const EXTREME_ENDS: Part = [
  'from=iso=1970-01-01&to=iso=2100-12-31',
  'from=iso=1970-01-01T00:00&from_tz=Pacific/Apia&to=iso=2100-12-30T00:00&to_tz=Pacific/Kiritimati',
];
/** Placeholder for eight calendars. */
const CALENDARS = '{calendars}';
/** Placeholder for a time. */
const TIME = '{time}';
const BUSINESS_DAYS: Part = ['', `business_days=true&holiday_country=${CALENDARS}`];
const DAYS = list(31, day => `${day + 1}`);
const SCHEDULES: Part = [
  'schedule=Mo-Fr 09:00-17:30',
  // Close to the limit of 255 characters.
  `schedule=${['Jan', 'Mar'].map(month => `${month} ${DAYS}`).join()},May 1,2 ${TIME}-01:00; Mo off`,
  `schedule=${encodeURIComponent(`Mo 00:00-00:01${',00:02-00:01'.repeat(20)}`)}`,
  `schedule=${encodeURIComponent('Mo-Su 00:00-00:01,00:02-00:03,00:04-00:05,00:06-00:07,00:08-00:09; PH 10:00-11:00')}&holiday_country=${CALENDARS}`,
  'schedule=Dec 24 09:00-12:00',
];
const numbers = (count: number) => list(count, String);
/** Rules with the maximum number of times, positions and empty periods. */
const RULES: Part = FREQUENCIES.flatMap(frequency =>
  [
    `BYSECOND=${numbers(60)};BYMINUTE=${numbers(60)};BYHOUR=${numbers(24)}`,
    `BYSECOND=${numbers(60)};BYMINUTE=${numbers(60)};BYHOUR=${numbers(24)};BYSETPOS=-1,-2,-3,1,2,3`,
    `BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=${list(200, index => String(366 - index))}`,
    'BYMONTH=2;BYMONTHDAY=29;BYDAY=TU',
    'INTERVAL=9999;BYMONTH=2',
    'COUNT=100000',
  ].map(
    parts =>
      `rrule=${encodeURIComponent(`DTSTART;TZID=America/New_York:19700101T023000\nRRULE:FREQ=${frequency};${parts}`)}`,
  ),
);
/** More than a server keeps open at once. */
const RELEASES: Part = Array.from({ length: 10 }, (_, index) => `tzdata=${2016 + index}a`);
const YEARS: Part = ['from=1970-01-01&to=1979-12-31', 'from=2016-01-01&to=2025-12-31'];

/** Errors and parameters of every route. */
const COMMON: Part = [
  '',
  `strict=true&${'x'.repeat(60)}=1`,
  `strict=true&${'x'.repeat(8000)}=1`,
  Array.from({ length: 600 }, (_, index) => `unknown${index}=1`).join('&'),
  '&'.repeat(8000),
  '%C3%A4=%C3%A4&'.repeat(500),
  'tz=%FF&'.repeat(1000),
  'a&'.repeat(4000),
];

/** Parts by path; the queries are all combinations. */
const PARTS: Readonly<Record<string, readonly (readonly Part[])[]>> = {
  [CURRENT_PATH]: [
    [LISTS, FORMATS, DETAILS, SIGNED],
    [LISTS, RELEASES, DETAILS],
  ],
  '/v1/time/convert': [
    [LISTS, FORMATS, DETAILS, ['unix=1776274247', 'unix=-8640000000000']],
    [INSTANTS, TARGETS, DETAILS],
  ],
  '/v1/time/diff': [
    [ENDS.map(end => `from=${end}`), ENDS.map(end => `to=${end}`), DURATION_FORMATS],
    [EXTREME_ENDS, ['', 'largest_unit=year', 'largest_unit=second'], BUSINESS_DAYS, DETAILS],
  ],
  '/v1/time/add': [
    [
      ['business_days=30000', 'business_days=-9999&roll=modified_following', 'duration=P99Y11M52W9DT9H'],
      ['', `holiday_country=${CALENDARS}`],
      ['iso=1970-01-02', 'iso=2100-12-24&source_tz=Pacific/Apia&tz=Pacific/Apia'],
      DETAILS,
    ],
    [['days=1', 'days=99999999', 'seconds=1&minutes=1&hours=1'], INSTANTS, TARGETS],
    [['days=1'], FORMATS, DETAILS, SIGNED],
  ],
  '/v1/time/calendar': [
    [INSTANTS, TARGETS, DETAILS],
    [['week=true&tz=Europe/Paris'], FORMATS, SIGNED],
  ],
  '/v1/time/dst': [
    [TARGETS, ['', 'next=true'], FORMATS, DETAILS],
    [['next=true&details=true'], INSTANTS, TARGETS],
  ],
  '/v1/time/elapsed': [
    [INSTANTS, ['', 'compare_unix=8640000000000'], TARGETS],
    [['iso=1970-01-01&compare_iso=2100-12-31'], BUSINESS_DAYS, DETAILS],
    [['unix=0'], DURATION_FORMATS],
  ],
  '/v1/time/transitions': [
    [
      [...TARGETS, 'all=true', 'country=US', 'country=ZZ', `tz=${list(100, () => any(names))}`],
      ['', 'from=2024-01-01&to=2029-01-01', 'from=2096-01-01T00:00Z&to=2101-01-01T00:00Z'],
      DETAILS,
      SIGNED,
    ],
    [
      ['tz=Asia/Gaza', 'tz=Africa/Casablanca', 'tz=America/New_York', 'tz=Europe/Dublin'],
      [
        'from=1900-01-01&to=2100-01-01',
        'from=2000-01-01&to=2200-01-01',
        'from=%2B200000-01-01&to=%2B200200-01-01',
      ],
      DETAILS,
      SIGNED,
    ],
  ],
  '/v1/timezone': [
    [
      [...TARGETS, 'offset=%2B01:00', 'offset=%2B02:00', 'offset=-05:00', 'offset=%2B03:00'],
      INSTANTS.slice(0, 4),
      DETAILS,
      SIGNED,
    ],
  ],
  '/v1/timezones': [
    [['', 'country=US', 'country=ZZ'], INSTANTS, DETAILS, SIGNED],
    [[''], RELEASES, DETAILS],
  ],
  '/v1/abbreviations': [
    [
      ['LMT', 'EST', 'CST', 'IST', '%2B03', 'XYZ'].map(name => `name=${name}`),
      INSTANTS.slice(0, 4),
      DETAILS,
      SIGNED,
    ],
  ],
  '/v1/places': [
    [
      ['s', 'a', 'sa', 'san', 'lpea', 'olb', 'sanat', 's'.repeat(64), 'Saan Antonio', 'a'.repeat(64)].map(
        text => `q=${text}`,
      ),
      ['', 'limit=50'],
      DETAILS,
      SIGNED,
    ],
  ],
  '/v1/tzdata': [[DETAILS, SIGNED]],
  '/v1/tzdata/changes': [
    [
      ['2016a', '2016b', '2017a', '2018i', '2020a', '2023a'].map(from => `from=${from}`),
      ['2024a', '2025a', '2026c', '2026f'].map(to => `to=${to}`),
      ['', 'after=2030-01-01', 'tz=America/Sao_Paulo', `tz=${misspelt(4)}`],
      SIGNED,
    ],
  ],
  '/v1/holidays': [
    [['', 'country=ZZ', 'country=US', 'country=DE&subdivision=Q'], DETAILS, SIGNED],
    [codes.map(code => `country=${code}`), YEARS, ['lang=de&details=true&sign=true']],
  ],
  '/v1/time/current.txt': [[TARGETS]],
  '/v1/time/transitions.csv': [
    [
      [...TARGETS, 'all=true', 'country=US', 'tz=Asia/Gaza'],
      ['', 'from=2024-01-01&to=2029-01-01', 'from=1900-01-01&to=2100-01-01'],
      SIGNED,
    ],
  ],
  '/v1/timezone.ics': [[names.map(name => `tz=${name}`), SIGNED]],
  '/v1/timezones.csv': [[['', 'country=US'], INSTANTS, SIGNED]],
  '/v1/holidays.ics': [[codes.map(code => `country=${code}`), ['', 'lang=en'], SIGNED]],
  '/v1/holidays.csv': [[codes.map(code => `country=${code}`), YEARS, SIGNED]],
  '/v1/recurrence': [
    [
      ['cron=* * * * *', 'cron=0 0 29 2 1', 'cron=59 23 31 12 *'],
      ['count=1000'],
      ['tz=Europe/Paris', 'tz=America/New_York'],
      ['', `exclude_holidays=true&holiday_country=${CALENDARS}`],
      DETAILS,
    ],
    [RULES, ['count=1000'], ['', 'from=2026-01-01', `exclude_holidays=true&holiday_country=${CALENDARS}`]],
  ],
  '/v1/work/days': [
    [
      ['from=1970-01-01&to=1979-12-31', 'from=2016-01-01&to=2025-12-31'],
      [`holiday_country=${CALENDARS}`, 'holiday_country=IN-WB', ''],
      DETAILS,
      SIGNED,
    ],
  ],
  '/v1/work/status': [
    [SCHEDULES, INSTANTS, ['', 'tz=Europe/Paris', `tz=${list(100, () => any(names))}`], DETAILS],
  ],
  '/v1/work/add': [
    [SCHEDULES, ['duration=PT1H', 'duration=PT99999H', 'duration=-PT99999H'], INSTANTS.slice(0, 4), DETAILS],
  ],
  '/v1/work/diff': [
    [
      SCHEDULES,
      ['from=iso=1800-01-01&to=iso=2199-12-31', ...EXTREME_ENDS],
      ['tz=Europe/Paris', 'tz=Africa/Casablanca'],
      DETAILS,
    ],
  ],
  [CLOCK_PATH]: [
    [STYLES, ['', ...FORMATS], ['', 'unix=0&tz=America/New_York']],
    [['style=x', `style=${'x'.repeat(4000)}`]],
  ],
  '/v1/time/clock.svg': [
    [
      STYLES,
      TARGETS,
      ['', 'size=999rem&date=true&hour12=true&lang=ru'],
      ['', 'unix=0&countdown_to=2030-01-01'],
    ],
  ],
  '/embed/clock': [[STYLES, TARGETS, ['', 'size=999rem&date=true&hour12=true&lang=ru']]],
  '/embed/board': [
    [
      STYLES,
      [
        `tz=${list(12, () => any(names))}`,
        `tz=${list(12, misspelt)}`,
        `place=${Array.from({ length: 12 }, () => 'Saan Jose').join(';')}`,
      ],
      ['', 'size=999rem&date=true&hour12=true&lang=ru'],
    ],
  ],
  '/oembed': [
    [
      ['', 'https://example.org/', '/embed/clock?style=analog-station&tz=Europe/Paris', 'x'.repeat(4000)].map(
        url => `url=${encodeURIComponent(url)}`,
      ),
      ['', 'maxwidth=1&maxheight=9999', 'format=xml'],
    ],
  ],
  ...withoutParts('/.well-known/time-api-public-key', '/', '/docs', '/clocks'),
  '/find': [
    [
      ['q=Bavaria', `q=${'Texas;'.repeat(60)}`, `q=${'a,'.repeat(200)}`],
      ['', 'date=2026-12-01'],
    ],
    [['q=48.8566,2.3522']],
  ],
  ...withoutParts('/openapi.json', '/healthz', '/readyz'),
};

function withoutParts(...paths: readonly string[]) {
  return Object.fromEntries(paths.map(path => [path, []]));
}

function* combinations([first, ...rest]: readonly Part[]): Generator<string> {
  if (first === undefined) return yield '';
  for (const value of first) {
    for (const others of combinations(rest)) yield [value, others].filter(Boolean).join('&');
  }
}

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

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const plan = (places: readonly string[], rest = '') =>
  `/planner?${places.map(place => `place=${encodeURIComponent(place)}`).join('&')}${rest}`;
const CITIES = [
  ...['Paris', 'Tromsø', 'San Jose', 'Springfield', 'Saan Frransisco', 'Lodnon', 'Kolkata', 'Singapore'],
  ...['Sydney', 'Los Angeles'],
];

const targets = (...all: readonly string[]): CostlyRequest[] => all.map(target => ({ target }));
const below = (path: string, ...names: readonly string[]) => targets(...names.map(name => path + name));
const countryCodes = countries.map(({ code }) => code);

/** Paths whose requests consist of more than a query. */
const REQUESTS: Readonly<Record<string, () => readonly CostlyRequest[]>> = {
  '/zone/*': () =>
    below('/zone/', ...zones, 'America/Argentina/Buenos_Airres', 'x'.repeat(4000), '%C3%A4'.repeat(1000)),
  '/planner': () =>
    targets(
      plan(CITIES),
      plan(CITIES, '&date=2026-03-29&length=15'),
      plan(CITIES, '&date=2099-12-30&length=180&from=00:00&to=23:59'),
      plan(Array.from({ length: 10 }, (_, index) => zones[index * 40]!)),
      plan(Array.from({ length: 10 }, (_, index) => `Saan Frransisco ${index}`)),
      plan(Array.from({ length: 10 }, (_, index) => 's'.repeat(80 - index))),
      plan(times(500, 'San Antonio')),
      `/planner?${'place=%FF&'.repeat(800)}`,
    ),
  '/map': () => targets('/map'),
  '/api/timezone': () => targets('/api/timezone', '/api/timezone.txt'),
  '/api/timezone/*': () => below('/api/timezone/', ...zones),
  '/api/ip/*': () => below('/api/ip/', '1.2.3.4', '2a02:2e0::1', '10.0.0.1', 'x'.repeat(4000)),
  '/api/v3/AvailableCountries': () => targets('/api/v3/AvailableCountries'),
  '/api/v3/PublicHolidays/*': () =>
    [1970, 2026, 2100].flatMap(year => below(`/api/v3/PublicHolidays/${year}/`, ...countryCodes)),
  '/api/v3/NextPublicHolidays/*': () => below('/api/v3/NextPublicHolidays/', ...countryCodes),
  '/api/v3/IsTodayPublicHoliday/*': () => below('/api/v3/IsTodayPublicHoliday/', ...countryCodes),
  '/v1/batch': () => batches().map(body => ({ target: '/v1/batch', body })),
  '/mcp': () => messages().map(body => ({ target: '/mcp', body })),
  '/nothing': () =>
    ['text/html', 'application/json'].flatMap(accept =>
      targets('/nothing', `/${'x'.repeat(8000)}`, `/v1/${'%C3%A4'.repeat(1000)}`).map(request => ({
        ...request,
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

const CLIENT = { name: 'a', version: '1' };

function messages(): string[] {
  const message = (method: string, params?: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const call = (name: string, given: unknown) => message('tools/call', { name, arguments: given });
  return [
    message('tools/list'),
    message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT }),
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
export const COSTLY_PATHS: readonly string[] = [...Object.keys(PARTS), ...Object.keys(REQUESTS)];

/** Requests to a path. */
export function* costlyRequests(path: string): Generator<CostlyRequest> {
  const listed = REQUESTS[path];
  if (listed !== undefined) return yield* listed();
  const queries = [COMMON, ...PARTS[path]!.map(combinations)];
  for (const some of queries) for (const query of some) yield { target: `${path}?${query}` };
}

let [nextNumber, nextCalendar, nextMinute] = [0, 0, 0];

/** The request to send, in a form that no cache has. */
export function concreteRequest({ target, body, accept = '*/*' }: CostlyRequest): Request {
  const url = `http://localhost${concrete(target)}${target.includes('?') ? '&' : '?'}_=${nextNumber++}`;
  if (body === undefined) return new Request(url, { headers: { Accept: accept } });
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return new Request(url, { method: 'POST', headers, body: concrete(body) });
}

/** With eight calendars and a schedule that are not cached because others have evicted them. */
function concrete(text: string): string {
  return text
    .replace(CALENDARS, () => list(8, () => codes[nextCalendar++ % codes.length]!))
    .replace(TIME, () => `23:${String(nextMinute++ % 60).padStart(2, '0')}`)
    .replaceAll(UNIQUE, () => String(nextNumber++));
}
