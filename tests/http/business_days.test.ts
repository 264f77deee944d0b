import { describe, expect, test } from 'bun:test';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../../src/holidays/organisation_calendar.ts';
import { createApp } from '../../src/server/app.ts';
import { fc } from '../support/property.ts';
import {
  column,
  expectAll,
  expectBodies,
  expectEach,
  expectErrors,
  expectMessages,
} from '../support/responses.ts';
import { app as openApp, send, testServer } from '../support/service.ts';

const BUSINESS_DAYS = '/v1/time/diff?business_days=true&';

async function count(query: string, target = openApp): Promise<number> {
  return (await send(BUSINESS_DAYS + query, {}, target)).body.business_days;
}

/** Business days between two dates, in the calendars of a country if any: `2026-12-21 2027-01-04 DE`. */
async function counted(given: string): Promise<number> {
  const [from, to, calendar] = given.split(' ');
  return count(
    `from=iso=${from}&to=iso=${to}${calendar === undefined ? '' : `&holiday_country=${calendar}`}`,
  );
}

const MS_PER_DAY = 86_400_000;

/** Mondays to Fridays from the earlier date until before the later, counted day by day; dates as from `Date.UTC`. */
function walked(one: number, other: number): number {
  let days = 0;
  for (let day = Math.min(one, other); day < Math.max(one, other); day += MS_PER_DAY) {
    if (new Date(day).getUTCDay() % 6 !== 0) days++;
  }
  return days;
}

describe('which days are counted', () => {
  test('none without business_days=true', async () => {
    const flags = ['', '&business_days=false', '&business_days=TRUE', '&business_days=1', '&business_days='];
    const membersOf = async (flag: string) => {
      const { status, body } = await send(`/v1/time/diff?from=unix=0&to=now${flag}`);
      return [status, 'business_days' in body];
    };
    await expectAll(membersOf, [200, false], flags);
  });

  test('the earlier date up to but not including the later: within a day 0, Monday to Wednesday 2', () =>
    expectEach(counted, {
      '2026-11-23T09:00 2026-11-23T10:00': 0,
      '2026-11-23 2026-11-25': 2,
      '2026-11-25 2026-11-23': 2,
      '2026-11-20 2026-11-23': 1,
      '2026-11-21 2026-11-23': 0,
    }));

  test('weekends are those of the country, Saturday and Sunday without one', () =>
    expectEach(counted, {
      // Thursday, November 26 to Monday, November 30, 2026.
      '2026-11-26 2026-11-30': 2,
      '2026-11-26 2026-11-30 SA': 2,
      '2026-11-28 2026-11-30': 0,
      '2026-11-28 2026-11-30 SA': 1,
      '2026-11-28 2026-11-30 IN': 0,
    }));

  test('holidays are not counted; those of a subdivision only with its code', () =>
    expectEach(counted, {
      '2026-12-21 2027-01-04': 10,
      '2026-12-21 2027-01-04 DE': 8,
      // Epiphany is a holiday in Bavaria.
      '2027-01-04 2027-01-11 DE': 5,
      '2027-01-04 2027-01-11 DE&holiday_subdivision=BY': 4,
      '2026-08-03 2026-08-10 de&holiday_subdivision=by-a': 5,
      '2025-08-04 2025-08-11 de&holiday_subdivision=de-by-a': 4,
    }));

  test('worked weekend days are counted, substitute days are not', () =>
    expectEach(counted, {
      // China works on Sunday, January 4, 2026 to make up for the bridge day on Friday.
      '2026-01-01 2026-01-05 CN': 1,
      '2026-01-04 2026-01-05 CN': 1,
      '2024-02-17 2024-02-18 TW': 1,
      // Boxing Day of 2026 is a Saturday in England.
      '2026-12-28 2026-12-29 GB&holiday_subdivision=ENG': 0,
    }));
});

