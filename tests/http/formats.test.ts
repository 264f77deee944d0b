import { describe, expect, test } from 'bun:test';
import ICAL from 'ical.js';
import type { VEvent } from 'node-ical';
import nodeIcal from 'node-ical';
import { createApp } from '../../src/server/app.ts';
import { NOW_MS, send, testServer } from '../support/service.ts';

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
    const range = `${feed}&from=2026-01-01&to=2028-12-31`;
    const { body } = await send(`/v1/holidays?country=${range}`);
    expect(events.map(({ date, summary }) => ({ date, summary }))).toEqual(
      body.holidays.map(({ date, name }: { date: string; name: string }) => ({ date, summary: name })),
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
    expect(await textOf(pathOf('DE-BY'))).toContain('X-WR-CALNAME:Holidays: Bayern\\, ');
  });

  test('marks days that depend on a sighting as tentative', async () => {
    const events = (await textOf(pathOf('EG'))).split('BEGIN:VEVENT').slice(1);
    const { body } = await send('/v1/holidays?country=EG&from=2026-01-01&to=2028-12-31');
    const statuses = body.holidays.map(({ status }: { status: string }) =>
      status === 'estimated' ? 'TENTATIVE' : 'CONFIRMED',
    );
    expect(events.map(event => /^STATUS:(.*)\r$/m.exec(event)?.[1])).toEqual(statuses);
    expect(new Set(statuses).size).toBe(2);
  });

  test('requires a country', async () => {
    for (const path of ['/v1/holidays.ics', '/v1/holidays.ics?country=XX', '/v1/holidays.ics?lang=en']) {
      const { status, body } = await send(path);
      expect([path, status, body.error.details.parameter]).toEqual([path, 400, 'country']);
    }
  });

  test.each(['year=2026', 'from=2026-01-01', 'to=2026-01-01', 'date=2026-01-01'])(
    'rejects %s, which would be ignored',
    async span => {
      const { status, body } = await send(`/v1/holidays.ics?country=DE&${span}`);
      expect([status, body.error.details.parameter]).toEqual([400, span.split('=')[0]]);
    },
  );
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

  test('of clock changes reject an entry that selects nothing', async () => {
    const { status, body } = await send('/v1/time/transitions.csv?tz=UTC,Mars/Olympus');
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

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

  test('of holidays require a range of days', async () => {
    for (const query of ['', '?country=DE']) {
      const { status, body } = await send(`/v1/holidays.csv${query}`);
      expect([status, body.error.message]).toEqual([
        400,
        "Cannot read 'year': it is missing: give 'year', or 'from' and 'to'",
      ]);
    }
  });
});

describe('the current time as text', () => {
  test('is a line for each target', async () => {
    expect(await textOf('/v1/time/current.txt')).toBe('2026-04-15T17:30:47Z\n');
    expect(await textOf('/v1/time/current.txt?tz=Asia/Tokyo')).toBe('2026-04-16T02:30:47+09:00\n');
    expect(await textOf('/v1/time/current.txt?offset=-03:30')).toBe('2026-04-15T14:00:47-03:30\n');
    const lines = (await textOf('/v1/time/current.txt?tz=UTC,Mars,Asia/Kolkata')).split('\n');
    expect(lines).toEqual([
      '2026-04-15T17:30:47+00:00',
      expect.stringContaining("'Mars' is not a zone"),
      '2026-04-15T23:00:47+05:30',
      '',
    ]);
  });

  test('has errors as text with the same status', async () => {
    for (const query of ['tz=Mars', 'tz=UTC&offset=%2B01:00', 'tz=', 'auto_tz=true']) {
      const json = await send(`/v1/time/current?${query}`);
      const text = await send(`/v1/time/current.txt?${query}`);
      expect([query, text.status, text.body]).toEqual([query, json.status, `${json.body.error.message}\n`]);
      expect(text.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    }
  });
});
