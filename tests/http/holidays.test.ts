import { describe, expect, spyOn, test } from 'bun:test';
import ICAL from 'ical.js';
import type { VEvent } from 'node-ical';
import nodeIcal from 'node-ical';
import { createApp } from '../../src/server/app.ts';
import { column, expectBodies, expectEach, expectErrors, expectMessages } from '../support/responses.ts';
import { NOW_MS, send, testServer } from '../support/service.ts';

const HOLIDAYS = '/v1/holidays?';

const listed = async (query: string) => (await send(HOLIDAYS + query)).body;
const datesOf = async (query: string) => column((await listed(query)).holidays, 'date');

/** The holiday of a country on a day; the query ends with the day. */
async function holidayOn(query: string) {
  const date = query.slice(-10);
  return (await listed(query.slice(0, -11))).holidays.find((day: { date: string }) => day.date === date);
}

test('without a country, lists the countries with the years in the table', async () => {
  const body = await listed('');
  expect(body).toMatchObject({ first_year: 1970, last_year: 2100, weekends: 'CLDR 48, corrected' });
  expect(body.source).toMatch(/^date-holidays \d.*, python-holidays \d/);
  expect(body.countries).toHaveLength(251);
  expect(body.countries).toContainEqual({ code: 'DE', name: 'Germany' });
});

test('a country without a range lists its subdivisions, for which no calendar is built', async () => {
  const services = testServer();
  const made = spyOn(services.snapshot().holidays, 'calendarOf');
  const { body } = await send('/v1/holidays?country=de', {}, createApp(services));
  expect(made).not.toHaveBeenCalled();
  expect(body).toMatchObject({
    country: 'DE',
    name: 'Germany',
    weekend: [6, 7],
    work_week: [{ from: '1970-01-01', weekend: [6, 7] }],
    coverage: {
      from: 1991,
      to: 2100,
      basis: 'law',
      certain: [{ from: expect.any(Number), to: 2029 }],
      announced_through: 2025,
      reviewed: '2026-11',
    },
    subdivisions_differ: true,
  });
  expect(body.subdivisions).toContainEqual({ code: 'BY', name: 'Bavaria' });
  expect(body.subdivisions).toContainEqual({ code: 'BY-A', name: 'Bavaria, Augsburg' });
  await expectBodies(HOLIDAYS, {
    'country=FK': { coverage: { basis: null, certain: [], announced_through: null, reviewed: null } },
    'country=TW': { subdivisions: [] },
  });
});