describe('calendars of holiday_country', () => {
  test('an ISO 3166-2 code selects a subdivision', () =>
    expectAll(code => counted(`2027-01-04 2027-01-11 ${code}`), 4, ['DE-BY', 'de-by', 'DE-Bayern']));

  test('a day off in any calendar of a list is off', () =>
    expectEach(counted, {
      // July 3, 2026 is off in the US, July 14 in France.
      '2026-06-29 2026-07-20 US': 14,
      '2026-06-29 2026-07-20 FR': 14,
      '2026-06-29 2026-07-20 US,FR': 13,
      '2026-07-20 2026-06-29 FR,US,FR': 13,
      // Saudi Arabia rests on Friday and Saturday, Germany on Saturday and Sunday.
      '2026-12-07 2026-12-14 DE-BY,SA': 4,
      '2026-12-07 2026-12-14 DE,AT,CH,FR,IT,NL,BE,LU': 4,
    }));

  test('counts for a list equal a day-by-day count over its calendars', async () => {
    const codes = ['AE', 'CN', 'US'];
    const days = { min: Date.UTC(2001, 0, 1) / MS_PER_DAY, max: Date.UTC(2030, 11, 31) / MS_PER_DAY };
    const dateOf = (day: number) => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
    const isBusinessDay = async (day: number) => {
      const counts = codes.map(code => counted(`${dateOf(day)} ${dateOf(day + 1)} ${code}`));
      return (await Promise.all(counts)).every(count => count === 1);
    };
    await fc.assert(
      fc.asyncProperty(fc.integer(days), fc.integer({ min: 0, max: 70 }), async (from, length) => {
        let business = 0;
        for (let day = from; day < from + length; day++) if (await isBusinessDay(day)) business++;
        expect(await counted(`${dateOf(from)} ${dateOf(from + length)} ${codes}`)).toBe(business);
      }),
      { numRuns: 10 },
    );
  });
});

describe('coverage', () => {
  const december = 'business_days=true&details=true&from=iso=2026-12-21';
  const coverage = {
    from: 1991,
    to: 2100,
    basis: 'law',
    certain: [{ from: expect.any(Number), to: 2029 }],
    announced_through: 2025,
    reviewed: '2026-11',
  };

  test('of the calendars used is in the details', async () => {
    const { body } = await send(`/v1/time/diff?${december}&to=iso=2026-12-31&holiday_country=DE-BY,GB`);
    expect(body.details.holidays).toHaveLength(2);
    expect(body.details.holidays[0]).toEqual({ calendar: 'DE-BY', coverage, subdivisions_differ: false });
    expect(body.details.holidays[1]).toMatchObject({ calendar: 'GB', subdivisions_differ: true });
    const none = await send(`/v1/time/diff?${december}&to=iso=2026-12-31`);
    expect(none.body.details).not.toHaveProperty('holidays');
    const since = await send(
      '/v1/time/elapsed?iso=2026-01-01&business_days=true&holiday_country=DE&holiday_subdivision=BY&details=true',
    );
    expect(since.body.details).toMatchObject({
      holidays: [{ calendar: 'DE-BY', coverage, subdivisions_differ: false }],
    });
  });

  test('is required for all counted days', async () => {
    const failure = async (to: string, codes: string) =>
      (await send(`/v1/time/diff?${december}&to=iso=${to}&holiday_country=${codes}&require_coverage=true`))
        .body.error;
    // The later date is not counted.
    await expectAll(to => failure(to, 'DE'), undefined, ['2030-01-01', '2026-12-21', '2027-03-01']);
    expect(await failure('2030-01-02', 'DE')).toEqual({
      code: 'INVALID_PARAMETER',
      message:
        "'require_coverage' is not met for 2026 to 2030: the one-off days of DE are not complete in 2030",
      details: { parameter: 'require_coverage', calendars: ['DE'], first_year: 2026, last_year: 2030 },
    });
    expect((await failure('1990-12-31', 'DE')).details.first_year).toBe(1990);
    expect((await failure('2026-12-22', 'DE,FK')).message).toBe(
      "'require_coverage' is not met for 2026: nobody has compared FK with its law",
    );
    expect((await failure('2101-01-01', 'DE')).details.parameter).toBe('holiday_country');
  });

  test('is required by elapsed, too', async () => {
    const path = '/v1/time/elapsed?business_days=true&holiday_country=DE&require_coverage=true&iso=';
    expect((await send(`${path}2026-01-01`)).status).toBe(200);
    await expectErrors(path, { '400 INVALID_PARAMETER require_coverage': ['2032-01-01'] });
  });
});

