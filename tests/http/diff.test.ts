import { describe, expect, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { expectAll, expectBodies, expectEach, expectErrors, messageOf } from '../support/responses.ts';
import { NOW_MS, send, testServer } from '../support/service.ts';

const DIFF = '/v1/time/diff?';

async function diff(query: string) {
  return (await send(DIFF + query)).body;
}

/** The instants of both ends of a `diff` in milliseconds, or the error. */
async function ends(query: string): Promise<[number, number] | string> {
  const body = await diff(query);
  return body.error === undefined ? [body.from.unix_ms, body.to.unix_ms] : body.error.code;
}

test('a difference has totals in each unit, words, a direction and both instants', async () => {
  expect(await diff('from=iso=2026-04-01T00:00:00Z&to=iso=2026-04-02T01:03:00.999Z')).toEqual({
    seconds: 90180,
    minutes: 1503,
    hours: 25,
    days: 1,
    direction: 'forward',
    human: '1 day, 1 hour, 3 minutes',
    from: { unix_ms: Date.UTC(2026, 3, 1) },
    to: { unix_ms: Date.UTC(2026, 3, 2, 1, 3, 0, 999) },
  });
});

test('magnitudes are absolute; the sign is in direction', async () => {
  const forward = await diff('from=unix=0&to=unix=90061');
  const backward = { direction: 'backward', from: forward.to, to: forward.from };
  expect(await diff('from=unix=90061&to=unix=0')).toEqual({ ...forward, ...backward });
  await expectBodies(DIFF, {
    'from=now&to=now': { direction: 'same', seconds: 0, human: '0 seconds' },
    'from=unix_ms=0&to=unix_ms=1': { direction: 'forward', seconds: 0 },
    'from=unix_ms=-1&to=unix_ms=-1000': { direction: 'backward', seconds: 0 },
  });
});

test('every unit is exact across the whole range', () =>
  expectBodies(DIFF, {
    'from=unix_ms=-8640000000000000&to=unix_ms=8640000000000000': {
      seconds: 17_280_000_000_000,
      days: 200_000_000,
    },
    'from=unix_ms=-8639999999999999&to=unix_ms=8640000000000000': { seconds: 17_279_999_999_999 },
  }));

describe('specifiers', () => {
  test('now, unix, unix_ms and iso are instants; tz and offset are the current time, whatever the place', () =>
    expectEach(ends, {
      'from=now&to=unix=-1': [NOW_MS, -1000],
      'from=unix_ms=-1&to=iso=1970-01-01': [-1, 0],
      'from=iso=2026-04-16T09:00:00+05:30&to=unix=%2B7': [Date.UTC(2026, 3, 16, 3, 30), 7000],
      'from=iso%3D1970-01-01T00%3A00Z&to=now': [0, NOW_MS],
      'from=tz=Asia/Tokyo&to=offset=-05:00': [NOW_MS, NOW_MS],
      'from=tz=us/eastern&to=offset=%2B05:30': [NOW_MS, NOW_MS],
    }));

  test('the error for a missing end names it', async () => {
    expect(await messageOf(`${DIFF}to=now`)).toStartWith("Cannot read 'from': it is missing");
    expect(await messageOf(`${DIFF}from=now`)).toStartWith("Cannot read 'to': it is missing");
  });

  const MALFORMED = [
    ...['', 'Now', ' now', 'now%20', 'now=', 'unix', 'unix=', 'unix=1.5', 'unix=1e3', 'unix==1'],
    ...[
      'UNIX=1',
      '0',
      '2026-04-01',
      'iso=',
      'iso=2026-13-01',
      'iso=junk',
      'tz=',
      'tz=Mars/Olympus',
      'tz=UTC,UTC',
    ],
    ...['tz=+05:30', 'offset=5', 'offset=Z', 'offset=%2B05:30,%2B06:00', 'ip=', 'ip=1.2.3'],
    ...['ip=1.1.1.1,8.8.8.8', 'ip=127.0.0.1', 'utc=true', 'lat=1', 'toString=1', '=1', '='],
    ...[
      'unix=8640000000001',
      'unix_ms=-8640000000000001',
      'iso=%2B275760-09-13T00:00:00.001Z',
      'compare_unix=1',
    ],
  ];
  test('malformed ones are rejected on either end, as are ends given twice or not at all', async () => {
    const queries = MALFORMED.flatMap(each => [`from=${each}&to=now`, `from=now&to=${each}`]);
    const more = ['', 'from=now&from=now&to=now'];
    await expectErrors(DIFF, { '400 INVALID_PARAMETER': [...queries, ...more] });
  });
});

describe('hints', () => {
  const instant = Date.parse('2026-04-15T17:30:47Z');
  const local = 'iso=2026-04-15T13:30:47';

  for (const [end, other] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    test(`${end}_tz, ${end}_offset and brackets place a local ${end}`, () => {
      const endsOf = async (query: string) => {
        const body = await diff(`${query}&${other}=unix=0`);
        return [body[end]?.unix_ms, body[other]?.unix_ms];
      };
      const hints = [`&${end}_tz=America/New_York`, `&${end}_offset=-04:00`, '[America/New_York]', '-04:00'];
      const inUtc = `${end}=iso=2026-04-15T17:30:47`;
      return expectAll(endsOf, [instant, 0], [...hints.map(hint => `${end}=${local}${hint}`), inUtc]);
    });

    test(`a hint for ${end} is rejected with an offset, without a local iso, and by half`, async () => {
      const values = ['iso=2026-04-15T13:30:47Z', 'iso=2026-04-15T13:30:47-04:00', 'now', 'unix=0', 'tz=UTC'];
      const hints = ['tz=UTC', 'offset=-04:00', 'ip=8.8.8.8', 'lat=1', `lat=1&${end}_lon=2`];
      await expectErrors(`${DIFF}${other}=now&`, {
        '400 INVALID_PARAMETER': [
          ...values.flatMap(value => hints.map(hint => `${end}=${value}&${end}_${hint}`)),
          `${end}=${local}&${other}_tz=UTC`,
          ...['lat', 'lon'].map(half => `${end}=${local}&${end}_${half}=1`),
        ],
      });
    });

    test(`two hints for ${end}, or one with brackets, are ambiguous`, () =>
      expectErrors(DIFF, {
        '400 AMBIGUOUS_TARGET': [
          `${end}=${local}&${end}_tz=UTC&${end}_offset=-04:00&${other}=now`,
          `${end}=${local}[UTC]&${end}_tz=UTC&${other}=now`,
          `${end}=junk&${end}_tz=UTC&${end}_ip=::1&${other}=junk`,
        ],
      }));
  }

  test('each end takes its own hint; addresses and coordinates also specify the current time', async () => {
    await expectBodies(DIFF, {
      // MaxMind's test data has 2001:218:: in Tokyo, and 89.160.20.112 in Stockholm.
      'from=iso=2026-07-01T09:00&from_ip=2001:218::&to=iso=2026-07-01T00:00Z': { direction: 'same' },
      'from=iso=2026-07-01T09:00&from_lat=35.68&from_lon=139.69&to=iso=2026-07-01T00:00Z': {
        direction: 'same',
      },
      'from=iso=2026-07-01T00:00Z&to=iso=2026-07-01T02:00&to_ip=89.160.20.112': { direction: 'same' },
      'from=iso=2026-07-01T09:00&from_tz=Europe/Paris&to=iso=2026-07-01T09:00&to_tz=Asia/Tokyo': {
        direction: 'backward',
        hours: 7,
        human: '7 hours',
      },
      // A skipped local time moves forward by the gap.
      'from=iso=2026-03-08T02:30&from_tz=America/New_York&to=iso=2026-03-08T03:30-04:00': {
        direction: 'same',
      },
    });
    expect(await ends('from=ip=2001:218::&to=ip=89.160.20.112')).toEqual([NOW_MS, NOW_MS]);
  });

  test('disambiguation applies to both ends', async () => {
    const repeated = (end: string) => `${end}=iso=2026-11-01T01:30&${end}_tz=America/New_York`;
    const both = `${repeated('from')}&${repeated('to')}`;
    expect(await ends(`${both}&disambiguation=later`)).toEqual([1793514600000, 1793514600000]);
    expect(await ends(both)).toEqual([1793511000000, 1793511000000]);
    await expectErrors(DIFF, {
      '400 INVALID_TIMESTAMP': [`${both}&disambiguation=reject`],
      '400 INVALID_PARAMETER': ['from=now&to=now&disambiguation=both'],
    });
  });
});

describe('the duration template', () => {
  const formatted = async (format: string) =>
    (await diff(`from=unix=0&to=unix=90183&format=${encodeURIComponent(format)}`)).formatted;

  test('each token is the remainder after the larger ones present; the largest has the total', () =>
    expectEach(formatted, {
      '%days days, %hours:%minutes:%seconds': '1 days, 1:3:3',
      '%seconds after %days': '3783 after 1',
    }));

  test('formats the magnitude, in either direction', async () => {
    expect((await diff('from=unix=7200&to=unix=0&format=%25hours')).formatted).toBe('2');
  });

  test('malformed ones are rejected', () =>
    expectErrors(`${DIFF}from=now&to=now&format=`, { '400 INVALID_PARAMETER': ['%25H', ''] }));

  test('an unescaped %days looks like a percent-escape: the message says how to write it', async () => {
    expect(await messageOf(`${DIFF}from=now&to=now&format=%days`)).toContain('%25');
    expect((await diff('from=unix=0&to=unix=3600&format=%hours')).formatted).toBe('1');
  });
});

/** What an error is about. */
const firstOf = async (path: string) => (await messageOf(path)).split(':')[0];

test('errors are reported in parameter order, after ambiguity', async () => {
  const rest = 'format=%25&holiday_country=x&holiday_subdivision=x';
  const ends = 'from=iso=2026-01-01&to=iso=2026-01-01';
  await expectEach(query => firstOf(DIFF + query), {
    [`from=x&to=x&from_tz=x&to_tz=x&${rest}`]: "Cannot read 'from'",
    [`from=iso=2026-01-01&to=x&from_tz=x&to_tz=x&${rest}`]: "Cannot read 'to'",
    [`${ends}&from_tz=x&to_tz=x&${rest}`]: "Cannot read 'from_tz'",
    [`${ends}&from_tz=UTC&to_tz=x&${rest}`]: "Cannot read 'to_tz'",
    [`${ends}&from_tz=UTC&to_tz=UTC&${rest}`]: "Cannot read 'format'",
    [`${ends}&from_tz=UTC&to_tz=UTC&holiday_country=x&holiday_subdivision=x`]:
      "Cannot read 'holiday_country'",
  });
  const ambiguous = `from=x&to=x&from_tz=x&to_tz=x&${rest}&from_offset=x`;
  await expectErrors(DIFF, { '400 AMBIGUOUS_TARGET': [ambiguous] });
});

/** The duration of `diff` in calendar units. */
const durationOf = async (query: string) => (await diff(query)).duration;

test('largest_unit adds the duration in calendar units, and as ISO 8601', async () => {
  const { calendar, duration, days } = await diff(
    'from=iso=1990-05-17&to=iso=2026-04-15T13:30:47&largest_unit=year',
  );
  expect(calendar).toEqual({ years: 35, months: 10, days: 29, hours: 13, minutes: 30, seconds: 47 });
  expect([duration, days]).toEqual(['P35Y10M29DT13H30M47S', 13_117]);
});

test('weeks appear only with week as the largest unit', () => {
  const ends = 'from=iso=2025-01-31T00:00:00&to=iso=2026-04-09T01:00:01.999';
  return expectEach(async unit => (await diff(`${ends}&largest_unit=${unit}`)).calendar, {
    year: { years: 1, months: 2, days: 9, hours: 1, minutes: 0, seconds: 1 },
    month: { months: 14, days: 9, hours: 1, minutes: 0, seconds: 1 },
    week: { weeks: 61, days: 6, hours: 1, minutes: 0, seconds: 1 },
    day: { days: 433, hours: 1, minutes: 0, seconds: 1 },
    hour: { hours: 10_393, minutes: 0, seconds: 1 },
    minute: { minutes: 623_580, seconds: 1 },
    second: { seconds: 37_414_801 },
  });
});

test('calendar units are computed in the zone of `from`', () =>
  expectEach(query => durationOf(`largest_unit=month&${query}`), {
    // The day of the clock change has 23 hours.
    'from=iso=2026-03-28T12:00&to=iso=2026-03-29T12:00&from_tz=Europe/Berlin&to_tz=Europe/Berlin': 'P1D',
    'from=iso=2026-03-28T12:00&to=iso=2026-03-29T12:00': 'P1D',
    'from=iso=2026-03-28T12:00Z[Europe/Berlin]&to=iso=2026-03-29T11:00Z': 'P1D',
    'from=iso=2026-03-28T12:00Z&to=iso=2026-03-29T11:00Z[Europe/Berlin]': 'PT23H',
    // Midnight in Tokyo is 15:00 in UTC.
    'from=iso=2026-01-31T15:00Z[Asia/Tokyo]&to=iso=2026-02-28T15:00Z': 'P1M',
    'from=iso=2026-01-31T15:00Z&to=iso=2026-02-28T15:00Z': 'P28D',
  }));

test('a duration is absolute: the sign is in direction, and calendar units count from `from`', async () => {
  await expectEach(durationOf, {
    'from=iso=2026-03-31&to=iso=2026-02-28&largest_unit=month': 'P1M',
    'from=iso=2026-02-28&to=iso=2026-03-31&largest_unit=month': 'P1M3D',
    'from=iso=2024-02-29&to=iso=2023-02-28&largest_unit=year': 'P1Y',
    'from=iso=2023-02-28&to=iso=2024-02-29&largest_unit=year': 'P1Y1D',
    'from=iso=2026-03-31&to=iso=2026-03-31&largest_unit=year': 'PT0S',
  });
  const { direction } = await diff('from=iso=2026-03-31&to=iso=2026-02-28&largest_unit=month');
  expect(direction).toBe('backward');
});

test('every calendar unit is exact at the limits of the range', async () => {
  const limits = 'from=unix_ms=-8640000000000000&to=unix_ms=8640000000000000';
  expect(await durationOf(`${limits}&largest_unit=year`)).toBe('P547581Y4M24D');
  expect(await durationOf(`${limits}&largest_unit=second`)).toBe('PT17280000000000S');
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT%2B12', 'Africa/Casablanca']) {
    const [first, last] = [`iso=-271821-04-20T00:00Z[${zone}]`, 'unix=8640000000000'];
    for (const ends of [`from=${first}&to=${last}`, `from=${last}&to=${first}`]) {
      expect((await diff(`${ends}&largest_unit=year`)).calendar.years).toBe(547_581);
    }
  }
});