test('a country and a year list the holidays that counts exclude, with names, weekdays and sources', async () => {
  const body = await listed('country=DE&subdivision=by&year=2026');
  expect(body).toMatchObject({ country: 'DE', subdivision: 'BY', year: 2026, weekend: [6, 7], workdays: [] });
  expect(column(body.holidays, 'date')).toEqual([
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
  await expectBodies(HOLIDAYS, {
    'country=SA&year=2026': { weekend: [5, 6] },
    'country=DE&year=2026': { subdivision: null },
  });
});

test('corrected and worked days name the official text', async () => {
  const { holidays, workdays, coverage } = await listed('country=CN&year=2026');
  const source = expect.stringContaining('国务院办公厅');
  expect(holidays[1]).toMatchObject({ date: '2026-01-02', name: '休息日', day_full: 'Friday', source });
  expect(workdays[0]).toMatchObject({ date: '2026-01-04', name: '调休', source });
  expect(coverage.announced_through).toBe(2026);
});

test('a count excludes exactly the listed days', async () => {
  for (const calendar of ['CN', 'DE', 'SA', 'KR', 'IN', 'GB&subdivision=SCT', 'CH&subdivision=ZH']) {
    const body = await listed(`country=${calendar}&year=2025`);
    const [off, worked] = [new Set(column(body.holidays, 'date')), new Set(column(body.workdays, 'date'))];
    let businessDays = 0;
    for (let day = Date.UTC(2025, 0, 1); day < Date.UTC(2026, 0, 1); day += 86_400_000) {
      const date = new Date(day).toISOString().slice(0, 10);
      const isOff = off.has(date) || body.weekend.includes(new Date(day).getUTCDay() || 7);
      if (worked.has(date) || !isOff) businessDays++;
    }
    const parameters = `holiday_country=${calendar.replace('&subdivision', '&holiday_subdivision')}`;
    const path = '/v1/time/diff?from=iso=2025-01-01&to=iso=2026-01-01&business_days=true&';
    expect([calendar, (await send(path + parameters)).body.business_days]).toEqual([calendar, businessDays]);
  }
});

test('errors for unknown codes list the valid ones, as in a count', async () => {
  await expectErrors(HOLIDAYS, { '400 INVALID_PARAMETER': ['country=XX&year=2026'] });
  const { error } = await listed('country=XX&year=2026');
  expect(error.message).toStartWith("Cannot read 'country'");
  expect(error.details.valid_countries).toHaveLength(251);
  for (const query of ['country=DE&subdivision=XX&year=2026', 'country=DE&subdivision=XX']) {
    const { message, details } = (await listed(query)).error;
    expect(message).toStartWith("Cannot read 'subdivision'");
    expect(details.valid_subdivisions).toContain('BY');
  }
});

test('invalid countries and years are rejected', () =>
  expectErrors(HOLIDAYS, {
    '400 INVALID_PARAMETER': [
      ...['year=2026', 'subdivision=BY', 'country=DE&subdivision=BY', 'country=', 'country=DE&year='],
      ...['country=DE&year=1969', 'country=DE&year=2101', 'country=DE&year=26', 'country=DE&year=02026'],
      ...['country=DE&year=2026.0', 'country=DE&year=2026&year=2026', 'country=DE&country=DE'],
    ],
    '501 SIGNING_NOT_READY': ['country=DE&year=2026&sign=true'],
  }));

test('a list of countries is rejected as such', () => {
  const message = "Cannot read 'country': 'DE,FR' is a list, but only one country is allowed";
  return expectMessages('/v1/holidays', {
    '?country=DE,FR': message,
    '?year=2026&country=DE,FR': message,
    '.csv?year=2026&country=DE,FR': message,
    '.ics?country=DE,FR': message,
  });
});

test('a signed year is quoted as typed, with the reason', () => {
  const signed =
    "Cannot read 'year': '+2026' is not a year from 1970 to 2100; it is written without a sign or space";
  return expectMessages(`${HOLIDAYS}country=DE&year=`, {
    '+2026': signed,
    '%2B2026': signed,
    '3026': "Cannot read 'year': '3026' is not a year from 1970 to 2100",
  });
});

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
    const { holidays } = await listed('country=TR&year=2050&lang=en');
    const fitr = holidays.find(({ name }: { name: string }) => name.startsWith('Eid al-Fitr'));
    expect(fitr.status).toBe('estimated');
    expect((await holidayOn('country=CN&year=2026&2026-01-02')).status).toBe('announced');
    const { workdays } = await listed('country=CN&year=2026');
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
    await expectBodies(HOLIDAYS, {
      'country=GB&year=2026': { subdivisions_differ: true },
      'country=GB&subdivision=SCT&year=2026': { subdivisions_differ: false },
    });
  });
});

describe('the range of a listing', () => {
  test('includes both dates, and spans years', async () => {
    await expectEach(datesOf, {
      'country=DE&from=2026-12-25&to=2027-01-01': ['2026-12-25', '2026-12-26', '2027-01-01'],
      'country=DE&from=2026-12-27&to=2026-12-31': [],
    });
    const years = Array.from({ length: 10 }, (_, index) => datesOf(`country=DE-BY&year=${2020 + index}`));
    const decade = await datesOf('country=DE-BY&from=2020-01-01&to=2029-12-31');
    expect(decade).toEqual((await Promise.all(years)).flat());
    const body = await listed('country=DE&from=2026-12-25&to=2026-12-31');
    expect(body).toMatchObject({ from: '2026-12-25', to: '2026-12-31' });
    expect(body).not.toHaveProperty('year');
    const { workdays } = await listed('country=CN&from=2026-01-04&to=2026-01-04');
    expect(column(workdays, 'date')).toEqual(['2026-01-04']);
  });

  test('of at most ten years is required, and goes without other parameters', () =>
    expectErrors(`${HOLIDAYS}country=DE&`, {
      '200': ['from=2024-02-29&to=2034-02-28', 'from=2026-01-01&to=2035-12-31'],
      '400 INVALID_PARAMETER from': [
        ...['from=2026-01-01', 'from=1969-12-31&to=1970-01-01', 'from=2026-02-30&to=2026-03-01'],
        ...['year=2026&from=2026-01-01&to=2026-12-31', 'from=2026-02-03T00:00&to=2026-03-01'],
        'from=now&to=2026-03-01',
      ],
      '400 INVALID_PARAMETER to': [
        ...['to=2026-01-01', 'from=2026-01-01&to=2025-12-31', 'from=2026-01-01&to=2036-01-01'],
        ...['from=2024-02-29&to=2034-03-01', 'from=2100-12-31&to=2101-01-01', 'year=2026&to=2026-12-31'],
      ],
      '400 INVALID_PARAMETER date': ['year=2026&date=2026-12-24', 'date='],
      '400 INVALID_PARAMETER lang': ['year=2026&lang=de_DE', 'year=2026&lang=', 'lang=de_DE', 'lang='],
      '400 INVALID_PARAMETER require_coverage': ['require_coverage=true'],
    }));

  test('the error for an invalid date shows the format', () =>
    expectMessages(HOLIDAYS, { 'date=2026-12-24': "…to=2026-12-24'…", 'date=': '…no value' }));
});