describe("each side's date is in its own place", () => {
  test("from its hint, its offset, its brackets, or its specifier's place", () =>
    expectEach(from => count(`from=${from}&to=iso=2026-11-23`), {
      // Friday evening in New York is Saturday in Tokyo and in UTC.
      'iso=2026-11-20T22:00&from_tz=America/New_York': 1,
      'iso=2026-11-20T22:00&from_offset=-05:00': 1,
      'iso=2026-11-20T22:00-05:00': 1,
      'iso=2026-11-20T22:00[America/New_York]': 1,
      'unix=1795230000': 0,
      'iso=2026-11-21T03:00Z': 0,
      'iso=2026-11-21T12:00&from_tz=Asia/Tokyo': 0,
    }));

  test('one instant in two places can have a business day between its dates', async () => {
    const ends = 'from=iso=2026-04-15T22:00-04:00&to=iso=2026-04-16T11:00%2B09:00';
    await expectBodies(BUSINESS_DAYS, { [ends]: { seconds: 0, direction: 'same', business_days: 1 } });
  });

  test("the current date is the one in the specifier's place", () =>
    expectEach(count, {
      // Wednesday, April 15, 2026, 17:30 in UTC: Thursday in Tokyo.
      'from=now&to=iso=2026-04-17': 2,
      'from=tz=Asia/Tokyo&to=iso=2026-04-17': 1,
      'from=offset=%2B09:00&to=iso=2026-04-17': 1,
      'from=ip=2001:218::&to=iso=2026-04-17': 1,
      'from=now&to=tz=Asia/Tokyo': 1,
    }));

  test('10,000 random pairs with zones on both sides match a day-by-day count', async () => {
    // Zones whose clocks never skipped a midnight since 1970: there the date of a text is the date of its instant.
    const zones = 'UTC America/New_York Europe/Berlin Asia/Tokyo Asia/Kolkata Australia/Sydney'.split(' ');
    const offsets = ['-12:00', '-03:30', '+00:00', '+05:45', '+14:00'].map(encodeURIComponent);
    const places = [
      ...zones.map(zone => (end: string, text: string) => `${end}=iso=${text}&${end}_tz=${zone}`),
      ...offsets.map(offset => (end: string, text: string) => `${end}=iso=${text}&${end}_offset=${offset}`),
      (end: string, text: string) => `${end}=unix=${Date.parse(`${text}Z`) / 1000}`,
    ];
    const side = fc.record({
      day: fc.integer({ min: 0, max: 47_846 }),
      minute: fc.nat({ max: 24 * 60 - 1 }),
      place: fc.constantFrom(...places),
    });
    const isoOf = (day: number, minute: number) =>
      new Date(day * MS_PER_DAY + minute * 60_000).toISOString().slice(0, 16);
    const pairs = fc.sample(fc.tuple(side, side), 10_000);
    for (const [from, to] of pairs) {
      const day = Math.min(from.day + (to.day % 400), 47_846);
      const start = from.place('from', isoOf(from.day, from.minute));
      const query = `${start}&${to.place('to', isoOf(day, to.minute))}`;
      const expected = walked(from.day * MS_PER_DAY, day * MS_PER_DAY);
      if ((await count(query)) !== expected) expect([query, await count(query)]).toEqual([query, expected]);
    }
  });
});