const ELAPSED = '/v1/time/elapsed?';

async function elapsed(query: string) {
  return (await send(ELAPSED + query)).body;
}

test("elapsed uses the zone of its business days: the hint's, else the target's", () => {
  const march = 'compare_iso=2026-03-29T10:00Z&largest_unit=day';
  return expectEach(async query => (await elapsed(query)).duration, {
    [`iso=2026-03-28T12:00&source_tz=Europe/Berlin&${march}`]: 'P1D',
    [`iso=2026-03-28T11:00Z&${march}`]: 'PT23H',
    'iso=2026-03-16T01:00Z&tz=America/New_York&largest_unit=month': 'P30DT16H30M47S',
    'iso=2026-06-15T17:30:47Z&largest_unit=month': 'P1M29DT23H59M59S',
  });
});

test('an unknown unit is an error', async () => {
  await expectErrors(ELAPSED, { '400 INVALID_PARAMETER': ['unix=0&largest_unit=years'] });
  expect(await messageOf(`${DIFF}from=iso=2026-01-01&to=iso=2026-01-02&largest_unit=Year`)).toBe(
    "Cannot read 'largest_unit': 'Year' is not 'year', 'month', 'week', 'day', 'hour', 'minute' or 'second'",
  );
});
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

test('a future reference has time left, and the present passed 0 seconds ago', () =>
  expectBodies(`${ELAPSED}unix_ms=`, {
    [NOW_MS + 3_600_000]: { seconds: 3600, human: '1 hour left', direction: 'left' },
    [NOW_MS + 1]: { human: '0 seconds left', direction: 'left' },
    [NOW_MS]: { seconds: 0, human: '0 seconds ago', direction: 'passed' },
  }));

