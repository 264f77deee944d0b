import { describe, expect, test } from 'bun:test';
import { errorOf, send } from '../support/service.ts';

const ADD = '/v1/time/add';

/** The local time of a sum, or UTC without a target. */
async function sum(query: string): Promise<string> {
  const { body } = await send(`${ADD}?${query}`);
  return body.iso_local ?? body.utc ?? body.error.message;
}

const from = (iso: string, zone: string) => `iso=${iso}&source_tz=${zone}&tz=${zone}`;

describe('duration', () => {
  test.each([
    [`${from('2026-01-31T09:00', 'Europe/Paris')}&duration=P1M`, '2026-02-28T09:00:00+01:00'],
    [`${from('2026-03-31T09:00', 'Europe/Paris')}&duration=-P1M`, '2026-02-28T09:00:00+01:00'],
    [`${from('2024-02-29T12:00', 'Asia/Tokyo')}&duration=P1Y`, '2025-02-28T12:00:00+09:00'],
    // A calendar day has 23 hours on the day of a clock change; 24 hours are exact.
    [`${from('2026-03-28T12:00', 'Europe/Berlin')}&duration=P1D`, '2026-03-29T12:00:00+02:00'],
    [`${from('2026-03-28T12:00', 'Europe/Berlin')}&duration=PT24H`, '2026-03-29T13:00:00+02:00'],
    // A skipped time moves forward by the gap; a repeated one is the earlier.
    [`${from('2026-03-28T02:30', 'Europe/Berlin')}&duration=P1D`, '2026-03-29T03:30:00+02:00'],
    [`${from('2026-10-24T02:30', 'Europe/Berlin')}&duration=P1D`, '2026-10-25T02:30:00+02:00'],
    [`${from('2026-10-24T02:30', 'Europe/Berlin')}&duration=P1DT1H`, '2026-10-25T02:30:00+01:00'],
    // Months first, then weeks and days, then time.
    [`${from('2026-01-31T00:00', 'UTC')}&duration=P1M1DT1H`, '2026-03-01T01:00:00+00:00'],
    ['unix=0&duration=P1Y2M3W4DT5H6M7.5S', '1971-03-26T05:06:07Z'],
    ['unix=0&duration=-PT0.5S', '1969-12-31T23:59:59Z'],
    ['unix=0&duration=+P1D', '1970-01-02T00:00:00Z'],
    ['duration=P0D', '2026-04-15T17:30:47Z'],
  ])('%s is %s', async (query, expected) => {
    expect(await sum(query)).toBe(expected);
  });

  test('an instant in a repeated hour plus nothing is unchanged', async () => {
    const second = 'iso=2026-10-25T02:30:00%2B01:00&tz=Europe/Berlin';
    expect(await sum(`${second}&duration=P0D`)).toBe('2026-10-25T02:30:00+01:00');
    expect(await sum(`${second}&duration=PT0S`)).toBe('2026-10-25T02:30:00+01:00');
  });

  test('milliseconds are preserved', async () => {
    expect((await send(`${ADD}?unix_ms=1&duration=PT0.0029S`)).body.unix_ms).toBe(3);
    expect((await send(`${ADD}?unix_ms=1&duration=-P1DT0.002S`)).body.unix_ms).toBe(-86_400_001);
  });

  test('a sum at the limits of the range is exact, and one beyond is an error', async () => {
    expect(await sum('unix=-8640000000000&duration=P547581Y')).toBe('+275760-04-20T00:00:00Z');
    const west = 'unix=-8640000000000&tz=Etc/GMT%2B12&duration=P1M';
    expect(await sum(west)).toBe('-271821-05-19T12:00:00-12:00');
    for (const duration of ['P547582Y', 'P1000000000000D', `P${'9'.repeat(400)}Y`, `PT${'9'.repeat(400)}H`]) {
      expect(await sum(`unix=-8640000000000&tz=Europe/Paris&duration=${duration}`)).toStartWith(
        'The sum lies outside the range',
      );
    }
  });
});

test.each([
  ['days', 'days=100000000&hours=1'],
  ['minutes', 'minutes=144000000000&seconds=-1'],
  ['duration', 'duration=P300000Y'],
  ['duration', 'duration=PT3000000000H'],
  ['business_days', 'business_days=100000000'],
  ['business_days', 'business_days=200000000&roll=following'],
])('the error for a sum out of range names %s in %s', async (parameter, query) => {
  const { body } = await send(`${ADD}?unix=1776274247&${query}`);
  expect(body.error.message).toStartWith('The sum lies outside the range');
  expect(body.error.details).toEqual({ parameter });
});