describe('elapsed', () => {
  const elapsed = async (query: string) =>
    (await send(`/v1/time/elapsed?business_days=true&${query}`)).body.business_days;

  test('dates are UTC without a selector', () => expectAll(elapsed, 2, ['iso=2026-04-13', 'iso=2026-04-17']));

  test("dates on both sides are in the selector's zone", () =>
    expectEach(elapsed, {
      // It is Thursday in Tokyo; 2026-04-12T15:00Z is Monday there.
      'iso=2026-04-12T15:00Z&tz=Asia/Tokyo': 3,
      'unix=1776006000&tz=Asia/Tokyo': 3,
      'unix=1776006000&offset=%2B09:00': 3,
      'unix=1776006000&ip=2001:218::': 3,
      'unix=1776006000&lat=35.68&lon=139.69': 3,
      'unix=1776006000': 2,
      // A reference on Tuesday in UTC, which is Wednesday in Tokyo.
      'iso=2026-04-14T16:00:00Z&tz=Asia/Tokyo': 1,
    }));

  test('a hint, an offset or brackets put the reference in its own place', () =>
    expectEach(query => elapsed(`${query}&tz=Asia/Tokyo`), {
      // Sunday, 22:00 in New York is Monday in Tokyo, where it is Thursday now.
      'iso=2026-04-12T22:00&source_tz=America/New_York': 3,
      'iso=2026-04-12T22:00&source_offset=-04:00': 3,
      'iso=2026-04-12T22:00-04:00': 3,
      'iso=2026-04-12T22:00[America/New_York]': 3,
      'iso=2026-04-13T22:00-04:00': 3,
      'iso=2026-04-14T02:00Z': 2,
      'iso=2026-04-14T16:00:00&source_tz=UTC': 2,
    }));

  test('a comparison has its own date', () =>
    expectEach(elapsed, {
      'iso=2026-04-13&compare_iso=2026-04-17T22:00&compare_source_tz=America/New_York': 4,
      'iso=2026-04-13&compare_iso=2026-04-18T02:00Z': 5,
    }));

  test('counts by country as diff does', () =>
    expectEach(elapsed, {
      'iso=2026-12-21&compare_iso=2027-01-04&holiday_country=DE': 8,
      'iso=2027-01-04&compare_iso=2027-01-11&holiday_country=DE&holiday_subdivision=BY': 4,
    }));
});