test('exactly one valid timestamp is required, and at most one comparison', () => {
  const two = ['unix=0&unix_ms=0', 'unix=0&iso=2026-01-01', 'unix_ms=0&iso=2026-01-01'];
  const compared = two.map(query => `unix=0&${query.replaceAll(/unix_ms|unix|iso/g, 'compare_$&')}`);
  const invalid = ['unix=1.5', 'unix=', 'unix_ms=1e3', 'iso=junk', 'iso=2026-02-29', 'unix=8640000000001'];
  return expectErrors(ELAPSED, {
    '400 INVALID_TIMESTAMP': ['', 'compare_unix=0', 'tz=Europe/Paris'],
    '400 AMBIGUOUS_TARGET': ['tz=Europe/Paris&compare_unix=0', ...two, ...compared],
    '400 INVALID_PARAMETER': invalid.flatMap(query => [query, `unix=0&compare_${query}`]),
  });
});

describe('the comparison instant', () => {
  test('is compare_unix, compare_unix_ms or compare_iso instead of now', async () => {
    await expectAll(async query => (await elapsed(`unix=0&${query}`)).seconds, 3600, [
      ...['compare_unix=3600', 'compare_unix_ms=3600000', 'compare_iso=1970-01-01T01:00Z'],
      ...['compare_iso=1970-01-01T01:00', 'compare_iso=1970-01-01T02:00&compare_source_tz=Europe/Paris'],
      'compare_iso=1970-01-01T06:30&compare_source_offset=%2B05:30',
      ...['compare_iso=1970-01-01T06:30+05:30', 'compare_iso=1970-01-01T02:00[Europe/Paris]'],
    ]);
    const left = { direction: 'left', human: '1 hour left' };
    await expectBodies(ELAPSED, { 'unix=0&compare_unix=-3600': left });
  });

  test('is now for a selector, whatever its place', () => {
    const selectors = ['', '&tz=Asia/Tokyo', '&offset=-05:00', '&ip=2001:218::', '&lat=35.68&lon=139.69'];
    return expectAll(async query => (await elapsed(`unix=0${query}`)).seconds, 1776274247, selectors);
  });

  test('takes one selector, and none with a comparison', () => {
    const places = ['tz=Asia/Tokyo', 'offset=-05:00', 'ip=8.8.8.8', 'lat=1&lon=2', 'lat=1'];
    const selectors = [...places, 'auto_tz=true'];
    const comparisons = ['compare_unix=0', 'compare_unix_ms=0', 'compare_iso=2026-01-01', 'compare_iso='];
    return expectErrors(`${ELAPSED}unix=0&`, {
      '400 AMBIGUOUS_TARGET': [
        ...selectors.flatMap(selector => comparisons.map(comparison => `${selector}&${comparison}`)),
        ...['tz=UTC&offset=-05:00', 'auto_tz=true&tz=UTC'],
      ],
      '400 INVALID_PARAMETER': ['tz=Mars/Olympus', 'auto_tz=true'],
    });
  });

  test("is now at the client's place", async () => {
    const caller = createApp(testServer(), { peerOf: () => '2001:218::1' });
    const expected = { 'iso=2026-04-12T15:00Z': { seconds: 268247, business_days: 3 } };
    await expectBodies(`${ELAPSED}auto_tz=true&business_days=true&`, expected, caller);
  });
});

