import { describe, expect, test } from 'bun:test';
import { parseOpeningHours } from '../../src/schedules/opening_hours.ts';
import { createApp } from '../../src/server/app.ts';
import { expectBodies, expectEach, expectErrors, expectMessages } from '../support/responses.ts';
import { send, testServer } from '../support/service.ts';

const STATUS = '/v1/work/status?schedule=';
const OFFICE = 'Mo-Fr 09:00-12:00,13:00-17:30; PH off';
const BERLIN = 'tz=Europe/Berlin&holiday_country=DE-BY';

/** `iso_local` of each instant in a status. */
async function localStatus(query: string): Promise<Record<string, unknown>> {
  const { body } = await send(`${STATUS}${OFFICE}&${BERLIN}&source_tz=Europe/Berlin&iso=${query}`);
  const localOf = (value: { iso_local: string } | null | boolean) =>
    typeof value === 'object' && value !== null ? value.iso_local : value;
  return Object.fromEntries(Object.entries<boolean>(body).map(([name, value]) => [name, localOf(value)]));
}

describe('/v1/work/status', () => {
  test('has the state and its next changes, in local time', () => {
    const afterHoliday = {
      open: false,
      since: '2026-06-03T17:30:00+02:00',
      until: '2026-06-05T09:00:00+02:00',
      next_open: '2026-06-05T09:00:00+02:00',
      next_close: '2026-06-05T12:00:00+02:00',
    };
    return expectEach(localStatus, {
      '2026-06-03T10:00': {
        open: true,
        since: '2026-06-03T09:00:00+02:00',
        until: '2026-06-03T12:00:00+02:00',
        next_open: '2026-06-03T13:00:00+02:00',
        next_close: '2026-06-03T12:00:00+02:00',
      },
      '2026-06-03T17:30': afterHoliday, // at the moment of closing
      '2026-06-04T10:00': afterHoliday, // on a holiday
    });
  });

  test('is for now by default, in UTC, with instants in three forms; changes out of range are null', () => {
    const at = (unix: number, utc: string) => ({ unix, utc, iso_local: null });
    const lastMonday = at(8_639_999_611_200, '+275760-09-08T12:00:00Z');
    const none = { since: null, until: null, next_open: null, next_close: null };
    return expectEach(async query => (await send(STATUS + query)).body, {
      '17:00-18:00': {
        open: true,
        since: at(1_776_272_400, '2026-04-15T17:00:00Z'),
        until: at(1_776_276_000, '2026-04-15T18:00:00Z'),
        next_open: at(1_776_358_800, '2026-04-16T17:00:00Z'),
        next_close: at(1_776_276_000, '2026-04-15T18:00:00Z'),
      },
      'Mo 10:00-12:00&unix_ms=8640000000000000': { ...none, open: false, since: lastMonday },
      '24/7&tz=Asia/Tokyo': { ...none, open: true },
      'off&tz=Asia/Tokyo': { ...none, open: false },
    });
  });

  test('of a list is an array with an error in place of an unknown zone', async () => {
    const { body } = await send(`${STATUS}Mo-Fr 09:00-17:00&tz=America/New_York,Mars,Asia/Tokyo`);
    expect(body).toMatchObject([{ open: true }, { error: { code: 'INVALID_PARAMETER' } }, { open: false }]);
  });

  test('has no changes beyond the years of the calendars', async () => {
    const last = { open: false, since: '2100-12-31T17:30:00+01:00', until: null };
    expect(await localStatus('2100-12-31T18:00')).toMatchObject(last);
  });

  test('has the zone and the calendars in its details', async () => {
    const { details } = (await send(`${STATUS}${OFFICE}&${BERLIN}&details=true`)).body;
    expect([details.zone.abbreviation, details.holidays[0].calendar]).toEqual(['CEST', 'DE-BY']);
  });
});

