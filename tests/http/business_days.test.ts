import { describe, expect, test } from 'bun:test';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../../src/holidays/organisation_calendar.ts';
import { createApp } from '../../src/server/app.ts';
import { fc } from '../support/property.ts';
import { errorOf, send, testServer } from '../support/service.ts';

async function count(query: string): Promise<number> {
  const { body } = await send(`/v1/time/diff?business_days=true&${query}`);
  return body.business_days;
}

/** Business days between two dates of a country. */
async function counted(from: string, to: string, calendar = ''): Promise<number> {
  return count(`from=iso=${from}&to=iso=${to}${calendar && `&holiday_country=${calendar}`}`);
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
    for (const flag of [
      ...['', '&business_days=false', '&business_days=TRUE', '&business_days=1', '&business_days='],
    ]) {
      const { status, body } = await send(`/v1/time/diff?from=unix=0&to=now${flag}`);
      expect(status).toBe(200);
      expect(body).not.toHaveProperty('business_days');
    }
  });

  test('the earlier date up to but not including the later: within a day 0, Monday to Wednesday 2', async () => {
    expect(await counted('2026-11-23T09:00', '2026-11-23T10:00')).toBe(0);
    expect(await counted('2026-11-23', '2026-11-25')).toBe(2);
    expect(await counted('2026-11-25', '2026-11-23')).toBe(2);
    expect(await counted('2026-11-20', '2026-11-23')).toBe(1);
    expect(await counted('2026-11-21', '2026-11-23')).toBe(0);
  });

  test('weekends are those of the country, Saturday and Sunday without one', async () => {
    // Thursday, November 26 to Monday, November 30, 2026.
    expect(await counted('2026-11-26', '2026-11-30')).toBe(2);
    expect(await counted('2026-11-26', '2026-11-30', 'SA')).toBe(2);
    expect(await counted('2026-11-28', '2026-11-30')).toBe(0);
    expect(await counted('2026-11-28', '2026-11-30', 'SA')).toBe(1);
    expect(await counted('2026-11-28', '2026-11-30', 'IN')).toBe(0);
  });

  test('holidays are not counted; those of a subdivision only with its code', async () => {
    expect(await counted('2026-12-21', '2027-01-04')).toBe(10);
    expect(await counted('2026-12-21', '2027-01-04', 'DE')).toBe(8);
    // Epiphany is a holiday in Bavaria.
    expect(await counted('2027-01-04', '2027-01-11', 'DE')).toBe(5);
    expect(await counted('2027-01-04', '2027-01-11', 'DE&holiday_subdivision=BY')).toBe(4);
    expect(await counted('2026-08-03', '2026-08-10', 'de&holiday_subdivision=by-a')).toBe(5);
    expect(await counted('2025-08-04', '2025-08-11', 'de&holiday_subdivision=de-by-a')).toBe(4);
  });

  test('worked weekend days are counted', async () => {
    // China works on Sunday, January 4, 2026 to make up for the bridge day on Friday.
    expect(await counted('2026-01-01', '2026-01-05', 'CN')).toBe(1);
    expect(await counted('2026-01-04', '2026-01-05', 'CN')).toBe(1);
    expect(await counted('2024-02-17', '2024-02-18', 'TW')).toBe(1);
  });

  test('a substitute day is not counted', async () => {
    // Boxing Day of 2026 is a Saturday in England.
    expect(await counted('2026-12-28', '2026-12-29', 'GB&holiday_subdivision=ENG')).toBe(0);
  });
});