describe('hints of elapsed', () => {
  test('place a local reference', () =>
    expectAll(async query => (await elapsed(query)).seconds, 3600, [
      'iso=2026-04-15T12:30:47&source_tz=America/New_York',
      'iso=2026-04-15T12:30:47&source_offset=-04:00',
      'iso=2026-04-15T16:30:47',
    ]));

  test.each([
    ['', ''],
    ['compare_', 'unix=0&'],
  ])(
    'with the prefix %p are rejected with an offset, without a local iso, and with another',
    (prefix, base) =>
      expectErrors(`${ELAPSED}${base}${prefix}`, {
        '400 INVALID_PARAMETER': [
          `iso=2026-04-15T13:30:47Z&${prefix}source_tz=UTC`,
          `iso=2026-04-15T13:30:47-04:00&${prefix}source_offset=-04:00`,
          `unix=0&${prefix}source_tz=UTC`,
          `unix_ms=0&${prefix}source_offset=-04:00`,
          `iso=2026-04-15&${prefix}source_tz=Mars/Olympus`,
          `iso=2026-04-15&${prefix}source_lat=1`,
        ],
        '400 AMBIGUOUS_TARGET': [
          `iso=2026-04-15&${prefix}source_tz=UTC&${prefix}source_offset=-04:00`,
          `iso=2026-04-15[UTC]&${prefix}source_tz=UTC`,
        ],
      }),
  );

  test('are disambiguated in both timestamps', async () => {
    const hinted = 'iso=2026-11-01T01:30&source_tz=America/New_York&compare_iso=2026-11-01T06:30Z';
    await expectBodies(ELAPSED, {
      [hinted]: { seconds: 3600 },
      [`${hinted}&disambiguation=later`]: { seconds: 0 },
    });
    await expectErrors(`${ELAPSED}unix=0&`, {
      '400 INVALID_PARAMETER': ['compare_source_tz=UTC'],
      '400 INVALID_TIMESTAMP': [
        'compare_iso=2026-11-01T01:30&compare_source_tz=America/New_York&disambiguation=reject',
      ],
    });
  });
});

test('the format of elapsed is a duration template', async () => {
  expect((await elapsed('unix=0&compare_unix=90061&format=%25days+d+%25hours+h')).formatted).toBe('1 d 1 h');
  await expectErrors(ELAPSED, { '400 INVALID_PARAMETER': ['unix=0&format=%25Y'] });
});

test('errors of elapsed are reported in parameter order, after ambiguity', async () => {
  await expectEach(query => firstOf(ELAPSED + query), {
    'unix=x&compare_unix=x&format=%25': "Cannot read 'unix'",
    'unix=0&compare_unix=x&format=%25': "Cannot read 'compare_unix'",
    'unix=0&tz=x&format=%25&holiday_country=x': "Cannot read 'tz'",
    'unix=0&tz=UTC&format=%25&holiday_country=x': "Cannot read 'format'",
    'unix=0&holiday_country=x': "Cannot read 'holiday_country'",
  });
  const ambiguous = 'unix=x&tz=x&format=%25&holiday_country=x&offset=x';
  await expectErrors(ELAPSED, { '400 AMBIGUOUS_TARGET': [ambiguous] });
});