test('a country may be given with its subdivision', async () => {
  expect(await listed('country=de-by&year=2026')).toEqual(
    await listed('country=DE&subdivision=BY&year=2026'),
  );
  await expectBodies(HOLIDAYS, { 'country=MY-01&year=2026': { subdivision: '01' } });
  await expectErrors(`${HOLIDAYS}country=`, {
    '400 INVALID_PARAMETER country': [
      ...['DE-BY', 'DE-QQ&year=2026', 'QQ-BY&year=2026', 'DE-&year=2026', 'DE-BY,FR&year=2026'],
    ],
    '400 INVALID_PARAMETER subdivision': ['DE-BY&subdivision=BY&year=2026'],
  });
});

describe('the names of countries and subdivisions', () => {
  test('are in English by default, and in the language of lang if it has them', async () => {
    await expectBodies(HOLIDAYS, {
      'country=DE&lang=fr': { name: 'Allemagne' },
      'country=DE&lang=de-AT': { name: 'Deutschland' },
      'country=HK&lang=zh-TW': { name: '香港' },
      'country=DE&lang=vo': { name: 'Germany' },
      'country=DE&lang=zz': { name: 'Germany' },
    });
    const nameIn = async (lang: string, country: string, subdivision: string) =>
      (await listed(`country=${country}&lang=${lang}`)).subdivisions.find(
        ({ code }: { code: string }) => code === subdivision,
      ).name;
    expect(await nameIn('fr', 'GB', 'SCT')).toBe('Écosse');
    expect(await nameIn('zh-Hant-TW', 'GB', 'SCT')).toBe('蘇格蘭');
    expect(await nameIn('de', 'AT', '3')).toBe('Niederösterreich');
    expect(await nameIn('sv', 'FI', '18')).toBe('Nyland');
    expect(await nameIn('fr', 'FR', '973')).toBe('Guyane française');
    const { countries } = await listed('lang=es');
    expect(countries).toContainEqual({ code: 'MK', name: 'Macedonia del Norte' });
    expect(countries).toContainEqual({ code: 'US', name: 'Estados Unidos' });
    expect(countries).toHaveLength(251);
  });

  test('are in the title of a feed', async () => {
    const titleOf = async (query: string) =>
      /^NAME:(.*)\r$/m.exec(await textOf(`/v1/holidays.ics?${query}`))![1];
    expect(await titleOf('country=DE-BY&lang=de')).toBe('Holidays: Bayern\\, Deutschland');
    expect(await titleOf('country=CA-QC&lang=fr')).toBe('Holidays: Québec\\, Canada');
  });

  test('name their data', async () => {
    const dataOf = async (query: string) => Object.keys((await listed(`${query}&details=true`)).details.data);
    expect(await dataOf('country=DE&lang=fr')).toEqual(['holidays', 'languages']);
    expect(await dataOf('country=DE&year=2026&lang=fr')).toEqual(['holidays']);
    expect(await dataOf('country=DE')).toEqual(['holidays']);
  });
});