describe('calendars of holiday_country', () => {
  test('an ISO 3166-2 code selects a subdivision', async () => {
    for (const code of ['DE-BY', 'de-by', 'DE-Bayern']) {
      expect([code, await counted('2027-01-04', '2027-01-11', code)]).toEqual([code, 4]);
    }
  });

  test('a day off in any calendar of a list is off', async () => {
    // July 3, 2026 is off in the US, July 14 in France.
    expect(await counted('2026-06-29', '2026-07-20', 'US')).toBe(14);
    expect(await counted('2026-06-29', '2026-07-20', 'FR')).toBe(14);
    expect(await counted('2026-06-29', '2026-07-20', 'US,FR')).toBe(13);
    expect(await counted('2026-07-20', '2026-06-29', 'FR,US,FR')).toBe(13);
    // Saudi Arabia rests on Friday and Saturday, Germany on Saturday and Sunday.
    expect(await counted('2026-12-07', '2026-12-14', 'DE-BY,SA')).toBe(4);
    expect(await counted('2026-12-07', '2026-12-14', 'DE,AT,CH,FR,IT,NL,BE,LU')).toBe(4);
  });

  test('counts for a list equal a day-by-day count over its calendars', async () => {
    const codes = ['AE', 'CN', 'US'];
    const days = { min: Date.UTC(2001, 0, 1) / MS_PER_DAY, max: Date.UTC(2030, 11, 31) / MS_PER_DAY };
    const dateOf = (day: number) => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
    const isBusinessDay = async (day: number) => {
      const counts = await Promise.all(codes.map(code => counted(dateOf(day), dateOf(day + 1), code)));
      return counts.every(count => count === 1);
    };
    await fc.assert(
      fc.asyncProperty(fc.integer(days), fc.integer({ min: 0, max: 70 }), async (from, length) => {
        let business = 0;
        for (let day = from; day < from + length; day++) if (await isBusinessDay(day)) business++;
        expect(await counted(dateOf(from), dateOf(from + length), codes.join())).toBe(business);
      }),
      { numRuns: 10 },
    );
  });
});

describe('coverage', () => {
  const december = 'business_days=true&details=true&from=iso=2026-12-21';
  const coverage = { from: 1991, to: 2100, announced_through: 2026, reviewed: expect.anything() };

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
    expect(await failure('2027-01-01', 'DE')).toBeUndefined();
    expect(await failure('2026-12-21', 'DE')).toBeUndefined();
    expect(await failure('1991-01-01', 'DE')).toBeUndefined();
    expect(await failure('2027-01-02', 'DE')).toEqual({
      code: 'INVALID_PARAMETER',
      message: "'require_coverage' is not met for 2026 to 2027: DE is covered from 1991 to 2026",
      details: { parameter: 'require_coverage', calendars: ['DE'], first_year: 2026, last_year: 2027 },
    });
    expect((await failure('1990-12-31', 'DE')).details.first_year).toBe(1990);
    expect((await failure('2026-12-22', 'DE,KW')).message).toBe(
      "'require_coverage' is not met for 2026: the announced days of KW are not followed",
    );
    expect((await failure('2101-01-01', 'DE')).details.parameter).toBe('holiday_country');
  });

  test('is required by elapsed, too', async () => {
    const query = 'business_days=true&holiday_country=DE&require_coverage=true';
    expect((await send(`/v1/time/elapsed?iso=2026-01-01&${query}`)).status).toBe(200);
    const { body } = await send(`/v1/time/elapsed?iso=2028-01-01&${query}`);
    expect(body.error.details.parameter).toBe('require_coverage');
  });
});

