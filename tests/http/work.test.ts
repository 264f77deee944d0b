import { describe, expect, test } from 'bun:test';
import { parseOpeningHours } from '../../src/schedules/opening_hours.ts';
import { createApp } from '../../src/server/app.ts';
import { errorOf, send, testServer } from '../support/service.ts';

const OFFICE = 'schedule=Mo-Fr 09:00-12:00,13:00-17:30; PH off';
const BERLIN = 'tz=Europe/Berlin&holiday_country=DE-BY';

/** `iso_local` of each instant in a status. */
function localTimes(status: Record<string, { iso_local: string } | null | boolean>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(status).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? value.iso_local : value,
    ]),
  );
}

describe('/v1/work/status', () => {
  test('changes outside the range of times are null', async () => {
    const { body } = await send('/v1/work/status?schedule=Mo 10:00-12:00&unix_ms=8640000000000000');
    expect(body).toEqual({
      open: false,
      since: { unix: 8_639_999_611_200, utc: '+275760-09-08T12:00:00Z', iso_local: null },
      until: null,
      next_open: null,
      next_close: null,
    });
  });

  test.each([
    [
      'in working time',
      '2026-06-03T10:00',
      {
        open: true,
        since: '2026-06-03T09:00:00+02:00',
        until: '2026-06-03T12:00:00+02:00',
        next_open: '2026-06-03T13:00:00+02:00',
        next_close: '2026-06-03T12:00:00+02:00',
      },
    ],
    [
      'at the moment of closing',
      '2026-06-03T17:30',
      {
        open: false,
        since: '2026-06-03T17:30:00+02:00',
        until: '2026-06-05T09:00:00+02:00',
        next_open: '2026-06-05T09:00:00+02:00',
        next_close: '2026-06-05T12:00:00+02:00',
      },
    ],
    [
      'on a holiday',
      '2026-06-04T10:00',
      {
        open: false,
        since: '2026-06-03T17:30:00+02:00',
        until: '2026-06-05T09:00:00+02:00',
        next_open: '2026-06-05T09:00:00+02:00',
        next_close: '2026-06-05T12:00:00+02:00',
      },
    ],
  ])('%s', async (_, iso, expected) => {
    const { status, body } = await send(
      `/v1/work/status?${OFFICE}&${BERLIN}&iso=${iso}&source_tz=Europe/Berlin`,
    );
    expect(status).toBe(200);
    expect(localTimes(body)).toEqual(expected);
  });

  test('is for now by default, in UTC, with instants in three forms', async () => {
    const { body } = await send('/v1/work/status?schedule=17:00-18:00');
    expect(body).toEqual({
      open: true,
      since: { unix: 1_776_272_400, utc: '2026-04-15T17:00:00Z', iso_local: null },
      until: { unix: 1_776_276_000, utc: '2026-04-15T18:00:00Z', iso_local: null },
      next_open: { unix: 1_776_358_800, utc: '2026-04-16T17:00:00Z', iso_local: null },
      next_close: { unix: 1_776_276_000, utc: '2026-04-15T18:00:00Z', iso_local: null },
    });
  });

  test.each([
    ['24/7', true],
    ['off', false],
  ])('of %s never changes', async (schedule, open) => {
    const { body } = await send(`/v1/work/status?schedule=${schedule}&tz=Asia/Tokyo`);
    expect(body).toEqual({ open, since: null, until: null, next_open: null, next_close: null });
  });

  test('of a list is an array with an error in place of an unknown zone', async () => {
    const { body } = await send(
      '/v1/work/status?schedule=Mo-Fr 09:00-17:00&tz=America/New_York,Mars,Asia/Tokyo',
    );
    expect(
      body.map(({ open, error }: { open?: boolean; error?: { code: string } }) => open ?? error?.code),
    ).toEqual([true, 'INVALID_PARAMETER', false]);
  });

  test('has no changes beyond the years of the calendars', async () => {
    const at = 'iso=2100-12-31T18:00&source_tz=Europe/Berlin';
    const { body } = await send(`/v1/work/status?${OFFICE}&${BERLIN}&${at}`);
    expect(localTimes(body)).toMatchObject({ open: false, since: '2100-12-31T17:30:00+01:00', until: null });
  });

  test('has the zone and the calendars in its details', async () => {
    const { body } = await send(`/v1/work/status?${OFFICE}&${BERLIN}&details=true`);
    expect(body.details.zone.abbreviation).toBe('CEST');
    expect(body.details.holidays[0].calendar).toBe('DE-BY');
  });
});