describe('the language of names', () => {
  test('is the local one by default, or English, or local if there is no English name', async () => {
    await expectEach(async query => (await listed(query)).holidays[0].name, {
      'country=JP&year=2026': '元日',
      'country=JP&year=2026&lang=ja': '元日',
      'country=JP&year=2026&lang=en-GB': "New Year's Day",
      'country=JP&year=2026&lang=fr': "New Year's Day",
      'country=US&year=2026&lang=ja': "New Year's Day",
    });
    expect(await listed('country=NO&year=2026&lang=nb')).toEqual(await listed('country=NO&year=2026'));
    const patron = [{ name: "Sant'Ambrogio", name_en: null }];
    const milan = 'country=IT-25-MI&from=2026-12-07&to=2026-12-07&lang=en';
    await expectBodies(HOLIDAYS, { [milan]: { holidays: patron } });
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
    const range = `from=${date}&to=${date}${lang}`;
    expect(column((await listed(`country=${country}&${range}`)).holidays, 'name')).toContain(name);
    const { body } = await send(`/v1/work/days?holiday_country=${country}&${range}`);
    expect(body.days[0].name).toContain(name);
  });

  test('is that of a year as of some days, whatever was requested before', async () => {
    for (const [lang, name] of [
      ['', 'Ascension'],
      ['&lang=de', 'Auffahrt'],
      ['&lang=fr', 'Ascension'],
      ['', 'Ascension'],
    ]) {
      expect((await holidayOn(`country=CH-GE&year=2026${lang}&2026-05-14`)).name).toBe(name);
    }
  });

  test('is also that of the holiday that a substitute stands for', () =>
    expectEach(
      async lang => (await holidayOn(`country=JP&year=2026&lang=${lang}&2026-05-06`)).substitute_for,
      {
        ja: { date: '2026-05-03', name: '憲法記念日' },
        en: { date: '2026-05-03', name: 'Constitution Day' },
      },
    ));
});

describe('coverage', () => {
  const path = `${HOLIDAYS}require_coverage=true&country=`;

  test('is required for every listed year', async () => {
    for (const query of [
      'DE&year=2029',
      'DE&from=2026-12-31&to=2027-01-01',
      'GB-ENG&year=2028',
      'CN&year=2026',
    ])
      expect([query, (await send(path + query)).status]).toEqual([query, 200]);
    await expectMessages(
      path,
      {
        'DE&year=2030': '…the one-off days of DE are not complete in 2030…',
        'DE&from=2029-12-31&to=2030-01-01':
          '…for 2029 to 2030: the one-off days of DE are not complete in 2030…',
        // Years that have passed need a list.
        'SA&from=2020-01-01&to=2020-01-31': '…the one-off days of SA are not complete in 2020…',
        'FK&year=2026': '…nobody has compared FK with its law…',
      },
      '400 INVALID_PARAMETER require_coverage',
    );
  });

  test('after a list is required of days that no announcement can change', async () => {
    // The lists of China and Türkiye end with 2026; Türkiye has the days of its law until Ramadan ends in March.
    expect((await send(`${path}CN&from=2026-10-08&to=2026-12-31`)).status).toBe(200);
    expect((await send(`${path}TR&from=2026-12-20&to=2027-03-01`)).status).toBe(200);
    await expectMessages(
      path,
      {
        'IN&year=2027': '…the days of IN in 2027 are not announced…',
        'TR&year=2027':
          '…TR awaits the announcement of Eid al-Fitr (about 2027-03-09), Eid al-Adha (about 2027-05-16)',
        'MY&year=2027': '…the days of MY in 2027 are not announced…',
        'SA&year=2027': '…SA awaits the announcement of …',
        'CN&year=2027': '…the days of CN in 2027 are not announced…',
        'EG&year=2027': '…the days of EG in 2027 are not announced…',
      },
      '400 INVALID_PARAMETER require_coverage',
    );
  });

  test('is in the details of listed days', async () => {
    const { coverage, details } = await listed('country=DE&subdivision=BY&year=2026&details=true');
    expect(details.holidays).toEqual([{ calendar: 'DE-BY', coverage, subdivisions_differ: false }]);
    expect((await listed('country=DE&details=true')).details).not.toHaveProperty('holidays');
  });
});

async function textOf(path: string, app?: ReturnType<typeof createApp>): Promise<string> {
  const { status, body } = await send(path, {}, app);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

/** The rows of a CSV without quoted line breaks, as strings. */
function rowsOf(csv: string): string[][] {
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      (quoted ?? plain ?? '').replaceAll('""', '"'),
    );
  expect(csv.endsWith('\r\n')).toBe(true);
  return csv.slice(0, -2).split('\r\n').map(cells);
}

