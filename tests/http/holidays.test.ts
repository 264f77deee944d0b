import { describe, expect, spyOn, test } from 'bun:test';
import { createApp } from '../../src/server/app.ts';
import { errorOf, send, testServer } from '../support/service.ts';

test('without a country, lists the countries with the years in the table', async () => {
  const { body } = await send('/v1/holidays');
  expect(body).toMatchObject({ first_year: 1970, last_year: 2100, weekends: 'CLDR 48, corrected' });
  expect(body.source).toMatch(/^date-holidays \d.*, python-holidays \d/);
  expect(body.countries).toHaveLength(251);
  expect(body.countries).toContainEqual({ code: 'DE', name: 'Germany' });
});

test('a country without a range lists its subdivisions', async () => {
  const { body } = await send('/v1/holidays?country=de');
  expect(body).toMatchObject({
    country: 'DE',
    name: 'Germany',
    weekend: [6, 7],
    work_week: [{ from: '1970-01-01', weekend: [6, 7] }],
    coverage: { from: 1991, to: 2100, announced_through: 2026, reviewed: null },
    subdivisions_differ: true,
  });
  expect(body.subdivisions).toContainEqual({ code: 'BY', name: 'Bayern' });
  expect(body.subdivisions).toContainEqual({ code: 'BY-A', name: 'Bayern, Stadt Augsburg' });
  expect((await send('/v1/holidays?country=KW')).body.coverage.announced_through).toBeNull();
  expect((await send('/v1/holidays?country=TW')).body.subdivisions).toEqual([]);
});

test('listing subdivisions builds no calendar', async () => {
  const services = testServer();
  const made = spyOn(services.snapshot().holidays, 'calendarOf');
  expect((await send('/v1/holidays?country=DE', {}, createApp(services))).status).toBe(200);
  expect(made).not.toHaveBeenCalled();
});

test('a country and a year list the holidays that counts exclude, with names, weekdays and sources', async () => {
  const { body } = await send('/v1/holidays?country=DE&subdivision=by&year=2026');
  expect(body).toMatchObject({ country: 'DE', subdivision: 'BY', year: 2026, weekend: [6, 7], workdays: [] });
  expect(body.holidays.map(({ date }: { date: string }) => date)).toEqual([
    ...['2026-01-01', '2026-01-06', '2026-04-03', '2026-04-06', '2026-05-01', '2026-05-14', '2026-05-25'],
    ...['2026-06-04', '2026-10-03', '2026-11-01', '2026-12-25', '2026-12-26'],
  ]);
  expect(body.holidays[1]).toEqual({
    date: '2026-01-06',
    name: 'Heilige Drei Könige',
    name_en: 'Epiphany',
    day_full: 'Tuesday',
    status: 'statutory',
    source: expect.stringMatching(/^python-holidays \d/),
  });
  expect((await send('/v1/holidays?country=SA&year=2026')).body.weekend).toEqual([5, 6]);
  expect((await send('/v1/holidays?country=DE&year=2026')).body.subdivision).toBeNull();
});

test('corrected and worked days name the official text', async () => {
  const { body } = await send('/v1/holidays?country=CN&year=2026');
  const day = body.holidays.find(({ date }: { date: string }) => date === '2026-01-02');
  expect(day).toMatchObject({ name: '休息日', day_full: 'Friday' });
  expect(day.source).toContain('国务院办公厅');
  expect(body.workdays[0]).toMatchObject({ date: '2026-01-04', name: '调休' });
  expect(body.workdays[0].source).toContain('国务院办公厅');
  expect(body.coverage.announced_through).toBe(2026);
});

test('a count excludes exactly the listed days', async () => {
  for (const calendar of ['CN', 'DE', 'SA', 'KR', 'IN', 'GB&subdivision=SCT', 'CH&subdivision=ZH']) {
    const { body } = await send(`/v1/holidays?country=${calendar}&year=2025`);
    const off = new Set(body.holidays.map(({ date }: { date: string }) => date));
    const worked = new Set(body.workdays.map(({ date }: { date: string }) => date));
    let businessDays = 0;
    for (let day = Date.UTC(2025, 0, 1); day < Date.UTC(2026, 0, 1); day += 86_400_000) {
      const date = new Date(day).toISOString().slice(0, 10);
      const isOff = off.has(date) || body.weekend.includes(new Date(day).getUTCDay() || 7);
      if (worked.has(date) || !isOff) businessDays++;
    }
    const parameters = calendar.replace('&subdivision', '&holiday_subdivision');
    const counted = await send(
      `/v1/time/diff?from=iso=2025-01-01&to=iso=2026-01-01&business_days=true&holiday_country=${parameters}`,
    );
    expect([calendar, counted.body.business_days]).toEqual([calendar, businessDays]);
  }
});