describe("each side's date is in its own place", () => {
  test("from its hint, its offset, its brackets, or its specifier's place", async () => {
    // Friday evening in New York is Saturday in Tokyo and in UTC.
    const friday = 'iso=2026-11-20T22:00';
    const monday = 'to=iso=2026-11-23';
    for (const from of [
      `from=${friday}&from_tz=America/New_York`,
      `from=${friday}&from_offset=-05:00`,
      `from=${friday}-05:00`,
      `from=${friday}[America/New_York]`,
    ]) {
      expect([from, await count(`${from}&${monday}`)]).toEqual([from, 1]);
    }
    expect(await count(`from=unix=1795230000&${monday}`)).toBe(0);
    expect(await count(`from=iso=2026-11-21T03:00Z&${monday}`)).toBe(0);
    expect(await count(`from=iso=2026-11-21T12:00&from_tz=Asia/Tokyo&${monday}`)).toBe(0);
  });

  test('one instant in two places can have a business day between its dates', async () => {
    const { body } = await send(
      '/v1/time/diff?from=iso=2026-04-15T22:00-04:00&to=iso=2026-04-16T11:00%2B09:00&business_days=true',
    );
    expect(body).toMatchObject({ seconds: 0, direction: 'same', business_days: 1 });
  });

  test("the current date is the one in the specifier's place", async () => {
    // Wednesday, April 15, 2026, 17:30 in UTC: Thursday in Tokyo.
    expect(await count('from=now&to=iso=2026-04-17')).toBe(2);
    expect(await count('from=tz=Asia/Tokyo&to=iso=2026-04-17')).toBe(1);
    expect(await count('from=offset=%2B09:00&to=iso=2026-04-17')).toBe(1);
    expect(await count('from=ip=2001:218::&to=iso=2026-04-17')).toBe(1);
    expect(await count('from=now&to=tz=Asia/Tokyo')).toBe(1);
  });

  test('10,000 random pairs with zones on both sides match a day-by-day count', async () => {
    // Zones whose clocks never skipped a midnight since 1970: there the date of a text is the date of its instant.
    const zones = [
      ...['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'Asia/Kolkata', 'Australia/Sydney'],
    ];
    const offsets = ['-12:00', '-03:30', '+00:00', '+05:45', '+14:00'];
    const side = fc.record({
      day: fc.integer({ min: 0, max: 47_846 }),
      minute: fc.nat({ max: 24 * 60 - 1 }),
      place: fc.constantFrom(...zones.map(zone => ({ zone })), ...offsets.map(offset => ({ offset })), {
        unix: true,
      }),
    });
    const sideText = (
      end: string,
      { day, minute, place }: { day: number; minute: number; place: object },
    ) => {
      const localMs = day * MS_PER_DAY + minute * 60_000;
      const text = new Date(localMs).toISOString().slice(0, 16);
      if ('unix' in place) return `${end}=unix=${localMs / 1000}`;
      if ('zone' in place) return `${end}=iso=${text}&${end}_tz=${place.zone}`;
      return `${end}=iso=${text}&${end}_offset=${encodeURIComponent((place as { offset: string }).offset)}`;
    };
    const pairs = fc.sample(fc.tuple(side, side), 10_000);
    for (const [from, to] of pairs) {
      const near = { ...to, day: Math.min(from.day + (to.day % 400), 47_846) };
      const query = `${sideText('from', from)}&${sideText('to', near)}`;
      const expected = walked(from.day * MS_PER_DAY, near.day * MS_PER_DAY);
      if ((await count(query)) !== expected) expect([query, await count(query)]).toEqual([query, expected]);
    }
  });
});

describe('elapsed', () => {
  const elapsed = async (query: string) =>
    (await send(`/v1/time/elapsed?business_days=true&${query}`)).body.business_days;

  test('dates are UTC without a selector', async () => {
    expect(await elapsed('iso=2026-04-13')).toBe(2);
    expect(await elapsed('iso=2026-04-17')).toBe(2);
  });

  test("dates on both sides are in the selector's zone", async () => {
    // It is Thursday in Tokyo; 2026-04-12T15:00Z is Monday there.
    expect(await elapsed('iso=2026-04-12T15:00Z&tz=Asia/Tokyo')).toBe(3);
    expect(await elapsed('unix=1776006000&tz=Asia/Tokyo')).toBe(3);
    expect(await elapsed('unix=1776006000&offset=%2B09:00')).toBe(3);
    expect(await elapsed('unix=1776006000&ip=2001:218::')).toBe(3);
    expect(await elapsed('unix=1776006000&lat=35.68&lon=139.69')).toBe(3);
    expect(await elapsed('unix=1776006000')).toBe(2);
  });

  test('a hint, an offset or brackets put the reference in its own place', async () => {
    // Sunday, 22:00 in New York is Monday in Tokyo, where it is Thursday now.
    for (const query of [
      'iso=2026-04-12T22:00&source_tz=America/New_York',
      'iso=2026-04-12T22:00&source_offset=-04:00',
      'iso=2026-04-12T22:00-04:00',
      'iso=2026-04-12T22:00[America/New_York]',
    ]) {
      expect([query, await elapsed(`${query}&tz=Asia/Tokyo`)]).toEqual([query, 3]);
    }
    expect(await elapsed('iso=2026-04-13T22:00-04:00&tz=Asia/Tokyo')).toBe(3);
    expect(await elapsed('iso=2026-04-14T02:00Z&tz=Asia/Tokyo')).toBe(2);
  });

  test('a comparison has its own date', async () => {
    expect(
      await elapsed('iso=2026-04-13&compare_iso=2026-04-17T22:00&compare_source_tz=America/New_York'),
    ).toBe(4);
    expect(await elapsed('iso=2026-04-13&compare_iso=2026-04-18T02:00Z')).toBe(5);
  });

  test('counts by country as diff does', async () => {
    expect(await elapsed('iso=2026-12-21&compare_iso=2027-01-04&holiday_country=DE')).toBe(8);
    expect(
      await elapsed('iso=2027-01-04&compare_iso=2027-01-11&holiday_country=DE&holiday_subdivision=BY'),
    ).toBe(4);
  });
});

describe('errors', () => {
  for (const route of ['/v1/time/diff?from=unix=0&to=unix=1', '/v1/time/elapsed?unix=0']) {
    const failure = async (query: string) => (await send(`${route}&${query}`)).body.error;

    test(`${route}: a country without business_days=true, a subdivision without its country`, async () => {
      for (const query of [
        'holiday_country=DE',
        'holiday_country=DE&business_days=false',
        'holiday_country=DE&holiday_subdivision=BY',
        'holiday_subdivision=BY',
        'business_days=true&holiday_subdivision=BY',
      ]) {
        expect([query, await errorOf(`${route}&${query}`)]).toEqual([query, '400 INVALID_PARAMETER']);
      }
      expect((await failure('holiday_country=DE')).message).toContain("'business_days=true'");
      expect((await failure('business_days=true&holiday_subdivision=BY')).message).toContain(
        "'holiday_country'",
      );
    });

    test(`${route}: the error for an unknown country lists all of them`, async () => {
      for (const code of ['XX', 'DEU', 'Germany', '%20', 'D', 'ZZ']) {
        const {
          code: errorCode,
          message,
          details,
        } = await failure(`business_days=true&holiday_country=${code}`);
        expect(errorCode).toBe('INVALID_PARAMETER');
        expect(message).toContain(' AD, ');
        expect(message).toContain(', ZW');
        expect(details.valid_countries).toHaveLength(251);
      }
      expect(await errorOf(`${route}&business_days=true&holiday_country=`)).toBe('400 INVALID_PARAMETER');
    });

    test(`${route}: the error for an unknown subdivision lists those of the country`, async () => {
      const unknown = await failure('business_days=true&holiday_country=DE&holiday_subdivision=XX');
      expect(unknown.code).toBe('INVALID_PARAMETER');
      expect(unknown.details.valid_subdivisions).toContain('BY-A');
      for (const code of unknown.details.valid_subdivisions) expect(unknown.message).toContain(code);
      const none = await failure('business_days=true&holiday_country=TW&holiday_subdivision=TPE');
      expect(none.details).toEqual({ parameter: 'holiday_subdivision', valid_subdivisions: [] });
    });

    test.each([
      ['holiday_country=DE,FR&holiday_subdivision=BY', 'holiday_subdivision', "write 'DE-BY'"],
      ['holiday_country=DE-BY&holiday_subdivision=BY', 'holiday_subdivision', "'DE-BY' names one already"],
      ['holiday_country=DE-QQ', 'holiday_country', "has no 'QQ'"],
      ['holiday_country=DE-BY,FR-QQ', 'holiday_country', "has no 'QQ'"],
      ['holiday_country=DE,,FR', 'holiday_country', "known for ''"],
      ['holiday_country=DE,', 'holiday_country', "known for ''"],
      ['holiday_country=AT,BE,CH,DE,DK,ES,FI,FR,GB', 'holiday_country', 'the maximum is 8'],
      ['require_coverage=true', 'require_coverage', "requires 'holiday_country'"],
    ])(`${route}: %s is rejected for %s`, async (query, parameter, advice) => {
      const { code, message, details } = await failure(`business_days=true&${query}`);
      expect([code, details.parameter]).toEqual(['INVALID_PARAMETER', parameter]);
      expect(message).toContain(advice);
    });

    test(`${route}: a parameter given twice`, async () => {
      expect(await errorOf(`${route}&business_days=true&business_days=true`)).toBe('400 INVALID_PARAMETER');
      expect(await errorOf(`${route}&business_days=true&holiday_country=DE&holiday_country=DE`)).toBe(
        '400 INVALID_PARAMETER',
      );
    });
  }

  test('dates outside 1970–2100 are rejected with a country and counted without one', async () => {
    for (const query of [
      'from=iso=1969-12-31&to=iso=1970-01-02',
      'from=iso=2100-12-31&to=iso=2101-01-01',
      'from=iso=2101-01-01&to=iso=2101-01-01',
      'from=iso=-001000-01-01&to=iso=%2B010000-01-01',
    ]) {
      const { status, body } = await send(`/v1/time/diff?${query}&business_days=true&holiday_country=DE`);
      expect([query, status, body.error?.code]).toEqual([query, 400, 'INVALID_PARAMETER']);
      expect(body.error.message).toContain('1970 to 2100');
      expect(await count(query)).toBeGreaterThanOrEqual(0);
    }
    expect(await counted('1970-01-01', '2100-12-31', 'TW')).toBeGreaterThan(30_000);
    expect(await count('from=unix_ms=-8640000000000000&to=unix_ms=8640000000000000')).toBe(
      // Weeks, and the four days from a Tuesday.
      28_571_428 * 5 + 4,
    );
  });

  test('the bounds apply to the local date', async () => {
    const query = 'business_days=true&holiday_country=JP&from=iso=1970-01-01T08:00&to=iso=1970-01-05';
    expect(await errorOf(`/v1/time/diff?${query}&from_tz=Asia/Tokyo`)).toBe('200 undefined');
    expect(await errorOf(`/v1/time/diff?${query}&to_offset=-01:00`)).toBe('200 undefined');
    expect(await errorOf(`/v1/time/diff?business_days=true&holiday_country=JP&from=unix=-1&to=unix=0`)).toBe(
      '400 INVALID_PARAMETER',
    );
  });
});

describe("an organisation's calendar", () => {
  const pack = readHolidayPack();
  const text = '2026-12-24 holiday Closing day\n2026-02-14 workday\nDE 2026-12-31 holiday Inventory';
  const holidays = new HolidayCalendars(pack, parseOrganisationCalendar(text, decodeHolidayPack(pack)));
  const app = createApp(testServer({ holidays }));
  const countIn = async (query: string) =>
    (await send(`/v1/time/diff?business_days=true&${query}`, {}, app)).body.business_days;

  test('applies to every count with a country, and to none without', async () => {
    const december = 'from=iso=2026-12-21&to=iso=2027-01-04';
    expect(await countIn(december)).toBe(10);
    expect(await countIn(`${december}&holiday_country=FR`)).toBe(8 - 1);
    expect(await countIn(`${december}&holiday_country=DE`)).toBe(8 - 2);
    expect(await countIn(`${december}&holiday_country=DE&holiday_subdivision=BY`)).toBe(8 - 2);
    expect(await countIn('from=iso=2026-02-14&to=iso=2026-02-15&holiday_country=FR')).toBe(1);
  });

  test('is named in the listing of holidays', async () => {
    const { body } = await send('/v1/holidays?country=DE&year=2026', {}, app);
    const source = 'organisation calendar';
    expect(body.holidays).toContainEqual({
      date: '2026-12-24',
      name: 'Closing day',
      name_en: null,
      day_full: 'Thursday',
      status: 'announced',
      source,
    });
    expect(body.holidays).toContainEqual({
      date: '2026-12-31',
      name: 'Inventory',
      name_en: null,
      day_full: 'Thursday',
      status: 'announced',
      source,
    });
    expect(body.workdays).toEqual([
      { date: '2026-02-14', name: 'Working day', name_en: null, status: 'announced', source },
    ]);
  });

  test('is reported by readiness', async () => {
    expect((await send('/readyz', {}, app)).body).toMatch(
      /^holidays ok .*, with 3 days of the organisation$/m,
    );
  });
});

const DAYS = '/v1/work/days';

/** Kind and name of each listed day, by date. */
async function days(query: string, target?: Parameters<typeof send>[2]): Promise<Record<string, string>> {
  const { body } = await send(`${DAYS}?${query}`, {}, target);
  const entries = body.days as { date: string; kind: string; name: string | null }[];
  return Object.fromEntries(
    entries.map(({ date, kind, name }) => [date, name === null ? kind : `${kind} ${name}`]),
  );
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
  const { body } = await send(`${DAYS}?from=2026-01-30&to=2026-03-01&holiday_country=CN`);
  expect(body.from).toBe('2026-01-30');
  expect(body.to).toBe('2026-03-01');
  expect(body.months).toEqual([
    { month: '2026-01', business: 1, weekend: 1, holiday: 0, worked: 0 },
    { month: '2026-02', business: 14, weekend: 6, holiday: 6, worked: 2 },
    { month: '2026-03', business: 0, weekend: 1, holiday: 0, worked: 0 },
  ]);
});