describe('errors', () => {
  for (const route of ['/v1/time/diff?from=unix=0&to=unix=1&', '/v1/time/elapsed?unix=0&']) {
    const failure = async (query: string) => (await send(route + query)).body.error;

    test(`${route}: a country without business_days=true, a subdivision without its country`, async () => {
      await expectMessages(route, {
        'holiday_country=DE': "…'business_days=true'…",
        'holiday_country=DE&business_days=false': '…',
        'holiday_country=DE&holiday_subdivision=BY': '…',
        'holiday_subdivision=BY': '…',
        'business_days=true&holiday_subdivision=BY': "…'holiday_country'…",
      });
    });

    test(`${route}: the error for an unknown country lists all of them`, async () => {
      for (const given of ['XX', 'DEU', 'Germany', '%20', 'D', 'ZZ']) {
        const { code, message, details } = await failure(`business_days=true&holiday_country=${given}`);
        expect(code).toBe('INVALID_PARAMETER');
        expect(message).toContain(' AD, ');
        expect(message).toContain(', ZW');
        expect(details.valid_countries).toHaveLength(251);
      }
    });

    test(`${route}: the error for an unknown subdivision lists those of the country`, async () => {
      const unknown = await failure('business_days=true&holiday_country=DE&holiday_subdivision=XX');
      expect(unknown.code).toBe('INVALID_PARAMETER');
      expect(unknown.details.valid_subdivisions).toContain('BY-A');
      for (const code of unknown.details.valid_subdivisions) expect(unknown.message).toContain(code);
      const none = await failure('business_days=true&holiday_country=TW&holiday_subdivision=TPE');
      expect(none.details).toEqual({ parameter: 'holiday_subdivision', valid_subdivisions: [] });
    });

    test(`${route}: invalid lists, and a subdivision that is named already`, async () => {
      const subdivision = {
        'DE,FR&holiday_subdivision=BY': "…write 'DE-BY'…",
        'DE-BY&holiday_subdivision=BY': "…'DE-BY' names one already…",
      };
      const country = {
        'DE-QQ': "…has no 'QQ'…",
        'DE-BY,FR-QQ': "…has no 'QQ'…",
        'DE,,FR': "…known for ''…",
        'DE,': "…known for ''…",
        'AT,BE,CH,DE,DK,ES,FI,FR,GB': '…the maximum is 8…',
        '': '…',
        'DE&holiday_country=DE': '…',
      };
      const path = `${route}business_days=true&holiday_country=`;
      await expectMessages(path, subdivision, '400 INVALID_PARAMETER holiday_subdivision');
      await expectMessages(path, country, '400 INVALID_PARAMETER holiday_country');
      const coverage = { 'require_coverage=true': "…requires 'holiday_country'…" };
      const business = `${route}business_days=true&`;
      await expectMessages(business, coverage, '400 INVALID_PARAMETER require_coverage');
      await expectErrors(business, { '400 INVALID_PARAMETER business_days': ['business_days=true'] });
    });
  }

  test('dates outside 1970–2100 are rejected with a country and counted without one', async () => {
    for (const query of [
      'from=iso=1969-12-31&to=iso=1970-01-02',
      'from=iso=2100-12-31&to=iso=2101-01-01',
      'from=iso=2101-01-01&to=iso=2101-01-01',
      'from=iso=-001000-01-01&to=iso=%2B010000-01-01',
    ]) {
      await expectMessages(BUSINESS_DAYS, { [`${query}&holiday_country=DE`]: '…1970 to 2100…' });
      expect(await count(query)).toBeGreaterThanOrEqual(0);
    }
    expect(await counted('1970-01-01 2100-12-31 TW')).toBeGreaterThan(30_000);
    const weeks = 28_571_428; // and four days from a Tuesday
    expect(await count('from=unix_ms=-8640000000000000&to=unix_ms=8640000000000000')).toBe(weeks * 5 + 4);
  });

  test('the bounds apply to the local date', () => {
    const days = 'from=iso=1970-01-01T08:00&to=iso=1970-01-05';
    return expectErrors(`${BUSINESS_DAYS}holiday_country=JP&`, {
      '200': [`${days}&from_tz=Asia/Tokyo`, `${days}&to_offset=-01:00`],
      '400 INVALID_PARAMETER': ['from=unix=-1&to=unix=0'],
    });
  });
});

/** An app with an organisation's calendar. */
function appOf(calendar: string) {
  const pack = readHolidayPack();
  const organisation = parseOrganisationCalendar(calendar, decodeHolidayPack(pack));
  return createApp(testServer({ holidays: new HolidayCalendars(pack, organisation) }));
}

describe("an organisation's calendar", () => {
  const app = appOf('2026-12-24 holiday Closing day\n2026-02-14 workday\nDE 2026-12-31 holiday Inventory');
  test('applies to every count with a country, and to none without', () =>
    expectEach(query => count(query, app), {
      'from=iso=2026-12-21&to=iso=2027-01-04': 10,
      'from=iso=2026-12-21&to=iso=2027-01-04&holiday_country=FR': 8 - 1,
      'from=iso=2026-12-21&to=iso=2027-01-04&holiday_country=DE': 8 - 2,
      'from=iso=2026-12-21&to=iso=2027-01-04&holiday_country=DE&holiday_subdivision=BY': 8 - 2,
      'from=iso=2026-02-14&to=iso=2026-02-15&holiday_country=FR': 1,
    }));

  test('is named in the listing of holidays', async () => {
    const { body } = await send('/v1/holidays?country=DE&year=2026', {}, app);
    const own = { name_en: null, status: 'announced', source: 'organisation calendar' };
    for (const [date, name] of [
      ['2026-12-24', 'Closing day'],
      ['2026-12-31', 'Inventory'],
    ]) {
      expect(body.holidays).toContainEqual({ ...own, date, name, day_full: 'Thursday' });
    }
    expect(body.workdays).toEqual([{ ...own, date: '2026-02-14', name: 'Working day' }]);
  });

  test('is reported by readiness', async () => {
    const { body } = await send('/readyz', {}, app);
    expect(body).toMatch(/^holidays ok .*, with 3 days of the organisation$/m);
  });
});

