import { describe, expect, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { errorOf, NOW_MS, send, testServer } from '../support/service.ts';

const DIFF = '/v1/time/diff';

async function diff(query: string) {
  return (await send(`${DIFF}?${query}`)).body;
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
  const backward = await diff('from=unix=90061&to=unix=0');
  expect(backward).toEqual({
    ...forward,
    direction: 'backward',
    from: forward.to,
    to: forward.from,
  });
  expect(await diff('from=now&to=now')).toMatchObject({ direction: 'same', seconds: 0, human: '0 seconds' });
  expect(await diff('from=unix_ms=0&to=unix_ms=1')).toMatchObject({ direction: 'forward', seconds: 0 });
  expect(await diff('from=unix_ms=-1&to=unix_ms=-1000')).toMatchObject({ direction: 'backward', seconds: 0 });
});

test('every unit is exact across the whole range', async () => {
  const { seconds, days } = await diff('from=unix_ms=-8640000000000000&to=unix_ms=8640000000000000');
  expect({ seconds, days }).toEqual({ seconds: 17_280_000_000_000, days: 200_000_000 });
  const short = await diff('from=unix_ms=-8639999999999999&to=unix_ms=8640000000000000');
  expect(short.seconds).toBe(17_279_999_999_999);
});

describe('specifiers', () => {
  test('now, unix, unix_ms and iso are instants', async () => {
    expect(await ends('from=now&to=unix=-1')).toEqual([NOW_MS, -1000]);
    expect(await ends('from=unix_ms=-1&to=iso=1970-01-01')).toEqual([-1, 0]);
    expect(await ends('from=iso=2026-04-16T09:00:00+05:30&to=unix=%2B7')).toEqual([
      Date.UTC(2026, 3, 16, 3, 30),
      7000,
    ]);
    expect(await ends('from=iso%3D1970-01-01T00%3A00Z&to=now')).toEqual([0, NOW_MS]);
  });

  test('tz and offset are the current time, whatever the place', async () => {
    expect(await ends('from=tz=Asia/Tokyo&to=offset=-05:00')).toEqual([NOW_MS, NOW_MS]);
    expect(await ends('from=tz=us/eastern&to=offset=%2B05:30')).toEqual([NOW_MS, NOW_MS]);
  });

  test('the error for a missing end names it', async () => {
    expect(await errorOf(DIFF)).toBe('400 INVALID_PARAMETER');
    expect((await diff('to=now')).error.message).toStartWith("Cannot read 'from': it is missing");
    expect((await diff('from=now')).error.message).toStartWith("Cannot read 'to': it is missing");
  });

  test.each([
    ...[
      ...['', 'Now', ' now', 'now%20', 'now=', 'unix', 'unix=', 'unix=1.5', 'unix=1e3', 'unix==1', 'UNIX=1'],
      ...['0', '2026-04-01'],
    ],
    ...[
      ...['iso=', 'iso=2026-13-01', 'iso=junk', 'tz=', 'tz=Mars/Olympus', 'tz=UTC,UTC', 'tz=+05:30'],
      ...['offset=5', 'offset=Z'],
    ],
    ...[
      ...['offset=%2B05:30,%2B06:00', 'ip=', 'ip=1.2.3', 'ip=1.1.1.1,8.8.8.8', 'utc=true', 'lat=1'],
      ...['toString=1', '=1', '='],
    ],
    ...[
      'unix=8640000000001',
      'unix_ms=-8640000000000001',
      'iso=%2B275760-09-13T00:00:00.001Z',
      'compare_unix=1',
    ],
  ])('%p is malformed on either end', async specifier => {
    expect(await errorOf(`${DIFF}?from=${specifier}&to=now`)).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`${DIFF}?from=now&to=${specifier}`)).toBe('400 INVALID_PARAMETER');
  });

  test('an end given twice is rejected', async () => {
    expect(await errorOf(`${DIFF}?from=now&from=now&to=now`)).toBe('400 INVALID_PARAMETER');
  });
});

