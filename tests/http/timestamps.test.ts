import { describe, expect, test } from 'bun:test';
import { fc } from '../support/property.ts';
import {
  column,
  expectAll,
  expectBodies,
  expectEach,
  expectErrors,
  expectMessages,
  messageOf,
} from '../support/responses.ts';
import { NOW_MS, send } from '../support/service.ts';

/** The instant that `convert` parses from a timestamp, in milliseconds, or its error. */
async function read(query: string): Promise<number | string> {
  const { body } = await send(`/v1/time/convert?utc=true&${query}`);
  return body.unix_ms ?? body.error.code;
}
describe('the three forms of a timestamp', () => {
  test('unix and unix_ms are whole numbers, with a sign or without', async () => {
    await expectEach(read, {
      'unix=1776274247': 1776274247000,
      'unix=-1': -1000,
      'unix=%2B1': 1000,
      'unix=+1': 1000,
      'unix_ms=-1': -1,
    });
    const texts = ['1.5', '1e3', '0x10', 'Infinity', '', '1_000', '١', '--1', ' '].map(encodeURIComponent);
    await expectAll(read, 'INVALID_PARAMETER', [
      ...texts.flatMap(text => [`unix=${text}`, `unix_ms=${text}`]),
    ]);
  });

  test('seconds floor toward the past', () =>
    expectBodies('/v1/time/convert?utc=true&', {
      'unix_ms=-1': { unix: -1, unix_ms: -1, utc: '1969-12-31T23:59:59Z' },
    }));

  test('two forms are ambiguous, and none is an error', () =>
    expectErrors('/v1/time/', {
      '400 AMBIGUOUS_TARGET': [
        'convert?unix=0&unix_ms=0&utc=true',
        ...['convert?unix=0&iso=2026-01-01&utc=true', 'add?unix=0&unix_ms=0&days=1'],
      ],
      '400 INVALID_TIMESTAMP': [
        ...['convert?utc=true', 'convert', 'convert?source_tz=UTC&tz=UTC', 'elapsed?disambiguation=x'],
      ],
      '400 MISSING_TARGET': ['convert?unix=0'],
    }));

  test('times outside the range of Date are rejected, and its limits are exact in every zone', async () => {
    expect(await read('unix=8640000000000')).toBe(8.64e15);
    await expectAll(read, 'INVALID_PARAMETER', [
      ...['unix=8640000000001', 'unix_ms=-8640000000000001', `unix=${'9'.repeat(400)}`],
    ]);
    await expectBodies('/v1/time/convert?unix_ms=', {
      '8640000000000000&offset=%2B23:59': { iso_local: '+275760-09-13T23:59:00+23:59' },
      '8640000000000000&offset=-23:59': { iso_local: '+275760-09-12T00:01:00-23:59' },
      '-8640000000000000&tz=America/New_York': { iso_local: '-271821-04-19T19:03:58-04:56:02' },
    });
  });
});