describe('the calendar of holidays', () => {
  const FEEDS = ['DE&subdivision=BY', 'DE-BY&lang=en', 'GB', 'CN', 'JP', 'US-CA', 'IR', 'ES'];
  const pathOf = (feed: string) => `/v1/holidays.ics?country=${feed}`;

  /** Day, name and UID of each event, by ical.js. */
  function eventsByIcalJs(text: string) {
    const calendar = new ICAL.Component(ICAL.parse(text));
    return calendar.getAllSubcomponents('vevent').map(component => {
      const event = new ICAL.Event(component);
      const days = event.endDate.subtractDate(event.startDate).toSeconds() / 86_400;
      return { date: event.startDate.toString(), summary: event.summary, uid: event.uid, days };
    });
  }

  /** The same by node-ical. */
  function eventsByNodeIcal(text: string) {
    const events = Object.values(nodeIcal.sync.parseICS(text)).filter(
      (entry): entry is VEvent => entry?.type === 'VEVENT',
    );
    return events.map(({ start, end, summary, uid }) => ({
      // At midnight of the host's zone.
      date: [start.getFullYear(), start.getMonth() + 1, start.getDate()]
        .map(part => String(part).padStart(2, '0'))
        .join('-'),
      summary: String(summary),
      uid,
      days: Math.round((end!.getTime() - start.getTime()) / 86_400_000),
    }));
  }

  test.each(FEEDS)('of %s is parsed alike by two libraries, and has the days of /v1/holidays', async feed => {
    const text = await textOf(pathOf(feed));
    const events = eventsByIcalJs(text);
    expect(eventsByNodeIcal(text)).toEqual(events);
    const { holidays } = await listed(`country=${feed}&from=2026-01-01&to=2028-12-31`);
    expect(events.map(({ date, summary }) => ({ date, name: summary }))).toEqual(
      holidays.map(({ date, name }: { date: string; name: string }) => ({ date, name })),
    );
    expect(events.filter(({ days }) => days !== 1)).toEqual([]);
  });

  test('has no duplicates if imported again later or in another language', async () => {
    for (const feed of FEEDS) {
      const nextYear = createApp(testServer({ now: () => NOW_MS + 365 * 86_400_000 }));
      const imported = [
        await textOf(pathOf(feed)),
        await textOf(pathOf(feed)),
        await textOf(pathOf(`${feed.replace('&lang=en', '')}&lang=en`)),
        await textOf(pathOf(feed), nextYear),
      ].map(text => eventsByIcalJs(text).map(({ uid, date }) => ({ uid, date })));
      const byUid = new Map(imported.flat().map(({ uid, date }) => [uid, date]));
      expect(new Set(imported[0]!.map(({ uid }) => uid)).size).toBe(imported[0]!.length);
      // One year of the second response is new.
      const added = imported[3]!.filter(({ date }) => date.startsWith('2029'));
      expect(byUid.size).toBe(imported[0]!.length + added.length);
      expect(imported.flat().filter(({ uid, date }) => byUid.get(uid) !== date)).toEqual([]);
    }
  });

  test('is valid: 75-octet lines ending with CRLF, a DTSTAMP from the data, escaped text', async () => {
    const text = await textOf(pathOf('ES'));
    const lines = text.split('\r\n');
    expect(lines.filter(line => Buffer.byteLength(line) > 75 || /[\r\n]/.test(line))).toEqual([]);
    expect(lines.at(-1)).toBe('');
    const { date } = testServer()
      .snapshot()
      .embeddedData.find(({ name }) => name === 'holidays')!;
    expect(new Set(text.match(/^DTSTAMP:.*$/gm))).toEqual(
      new Set([`DTSTAMP:${date.replaceAll('-', '')}T000000Z`]),
    );
    expect(await textOf(pathOf('DE-BY'))).toContain('X-WR-CALNAME:Holidays: Bavaria\\, ');
  });

  test('marks days that depend on a sighting as tentative', async () => {
    const events = (await textOf(pathOf('EG'))).split('BEGIN:VEVENT').slice(1);
    const { holidays } = await listed('country=EG&from=2026-01-01&to=2028-12-31');
    const statuses = column(holidays, 'status').map(status =>
      status === 'estimated' ? 'TENTATIVE' : 'CONFIRMED',
    );
    expect(events.map(event => /^STATUS:(.*)\r$/m.exec(event)?.[1])).toEqual(statuses);
    expect(new Set(statuses).size).toBe(2);
  });

  test('requires a country, and rejects a range, which would be ignored', () =>
    expectErrors('/v1/holidays.ics', {
      '400 INVALID_PARAMETER country': ['', '?country=XX', '?lang=en'],
      '400 INVALID_PARAMETER year': ['?country=DE&year=2026'],
      '400 INVALID_PARAMETER from': ['?country=DE&from=2026-01-01'],
      '400 INVALID_PARAMETER to': ['?country=DE&to=2026-01-01'],
      '400 INVALID_PARAMETER date': ['?country=DE&date=2026-01-01'],
    }));
});