describe('calendars', () => {
  test('without one, Monday to Friday are business days', async () => {
    expect(await days('from=2026-05-01&to=2026-05-03')).toEqual({
      '2026-05-01': 'business',
      '2026-05-02': 'weekend',
      '2026-05-03': 'weekend',
    });
  });

  test('in a list, a day off in any of them is off, with the names of all', async () => {
    expect(await days('from=2026-07-02&to=2026-07-03&holiday_country=US,DE&lang=en')).toEqual({
      '2026-07-02': 'business',
      '2026-07-03': 'holiday Independence Day (observed)',
    });
    const christmas = await days('from=2026-12-25&to=2026-12-25&holiday_country=US,DE,GB&lang=en');
    expect(christmas).toEqual({ '2026-12-25': 'holiday Christmas Day' });
    // Friday is a weekend in Saudi Arabia, Sunday in Germany.
    expect(Object.values(await days('from=2026-11-26&to=2026-11-30&holiday_country=SA,DE'))).toEqual([
      ...['business', 'weekend', 'weekend', 'weekend', 'business'],
    ]);
  });

  test('the weekend depends on the date: Friday and Saturday in the Emirates until 2021', async () => {
    const weekend = Object.values(await days('from=2021-12-31&to=2022-01-02&holiday_country=AE'));
    expect(weekend.map(kind => kind.split(' ')[0])).toEqual(['weekend', 'weekend', 'weekend']);
    expect(Object.values(await days('from=2021-12-25&to=2021-12-26&holiday_country=AE'))).toEqual([
      'weekend',
      'business',
    ]);
  });

  test('an organisation can have its own', async () => {
    const pack = readHolidayPack();
    const text = '2026-12-24 holiday Closing day\n2026-12-26 workday Stocktaking\n2026-12-25 workday\n';
    const organisation = parseOrganisationCalendar(text, decodeHolidayPack(pack));
    const own = createApp(testServer({ holidays: new HolidayCalendars(pack, organisation) }));
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
    const query = 'from=2026-12-01&to=2027-01-31&holiday_country=DE-BY,US';
    const { body } = await send(`${DAYS}?${query}&details=true`);
    expect(body.details.holidays).toMatchObject([{ calendar: 'DE-BY' }, { calendar: 'US' }]);
    const { status, body: rejected } = await send(`${DAYS}?${query}&require_coverage=true`);
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
      const listed = await send(`${DAYS}?from=${range[0]}&to=${range[1]}&holiday_country=${calendar}`);
      const counted = await send(
        `/v1/time/diff?from=iso=${range[0]}&to=iso=${date(from + length + 1)}` +
          `&business_days=true&holiday_country=${calendar}`,
      );
      const kinds = (listed.body.days as { kind: string }[]).map(({ kind }) => kind);
      const worked = kinds.filter(kind => kind === 'business' || kind === 'worked').length;
      expect([kinds.length, worked]).toEqual([length + 1, counted.body.business_days]);
      const months = listed.body.months as Record<string, number>[];
      const total = (kind: string) => months.reduce((sum, month) => sum + month[kind]!, 0);
      for (const kind of ['business', 'weekend', 'holiday', 'worked']) {
        expect(total(kind)).toBe(kinds.filter(each => each === kind).length);
      }
    }),
    { numRuns: 25 },
  );
});