describe('business_days', () => {
  const bavaria = 'holiday_country=DE-BY';

  test.each([
    // Wednesday, April 15, 2026.
    ['business_days=3', '2026-04-20T17:30:47Z'],
    ['business_days=-3', '2026-04-10T17:30:47Z'],
    ['iso=2026-12-23T10:00&business_days=1&holiday_country=DE', '2026-12-24T10:00:00Z'],
    ['iso=2026-12-23T10:00&business_days=2&holiday_country=DE', '2026-12-28T10:00:00Z'],
    [`iso=2026-12-30&business_days=3&${bavaria}`, '2027-01-05T00:00:00Z'],
    [`iso=2026-12-30&business_days=4&${bavaria}`, '2027-01-07T00:00:00Z'],
    ['iso=2026-12-30&business_days=4&holiday_country=DE&holiday_subdivision=BY', '2027-01-07T00:00:00Z'],
    // Saturday, February 14, 2026 is worked in China.
    ['iso=2026-02-13&business_days=1&holiday_country=CN', '2026-02-14T00:00:00Z'],
    // July 3 is off in the US, July 14 in France.
    ['iso=2026-07-02&business_days=8&holiday_country=US,FR', '2026-07-16T00:00:00Z'],
    // The date is in the target's zone.
    ['iso=2026-04-17T23:00:00Z&business_days=1&tz=Asia/Tokyo', '2026-04-20T08:00:00+09:00'],
    ['iso=2026-04-17T23:00:00Z&business_days=1&utc=true', '2026-04-20T23:00:00+00:00'],
    // The time of day is preserved across a clock change, and a skipped one moves forward.
    [`${from('2026-03-27T12:00', 'Europe/Berlin')}&business_days=1`, '2026-03-30T12:00:00+02:00'],
    [`${from('2026-04-23T00:30', 'Africa/Cairo')}&business_days=1`, '2026-04-24T01:30:00+03:00'],
  ])('%s is %s', async (query, expected) => {
    expect(await sum(query)).toBe(expected);
  });

  test.each([
    // Saturday, May 30, 2026; Monday is in June.
    ['following', 0, '2026-06-01'],
    ['preceding', 0, '2026-05-29'],
    ['modified_following', 0, '2026-05-29'],
    ['modified_preceding', 0, '2026-05-29'],
    ['following', 1, '2026-06-02'],
    ['preceding', 1, '2026-06-01'],
    ['following', -1, '2026-05-29'],
  ])('roll=%s and %p move a Saturday to %s', async (roll, count, expected) => {
    expect(await sum(`iso=2026-05-30&business_days=${count}&roll=${roll}`)).toBe(`${expected}T00:00:00Z`);
  });

  test('a million days cost no more than one', async () => {
    expect(await sum('iso=2026-11-23&business_days=1000000')).toBe('5859-12-19T00:00:00Z');
    expect(await sum('iso=2026-11-23&business_days=-1000000')).toBe('-001807-10-28T00:00:00Z');
    expect(await sum('business_days=200000000')).toStartWith('The sum lies outside the range');
  });

  test('a sum beyond the years of the calendars is rejected with the limit', async () => {
    const { body } = await send(`${ADD}?business_days=1000000&${bavaria}`);
    expect(body.error.message).toBe(
      "Cannot add 1000000 business days with 'holiday_country': holidays are known for 1970 to 2100, and the sum is outside",
    );
    expect(body.error.details).toEqual({ parameter: 'holiday_country', first_year: 1970, last_year: 2100 });
    expect(await errorOf(`${ADD}?iso=1969-12-31&business_days=1&${bavaria}`)).toBe('400 INVALID_PARAMETER');
  });

  test('require_coverage rejects days that an announcement can still change; details have the coverage', async () => {
    const query = `iso=2026-12-30&business_days=4&${bavaria}`;
    const { body } = await send(`${ADD}?${query}&details=true`);
    expect(body.details.holidays).toMatchObject([
      { calendar: 'DE-BY', coverage: { announced_through: 2026 } },
    ]);
    expect(body.details.zone).toBeObject();
    const rejected = await send(`${ADD}?${query}&require_coverage=true`);
    expect(rejected.body.error.message).toBe(
      "'require_coverage' is not met for 2026 to 2027: DE-BY is covered from 1991 to 2026",
    );
    expect(
      (await send(`${ADD}?iso=2026-12-01&business_days=4&${bavaria}&require_coverage=true`)).status,
    ).toBe(200);
    expect((await send(`${ADD}?days=1&details=true`)).body.details).not.toHaveProperty('holidays');
  });
});

test.each([
  ['days=1&duration=P1D', 'AMBIGUOUS_TARGET', 'duration'],
  ['seconds=1&business_days=1', 'AMBIGUOUS_TARGET', 'business_days'],
  ['duration=P1D&business_days=1', 'AMBIGUOUS_TARGET', 'business_days'],
  ['duration=1D', 'INVALID_PARAMETER', 'duration'],
  ['duration=', 'INVALID_PARAMETER', 'duration'],
  ['business_days=1.5', 'INVALID_PARAMETER', 'business_days'],
  ['business_days=true', 'INVALID_PARAMETER', 'business_days'],
  ['business_days=200000001', 'INVALID_PARAMETER', 'business_days'],
  ['business_days=0', 'INVALID_PARAMETER', 'business_days'],
  ['business_days=1&roll=forward', 'INVALID_PARAMETER', 'roll'],
  ['days=1&roll=following', 'INVALID_PARAMETER', 'roll'],
  ['days=1&holiday_country=DE', 'INVALID_PARAMETER', 'holiday_country'],
  ['duration=P1D&holiday_subdivision=BY', 'INVALID_PARAMETER', 'holiday_subdivision'],
  ['business_days=1&require_coverage=true', 'INVALID_PARAMETER', 'require_coverage'],
  ['business_days=1&holiday_country=XX', 'INVALID_PARAMETER', 'holiday_country'],
  [
    'business_days=1&holiday_country=DE,US&holiday_subdivision=BY',
    'INVALID_PARAMETER',
    'holiday_subdivision',
  ],
])('%s is rejected as %s of %s', async (query, code, parameter) => {
  const { status, body } = await send(`${ADD}?${query}`);
  expect([status, body.error.code, body.error.details.parameter]).toEqual([400, code, parameter]);
});