describe('hints', () => {
  const instant = Date.parse('2026-04-15T17:30:47Z');
  const local = 'iso=2026-04-15T13:30:47';

  for (const [end, other] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    test(`${end}_tz, ${end}_offset and brackets place a local ${end}`, async () => {
      for (const query of [
        `${end}=${local}&${end}_tz=America/New_York`,
        `${end}=${local}&${end}_offset=-04:00`,
        `${end}=${local}[America/New_York]`,
        `${end}=${local}-04:00`,
        `${end}=iso=2026-04-15T17:30:47`,
      ]) {
        const body = await diff(`${query}&${other}=unix=0`);
        expect([query, body[end]?.unix_ms, body[other]?.unix_ms]).toEqual([query, instant, 0]);
      }
    });

    test(`a hint for ${end} is rejected with an offset, and without a local iso`, async () => {
      for (const value of [
        ...['iso=2026-04-15T13:30:47Z', 'iso=2026-04-15T13:30:47-04:00', 'now', 'unix=0', 'tz=UTC'],
      ]) {
        for (const hint of [
          'tz=UTC',
          'offset=-04:00',
          'ip=8.8.8.8',
          'lat=1',
          'lat=1&lon=2'.replace('&', `&${end}_`),
        ]) {
          const path = `${DIFF}?${end}=${value}&${end}_${hint}&${other}=now`;
          expect([path, await errorOf(path)]).toEqual([path, '400 INVALID_PARAMETER']);
        }
      }
      expect(await errorOf(`${DIFF}?${end}=${local}&${other}=now&${other}_tz=UTC`)).toBe(
        '400 INVALID_PARAMETER',
      );
    });

    test(`two hints for ${end}, or one with brackets, are ambiguous`, async () => {
      for (const query of [
        `${end}=${local}&${end}_tz=UTC&${end}_offset=-04:00`,
        `${end}=${local}[UTC]&${end}_tz=UTC`,
      ]) {
        expect(await errorOf(`${DIFF}?${query}&${other}=now`)).toBe('400 AMBIGUOUS_TARGET');
      }
      expect(await errorOf(`${DIFF}?${end}=junk&${end}_tz=UTC&${end}_ip=::1&${other}=junk`)).toBe(
        '400 AMBIGUOUS_TARGET',
      );
    });

    test(`half a pair of coordinates for ${end} is rejected`, async () => {
      expect(await errorOf(`${DIFF}?${end}=${local}&${end}_lat=1&${other}=now`)).toBe(
        '400 INVALID_PARAMETER',
      );
      expect(await errorOf(`${DIFF}?${end}=${local}&${end}_lon=1&${other}=now`)).toBe(
        '400 INVALID_PARAMETER',
      );
    });
  }

  test('addresses and coordinates place a local end, and specify the current time', async () => {
    // MaxMind's test data has 2001:218:: in Tokyo, and 89.160.20.112 in Stockholm.
    for (const hint of ['ip=2001:218::', 'lat=35.68&from_lon=139.69']) {
      const body = await diff(`from=iso=2026-07-01T09:00&from_${hint}&to=iso=2026-07-01T00:00Z`);
      expect([hint, body.direction]).toEqual([hint, 'same']);
    }
    expect(
      (await diff('from=iso=2026-07-01T00:00Z&to=iso=2026-07-01T02:00&to_ip=89.160.20.112')).direction,
    ).toBe('same');
    expect(await ends('from=ip=2001:218::&to=ip=89.160.20.112')).toEqual([NOW_MS, NOW_MS]);
    expect(await errorOf(`${DIFF}?from=ip=127.0.0.1&to=now`)).toBe('400 INVALID_PARAMETER');
  });

  test('each end takes its own hint', async () => {
    const query = 'from=iso=2026-07-01T09:00&from_tz=Europe/Paris&to=iso=2026-07-01T09:00&to_tz=Asia/Tokyo';
    expect(await diff(query)).toMatchObject({ direction: 'backward', hours: 7, human: '7 hours' });
  });

  test('disambiguation applies to both ends', async () => {
    const repeated = (end: string) => `${end}=iso=2026-11-01T01:30&${end}_tz=America/New_York`;
    const both = `${repeated('from')}&${repeated('to')}`;
    expect(await ends(`${both}&disambiguation=later`)).toEqual([1793514600000, 1793514600000]);
    expect(await ends(both)).toEqual([1793511000000, 1793511000000]);
    expect(await errorOf(`${DIFF}?${both}&disambiguation=reject`)).toBe('400 INVALID_TIMESTAMP');
    expect(await errorOf(`${DIFF}?from=now&to=now&disambiguation=both`)).toBe('400 INVALID_PARAMETER');
  });

  test('a skipped local time moves forward by the gap', async () => {
    expect(
      await diff('from=iso=2026-03-08T02:30&from_tz=America/New_York&to=iso=2026-03-08T03:30-04:00'),
    ).toMatchObject({
      direction: 'same',
    });
  });
});