describe('/v1/work/add', () => {
  test.each([
    [
      'ends at the close, not at the next opening',
      'Mo-Fr 09:00-17:00',
      'PT8H',
      '2026-06-01T09:00',
      '2026-06-01T17:00:00+02:00',
    ],
    [
      'begins where nobody works',
      'Mo-Fr 09:00-17:00',
      'PT1S',
      '2026-06-06T12:00',
      '2026-06-08T09:00:01+02:00',
    ],
    ['backward is the latest', 'Mo-Fr 09:00-17:00', '-PT8H', '2026-06-01T17:00', '2026-06-01T09:00:00+02:00'],
    ['zero changes nothing', 'off', 'PT0S', '2026-06-06T12:00', '2026-06-06T12:00:00+02:00'],
    [
      'a night shift loses the skipped hour',
      '22:00-06:00',
      'PT7H',
      '2026-03-28T22:00',
      '2026-03-29T06:00:00+02:00',
    ],
    [
      'a night shift works the repeated hour',
      '22:00-06:00',
      'PT9H',
      '2026-10-24T22:00',
      '2026-10-25T06:00:00+01:00',
    ],
    ['of years', '24/7', 'PT87660H', '2026-01-01T00:00', '2036-01-01T12:00:00+01:00'],
  ])('%s', async (_, schedule, duration, iso, expected) => {
    const query = `schedule=${schedule}&duration=${duration}&iso=${iso}&source_tz=Europe/Berlin&tz=Europe/Berlin`;
    expect((await send(`/v1/work/add?${query}`)).body.iso_local).toBe(expected);
  });

  test('skips the holidays of several calendars together', async () => {
    const query = 'duration=PT8H&iso=2026-07-02T17:00&source_tz=UTC&tz=UTC&holiday_country=US,DE';
    const { body } = await send(`/v1/work/add?schedule=Mo-Fr 09:00-17:00; PH off&${query}`);
    expect(body.utc).toBe('2026-07-06T17:00:00Z'); // Independence Day is observed on July 3
  });

  test.each([
    ['schedule=off&duration=PT1H', 'the schedule is never open'],
    ['schedule=Feb 29 00:00-01:00&duration=PT200H', 'the schedule is not open that long in 400 years'],
    ['schedule=24/7&duration=PT999999999999H', 'the schedule is not open that long in 400 years'],
    ['schedule=24/7&duration=P1D', "'P1D' has days or larger units"],
    ['schedule=24/7&duration=8', "'8' is not an ISO 8601 duration"],
    ['schedule=24/7', "give a duration like 'PT8H'"],
  ])('%s is rejected', async (query, message) => {
    const { status, body } = await send(`/v1/work/add?${query}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.error.details.parameter).toBe('duration');
    expect(body.error.message).toContain(message);
  });
});

describe('/v1/work/diff', () => {
  test.each([
    [
      'a week with a holiday',
      `${OFFICE}&${BERLIN}&from=iso=2026-06-01&from_tz=Europe/Berlin&to=iso=2026-06-08&to_tz=Europe/Berlin`,
      { work_seconds: 108_000, work_hours: 30, business_days: 4 },
    ],
    [
      'backward',
      'schedule=24/7&from=unix=100&to=unix=0',
      { work_seconds: 100, work_hours: 0.0278, business_days: 0 },
    ],
    [
      'dates of the target',
      'schedule=24/7&tz=Asia/Tokyo&from=unix=1776092400&to=unix=1776178800',
      { work_seconds: 86_400, work_hours: 24, business_days: 1 },
    ],
    [
      'milliseconds are truncated',
      'schedule=24/7&from=unix_ms=1&to=unix_ms=2000',
      { work_seconds: 1, work_hours: 0.0003, business_days: 0 },
    ],
  ])('%s', async (_, query, expected) => {
    const { status, body } = await send(`/v1/work/diff?${query}`);
    expect([status, body]).toEqual([200, expected]);
  });

  test('of more than 400 years is rejected', async () => {
    expect(await errorOf('/v1/work/diff?schedule=24/7&from=iso=1600-01-01&to=iso=2026-01-01')).toBe(
      '400 INVALID_PARAMETER',
    );
  });
});

describe('schedules and calendars', () => {
  const app = createApp(
    testServer({ schedules: new Map([['office', parseOpeningHours('Mo-Fr 09:00-17:00', 'office')]]) }),
  );

  test('a name is looked up before the grammar', async () => {
    const { body } = await send('/v1/work/status?schedule=office', {}, app);
    expect(body.open).toBe(false);
  });

  test.each([
    [
      'schedule=ofice',
      "this server has no schedule 'ofice', and it is not a valid rule either; did you mean 'office'?",
    ],
    ['schedule=shop', 'it is not a valid rule either; give the name of a schedule'],
    [
      'schedule=sunrise-sunset',
      "this server has no schedule 'sunrise-sunset', and it is not a valid rule either",
    ],
    ['schedule=off-season', "'off-season' has '-season' at character 4: expected ';' or ','"],
    ['schedule=PH off', "'PH' in 'PH off' requires 'holiday_country'"],
    ['schedule=Mo 9-17', "'Mo 9-17' has '9-17' at character 4"],
    ['tz=UTC', "it is missing: give the name of a schedule, or a text like 'Mo-Fr 09:00-17:30'"],
    ['schedule=office&holiday_subdivision=BY', "it requires 'holiday_country'"],
    ['schedule=office&require_coverage=true', "it requires 'holiday_country'"],
    [
      'schedule=office&holiday_country=DE&require_coverage=true&unix=0',
      "'require_coverage' is not met for 1970",
    ],
    ['schedule=PH off&holiday_country=DE&unix=-999999999', 'holidays are known for 1970 to 2100'],
  ])('%s is rejected', async (query, message) => {
    const { status, body } = await send(`/v1/work/status?${query}`, {}, app);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.error.message).toContain(message);
  });
});
