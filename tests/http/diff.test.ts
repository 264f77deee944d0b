import { describe, expect, test } from 'bun:test';
import { errorOf, NOW_MS, send } from '../support/service.ts';

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
      '',
      'Now',
      ' now',
      'now%20',
      'now=',
      'unix',
      'unix=',
      'unix=1.5',
      'unix=1e3',
      'unix==1',
      'UNIX=1',
      '0',
      '2026-04-01',
    ],
    ...[
      'iso=',
      'iso=2026-13-01',
      'iso=junk',
      'tz=',
      'tz=Mars/Olympus',
      'tz=UTC,UTC',
      'tz=+05:30',
      'offset=5',
      'offset=Z',
    ],
    ...[
      'offset=%2B05:30,%2B06:00',
      'ip=',
      'ip=1.2.3',
      'ip=1.1.1.1,8.8.8.8',
      'utc=true',
      'lat=1',
      'toString=1',
      '=1',
      '=',
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
        'iso=2026-04-15T13:30:47Z',
        'iso=2026-04-15T13:30:47-04:00',
        'now',
        'unix=0',
        'tz=UTC',
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