describe('hints for a local iso', () => {
  test('without a hint it is UTC', async () => {
    expect(await read('iso=1970-01-01T00:00:01')).toBe(1000);
  });

  test('source_tz, source_offset and a bracketed zone place it', () =>
    expectAll(read, Date.parse('2026-04-15T17:30:47Z'), [
      'iso=2026-04-15T13:30:47&source_tz=America/New_York',
      'iso=2026-04-15T13:30:47&source_offset=-04:00',
      'iso=2026-04-15T13:30:47[America/New_York]',
      'iso=2026-04-15T13:30:47-04:00[America/New_York]',
      'iso=2026-04-15T17:30:47Z[America/New_York]',
      ...['iso=2026-04-15T23:00:47%2B05:30', 'iso=2026-04-15T23:00:47+05:30'],
      'iso=2026-04-15T23:00:47[%2B05:30]',
    ]));

  test('is rejected with an offset, without its iso, and with an offset that a bracketed zone does not have', () =>
    expectErrors('/v1/time/calendar?', {
      '400 INVALID_PARAMETER': [
        'iso=2026-04-15T13:30:47Z&source_tz=UTC',
        'iso=2026-04-15T13:30:47-04:00&source_offset=-04:00',
        ...['unix=0&source_tz=UTC', 'source_tz=UTC'],
        'iso=2026-04-15T13:30:47-05:00[America/New_York]',
        'iso=2026-04-15T13:30:47%2B02:00[%2B01:00]',
        'iso=2026-04-15T13:30:47[Mars/Olympus]',
      ],
      // Two hints, or a bracketed zone with a hint.
      '400 AMBIGUOUS_TARGET': [
        'iso=2026-04-15T13:30:47&source_tz=UTC&source_offset=-04:00',
        'iso=2026-04-15T13:30:47[Europe/Paris]&source_tz=UTC',
      ],
    }));

  test('an offset with seconds is exact, one without may be rounded to the minute', () => {
    const instant = Date.parse('1960-01-01T00:44:30Z'); // Monrovia was at -00:44:30
    return expectEach(offset => read(`iso=1960-01-01T00:00${offset}[Africa/Monrovia]`), {
      '-00:44:30': instant,
      '-00:45': instant,
      '-00:45:00': 'INVALID_PARAMETER',
      '-004500': 'INVALID_PARAMETER',
    });
  });
});

describe('local times that a clock change skips or repeats', () => {
  const skipped = 'iso=2026-03-08T02:30:00&source_tz=America/New_York';
  const repeated = 'iso=2026-11-01T01:30:00&source_tz=America/New_York';

  test('a skipped one moves forward by the gap, a repeated one is the earlier', () =>
    expectEach(read, {
      [skipped]: Date.parse('2026-03-08T03:30:00-04:00'),
      [`${skipped}&disambiguation=earlier`]: Date.parse('2026-03-08T01:30:00-05:00'),
      [`${skipped}&disambiguation=later`]: Date.parse('2026-03-08T03:30:00-04:00'),
      [repeated]: Date.parse('2026-11-01T01:30:00-04:00'),
      [`${repeated}&disambiguation=later`]: Date.parse('2026-11-01T01:30:00-05:00'),
    }));

  test('reject rejects both and lists both readings', async () => {
    for (const [query, readings] of [
      [skipped, ['2026-03-08T01:30:00-05:00', '2026-03-08T03:30:00-04:00']],
      [repeated, ['2026-11-01T01:30:00-04:00', '2026-11-01T01:30:00-05:00']],
    ] as const) {
      for (const reading of readings) {
        const row = { [`${query}&disambiguation=reject`]: `…${reading}…` };
        await expectMessages('/v1/time/convert?utc=true&', row, '400 INVALID_TIMESTAMP');
      }
    }
  });

  test('an unknown disambiguation is rejected, with any timestamp', () =>
    expectAll(query => read(`${query}&disambiguation=both`), 'INVALID_PARAMETER', [skipped, 'unix=0']));
});

describe('calendar', () => {
  test('gives the date in the target zone', async () => {
    await expectBodies('/v1/time/calendar?iso=2027-01-01T00:30:00Z&', {
      'tz=Europe/Paris&week=true': { year: 2027, month: 1, month_name: 'January', day: 1, week_number: 53 },
      'tz=America/New_York': { year: 2026, month: 12, month_name: 'December', day: 31 },
    });
  });
});

describe('dst', () => {
  test('returns the next change in the local time before it, with details', async () => {
    const { body } = await send('/v1/time/dst?tz=America/New_York&next=true&details=true');
    expect(body).toMatchObject({
      dst_active: true,
      next_transition: '2026-11-01T02:00:00-04:00',
      details: {
        zone: {
          next_transition: {
            unix: Date.parse('2026-11-01T06:00:00Z') / 1000,
            utc: '2026-11-01T06:00:00Z',
            offset_before: -240,
            offset_after: -300,
            abbreviation_before: 'EDT',
            abbreviation_after: 'EST',
            dst_after: false,
          },
        },
      },
    });
  });

  test('a place without changes, a fixed offset and no target have no change and no DST', () => {
    const none = { dst_active: false, next_transition: null, details: { zone: { next_transition: null } } };
    return expectBodies('/v1/time/dst?next=true&details=true&', {
      'tz=Asia/Tokyo': none,
      'offset=-04:00': none,
      '': none,
    });
  });
});