test.each([
  ['', 'from'],
  ['from=2026-01-01', 'from'],
  ['to=2026-01-01', 'to'],
  ['from=2026-01-02&to=2026-01-01', 'to'],
  ['from=2026-01-01&to=2036-01-01', 'to'],
  ['from=1969-12-31&to=1970-01-01&holiday_country=DE', 'from'],
  ['from=2100-12-31&to=2101-01-01&holiday_country=DE', 'to'],
  ['from=-000001-12-31&to=0000-01-01', 'from'],
  ['from=9999-12-31&to=%2B010000-01-01', 'to'],
  ['from=2026-02-30&to=2026-03-01', 'from'],
  ['from=2026-01-01T00:00&to=2026-03-01', 'from'],
  ['from=iso=2026-01-01&to=2026-03-01', 'from'],
  ['from=2026-01-01&to=2026-01-01&holiday_country=XX', 'holiday_country'],
  ['from=2026-01-01&to=2026-01-01&holiday_subdivision=BY', 'holiday_subdivision'],
  ['from=2026-01-01&to=2026-01-01&require_coverage=true', 'require_coverage'],
  ['from=2026-01-01&to=2026-01-01&lang=en', 'lang'],
  ['from=2026-01-01&to=2026-01-01&holiday_country=DE&lang=e', 'lang'],
])('%s is rejected for %s', async (query, parameter) => {
  const { status, body } = await send(`${DAYS}?${query}`);
  expect([status, body.error.code, body.error.details.parameter]).toEqual([
    ...[400, 'INVALID_PARAMETER', parameter],
  ]);
});

test('without a country the days of all years of four digits are listed', async () => {
  for (const [from, to, kinds] of [
    ['1969-12-31', '1970-01-03', 'business business business weekend'],
    ['1582-10-15', '1582-10-16', 'business weekend'], // of the proleptic Gregorian calendar, a Friday
    ['0000-01-01', '0000-01-03', 'weekend weekend business'],
    ['9999-12-30', '9999-12-31', 'business business'],
  ] as const) {
    const { body } = await send(`${DAYS}?from=${from}&to=${to}`);
    const listed = (body.days as { date: string; kind: string }[]).map(({ kind }) => kind).join(' ');
    expect([body.from, listed, body.days[0].date]).toEqual([from, kinds, from]);
    expect(body.months[0].month).toBe(from.slice(0, 7));
  }
});

test('ten years are listed', async () => {
  const { status, body } = await send(`${DAYS}?from=2026-01-01&to=2035-12-31&holiday_country=DE`);
  expect([status, body.days.length, body.months.length]).toEqual([200, 3652, 120]);
});
