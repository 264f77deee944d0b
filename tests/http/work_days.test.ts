import { describe, expect, test } from 'bun:test';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../../src/holidays/organisation_calendar.ts';
import { createApp } from '../../src/server/app.ts';
import { fc } from '../support/property.ts';
import { send, testServer } from '../support/service.ts';

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
      'business',
      'weekend',
      'weekend',
      'weekend',
      'business',
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