test('errors for unknown codes list the valid ones, as in a count', async () => {
  const country = await send('/v1/holidays?country=XX&year=2026');
  expect(`${country.status} ${country.body.error.code}`).toBe('400 INVALID_PARAMETER');
  expect(country.body.error.message).toStartWith("Cannot read 'country'");
  expect(country.body.error.details.valid_countries).toHaveLength(251);
  for (const query of ['country=DE&subdivision=XX&year=2026', 'country=DE&subdivision=XX']) {
    const { body } = await send(`/v1/holidays?${query}`);
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
])('%p is rejected', async query => {
  expect(await errorOf(`/v1/holidays?${query}`)).toBe('400 INVALID_PARAMETER');
});

test.each(['/v1/holidays?', '/v1/holidays?year=2026&', '/v1/holidays.csv?year=2026&', '/v1/holidays.ics?'])(
  '%s rejects a list of countries as such',
  async path => {
    const { body } = await send(`${path}country=DE,FR`);
    expect(body.error.message).toBe(
      "Cannot read 'country': 'DE,FR' is a list, but only one country is allowed",
    );
  },
);

test('a signed year is quoted as typed, with the reason', async () => {
  for (const year of ['+2026', '%2B2026']) {
    const { body } = await send(`/v1/holidays?country=DE&year=${year}`);
    expect(body.error.message).toBe(
      "Cannot read 'year': '+2026' is not a year from 1970 to 2100; it is written without a sign or space",
    );
  }
  const { body } = await send('/v1/holidays?country=DE&year=3026');
  expect(body.error.message).toBe("Cannot read 'year': '3026' is not a year from 1970 to 2100");
});

test('a listing can be signed', async () => {
  expect(await errorOf('/v1/holidays?country=DE&year=2026&sign=true')).toBe('501 SIGNING_NOT_READY');
});

const listed = async (query: string) => (await send(`/v1/holidays?${query}`)).body;

describe('the description of a day', () => {
  test('a substitute names its holiday, which may be in another year', async () => {
    const { holidays } = await listed('country=US&year=2027');
    expect(holidays.at(-1)).toEqual({
      date: '2027-12-31',
      name: "New Year's Day (observed)",
      name_en: "New Year's Day (observed)",
      day_full: 'Friday',
      status: 'statutory',
      source: expect.stringMatching(/^python-holidays/),
      substitute_for: { date: '2028-01-01', name: "New Year's Day" },
    });
    expect(holidays[0]).not.toHaveProperty('substitute_for');
  });

  test('days that depend on a moon sighting are estimated after the last announcement', async () => {
    const fitr = async (year: number) =>
      (await listed(`country=TR&year=${year}&lang=en`)).holidays.find(({ name }: { name: string }) =>
        name.startsWith('Eid al-Fitr'),
      ).status;
    expect(await fitr(2050)).toBe('estimated');
    const { holidays, workdays } = await listed('country=CN&year=2026');
    expect(holidays.find(({ date }: { date: string }) => date === '2026-01-02').status).toBe('announced');
    expect(workdays[0]).toMatchObject({ status: 'announced', name_en: expect.any(String) });
  });

  test('weekends are listed by period', async () => {
    expect(await listed('country=AE&year=2010')).toMatchObject({
      weekend: [6, 7],
      work_week: [
        { from: '1970-01-01', weekend: [4, 5] },
        { from: '2006-09-01', weekend: [5, 6] },
        { from: '2022-01-01', weekend: [6, 7] },
      ],
    });
  });

  test('a country without a common calendar says so, its subdivisions do not', async () => {
    expect((await listed('country=GB&year=2026')).subdivisions_differ).toBe(true);
    expect((await listed('country=GB&subdivision=SCT&year=2026')).subdivisions_differ).toBe(false);
    expect((await listed('country=FR&year=2026')).coverage.announced_through).toBeGreaterThan(2000);
  });
});

describe('the range of a listing', () => {
  const dates = async (query: string) =>
    (await listed(query)).holidays.map(({ date }: { date: string }) => date);

  test('includes both dates, and spans years', async () => {
    expect(await dates('country=DE&from=2026-12-25&to=2027-01-01')).toEqual([
      ...['2026-12-25', '2026-12-26', '2027-01-01'],
    ]);
    expect(await dates('country=DE&from=2026-12-27&to=2026-12-31')).toEqual([]);
    const decade = await dates('country=DE-BY&from=2020-01-01&to=2029-12-31');
    const years = Array.from({ length: 10 }, (_, index) =>
      dates(`country=DE&subdivision=BY&year=${2020 + index}`),
    );
    expect(decade).toEqual((await Promise.all(years)).flat());
    const body = await listed('country=DE&from=2026-12-25&to=2026-12-31');
    expect(body).toMatchObject({ from: '2026-12-25', to: '2026-12-31' });
    expect(body).not.toHaveProperty('year');
  });

  test('has worked days', async () => {
    const { workdays } = await listed('country=CN&from=2026-01-04&to=2026-01-04');
    expect(workdays.map(({ date }: { date: string }) => date)).toEqual(['2026-01-04']);
  });

  test.each([
    ['from=2026-01-01', 'from'],
    ['to=2026-01-01', 'to'],
    ['from=2026-01-01&to=2025-12-31', 'to'],
    ['from=2026-01-01&to=2036-01-01', 'to'],
    ['from=2024-02-29&to=2034-03-01', 'to'],
    ['from=1969-12-31&to=1970-01-01', 'from'],
    ['from=2100-12-31&to=2101-01-01', 'to'],
    ['year=2026&from=2026-01-01&to=2026-12-31', 'from'],
    ['year=2026&to=2026-12-31', 'to'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
    ['from=2026-02-03T00:00&to=2026-03-01', 'from'],
    ['from=now&to=2026-03-01', 'from'],
    ['year=2026&date=2026-12-24', 'date'],
    ['date=', 'date'],
    ['year=2026&lang=de_DE', 'lang'],
    ['year=2026&lang=', 'lang'],
    ['lang=de', 'lang'],
    ['require_coverage=true', 'require_coverage'],
  ])('%s is rejected for %s', async (query, parameter) => {
    const { status, body } = await send(`/v1/holidays?country=DE&${query}`);
    expect([status, body.error.code, body.error.details.parameter]).toEqual([
      ...[400, 'INVALID_PARAMETER', parameter],
    ]);
  });

  test('ten years can be listed, whatever the leap days', async () => {
    expect((await send('/v1/holidays?country=DE&from=2024-02-29&to=2034-02-28')).status).toBe(200);
    expect((await send('/v1/holidays?country=DE&from=2026-01-01&to=2035-12-31')).status).toBe(200);
  });

  test('the error for an invalid date shows the format', async () => {
    const { body } = await send('/v1/holidays?date=2026-12-24');
    expect(body.error.message).toContain("'from=2026-12-24&to=2026-12-24'");
  });
});

describe('a country with its subdivision', () => {
  test('is that subdivision', async () => {
    expect(await listed('country=de-by&year=2026')).toEqual(
      await listed('country=DE&subdivision=BY&year=2026'),
    );
    expect((await listed('country=MY-01&year=2026')).subdivision).toBe('01');
  });

  test.each([
    ['DE-BY', 'country'],
    ['DE-QQ&year=2026', 'country'],
    ['QQ-BY&year=2026', 'country'],
    ['DE-&year=2026', 'country'],
    ['DE,FR&year=2026', 'country'],
    ['DE-BY,FR&year=2026', 'country'],
    ['DE-BY&subdivision=BY&year=2026', 'subdivision'],
  ])('%s is rejected for %s', async (query, parameter) => {
    const { status, body } = await send(`/v1/holidays?country=${query}`);
    expect([status, body.error.details.parameter]).toEqual([400, parameter]);
  });
});

describe('the language of names', () => {
  const names = async (query: string) => (await listed(query)).holidays[0].name;

  test('is the local one by default, or English, or local if there is no English name', async () => {
    expect(await names('country=JP&year=2026')).toBe('元日');
    expect(await names('country=JP&year=2026&lang=ja')).toBe('元日');
    expect(await names('country=JP&year=2026&lang=en-GB')).toBe("New Year's Day");
    expect(await names('country=JP&year=2026&lang=fr')).toBe("New Year's Day");
    expect(await names('country=US&year=2026&lang=ja')).toBe("New Year's Day");
    expect(await names('country=NO&year=2026&lang=nb')).toBe(await names('country=NO&year=2026'));
    const patron = await listed('country=IT-25-MI&from=2026-12-07&to=2026-12-07&lang=en');
    expect(patron.holidays).toMatchObject([{ name: "Sant'Ambrogio", name_en: null }]);
  });

  test.each([
    ['CH', '', '2026-05-14', 'Auffahrt'],
    ['CH-GE', '', '2026-05-14', 'Ascension'],
    ['CH-GE', '&lang=de', '2026-05-14', 'Auffahrt'],
    ['CH-GE', '&lang=en', '2026-05-14', 'Ascension Day'],
    ['CH', '&lang=fr', '2026-05-14', 'Ascension'],
    ['CH', '&lang=it-CH', '2026-05-14', 'Ascensione'],
    ['CH-TI', '', '2026-11-01', 'Ognissanti'],
    ['CH-ZH', '&lang=ja', '2026-05-14', 'Ascension Day'],
    ['CA', '', '2026-07-01', 'Canada Day'],
    ['CA', '&lang=fr', '2026-07-01', 'Fête du Canada'],
    ['CA-QC', '', '2026-06-24', 'Fête nationale du Québec'],
    ['CA-QC', '&lang=en', '2026-07-01', 'Canada Day'],
    ['BE', '', '2026-07-21', 'Nationale feestdag'],
    ['BE', '&lang=fr', '2026-07-21', 'Fête nationale'],
    ['BE-WAL', '', '2026-07-21', 'Fête nationale'],
    ['BE', '&lang=de', '2026-07-21', 'Nationalfeiertag'],
    ['LU', '&lang=fr', '2026-06-23', 'Fête nationale'],
    ['FI', '&lang=sv', '2026-12-06', 'självständighetsdagen'],
    ['AX', '&lang=sv', '2026-12-06', 'självständighetsdagen'],
    ['ES-CT', '&lang=ca', '2026-09-11', 'Diada de Catalunya'],
    ['ES-CT', '&lang=ca', '2026-04-03', 'Good Friday'], // has no Catalan name in the data
  ])('in %s%s on %s is %s', async (country, lang, date, name) => {
    const query = `country=${country}&from=${date}&to=${date}${lang}`;
    expect((await listed(query)).holidays.map((holiday: { name: string }) => holiday.name)).toContain(name);
    const range = `from=${date}&to=${date}&holiday_country=${country}`;
    const { body } = await send(`/v1/work/days?${range}${lang}`);
    expect(body.days[0].name).toContain(name);
  });

  test('is that of a year as of some days, whatever was requested before', async () => {
    for (const [lang, name] of [
      ['', 'Ascension'],
      ['&lang=de', 'Auffahrt'],
      ['&lang=fr', 'Ascension'],
      ['', 'Ascension'],
    ]) {
      const { holidays } = await listed(`country=CH-GE&year=2026${lang}`);
      expect(holidays.find(({ date }: { date: string }) => date === '2026-05-14').name).toBe(name);
    }
  });

  test('is also that of the holiday that a substitute stands for', async () => {
    const substitutes = 'country=JP&from=2026-05-06&to=2026-05-06';
    expect((await listed(substitutes)).holidays[0].substitute_for.name).toBe('憲法記念日');
    expect((await listed(`${substitutes}&lang=en`)).holidays[0].substitute_for).toEqual({
      date: '2026-05-03',
      name: 'Constitution Day',
    });
  });
});

describe('coverage', () => {
  test('is required for every listed year', async () => {
    expect((await send('/v1/holidays?country=DE&year=2026&require_coverage=true')).status).toBe(200);
    for (const query of ['year=2027', 'year=1990', 'from=2026-12-31&to=2027-01-01']) {
      const { status, body } = await send(`/v1/holidays?country=DE&${query}&require_coverage=true`);
      expect([query, status, body.error.code, body.error.details.parameter]).toEqual([
        ...[query, 400, 'INVALID_PARAMETER', 'require_coverage'],
      ]);
      expect(body.error.message).toContain('DE is covered from 1991 to 2026');
    }
    const { body } = await send('/v1/holidays?country=KW&year=2020&require_coverage=true');
    expect(body.error.message).toContain('the announced days of KW are not followed');
  });

  test('is in the details of listed days', async () => {
    const { coverage, details } = await listed('country=DE&subdivision=BY&year=2026&details=true');
    expect(details.holidays).toEqual([{ calendar: 'DE-BY', coverage, subdivisions_differ: false }]);
    expect((await listed('country=DE&details=true')).details).not.toHaveProperty('holidays');
  });
});