describe('timezone', () => {
  const zonesWith = async (offset: string) =>
    column((await send(`/v1/timezone?offset=${offset}`)).body.matching_zones, 'timezone');

  test('adds offset, DST, abbreviation and countries', async () => {
    expect((await send('/v1/timezone?tz=US/Eastern&details=true')).body).toMatchObject({
      timezone: 'America/New_York',
      offset: -240,
      dst: true,
      details: { zone: { abbreviation: 'EDT', country_codes: ['US'] } },
    });
    await expectErrors('/v1/timezone', { '400 MISSING_TARGET': [''] });
  });

  test('an offset lists the zones that have it now, or at an instant', async () => {
    await expectBodies('/v1/timezone?offset=%2B05:', {
      '45': { timezone: null, dst: false, offset: 345 },
      '30&unix=0': { unix: 0, offset: 330 },
    });
    await expectEach(zonesWith, {
      '%2B05:45': ['Asia/Kathmandu'],
      '%2B05:17': [],
      '%2B05:30&unix=0': ['Asia/Colombo', 'Asia/Kathmandu', 'Asia/Kolkata', 'Asia/Thimphu'],
    });
    const names = await zonesWith('%2B00:00');
    expect(names).toContain('UTC');
    expect(names).toEqual([...names].sort());
  });

  test('the list of zones can be filtered by country', async () => {
    expect((await send('/v1/timezones')).body.length).toBeGreaterThan(400);
    const { body } = await send('/v1/timezones?country=nz');
    expect(column(body, 'name')).toEqual(['Pacific/Auckland', 'Pacific/Chatham']);
    await expectErrors('/v1/timezones?country=', { '400 INVALID_PARAMETER': ['XX', 'NZL', ''] });
  });
});

describe('dst, timezone and timezones at an instant', () => {
  // Portugal was on Central European Time from 1992 to 1996.
  const at = 'iso=1993-07-01T12:00&source_tz=Europe/Lisbon';

  test('every field is for the instant', async () => {
    const instant = { unix: 741520800, iso_local: '1993-07-01T12:00:00+02:00', day_short: 'Thu' };
    const zone = {
      abbreviation: 'CEST',
      standard_offset: 60,
      previous_transition: { utc: '1993-03-28T01:00:00Z', abbreviation_before: 'CET' },
      next_transition: { utc: '1993-09-26T01:00:00Z', abbreviation_after: 'CET' },
    };
    const query = `tz=Europe/Lisbon&${at}&details=true`;
    await expectBodies('/v1/', {
      [`time/dst?${query}&next=true&format=%25Z`]: {
        ...instant,
        dst_active: true,
        formatted: 'CEST',
        details: { zone },
        next_transition: '1993-09-26T03:00:00+02:00',
      },
      [`timezone?${query}`]: { ...instant, offset: 120, dst: true, details: { zone } },
    });
    const listed = (await send(`/v1/timezones?country=PT&${at}&details=true`)).body;
    const lisbon = { name: 'Europe/Lisbon', offset: 120, abbreviation: 'CEST', dst: true, details: { zone } };
    expect(listed[column(listed, 'name').indexOf('Europe/Lisbon')]).toMatchObject(lisbon);
  });

  test('accept exactly one timestamp, in any form', async () => {
    for (const path of ['/v1/time/dst?tz=UTC&', '/v1/timezone?tz=UTC&', '/v1/timezones?country=PT&']) {
      const { body } = await send(path + at);
      for (const form of ['unix=741520800', 'unix_ms=741520800000', 'iso=1993-07-01T10:00Z']) {
        const given = await send(path + form);
        expect(given.body).toEqual(body);
        expect(given.headers.get('X-Service-Ignored-Parameters')).toBeNull();
      }
      await expectErrors(path, {
        '400 AMBIGUOUS_TARGET': ['unix=0&iso=1970-01-01'],
        '400 INVALID_PARAMETER': ['unix=0&source_tz=UTC', 'iso=1970-01-32'],
      });
    }
  });
});