describe('the duration template', () => {
  const formatted = async (format: string) =>
    (await diff(`from=unix=0&to=unix=90183&format=${encodeURIComponent(format)}`)).formatted;

  test('each token is the remainder after the larger ones present; the largest has the total', async () => {
    expect(await formatted('%days days, %hours:%minutes:%seconds')).toBe('1 days, 1:3:3');
    expect(await formatted('%hoursh %minutesm')).toBe('25h 3m');
    expect(await formatted('%minutes')).toBe('1503');
    expect(await formatted('%seconds')).toBe('90183');
    expect(await formatted('%seconds after %days')).toBe('3783 after 1');
    expect(await formatted('100%% in %days')).toBe('100% in 1');
    expect(await formatted('plain')).toBe('plain');
  });

  test('formats the magnitude, in either direction', async () => {
    expect((await diff('from=unix=7200&to=unix=0&format=%25hours')).formatted).toBe('2');
  });

  test.each(['%', '%day', '%H', '%Days', '%weeks', '%days %', '%%%', ''])('%p is rejected', async format => {
    expect(await errorOf(`${DIFF}?from=now&to=now&format=${encodeURIComponent(format)}`)).toBe(
      '400 INVALID_PARAMETER',
    );
  });

  test('an unescaped %days looks like a percent-escape: the message says how to write it', async () => {
    expect((await diff('from=now&to=now&format=%days')).error.message).toContain('%25');
    expect((await diff('from=unix=0&to=unix=3600&format=%hours')).formatted).toBe('1');
  });
});

test('errors are reported in parameter order, after ambiguity', async () => {
  const first = async (query: string) => (await diff(query)).error.message.split(':')[0];
  const all = 'from=x&to=x&from_tz=x&to_tz=x&format=%25&holiday_country=x&holiday_subdivision=x';
  expect(await first(all)).toBe("Cannot read 'from'");
  expect(await first(all.replace('from=x', 'from=iso=2026-01-01'))).toBe("Cannot read 'to'");
  const goodEnds = all.replace('from=x', 'from=iso=2026-01-01').replace('to=x', 'to=iso=2026-01-01');
  expect(await first(goodEnds)).toBe("Cannot read 'from_tz'");
  expect(await first(goodEnds.replace('from_tz=x', 'from_tz=UTC'))).toBe("Cannot read 'to_tz'");
  const goodHints = goodEnds.replace('from_tz=x', 'from_tz=UTC').replace('to_tz=x', 'to_tz=UTC');
  expect(await first(goodHints)).toBe("Cannot read 'format'");
  expect(await first(goodHints.replace('format=%25', ''))).toBe("Cannot read 'holiday_country'");
  expect(await errorOf(`${DIFF}?${all}&from_offset=x`)).toBe('400 AMBIGUOUS_TARGET');
});

/** The duration of `diff` in calendar units. */
async function apart(from: string, to: string, unit: string, more = ''): Promise<string> {
  const { body } = await send(`/v1/time/diff?from=iso=${from}&to=iso=${to}&largest_unit=${unit}${more}`);
  return body.duration ?? body.error.message;
}

test('largest_unit adds the duration in calendar units, and as ISO 8601', async () => {
  const { body } = await send(
    '/v1/time/diff?from=iso=1990-05-17&to=iso=2026-04-15T13:30:47&largest_unit=year',
  );
  expect(body.calendar).toEqual({ years: 35, months: 10, days: 29, hours: 13, minutes: 30, seconds: 47 });
  expect(body.duration).toBe('P35Y10M29DT13H30M47S');
  expect(body.days).toBe(13_117);
});

test.each([
  ['year', { years: 1, months: 2, days: 9, hours: 1, minutes: 0, seconds: 1 }],
  ['month', { months: 14, days: 9, hours: 1, minutes: 0, seconds: 1 }],
  ['week', { weeks: 61, days: 6, hours: 1, minutes: 0, seconds: 1 }],
  ['day', { days: 433, hours: 1, minutes: 0, seconds: 1 }],
  ['hour', { hours: 10_393, minutes: 0, seconds: 1 }],
  ['minute', { minutes: 623_580, seconds: 1 }],
  ['second', { seconds: 37_414_801 }],
])('%s is the largest unit, and weeks appear only with week', async (unit, calendar) => {
  const query = `from=iso=2025-01-31T00:00:00&to=iso=2026-04-09T01:00:01.999&largest_unit=${unit}`;
  expect((await send(`/v1/time/diff?${query}`)).body.calendar).toEqual(calendar);
});

