import { expect, spyOn, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { ask, errorOf, testServer } from './service.ts';

test('without a country the countries are listed, with the years that the table has', async () => {
  const { body } = await ask('/v1/holidays');
  expect(body).toMatchObject({ first_year: 1970, last_year: 2100, weekends: 'CLDR 48, corrected' });
  expect(body.source).toMatch(/^date-holidays \d.*, python-holidays \d/);
  expect(body.countries).toHaveLength(251);
  expect(body.countries).toContainEqual({ code: 'DE', name: 'Germany' });
});

test('a country alone lists its subdivisions', async () => {
  const { body } = await ask('/v1/holidays?country=de');
  expect(body).toMatchObject({
    country: 'DE',
    name: 'Germany',
    weekend: [6, 7],
    one_off_days_known_through: 2026,
  });
  expect(body.subdivisions).toContainEqual({ code: 'BY', name: 'Bayern' });
  expect(body.subdivisions).toContainEqual({ code: 'BY-A', name: 'Bayern, Stadt Augsburg' });
  expect((await ask('/v1/holidays?country=KW')).body.one_off_days_known_through).toBeNull();
  expect((await ask('/v1/holidays?country=TW')).body.subdivisions).toEqual([]);
});

test('to list subdivisions no calendar is made', async () => {
  const services = testServer();
  const made = spyOn(services.snapshot().holidays, 'calendarOf');
  expect((await ask('/v1/holidays?country=DE', {}, createApp(services))).status).toBe(200);
  expect(made).not.toHaveBeenCalled();
});

test('a country and a year list what is counted, with names, weekdays and sources', async () => {
  const { body } = await ask('/v1/holidays?country=DE&subdivision=by&year=2026');
  expect(body).toMatchObject({ country: 'DE', subdivision: 'BY', year: 2026, weekend: [6, 7], workdays: [] });
  expect(body.holidays.map(({ date }: { date: string }) => date)).toEqual([
    ...['2026-01-01', '2026-01-06', '2026-04-03', '2026-04-06', '2026-05-01', '2026-05-14', '2026-05-25'],
    ...['2026-06-04', '2026-10-03', '2026-11-01', '2026-12-25', '2026-12-26'],
  ]);
  expect(body.holidays[1]).toEqual({
    date: '2026-01-06',
    name: 'Heilige Drei Könige',
    day_full: 'Tuesday',
    source: expect.stringMatching(/^python-holidays \d/),
  });
  expect((await ask('/v1/holidays?country=SA&year=2026')).body.weekend).toEqual([5, 6]);
  expect((await ask('/v1/holidays?country=DE&year=2026')).body.subdivision).toBeNull();
});

test('corrected days and worked ones name the official text', async () => {
  const { body } = await ask('/v1/holidays?country=CN&year=2026');
  const day = body.holidays.find(({ date }: { date: string }) => date === '2026-01-02');
  expect(day).toMatchObject({ name: '休息日', day_full: 'Friday' });
  expect(day.source).toContain('国务院办公厅');
  expect(body.workdays[0]).toMatchObject({ date: '2026-01-04', name: '调休' });
  expect(body.workdays[0].source).toContain('国务院办公厅');
  expect(body.one_off_days_known_through).toBe(2026);
});

test('what a year lists is what the count leaves out', async () => {
  for (const calendar of ['CN', 'DE', 'SA', 'KR', 'IN', 'GB&subdivision=SCT', 'CH&subdivision=ZH']) {
    const { body } = await ask(`/v1/holidays?country=${calendar}&year=2025`);
    const off = new Set(body.holidays.map(({ date }: { date: string }) => date));
    const worked = new Set(body.workdays.map(({ date }: { date: string }) => date));
    let businessDays = 0;
    for (let day = Date.UTC(2025, 0, 1); day < Date.UTC(2026, 0, 1); day += 86_400_000) {
      const date = new Date(day).toISOString().slice(0, 10);
      const isOff = off.has(date) || body.weekend.includes(new Date(day).getUTCDay() || 7);
      if (worked.has(date) || !isOff) businessDays++;
    }
    const parameters = calendar.replace('&subdivision', '&holiday_subdivision');
    const counted = await ask(
      `/v1/time/diff?from=iso=2025-01-01&to=iso=2026-01-01&business_days=true&holiday_country=${parameters}`,
    );
    expect([calendar, counted.body.business_days]).toEqual([calendar, businessDays]);
  }
});

test('unknown codes list the valid ones, as in a count', async () => {
  const country = await ask('/v1/holidays?country=XX&year=2026');
  expect(`${country.status} ${country.body.error.code}`).toBe('400 INVALID_PARAMETER');
  expect(country.body.error.message).toStartWith("Cannot read 'country'");
  expect(country.body.error.details.valid_countries).toHaveLength(251);
  for (const query of ['country=DE&subdivision=XX&year=2026', 'country=DE&subdivision=XX']) {
    const { body } = await ask(`/v1/holidays?${query}`);
    expect(body.error.message).toStartWith("Cannot read 'subdivision'");
    expect(body.error.details.valid_subdivisions).toContain('BY');
  }
});

test.each([
  ...['year=2026', 'subdivision=BY', 'country=DE&subdivision=BY', 'country=', 'country=DE&year='],
  ...['country=DE&year=1969', 'country=DE&year=2101', 'country=DE&year=26', 'country=DE&year=02026'],
  ...[
    'country=DE&year=2026.0',
    'country=DE&year=%2B2026',
    'country=DE&year=2026&year=2026',
    'country=DE&country=DE',
  ],
])('%p is refused', async query => {
  expect(await errorOf(`/v1/holidays?${query}`)).toBe('400 INVALID_PARAMETER');
});

test('a year with a sign is quoted as it was typed, with what is wrong', async () => {
  for (const year of ['+2026', '%2B2026']) {
    const { body } = await ask(`/v1/holidays?country=DE&year=${year}`);
    expect(body.error.message).toBe(
      "Cannot read 'year': '+2026' is not a year from 1970 to 2100; it is written without a sign or space",
    );
  }
  const { body } = await ask('/v1/holidays?country=DE&year=3026');
  expect(body.error.message).toBe("Cannot read 'year': '3026' is not a year from 1970 to 2100");
});

test('a listing can be signed', async () => {
  expect(await errorOf('/v1/holidays?country=DE&year=2026&sign=true')).toBe('501 SIGNING_NOT_READY');
});