describe('/v1/work/add', () => {
  test('adds time in which the schedule is open', () => {
    const zone = 'source_tz=Europe/Berlin&tz=Europe/Berlin';
    return expectEach(async query => (await send(`/v1/work/add?${zone}&${query}`)).body.iso_local, {
      // It ends at the close, not at the next opening, and begins where nobody works.
      'schedule=Mo-Fr 09:00-17:00&duration=PT8H&iso=2026-06-01T09:00': '2026-06-01T17:00:00+02:00',
      'schedule=Mo-Fr 09:00-17:00&duration=PT1S&iso=2026-06-06T12:00': '2026-06-08T09:00:01+02:00',
      // Backward it is the latest.
      'schedule=Mo-Fr 09:00-17:00&duration=-PT8H&iso=2026-06-01T17:00': '2026-06-01T09:00:00+02:00',
      'schedule=off&duration=PT0S&iso=2026-06-06T12:00': '2026-06-06T12:00:00+02:00',
      // A night shift loses the skipped hour, and works the repeated one.
      'schedule=22:00-06:00&duration=PT7H&iso=2026-03-28T22:00': '2026-03-29T06:00:00+02:00',
      'schedule=22:00-06:00&duration=PT9H&iso=2026-10-24T22:00': '2026-10-25T06:00:00+01:00',
      'schedule=24/7&duration=PT87660H&iso=2026-01-01T00:00': '2036-01-01T12:00:00+01:00',
    });
  });

  test('skips the holidays of several calendars together', async () => {
    const query = 'duration=PT8H&iso=2026-07-02T17:00&source_tz=UTC&tz=UTC&holiday_country=US,DE';
    const { body } = await send(`/v1/work/add?schedule=Mo-Fr 09:00-17:00; PH off&${query}`);
    expect(body.utc).toBe('2026-07-06T17:00:00Z'); // Independence Day is observed on July 3
  });

  test('rejects durations that are none, or longer than the schedule is open', () => {
    const table = {
      'off&duration=PT1H': '…the schedule is never open…',
      'Feb 29 00:00-01:00&duration=PT200H': '…the schedule is not open that long in 400 years…',
      '24/7&duration=PT999999999999H': '…the schedule is not open that long in 400 years…',
      '24/7&duration=P1D': "…'P1D' has days or larger units…",
      '24/7&duration=8': "…'8' is not an ISO 8601 duration…",
      '24/7': "…give a duration like 'PT8H'…",
    };
    return expectMessages('/v1/work/add?schedule=', table, '400 INVALID_PARAMETER duration');
  });
});

describe('/v1/work/diff', () => {
  test('has working time and business days between two instants, of the dates of the target', () => {
    const week = 'from=iso=2026-06-01&from_tz=Europe/Berlin&to=iso=2026-06-08&to_tz=Europe/Berlin';
    const day = 'from=unix=1776092400&to=unix=1776178800';
    const durationOf = async (query: string) => (await send(`/v1/work/diff?schedule=${query}`)).body;
    return expectEach(durationOf, {
      [`${OFFICE}&${BERLIN}&${week}`]: { work_seconds: 108_000, work_hours: 30, business_days: 4 },
      '24/7&from=unix=100&to=unix=0': { work_seconds: 100, work_hours: 0.0278, business_days: 0 },
      [`24/7&tz=Asia/Tokyo&${day}`]: { work_seconds: 86_400, work_hours: 24, business_days: 1 },
      // Milliseconds are truncated.
      '24/7&from=unix_ms=1&to=unix_ms=2000': { work_seconds: 1, work_hours: 0.0003, business_days: 0 },
    });
  });

  test('of more than 400 years is rejected', () =>
    expectErrors('/v1/work/diff?schedule=24/7&', {
      '400 INVALID_PARAMETER': ['from=iso=1600-01-01&to=iso=2026-01-01'],
    }));
});

describe('schedules and calendars', () => {
  const office = parseOpeningHours('Mo-Fr 09:00-17:00', 'office');
  const app = createApp(testServer({ schedules: new Map([['office', office]]) }));

  test('a name is looked up before the grammar', () =>
    expectBodies(STATUS, { office: { open: false } }, app));

  test('invalid ones are rejected with a reason', async () => {
    const unknown = {
      ofice:
        "…this server has no schedule 'ofice', and it is not a valid rule either; did you mean 'office'?…",
      shop: '…it is not a valid rule either; give the name of a schedule…',
      'sunrise-sunset': "…this server has no schedule 'sunrise-sunset', and it is not a valid rule either…",
      'off-season': "…'off-season' has '-season' at character 4: expected ';' or ','…",
      'PH off': "…'PH' in 'PH off' requires 'holiday_country'…",
      'Mo 9-17': "…'Mo 9-17' has '9-17' at character 4…",
      'office&holiday_subdivision=BY': "…it requires 'holiday_country'…",
      'office&require_coverage=true': "…it requires 'holiday_country'…",
      'office&holiday_country=DE&require_coverage=true&unix=0': "…'require_coverage' is not met for 1970…",
      'PH off&holiday_country=DE&unix=-999999999': '…holidays are known for 1970 to 2100…',
    };
    await expectMessages(STATUS, unknown, '400 INVALID_PARAMETER', app);
    await expectMessages('/v1/work/status?', {
      'tz=UTC': "…it is missing: give the name of a schedule, or a text like 'Mo-Fr 09:00-17:30'…",
    });
  });
});