describe('calendar units are computed in the zone of `from`', () => {
  test.each([
    // The day of the clock change has 23 hours.
    ['2026-03-28T12:00', '2026-03-29T12:00', '&from_tz=Europe/Berlin&to_tz=Europe/Berlin', 'P1D'],
    ['2026-03-28T12:00', '2026-03-29T12:00', '', 'P1D'],
    ['2026-03-28T12:00Z[Europe/Berlin]', '2026-03-29T11:00Z', '', 'P1D'],
    ['2026-03-28T12:00Z', '2026-03-29T11:00Z[Europe/Berlin]', '', 'PT23H'],
    // Midnight in Tokyo is 15:00 in UTC.
    ['2026-01-31T15:00Z[Asia/Tokyo]', '2026-02-28T15:00Z', '', 'P1M'],
    ['2026-01-31T15:00Z', '2026-02-28T15:00Z', '', 'P28D'],
  ])('%s to %s%s is %s', async (from, to, more, expected) => {
    expect(await apart(from, to, 'month', more)).toBe(expected);
  });
});

test('a duration is absolute: the sign is in direction, and calendar units count from `from`', async () => {
  expect(await apart('2026-03-31', '2026-02-28', 'month')).toBe('P1M');
  expect(await apart('2026-02-28', '2026-03-31', 'month')).toBe('P1M3D');
  expect(await apart('2024-02-29', '2023-02-28', 'year')).toBe('P1Y');
  expect(await apart('2023-02-28', '2024-02-29', 'year')).toBe('P1Y1D');
  const { body } = await send('/v1/time/diff?from=iso=2026-03-31&to=iso=2026-02-28&largest_unit=month');
  expect(body.direction).toBe('backward');
  expect(await apart('2026-03-31', '2026-03-31', 'year')).toBe('PT0S');
});

test('every unit is exact at the limits of the range', async () => {
  const ends = '/v1/time/diff?from=unix_ms=-8640000000000000&to=unix_ms=8640000000000000';
  expect((await send(`${ends}&largest_unit=year`)).body.duration).toBe('P547581Y4M24D');
  expect((await send(`${ends}&largest_unit=second`)).body.duration).toBe('PT17280000000000S');
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT%2B12', 'Africa/Casablanca']) {
    const within = `from=iso=-271821-04-20T00:00Z[${zone}]&to=unix=8640000000000`;
    for (const [from, to] of [
      ['from', 'to'],
      ['to', 'from'],
    ] as const) {
      const query = within.replace('from=iso', `${from}=iso`).replace('to=unix', `${to}=unix`);
      const { body } = await send(`/v1/time/diff?${query}&largest_unit=year`);
      expect(body.calendar.years).toBe(547_581);
    }
  }
});

test("elapsed uses the zone of its business days: the hint's, else the target's", async () => {
  const age = async (query: string) => (await send(`/v1/time/elapsed?${query}`)).body.duration;
  const march = 'compare_iso=2026-03-29T10:00Z&largest_unit=day';
  expect(await age(`iso=2026-03-28T12:00&source_tz=Europe/Berlin&${march}`)).toBe('P1D');
  expect(await age(`iso=2026-03-28T11:00Z&${march}`)).toBe('PT23H');
  expect(await age('iso=2026-03-16T01:00Z&tz=America/New_York&largest_unit=month')).toBe('P30DT16H30M47S');
  expect(await age('iso=2026-06-15T17:30:47Z&largest_unit=month')).toBe('P1M29DT23H59M59S');
});

test('a response without it has no calendar units, and an unknown unit is an error', async () => {
  const { body } = await send('/v1/time/elapsed?unix=0');
  expect(Object.keys(body)).not.toContain('calendar');
  expect(Object.keys(body)).not.toContain('duration');
  expect(await errorOf('/v1/time/elapsed?unix=0&largest_unit=years')).toBe('400 INVALID_PARAMETER');
  expect(await apart('2026-01-01', '2026-01-02', 'Year')).toBe(
    "Cannot read 'largest_unit': 'Year' is not 'year', 'month', 'week', 'day', 'hour', 'minute' or 'second'",
  );
});

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
      ...['compare_unix=3600', 'compare_unix_ms=3600000', 'compare_iso=1970-01-01T01:00Z'],
      ...['compare_iso=1970-01-01T01:00', 'compare_iso=1970-01-01T02:00&compare_source_tz=Europe/Paris'],
      'compare_iso=1970-01-01T06:30&compare_source_offset=%2B05:30',
      ...['compare_iso=1970-01-01T06:30+05:30', 'compare_iso=1970-01-01T02:00[Europe/Paris]'],
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
      ...['tz=Asia/Tokyo', 'offset=-05:00', 'ip=8.8.8.8', 'lat=1&lon=2', 'lat=1', 'auto_tz=true'],
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