const DAYS = '/v1/work/days?';

/** Kind and name of each listed day, by date. */
async function days(query: string, target = openApp): Promise<Record<string, string>> {
  const { body } = await send(DAYS + query, {}, target);
  const entries = body.days as { date: string; kind: string; name: string | null }[];
  return Object.fromEntries(
    entries.map(({ date, kind, name }) => [date, name === null ? kind : `${kind} ${name}`]),
  );
}

/** The kinds of the listed days. */
async function kindsOf(query: string): Promise<string> {
  return column((await send(DAYS + query)).body.days, 'kind').join(' ');
}

test('each day has a kind, and holidays a name, even on a weekend', async () => {
  expect(await days('from=2026-12-24&to=2026-12-28&holiday_country=DE&lang=en')).toEqual({
    '2026-12-24': 'business',
    '2026-12-25': 'holiday Christmas Day',
    '2026-12-26': 'weekend Second Day of Christmas',
    '2026-12-27': 'weekend',
    '2026-12-28': 'business',
  });
});

test('totals are by month, of the listed days only', async () => {
  // The Spring Festival is from Sunday 15 to Monday 23 February; two Saturdays are worked for it.
  const { body } = await send(`${DAYS}from=2026-01-30&to=2026-03-01&holiday_country=CN`);
  expect([body.from, body.to]).toEqual(['2026-01-30', '2026-03-01']);
  expect(body.months).toEqual([
    { month: '2026-01', business: 1, weekend: 1, holiday: 0, worked: 0 },
    { month: '2026-02', business: 14, weekend: 6, holiday: 6, worked: 2 },
    { month: '2026-03', business: 0, weekend: 1, holiday: 0, worked: 0 },
  ]);
});

describe('calendars', () => {
  test('without one, Monday to Friday are business days; in a list, a day off in any of them is off', () =>
    expectEach(kindsOf, {
      'from=2026-05-01&to=2026-05-03': 'business weekend weekend',
      // Friday is a weekend in Saudi Arabia, Sunday in Germany.
      'from=2026-11-26&to=2026-11-30&holiday_country=SA,DE': 'business weekend weekend weekend business',
    }));

  test('a day off in several of them has the names of all', () =>
    expectEach(query => days(`${query}&lang=en`), {
      'from=2026-07-02&to=2026-07-03&holiday_country=US,DE': {
        '2026-07-02': 'business',
        '2026-07-03': 'holiday Independence Day (observed)',
      },
      'from=2026-12-25&to=2026-12-25&holiday_country=US,DE,GB': { '2026-12-25': 'holiday Christmas Day' },
    }));

  test('the weekend depends on the date: Friday and Saturday in the Emirates until 2021', () =>
    expectEach(kindsOf, {
      'from=2021-12-31&to=2022-01-02&holiday_country=AE': 'weekend weekend weekend',
      'from=2021-12-25&to=2021-12-26&holiday_country=AE': 'weekend business',
    }));

  test('an organisation can have its own', async () => {
    const own = appOf('2026-12-24 holiday Closing day\n2026-12-26 workday Stocktaking\n2026-12-25 workday\n');
    expect(await days('from=2026-12-23&to=2026-12-27&holiday_country=DE', own)).toEqual({
      '2026-12-23': 'business',
      '2026-12-24': 'holiday Closing day',
      '2026-12-25': 'worked Working day',
      '2026-12-26': 'worked Stocktaking',
      '2026-12-27': 'weekend',
    });
  });

  test('without lang, names are in the local language', async () => {
    const japan = 'from=2026-11-03&to=2026-11-03&holiday_country=JP';
    expect(await days(japan)).toEqual({ '2026-11-03': 'holiday 文化の日' });
    expect(await days(`${japan}&lang=en`)).toEqual({ '2026-11-03': 'holiday Culture Day' });
  });

  test('details have their coverage, and require_coverage rejects days beyond it', async () => {
    const query = 'from=2029-12-01&to=2030-01-31&holiday_country=DE-BY,US';
    const { body } = await send(`${DAYS}${query}&details=true`);
    expect(body.details.holidays).toMatchObject([{ calendar: 'DE-BY' }, { calendar: 'US' }]);
    const { status, body: rejected } = await send(`${DAYS}${query}&require_coverage=true`);
    expect([status, rejected.error.details.calendars]).toEqual([400, ['DE-BY', 'US']]);
  });
});