describe('tables', () => {
  test('have the values of the JSON responses', async () => {
    const [columns, ...zones] = rowsOf(await textOf('/v1/timezones.csv'));
    expect(columns).toEqual(['name', 'country_codes', 'offset', 'abbreviation', 'dst']);
    const { body } = await send('/v1/timezones');
    expect(zones).toEqual(
      body.map((zone: Record<string, unknown>) => [
        zone['name'],
        (zone['country_codes'] as string[]).join(' '),
        String(zone['offset']),
        String(zone['abbreviation']).replace(/^[+-]/, "'$&"),
        String(zone['dst']),
      ]),
    );
    expect(zones.some(([, , , abbreviation]) => abbreviation === "'-03")).toBe(true);
  });

  test('of clock changes have a row for each change in each zone', async () => {
    const query = 'tz=America/Sao_Paulo,Europe/Paris&from=2017-01-01&to=2021-01-01';
    const [columns, ...rows] = rowsOf(await textOf(`/v1/time/transitions.csv?${query}`));
    const { body } = await send(`/v1/time/transitions?${query}`);
    expect(columns).toEqual(['timezone', ...Object.keys(body[0].transitions[0])]);
    const expected = body.flatMap(
      ({ timezone, transitions }: { timezone: string; transitions: Record<string, unknown>[] }) =>
        transitions.map(change => [
          timezone,
          ...Object.values(change).map(value =>
            typeof value === 'string' ? value.replace(/^[=+\-@]/, "'$&") : String(value),
          ),
        ]),
    );
    expect(rows).toEqual(expected);
    expect(rows.length).toBeGreaterThan(8);
    const all = rowsOf(await textOf('/v1/time/transitions.csv?all=true&from=2022-01-01&to=2027-01-01'));
    expect(all.length).toBeGreaterThan(1000);
  });

  test('of clock changes reject an entry that selects nothing', () =>
    expectErrors('/v1/time/transitions.csv?', { '400 INVALID_PARAMETER': ['tz=UTC,Mars/Olympus'] }));

  test('of holidays have the members of a holiday, quoted if they contain commas', async () => {
    const [columns, ...rows] = rowsOf(await textOf('/v1/holidays.csv?country=GB-ENG&year=2027'));
    const { body } = await send('/v1/holidays?country=GB-ENG&year=2027');
    expect(columns).toEqual([
      ...Object.keys(body.holidays[0]).filter(name => name !== 'substitute_for'),
      'substitute_for_date',
      'substitute_for_name',
    ]);
    expect(rows).toEqual(
      body.holidays.map(({ substitute_for: original, ...day }: Record<string, Record<string, string>>) => [
        ...Object.values(day).map(value => String(value ?? '')),
        original?.['date'] ?? '',
        original?.['name'] ?? '',
      ]),
    );
    expect(rows.some(row => row.at(-1) !== '')).toBe(true);
  });

  test('of holidays require a range of days', () => {
    const country = "Cannot read 'country': it is missing: give a country code such as 'DE'";
    const year = "Cannot read 'year': it is missing: give 'year', or 'from' and 'to'";
    return expectMessages('/v1/holidays.csv', { '': country, '?country=DE': year });
  });
});

describe('the current time as text', () => {
  test('is a line for each target', () =>
    expectEach(query => textOf(`/v1/time/current.txt${query}`), {
      '': '2026-04-15T17:30:47Z\n',
      '?tz=Asia/Tokyo': '2026-04-16T02:30:47+09:00\n',
      '?offset=-03:30': '2026-04-15T14:00:47-03:30\n',
      '?tz=UTC,Mars,Asia/Kolkata': expect.stringMatching(
        /^2026-04-15T17:30:47\+00:00\n.*'Mars' is not a zone.*\n2026-04-15T23:00:47\+05:30\n$/,
      ),
    }));

  test('has errors as text with the same status', async () => {
    for (const query of ['tz=Mars', 'tz=UTC&offset=%2B01:00', 'tz=', 'auto_tz=true']) {
      const json = await send(`/v1/time/current?${query}`);
      const text = await send(`/v1/time/current.txt?${query}`);
      expect([query, text.status, text.body]).toEqual([query, json.status, `${json.body.error.message}\n`]);
      expect(text.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    }
  });
});