test('a pattern adds formatted; the error for an invalid one names its directive and position', async () => {
  const { body } = await send('/v1/time/current?tz=Europe/Paris&format=%H:%M%20%Z');
  expect(body.formatted).toBe('19:30 CEST');
  await expectMessages('/v1/time/current?', { 'format=ab%25Q': '…%Q…' });
});

test('a bulk equals the single responses, and convert never changes unix_ms', async () => {
  const zones = ['Asia/Tokyo', 'America/St_Johns', 'Africa/Monrovia', 'UTC', 'Nowhere'];
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.array(fc.constantFrom(...zones), { minLength: 2, maxLength: 8 }),
      async (unixMs, list) => {
        const url = `/v1/time/convert?unix_ms=${unixMs}&tz=`;
        const { body: bulk } = await send(url + list.join(','));
        for (const [index, zone] of list.entries()) {
          const { body } = await send(url + zone);
          if (zone === 'Nowhere') {
            expect(bulk[index].error).toEqual(body.error);
          } else {
            expect(bulk[index]).toEqual(body);
            expect(body.unix_ms).toBe(unixMs);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

const ADD = '/v1/time/add?';

/** The local time of a sum, or UTC without a target. */
async function sum(query: string): Promise<string> {
  const { body } = await send(ADD + query);
  return body.iso_local ?? body.utc ?? body.error.message;
}

describe('add', () => {
  test('moves the instant, by default from now; a day is 86,400 seconds', async () => {
    const { body } = await send(`${ADD}days=1&hours=-1&minutes=2&seconds=-3`);
    expect(body.unix_ms).toBe(NOW_MS + (86_400 - 3600 + 120 - 3) * 1000);
    const march = 'iso=2026-03-07T12:00:00&source_tz=America/New_York&days=1&tz=America/New_York';
    expect(await sum(march)).toBe('2026-03-08T13:00:00-04:00');
  });

  test('requires an amount, in whole numbers', () =>
    expectErrors(ADD, {
      '400 INVALID_PARAMETER': ['', 'days=1.5', 'days=x', 'days=', 'days=1e3', 'days=1d'],
    }));

  test('never leaves the range of times', async () => {
    const beyond = ['unix=8640000000000&seconds=1', `days=${'9'.repeat(30)}`];
    await expectErrors(ADD, { '400 INVALID_PARAMETER': beyond });
    await expectBodies(ADD, { 'unix=-8640000000000&days=200000000': { unix_ms: 8.64e15 } });
  });

  const from = (iso: string, zone: string) => `iso=${iso}&source_tz=${zone}&tz=${zone}`;

  test('takes an ISO 8601 duration', () =>
    expectEach(sum, {
      [`${from('2026-01-31T09:00', 'Europe/Paris')}&duration=P1M`]: '2026-02-28T09:00:00+01:00',
      [`${from('2026-03-31T09:00', 'Europe/Paris')}&duration=-P1M`]: '2026-02-28T09:00:00+01:00',
      [`${from('2024-02-29T12:00', 'Asia/Tokyo')}&duration=P1Y`]: '2025-02-28T12:00:00+09:00',
      // A calendar day has 23 hours on the day of a clock change; 24 hours are exact.
      [`${from('2026-03-28T12:00', 'Europe/Berlin')}&duration=P1D`]: '2026-03-29T12:00:00+02:00',
      [`${from('2026-03-28T12:00', 'Europe/Berlin')}&duration=PT24H`]: '2026-03-29T13:00:00+02:00',
      // A skipped time moves forward by the gap; a repeated one is the earlier.
      [`${from('2026-03-28T02:30', 'Europe/Berlin')}&duration=P1D`]: '2026-03-29T03:30:00+02:00',
      [`${from('2026-10-24T02:30', 'Europe/Berlin')}&duration=P1D`]: '2026-10-25T02:30:00+02:00',
      [`${from('2026-10-24T02:30', 'Europe/Berlin')}&duration=P1DT1H`]: '2026-10-25T02:30:00+01:00',
      // An instant in a repeated hour plus nothing is unchanged.
      'iso=2026-10-25T02:30:00%2B01:00&tz=Europe/Berlin&duration=P0D': '2026-10-25T02:30:00+01:00',
      'iso=2026-10-25T02:30:00%2B01:00&tz=Europe/Berlin&duration=PT0S': '2026-10-25T02:30:00+01:00',
      // Months first, then weeks and days, then time.
      [`${from('2026-01-31T00:00', 'UTC')}&duration=P1M1DT1H`]: '2026-03-01T01:00:00+00:00',
      'unix=0&duration=P1Y2M3W4DT5H6M7.5S': '1971-03-26T05:06:07Z',
      'unix=0&duration=-PT0.5S': '1969-12-31T23:59:59Z',
      'unix=0&duration=+P1D': '1970-01-02T00:00:00Z',
      'duration=P0D': '2026-04-15T17:30:47Z',
      // The limits of the range.
      'unix=-8640000000000&duration=P547581Y': '+275760-04-20T00:00:00Z',
      'unix=-8640000000000&tz=Etc/GMT%2B12&duration=P1M': '-271821-05-19T12:00:00-12:00',
    }));

  test('preserves milliseconds', () =>
    expectBodies(`${ADD}unix_ms=1&duration=`, {
      'PT0.0029S': { unix_ms: 3 },
      '-P1DT0.002S': { unix_ms: -86_400_001 },
    }));

  test('takes business days, in calendars', () =>
    expectEach(query => sum(`business_days=${query}`), {
      // Wednesday, April 15, 2026.
      '3': '2026-04-20T17:30:47Z',
      '-3': '2026-04-10T17:30:47Z',
      '1&iso=2026-12-23T10:00&holiday_country=DE': '2026-12-24T10:00:00Z',
      '2&iso=2026-12-23T10:00&holiday_country=DE': '2026-12-28T10:00:00Z',
      '3&iso=2026-12-30&holiday_country=DE-BY': '2027-01-05T00:00:00Z',
      '4&iso=2026-12-30&holiday_country=DE-BY': '2027-01-07T00:00:00Z',
      '4&iso=2026-12-30&holiday_country=DE&holiday_subdivision=BY': '2027-01-07T00:00:00Z',
      // Saturday, February 14, 2026 is worked in China.
      '1&iso=2026-02-13&holiday_country=CN': '2026-02-14T00:00:00Z',
      // July 3 is off in the US, July 14 in France.
      '8&iso=2026-07-02&holiday_country=US,FR': '2026-07-16T00:00:00Z',
      // The date is in the target's zone.
      '1&iso=2026-04-17T23:00:00Z&tz=Asia/Tokyo': '2026-04-20T08:00:00+09:00',
      '1&iso=2026-04-17T23:00:00Z&utc=true': '2026-04-20T23:00:00+00:00',
      // The time of day is preserved across a clock change, and a skipped one moves forward.
      [`1&${from('2026-03-27T12:00', 'Europe/Berlin')}`]: '2026-03-30T12:00:00+02:00',
      [`1&${from('2026-04-23T00:30', 'Africa/Cairo')}`]: '2026-04-24T01:30:00+03:00',
      // Rolls from Saturday, May 30, 2026; Monday is in June.
      '0&iso=2026-05-30&roll=following': '2026-06-01T00:00:00Z',
      '0&iso=2026-05-30&roll=preceding': '2026-05-29T00:00:00Z',
      '0&iso=2026-05-30&roll=modified_following': '2026-05-29T00:00:00Z',
      '0&iso=2026-05-30&roll=modified_preceding': '2026-05-29T00:00:00Z',
      '1&iso=2026-05-30&roll=following': '2026-06-02T00:00:00Z',
      '1&iso=2026-05-30&roll=preceding': '2026-06-01T00:00:00Z',
      '-1&iso=2026-05-30&roll=following': '2026-05-29T00:00:00Z',
      // A million days cost no more than one.
      '1000000&iso=2026-11-23': '5859-12-19T00:00:00Z',
      '-1000000&iso=2026-11-23': '-001807-10-28T00:00:00Z',
    }));

  const NINES = '9'.repeat(400);
  test.each([
    ['days', ['100000000&hours=1']],
    ['minutes', ['144000000000&seconds=-1']],
    ['duration', ['P300000Y', 'PT3000000000H', 'P1000000000000D', `P${NINES}Y`, `PT${NINES}H`]],
    ['business_days', ['100000000', '200000000', '200000000&roll=following']],
  ])('the error for a sum out of range names %s', (parameter, values) => {
    const table = Object.fromEntries(values.map(value => [value, 'The sum lies outside the range…']));
    const path = `${ADD}unix=1776274247&${parameter}=`;
    return expectMessages(path, table, `400 INVALID_PARAMETER ${parameter}`);
  });

  test('rejects a sum beyond the years of the calendars with the limit', async () => {
    const { error } = (await send(`${ADD}business_days=1000000&holiday_country=DE-BY`)).body;
    expect(error.message).toBe(
      "Cannot add 1000000 business days with 'holiday_country': holidays are known for 1970 to 2100, and the sum is outside",
    );
    expect(error.details).toEqual({ parameter: 'holiday_country', first_year: 1970, last_year: 2100 });
    const before = ['iso=1969-12-31&business_days=1&holiday_country=DE-BY'];
    await expectErrors(ADD, { '400 INVALID_PARAMETER': before });
  });

  test('require_coverage rejects days that an announcement can still change; details have the coverage', async () => {
    const path = `${ADD}business_days=4&holiday_country=DE-BY&iso=`;
    const { details } = (await send(`${path}2026-12-30&details=true`)).body;
    expect(details.holidays).toMatchObject([{ calendar: 'DE-BY', coverage: { basis: 'law' } }]);
    expect(details.zone).toBeObject();
    expect(await messageOf(`${path}2029-12-30&require_coverage=true`)).toBe(
      "'require_coverage' is not met for 2029 to 2030: the one-off days of DE-BY are not complete in 2030",
    );
    expect((await send(`${path}2026-12-30&require_coverage=true`)).status).toBe(200);
    expect((await send(`${ADD}days=1&details=true`)).body.details).not.toHaveProperty('holidays');
  });

  test('rejects parameters that are invalid, do not go together, or have no effect', () =>
    expectErrors(ADD, {
      '400 AMBIGUOUS_TARGET duration': ['days=1&duration=P1D'],
      '400 AMBIGUOUS_TARGET business_days': ['seconds=1&business_days=1', 'duration=P1D&business_days=1'],
      '400 INVALID_PARAMETER duration': ['duration=1D', 'duration='],
      '400 INVALID_PARAMETER business_days': [
        ...['business_days=1.5', 'business_days=true', 'business_days=200000001', 'business_days=0'],
      ],
      '400 INVALID_PARAMETER roll': ['business_days=1&roll=forward', 'days=1&roll=following'],
      '400 INVALID_PARAMETER holiday_country': [
        'days=1&holiday_country=DE',
        'business_days=1&holiday_country=XX',
      ],
      '400 INVALID_PARAMETER holiday_subdivision': [
        'duration=P1D&holiday_subdivision=BY',
        'business_days=1&holiday_country=DE,US&holiday_subdivision=BY',
      ],
      '400 INVALID_PARAMETER require_coverage': ['business_days=1&require_coverage=true'],
    }));
});