test('business and worked days match the counts of diff', async () => {
  const country = fc.constantFrom('DE-BY', 'CN', 'AE', 'IL', 'US,DE', 'JP,SA,CN', 'TW', 'NP');
  const day = { min: Date.UTC(1971, 0, 1) / 864e5, max: Date.UTC(2090, 11, 31) / 864e5 };
  const date = (day: number) => new Date(day * 864e5).toISOString().slice(0, 10);
  await fc.assert(
    fc.asyncProperty(country, fc.integer(day), fc.nat(3640), async (calendar, from, length) => {
      const range = [date(from), date(from + length)];
      const listed = await send(`${DAYS}from=${range[0]}&to=${range[1]}&holiday_country=${calendar}`);
      const business = await counted(`${range[0]} ${date(from + length + 1)} ${calendar}`);
      const kinds = column(listed.body.days, 'kind');
      const worked = kinds.filter(kind => kind === 'business' || kind === 'worked').length;
      expect([kinds.length, worked]).toEqual([length + 1, business]);
      const months = listed.body.months as Record<string, number>[];
      const total = (kind: string) => months.reduce((sum, month) => sum + month[kind]!, 0);
      for (const kind of ['business', 'weekend', 'holiday', 'worked']) {
        expect(total(kind)).toBe(kinds.filter(each => each === kind).length);
      }
    }),
    { numRuns: 25 },
  );
});

test('ranges, calendars and languages are rejected by the name of their parameter', async () => {
  await expectErrors(DAYS, {
    '400 INVALID_PARAMETER from': [
      ...['', 'from=2026-01-01', 'from=1969-12-31&to=1970-01-01&holiday_country=DE'],
      ...['from=-000001-12-31&to=0000-01-01', 'from=2026-02-30&to=2026-03-01'],
      ...['from=2026-01-01T00:00&to=2026-03-01', 'from=iso=2026-01-01&to=2026-03-01'],
    ],
    '400 INVALID_PARAMETER to': [
      ...['to=2026-01-01', 'from=2026-01-02&to=2026-01-01', 'from=2026-01-01&to=2036-01-01'],
      ...['from=2100-12-31&to=2101-01-01&holiday_country=DE', 'from=9999-12-31&to=%2B010000-01-01'],
    ],
  });
  await expectErrors(`${DAYS}from=2026-01-01&to=2026-01-01&`, {
    '400 INVALID_PARAMETER holiday_country': ['holiday_country=XX'],
    '400 INVALID_PARAMETER holiday_subdivision': ['holiday_subdivision=BY'],
    '400 INVALID_PARAMETER require_coverage': ['require_coverage=true'],
    '400 INVALID_PARAMETER lang': ['lang=en', 'holiday_country=DE&lang=e'],
  });
});

test('without a country the days of all years of four digits are listed', async () => {
  for (const [from, to, kinds] of [
    ['1969-12-31', '1970-01-03', 'business business business weekend'],
    ['1582-10-15', '1582-10-16', 'business weekend'], // of the proleptic Gregorian calendar, a Friday
    ['0000-01-01', '0000-01-03', 'weekend weekend business'],
    ['9999-12-30', '9999-12-31', 'business business'],
  ] as const) {
    const { body } = await send(`${DAYS}from=${from}&to=${to}`);
    expect([body.from, column(body.days, 'kind').join(' '), body.days[0].date]).toEqual([from, kinds, from]);
    expect(body.months[0].month).toBe(from.slice(0, 7));
  }
});

test('ten years are listed', async () => {
  const { status, body } = await send(`${DAYS}from=2026-01-01&to=2035-12-31&holiday_country=DE`);
  expect([status, body.days.length, body.months.length]).toEqual([200, 3652, 120]);
});
