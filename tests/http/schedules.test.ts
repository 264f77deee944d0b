import { describe, expect, test } from 'bun:test';
import { parseOpeningHours } from '../../src/schedules/opening_hours.ts';
import { createApp } from '../../src/server/app.ts';
import { errorOf, send, testServer } from '../support/service.ts';

const OFFICE = 'schedule=Mo-Fr 09:00-12:00,13:00-17:30; PH off';
const BERLIN = 'tz=Europe/Berlin&holiday_country=DE-BY';

/** `iso_local` of each instant in a status. */
function localParts(status: Record<string, { iso_local: string } | null | boolean>): Record<string, unknown> {
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
    expect(localParts(body)).toEqual(expected);
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
    expect(localParts(body)).toMatchObject({ open: false, since: '2100-12-31T17:30:00+01:00', until: null });
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
      ...['ends at the close, not at the next opening', 'Mo-Fr 09:00-17:00', 'PT8H', '2026-06-01T09:00'],
      '2026-06-01T17:00:00+02:00',
    ],
    [
      ...['begins where nobody works', 'Mo-Fr 09:00-17:00', 'PT1S', '2026-06-06T12:00'],
      '2026-06-08T09:00:01+02:00',
    ],
    ['backward is the latest', 'Mo-Fr 09:00-17:00', '-PT8H', '2026-06-01T17:00', '2026-06-01T09:00:00+02:00'],
    ['zero changes nothing', 'off', 'PT0S', '2026-06-06T12:00', '2026-06-06T12:00:00+02:00'],
    [
      ...['a night shift loses the skipped hour', '22:00-06:00', 'PT7H', '2026-03-28T22:00'],
      '2026-03-29T06:00:00+02:00',
    ],
    [
      ...['a night shift works the repeated hour', '22:00-06:00', 'PT9H', '2026-10-24T22:00'],
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

/** The local times in a response, without offsets. */
async function localTimes(query: string): Promise<string[]> {
  const { status, body } = await send(`/v1/recurrence?${query}`);
  expect(status).toBe(200);
  return body.occurrences.map(({ iso_local, utc }: { iso_local: string | null; utc: string }) =>
    (iso_local ?? utc).slice(0, 16),
  );
}

const upTo = (end: number) => Array.from({ length: end }, (_, value) => value).join();
const FRIDAYS = 'rrule=DTSTART;TZID=Europe/Berlin:20260102T170000%0ARRULE:FREQ=MONTHLY;BYDAY=-1FR';

describe('/v1/recurrence', () => {
  test.each([
    [
      'cron begins at the present',
      'cron=0 9 * * 1-5&tz=America/New_York&count=2',
      ['2026-04-16T09:00', '2026-04-17T09:00'],
    ],
    [
      'a range is half open',
      'cron=0 0 * * *&from=2026-01-01&to=2026-01-03',
      ['2026-01-01T00:00', '2026-01-02T00:00'],
    ],
    ['a rule begins at DTSTART', `${FRIDAYS}&count=2`, ['2026-01-30T17:00', '2026-02-27T17:00']],
    ['or later', `${FRIDAYS}&from=2026-12-01T00:00&count=1`, ['2026-12-25T17:00']],
    [
      'ends with an offset',
      `${FRIDAYS}&from=2026-01-30T16:00Z&to=2026-01-30T16:00:01Z`,
      ['2026-01-30T17:00'],
    ],
    [
      'local ends as disambiguation resolves them',
      'cron=*/30 * * * *&tz=Europe/Paris&from=2026-10-25T02:30&count=3&disambiguation=later',
      ['2026-10-25T02:30', '2026-10-25T03:00', '2026-10-25T03:30'],
    ],
    [
      'a floating time is of the target',
      'rrule=DTSTART:20260701T090000%0ARRULE:FREQ=DAILY;COUNT=1&tz=Asia/Tokyo',
      ['2026-07-01T09:00'],
    ],
    [
      'a date is its midnight',
      'rrule=DTSTART;VALUE=DATE:20260701%0ARRULE:FREQ=DAILY;UNTIL=20260702&tz=Asia/Tokyo',
      ['2026-07-01T00:00', '2026-07-02T00:00'],
    ],
    [
      'lines in either order, with a carriage return',
      'rrule=RRULE:FREQ=DAILY;COUNT=1%0D%0ADTSTART:20260701T090000Z%0D%0A',
      ['2026-07-01T09:00'],
    ],
    [
      'lines folded by a space, which may be a plus sign of the query, or by a tab',
      'rrule=DTSTART:20260701T0%0D%0A+90000Z%0D%0ARRULE:FREQ=WEEKLY;%0D%0A%20BYDAY=%0A%09MO;COUNT=1',
      ['2026-07-06T09:00'],
    ],
    [
      'a sign as a space',
      'rrule=DTSTART:20260701T090000Z%0ARRULE:FREQ=MONTHLY;BYDAY=+1FR;COUNT=1',
      ['2026-07-03T09:00'],
    ],
    [
      'each second of every day, from the evening of one',
      `rrule=DTSTART:20260101T000000Z%0ARRULE:FREQ=DAILY;BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(60)}&from=2026-12-30T23:59:59Z&count=2`,
      ['2026-12-30T23:59', '2026-12-31T00:00'],
    ],
    [
      'COUNT counts from DTSTART, however long ago',
      'rrule=DTSTART:20150101T090000Z%0ARRULE:FREQ=DAILY;COUNT=5000&from=2026-06-01&count=2',
      ['2026-06-01T09:00', '2026-06-02T09:00'],
    ],
    [
      'nothing where the range ends before a rare occurrence',
      'rrule=DTSTART:20260415T090000Z%0ARRULE:FREQ=DAILY;INTERVAL=7;BYDAY=MO&to=2030-01-01',
      [],
    ],
    ['nothing in an empty range', 'cron=0 9 * * *&from=2026-01-01&to=2026-01-01', []],
    [
      'holidays are left out and not counted',
      'cron=0 9 * * 1-5&tz=Europe/Berlin&from=2026-12-24&count=2&exclude_holidays=true&holiday_country=DE',
      ['2026-12-24T09:00', '2026-12-28T09:00'],
    ],
    [
      'also those of a rule',
      'rrule=DTSTART;TZID=Europe/Berlin:20261224T090000%0ARRULE:FREQ=DAILY;COUNT=4&exclude_holidays=true&holiday_country=DE',
      ['2026-12-24T09:00', '2026-12-27T09:00'],
    ],
    [
      'none is left where a range has only holidays',
      'cron=0 9 1 5 *&tz=Europe/Berlin&from=2026-12-01&to=2027-06-01&exclude_holidays=true&holiday_country=DE',
      [],
    ],
    [
      'a range may end with the calendars',
      'cron=0 9 31 12 *&from=2100-12-01&to=2101-01-01&exclude_holidays=true&holiday_country=DE',
      ['2100-12-31T09:00'],
    ],
  ])('%s', async (_, query, expected) => {
    expect(await localTimes(query)).toEqual(expected);
  });

  test('has ten occurrences by default, and up to a thousand in a range', async () => {
    expect((await localTimes('cron=* * * * *')).length).toBe(10);
    expect((await localTimes('cron=* * * * *&from=2026-01-01&to=2027-01-01')).length).toBe(1000);
    expect((await localTimes('cron=* * * * *&count=1000')).length).toBe(1000);
  });

  test('has time payloads', async () => {
    const [recurrence, convert] = await Promise.all([
      send('/v1/recurrence?cron=0 12 * * *&tz=Asia/Tokyo&from=2026-07-01&count=1'),
      send('/v1/time/convert?iso=2026-07-01T12:00&source_tz=Asia/Tokyo&tz=Asia/Tokyo'),
    ]);
    expect(recurrence.body).toEqual({ occurrences: [convert.body] });
  });

  test('writes its time payloads as convert does, with lang and format', async () => {
    for (const rendering of ['lang=fr', 'format=%25A %25-d %25B', 'lang=ru&format=%25A %25e %25B']) {
      const [recurrence, convert] = await Promise.all([
        send(`/v1/recurrence?cron=0 12 * * *&tz=Asia/Tokyo&from=2026-07-01&count=2&${rendering}`),
        send(`/v1/time/convert?iso=2026-07-02T12:00&source_tz=Asia/Tokyo&tz=Asia/Tokyo&${rendering}`),
      ]);
      expect(recurrence.body.occurrences).toHaveLength(2);
      expect(recurrence.body.occurrences[1]).toEqual(convert.body);
    }
    const { status, body } = await send('/v1/recurrence?cron=0 12 * * *&format=%25Q');
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
    const detailed = await send('/v1/recurrence?cron=0 12 * * *&count=1&lang=fr&details=true');
    expect(detailed.body.occurrences[0].details).toBeUndefined();
    expect(detailed.body.details).toBeDefined();
  });

  test.each([
    ['', 'INVALID_PARAMETER', "give 'cron' or 'rrule'"],
    [`cron=0 9 * * *&${FRIDAYS}`, 'AMBIGUOUS_TARGET', "'cron' and 'rrule' are given together"],
    [`${FRIDAYS}&tz=Asia/Tokyo`, 'AMBIGUOUS_TARGET', "'rrule' has a zone of its own, and 'tz' gives one too"],
    [
      'rrule=DTSTART;TZID=Mars/Phobos:20260102T170000%0ARRULE:FREQ=DAILY',
      'INVALID_PARAMETER',
      "'Mars/Phobos' is not a zone",
    ],
    ['cron=0 0 30 2 *', 'INVALID_PARAMETER', 'never occurs'],
    ['cron=0 9 * * *&count=0', 'INVALID_PARAMETER', '0 is not between 1 and 1000'],
    ['cron=0 9 * * *&count=1001', 'INVALID_PARAMETER', '1001 is not between 1 and 1000'],
    [
      'cron=0 9 * * *&tz=Europe/Paris&from=2026-03-29T02:30&disambiguation=reject',
      'INVALID_TIMESTAMP',
      '2026-03-29T02:30:00 is skipped by the clocks of Europe/Paris',
    ],
    ['cron=0 9 * * *&from=2026-02-30', 'INVALID_PARAMETER', "Cannot read 'from'"],
    [
      'cron=0 9 * * *&from=2026-02-02&to=2026-02-01',
      'INVALID_PARAMETER',
      'it is before the start of the range',
    ],
    ['cron=0 9 * * *&exclude_holidays=true', 'INVALID_PARAMETER', "it requires 'holiday_country'"],
    ['cron=0 9 * * *&holiday_country=DE', 'INVALID_PARAMETER', "it requires 'exclude_holidays=true'"],
    [
      'cron=0 9 25 12 *&exclude_holidays=true&holiday_country=DE',
      'INVALID_PARAMETER',
      'holidays are known for 1970 to 2100',
    ],
    [
      'cron=0 9 31 12 *&from=2099-06-01&count=3&exclude_holidays=true&holiday_country=DE',
      'INVALID_PARAMETER',
      "Cannot find 3 occurrences with 'holiday_country': holidays are known for 1970 to 2100, and the search left these years " +
        "before it had found them; 'to' bounds it",
    ],
    [
      'cron=0 9 31 12 *&from=2099-06-01&to=2102-01-01&exclude_holidays=true&holiday_country=DE',
      'INVALID_PARAMETER',
      'holidays are known for 1970 to 2100, and a date is in 2101',
    ],
    [
      'cron=0 9 31 12 *&from=1960-06-01&exclude_holidays=true&holiday_country=DE',
      'INVALID_PARAMETER',
      'holidays are known for 1970 to 2100, and a date is in 1960',
    ],
    [
      'cron=0 9 * * *&exclude_holidays=true&holiday_country=DE&require_coverage=true&from=1980-01-01',
      'INVALID_PARAMETER',
      "'require_coverage' is not met for 1980",
    ],
    [
      'cron=0 9 1 1 *&from=2026-06-01&to=2027-02-01&exclude_holidays=true&holiday_country=DE&require_coverage=true',
      'INVALID_PARAMETER',
      "'require_coverage' is not met for 2026 to 2027",
    ],
    [
      'rrule=DTSTART:20260601T090000%0ARRULE:FREQ=YEARLY;BYYEARDAY=1;COUNT=1&exclude_holidays=true&holiday_country=DE&require_coverage=true',
      'INVALID_PARAMETER',
      "'require_coverage' is not met for 2026 to 2027",
    ],
  ])('%p is rejected', async (query, code, message) => {
    const { status, body } = await send(`/v1/recurrence?${query}`);
    expect([status, body.error.code]).toEqual([400, code]);
    expect(body.error.message).toContain(message);
  });
});