/** The local times in a response to the minute, or in UTC. */
async function localTimes(query: string): Promise<string> {
  const { status, body } = await send(`/v1/recurrence?${query}`);
  expect([query, status]).toEqual([query, 200]);
  const occurrences = body.occurrences as { iso_local: string | null; utc: string }[];
  return occurrences.map(({ iso_local, utc }) => (iso_local ?? utc).slice(0, 16)).join(' ');
}

const upTo = (end: number) => Array.from({ length: end }, (_, value) => value).join();
const EVERY_SECOND = `BYHOUR=${upTo(24)};BYMINUTE=${upTo(60)};BYSECOND=${upTo(60)}`;
const FRIDAYS = 'rrule=DTSTART;TZID=Europe/Berlin:20260102T170000%0ARRULE:FREQ=MONTHLY;BYDAY=-1FR';

describe('/v1/recurrence', () => {
  test('cron begins at the present, and a range is half open', () =>
    expectEach(localTimes, {
      'cron=0 9 * * 1-5&tz=America/New_York&count=2': '2026-04-16T09:00 2026-04-17T09:00',
      'cron=0 0 * * *&from=2026-01-01&to=2026-01-03': '2026-01-01T00:00 2026-01-02T00:00',
      'cron=0 9 * * *&from=2026-01-01&to=2026-01-01': '',
      // Local ends are as disambiguation resolves them.
      'cron=*/30 * * * *&tz=Europe/Paris&from=2026-10-25T02:30&count=3&disambiguation=later':
        '2026-10-25T02:30 2026-10-25T03:00 2026-10-25T03:30',
    }));

  test('a rule begins at DTSTART or later, and COUNT counts from there', () =>
    expectEach(localTimes, {
      [`${FRIDAYS}&count=2`]: '2026-01-30T17:00 2026-02-27T17:00',
      [`${FRIDAYS}&from=2026-12-01T00:00&count=1`]: '2026-12-25T17:00',
      [`${FRIDAYS}&from=2026-01-30T16:00Z&to=2026-01-30T16:00:01Z`]: '2026-01-30T17:00',
      'rrule=DTSTART:20150101T090000Z%0ARRULE:FREQ=DAILY;COUNT=5000&from=2026-06-01&count=2':
        '2026-06-01T09:00 2026-06-02T09:00',
      // The range ends before a rare occurrence.
      'rrule=DTSTART:20260415T090000Z%0ARRULE:FREQ=DAILY;INTERVAL=7;BYDAY=MO&to=2030-01-01': '',
      // Each second of every day, from the evening of one.
      [`rrule=DTSTART:20260101T000000Z%0ARRULE:FREQ=DAILY;${EVERY_SECOND}&from=2026-12-30T23:59:59Z&count=2`]:
        '2026-12-30T23:59 2026-12-31T00:00',
    }));

  test('a floating time is of the target, and a date is its midnight', () =>
    expectEach(query => localTimes(`tz=Asia/Tokyo&rrule=DTSTART${query}`), {
      ':20260701T090000%0ARRULE:FREQ=DAILY;COUNT=1': '2026-07-01T09:00',
      ';VALUE=DATE:20260701%0ARRULE:FREQ=DAILY;UNTIL=20260702': '2026-07-01T00:00 2026-07-02T00:00',
    }));

  test('lines are in either order, end with or without a carriage return, and may be folded', () =>
    expectEach(query => localTimes(`rrule=${query}`), {
      'RRULE:FREQ=DAILY;COUNT=1%0D%0ADTSTART:20260701T090000Z%0D%0A': '2026-07-01T09:00',
      // By a space, which may be a plus sign of the query, or by a tab.
      'DTSTART:20260701T0%0D%0A+90000Z%0D%0ARRULE:FREQ=WEEKLY;%0D%0A%20BYDAY=%0A%09MO;COUNT=1':
        '2026-07-06T09:00',
      // A sign as a space.
      'DTSTART:20260701T090000Z%0ARRULE:FREQ=MONTHLY;BYDAY=+1FR;COUNT=1': '2026-07-03T09:00',
    }));

  test('holidays are left out and not counted', () =>
    expectEach(query => localTimes(`exclude_holidays=true&holiday_country=DE&${query}`), {
      'cron=0 9 * * 1-5&tz=Europe/Berlin&from=2026-12-24&count=2': '2026-12-24T09:00 2026-12-28T09:00',
      'cron=0 9 * * *&tz=Europe/Berlin&from=2026-12-24&count=2': '2026-12-24T09:00 2026-12-27T09:00',
      'rrule=DTSTART;TZID=Europe/Berlin:20261224T090000%0ARRULE:FREQ=DAILY;COUNT=4':
        '2026-12-24T09:00 2026-12-27T09:00',
      'cron=0 9 1 5 *&tz=Europe/Berlin&from=2026-12-01&to=2027-06-01': '',
      // A range may end with the calendars.
      'cron=0 9 31 12 *&from=2100-12-01&to=2101-01-01': '2100-12-31T09:00',
    }));

  test('has ten occurrences by default, and up to a thousand in a range', () => {
    const countOf = async (query: string) => (await localTimes(`cron=* * * * *${query}`)).split(' ').length;
    return expectEach(countOf, { '': 10, '&from=2026-01-01&to=2027-01-01': 1000, '&count=1000': 1000 });
  });

  test('has time payloads, which it writes as convert does, with lang and format', async () => {
    for (const rendering of ['', 'lang=fr', 'format=%25A %25-d %25B', 'lang=ru&format=%25A %25e %25B']) {
      const [recurrence, convert] = await Promise.all([
        send(`/v1/recurrence?cron=0 12 * * *&tz=Asia/Tokyo&from=2026-07-01&count=2&${rendering}`),
        send(`/v1/time/convert?iso=2026-07-02T12:00&source_tz=Asia/Tokyo&tz=Asia/Tokyo&${rendering}`),
      ]);
      expect(recurrence.body.occurrences).toHaveLength(2);
      expect(recurrence.body.occurrences[1]).toEqual(convert.body);
    }
    await expectErrors('/v1/recurrence?cron=0 12 * * *&', { '400 INVALID_PARAMETER': ['format=%25Q'] });
    const detailed = await send('/v1/recurrence?cron=0 12 * * *&count=1&lang=fr&details=true');
    expect(detailed.body.occurrences[0].details).toBeUndefined();
    expect(detailed.body.details).toBeDefined();
  });

  test('invalid rules and ranges are rejected with a reason', async () => {
    const invalid = {
      '': "…give 'cron' or 'rrule'…",
      'rrule=DTSTART;TZID=Mars/Phobos:20260102T170000%0ARRULE:FREQ=DAILY': "…'Mars/Phobos' is not a zone…",
      'cron=0 0 30 2 *': '…never occurs…',
      'cron=0 9 * * *&count=0': "…'0' is not between 1 and 1000…",
      'cron=0 9 * * *&count=1001': "…'1001' is not between 1 and 1000…",
      'cron=0 9 * * *&from=2026-02-30': "Cannot read 'from'…",
      'cron=0 9 * * *&from=2026-02-02&to=2026-02-01': '…it is before the start of the range…',
      'cron=0 9 * * *&exclude_holidays=true': "…it requires 'holiday_country'…",
      'cron=0 9 * * *&holiday_country=DE': "…it requires 'exclude_holidays=true'…",
    };
    await expectMessages('/v1/recurrence?', invalid);
    const ambiguous = {
      [`cron=0 9 * * *&${FRIDAYS}`]: "…'cron' and 'rrule' are given together…",
      [`${FRIDAYS}&tz=Asia/Tokyo`]: "…'rrule' has a zone of its own, and 'tz' gives one too…",
    };
    await expectMessages('/v1/recurrence?', ambiguous, '400 AMBIGUOUS_TARGET');
    const skipped = {
      'from=2026-03-29T02:30': '…2026-03-29T02:30:00 is skipped by the clocks of Europe/Paris…',
    };
    const paris = '/v1/recurrence?cron=0 9 * * *&tz=Europe/Paris&disambiguation=reject&';
    await expectMessages(paris, skipped, '400 INVALID_TIMESTAMP');
  });

  test('holidays are excluded only in the years of the calendars', () =>
    expectMessages('/v1/recurrence?exclude_holidays=true&holiday_country=DE&cron=0 9 ', {
      '25 12 *': '…holidays are known for 1970 to 2100…',
      '31 12 *&from=2099-06-01&count=3':
        "Cannot find 3 occurrences with 'holiday_country': holidays are known for 1970 to 2100, and the search left these years " +
        "before it had found them; 'to' bounds it",
      '31 12 *&from=2099-06-01&to=2102-01-01': '…holidays are known for 1970 to 2100, and a date is in 2101…',
      '31 12 *&from=1960-06-01': '…holidays are known for 1970 to 2100, and a date is in 1960…',
    }));

  test('require_coverage rejects days that are not covered', () =>
    expectMessages('/v1/recurrence?exclude_holidays=true&holiday_country=DE&require_coverage=true&', {
      'cron=0 9 * * *&from=1980-01-01': "…'require_coverage' is not met for 1980…",
      'cron=0 9 1 1 *&from=2029-06-01&to=2030-02-01': "…'require_coverage' is not met for 2029 to 2030…",
      'rrule=DTSTART:20290601T090000%0ARRULE:FREQ=YEARLY;BYYEARDAY=1;COUNT=1':
        "…'require_coverage' is not met for 2029 to 2030…",
    }));
});
