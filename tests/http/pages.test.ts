import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { formatOffset } from '../../src/common/iso_text.ts';
import { createApp } from '../../src/server/app.ts';
import { loadPlan } from '../../src/site/planner/load_plan.ts';
import {
  cursorMs,
  daysOf,
  isShown,
  MAX_PLACES,
  type Plan,
  parsePlan,
  planUrl,
  proposeSlots,
  workOf,
} from '../../src/site/planner/plan.ts';
import { meetingCalendar, PlanTexts } from '../../src/site/planner/plan_view.tsx';
import { coordinatesAt, nightPath, pointOf, sunHeight } from '../../src/site/sun.ts';
import { ruleSentences } from '../../src/site/zone/zone_texts.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { fc } from '../support/property.ts';
import { column, expectEach, expectErrors, messageOf, get as request } from '../support/responses.ts';
import { keyedAccess, NOW_MS, send, testServer } from '../support/service.ts';
import { CHANGING } from '../support/zones.ts';

const TEXTS = new PlanTexts('en-GB', () => undefined);

async function get(request: string): Promise<unknown> {
  const { status, body } = await send(request);
  if (status !== 200) throw Object.assign(new Error(body.error.message), { code: body.error.code });
  return body;
}

const planOf = (query: string): Promise<Plan> => loadPlan(parsePlan(new URLSearchParams(query)), get, 'en');

describe('around clock changes', () => {
  test(`the page has the times of the API in ${CHANGING.length} zones`, async () => {
    let compared = 0;
    let changes = 0;
    for (const [index, zone] of CHANGING.entries()) {
      const { body } = await send(`/v1/time/transitions?tz=${zone}&from=2026-01-01&to=2027-01-01`);
      for (const utc of column(body.transitions, 'utc')) {
        const date = new Date(Date.parse(utc) + 43_200_000).toISOString().slice(0, 10);
        const others = [CHANGING[(index + 7) % CHANGING.length]!, 'Asia/Tokyo'];
        const at = (index * 75 + changes * 345) % 1380;
        const places = [zone, ...others].map(place => `place=${place}`).join('&');
        const { body: html } = await send(`/planner?${places}&date=${date}&at=${at}`);
        const shown = [...html.matchAll(/class="plan-time"><time datetime="([^"]+)"/g)].map(([, iso]) => iso);
        const midnight = await send(`/v1/time/convert?iso=${date}T00:00&source_tz=${zone}&utc=true`);
        const tz = [zone, ...others].join(',');
        const expected = await send(`/v1/time/convert?unix=${midnight.body.unix + at * 60}&tz=${tz}`);
        expect([date, ...shown]).toEqual([date, ...column(expected.body, 'iso_local')]);
        const end = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
        const ofDay = (await send(`/v1/time/transitions?tz=${tz}&from=${date}&to=${end}`)).body;
        const first = ofDay[0].transitions.length;
        const [row] = html.split('class="plan-row"').slice(1);
        expect([zone, date, row.split('<line class="strip-change"').length - 1]).toEqual([zone, date, first]);
        compared += shown.length;
        changes++;
      }
    }
    expect(changes).toBeGreaterThan(90);
    expect(compared).toBe(3 * changes);
  });

  test('the day of the first place has 23 and 25 hours', async () => {
    const hours = async (date: string) => {
      const { startMs, endMs } = await planOf(`place=Berlin&date=${date}`);
      return (endMs - startMs) / 3_600_000;
    };
    await expectEach(hours, { '2026-03-29': 23, '2026-10-25': 25, '2026-10-26': 24 });
  });
});

describe('a plan', () => {
  test('has the places, their working hours and days off', async () => {
    const plan = await planOf('place=Berlin&place=New York&place=Perth, GB&date=2026-11-26');
    const rows = plan.rows.filter(isShown);
    expect(rows.map(({ zone }) => zone)).toEqual(['Europe/Berlin', 'America/New_York', 'Europe/London']);
    const hours = rows.map(row => workOf(row, plan.state).map(span => TEXTS.range(row, span)));
    expect(hours).toEqual([['09:00–17:00'], [], ['09:00–17:00']]);
    expect(rows[1]!.days.get('2026-11-26')?.name).toBe('Thanksgiving Day');
    expect(rows.map(row => daysOf(row).map(({ date }) => date))).toEqual([
      ['2026-11-26'],
      ['2026-11-25', '2026-11-26'],
      ['2026-11-25', '2026-11-26'],
    ]);
  });

  test('uses the holidays of a subdivision if it has any', async () => {
    const plan = await planOf('place=Munich&place=Hamburg&date=2026-01-06');
    const names = plan.rows.filter(isShown).map(({ days }) => days.get('2026-01-06')!.name);
    expect(names).toEqual(['Epiphany', null]);
  });

  test('proposes times at which everyone works first, and says who does not', async () => {
    const slots = proposeSlots(await planOf('place=Berlin&place=New York&place=Tokyo&date=2026-11-24'));
    expect(slots.length).toBe(5);
    expect(slots.map(({ cost }) => cost)).toEqual(
      slots.map(({ cost }) => cost).sort((one, other) => one - other),
    );
    const all = proposeSlots(await planOf('place=Berlin&place=London&date=2026-11-24'));
    expect(all[0]!.cost).toBe(0);
    expect(all[0]!.suits.map(({ row }) => TEXTS.range(row, all[0]!))).toEqual(['10:00–11:00', '09:00–10:00']);
  });

  test('has Monday to Friday only for places without a calendar, and fails if holidays cannot be requested', async () => {
    const rejecting = (code: string) => (request: string) =>
      request.includes('holiday_country')
        ? Promise.reject(Object.assign(new Error('rejected'), { code }))
        : get(request);
    const state = parsePlan(new URLSearchParams('place=Berlin&date=2026-12-25'));
    const { rows } = await loadPlan(state, rejecting('INVALID_PARAMETER'), 'en');
    expect(isShown(rows[0]!) && rows[0].days.get('2026-12-25')?.kind).toBe('business');
    expect(loadPlan(state, rejecting('RATE_LIMITED'), 'en')).rejects.toThrow('rejected');
  });

  test('shows the unknown place, and the others', async () => {
    const { body } = await send('/planner?place=Xyzzyqq&place=Tokyo&date=2026-11-24');
    expect(body).toContain('There is no place &#x27;Xyzzyqq&#x27;');
    expect(body).toContain('Day in Tokyo');
    expect(body.match(/class="plan-time"/g)).toHaveLength(1);
  });

  test('escapes places in all attributes', async () => {
    for (const place of ['&quot;x&lt;"', "A&amp;B's"]) {
      const query = new URLSearchParams({ place, date: '2026-11-24' });
      const { body } = await send(`/planner?${query}&place=Tokyo`);
      const escaped = Bun.escapeHTML(place);
      for (const attribute of [
        `value="${escaped}"`,
        `data-place="${escaped}"`,
        `aria-label="Remove ${escaped}"`,
      ])
        expect(body).toContain(attribute);
    }
  });

  test('only suggests a place for a typo', async () => {
    const { rows } = await planOf('place=Lodnon&place=Oslo');
    expect(rows[0]).toEqual({
      query: 'Lodnon',
      fault: "There is no place 'Lodnon'; did you mean 'London, GB-ENG'?",
    });
  });

  test('can be restored from its URL', () => {
    const text = fc
      .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
      .filter(name => name.trim() === name);
    const states = fc.record({
      places: fc.uniqueArray(text, { minLength: 1, maxLength: MAX_PLACES }),
      date: fc.constantFrom(null, '2026-02-28', '2026-10-25'),
      cursorMinutes: fc.integer({ min: 0, max: 1485 }),
      lengthMinutes: fc.constantFrom(15, 60, 120),
      workStartMinutes: fc.integer({ min: 0, max: 600 }),
      workEndMinutes: fc.integer({ min: 601, max: 1439 }),
    });
    fc.assert(
      fc.property(states, state => {
        expect(parsePlan(new URL(planUrl(state), 'http://localhost').searchParams)).toEqual(state);
      }),
    );
  });

  test('ignores malformed parts of its URL', () => {
    const { date, lengthMinutes, cursorMinutes, workStartMinutes } = parsePlan(
      new URLSearchParams('date=2026-02-30&length=7&at=-1&from=18:00&to=09:00&place=+'),
    );
    expect([date, lengthMinutes, cursorMinutes, workStartMinutes]).toEqual([null, 60, 540, 540]);
    expect(parsePlan(new URLSearchParams('at=9999')).cursorMinutes).toBe(1485);
  });

  test('is exported as an event at the cursor', async () => {
    const plan = await planOf('place=New York&place=Tokyo&date=2026-03-08&at=180&length=90');
    const text = meetingCalendar(plan, TEXTS, 'https://time.example', NOW_MS);
    const event = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')!); // there is one
    expect(event.startDate.toUnixTime() * 1000).toBe(cursorMs(plan));
    expect(event.duration.toSeconds()).toBe(5400);
    expect(event.description).toContain('New York: Sun 8 Mar, 04:00–05:30');
    expect(event.description).toContain('Tokyo: Sun 8 Mar, 17:00–18:30');
  });
});

test("a server with keys serves only the planner's frame", async () => {
  const keyed = createApp(testServer({ access: keyedAccess() }));
  const { status, body } = await send('/planner?place=Berlin', {}, keyed);
  expect(status).toBe(200);
  expect(body).not.toContain('plan-row');
  expect(body).toContain('id="key"');
});

const MINUTE_MS = 60_000;
const { zones } = testServer().snapshot();

let nowMs = NOW_MS;
const app = createApp(testServer({ now: () => nowMs }));

const htmlOf = async (path: string) => (await request(path, {}, app)).text();

async function compressedSize(path: string): Promise<number> {
  const response = await request(path, { 'Accept-Encoding': 'gzip' }, app);
  expect(response.status).toBe(200);
  return (await response.bytes()).length;
}

/** The text of the element with an attribute, without tags. */
function textOf(html: string, attribute: string): string {
  const [, text = ''] =
    new RegExp(`<(?:dd|p|article)[^>]* ${attribute}[^>]*>(.*?)</(?:dd|p|article)>`, 's').exec(html) ?? [];
  return text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The contents of a page, in API terms. */
function shown(html: string) {
  const changeOf = (title: string) => {
    const article = html.split(`data-change="${title}"`)[1]?.split('</article>')[0];
    return article === undefined ? null : Number(/data-countdown="(-?\d+)"/.exec(article)![1]) / 1000;
  };
  return {
    time: textOf(html, 'data-local-time').slice(0, 5),
    offset: textOf(html, 'data-zone-offset'),
    abbreviation: textOf(html, 'data-zone-abbreviation'),
    isDst: textOf(html, 'data-zone-dst') === 'in force',
    next: changeOf('next'),
    previous: changeOf('previous'),
  };
}

async function responded(zone: Zone) {
  const { body } = await send(`/v1/time/dst?tz=${zone.name}&details=true`, {}, app);
  const { abbreviation, next_transition, previous_transition } = body.details.zone;
  return {
    time: body.iso_local.slice(11, 16),
    offset: `UTC${formatOffset(zone.periodAt(nowMs / 1000).offsetSeconds)}`,
    abbreviation,
    isDst: body.dst_active,
    next: next_transition?.unix ?? null,
    previous: previous_transition?.unix ?? null,
  };
}

describe("a zone's page", () => {
  test('shows what the API returns, for 50 zones around their next clock change', async () => {
    const changing = zones.canonicalZones().filter(zone => zone.nextTransition(NOW_MS / 1000) !== null);
    const steady = zones.canonicalZones().filter(zone => !changing.includes(zone));
    const every = Math.floor(changing.length / 40);
    const sampled = [
      ...changing.filter((_, index) => index % every === 0).slice(0, 40),
      ...steady.slice(0, 10),
    ];
    expect(sampled.length).toBe(50);
    for (const zone of sampled) {
      const changeMs = (zone.nextTransition(NOW_MS / 1000)?.epochSeconds ?? 1_776_274_200) * 1000;
      for (nowMs of [changeMs - MINUTE_MS, changeMs, changeMs + MINUTE_MS]) {
        expect({ zone: zone.name, ...shown(await htmlOf(`/zone/${zone.name}`)) }).toEqual({
          zone: zone.name,
          ...(await responded(zone)),
        });
      }
    }
    nowMs = NOW_MS;
  });

  test("has the API's holidays and number of working days", async () => {
    const html = await htmlOf('/zone/Europe/Paris');
    const { body: listing } = await send('/v1/holidays?country=FR&year=2026&lang=en');
    expect(listing.holidays.length).toBe(11);
    for (const { date } of listing.holidays) expect(html.includes(`<time datetime="${date}">`)).toBe(true);
    const { body } = await send('/v1/work/days?holiday_country=FR&from=2026-01-01&to=2026-12-31');
    const months: { business: number; worked: number }[] = body.months;
    const workingDays = months.reduce((sum, { business, worked }) => sum + business + worked, 0);
    expect(html.includes(`${workingDays} working days and 11 public holidays`)).toBe(true);
  });

  test('lists recent tzdata changes, Windows names and former names', async () => {
    const html = await htmlOf('/zone/America/Vancouver');
    const { body } = await send('/v1/tzdata/changes?from=2025c&to=2026a&tz=America/Vancouver');
    expect(body.zones.length === 0).toBe(!html.includes('2026a <time'));
    expect(html.includes('Pacific Standard Time')).toBe(true);
    expect(html.includes('<a href="/zone/Canada/Pacific">')).toBe(true);
    expect(await htmlOf('/zone/Canada/Pacific')).toContain('is another name of');
    expect(await htmlOf('/zone/Asia/Seoul')).toContain('<dd>South Korea (KR)</dd>'); // not Korea (South)
  });

  test('is found in any letter case, and under every tzdata name', async () => {
    const moved = await request('/zone/europe/paris', {}, app);
    expect([moved.status, moved.headers.get('Location')]).toEqual([301, '/zone/Europe/Paris']);
    const names = ['Etc/GMT+5', 'UTC', 'America/Argentina/Buenos_Aires'];
    await expectErrors('/zone/', { '200': names }, app);
  });

  test('is a 404 with similar names for an unknown zone', async () => {
    await expectErrors('/zone/', { '404': ['Europe/Pariss', '', '%E0%A4%A', '%00'] }, app);
    expect(await messageOf('/zone/Europe/Pariss', app)).toContain("did you mean 'Europe/Paris'?");
  });

  test('is below 100 KB compressed, including everything it loads, for the zones with the most changes', async () => {
    for (const path of ['/zone/Africa/Casablanca', '/zone/America/New_York', '/zone/Asia/Jakarta']) {
      const html = await htmlOf(path);
      const assets = [...html.matchAll(/(?:src|href)="([^"#]*\/assets\/[^"]+)"/g)].map(match => match[1]!);
      expect(assets.length).toBeGreaterThan(3);
      const sizes = await Promise.all(
        [path, ...assets.filter(asset => !asset.includes('touch_icon'))].map(compressedSize),
      );
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000);
    }
  });
});

test('yearly rules are written in words', () => {
  const sentences = {
    'CET-1CEST,M3.5.0,M10.5.0/3':
      'Each year clocks go forward by 1 hour on the last Sunday of March at 02:00, from CET (UTC+01:00) to CEST (UTC+02:00).\n' +
      'They go back by 1 hour on the last Sunday of October at 03:00, from CEST to CET.',
    'IST-1GMT0,M10.5.0,M3.5.0/1':
      'Each year clocks go back by 1 hour on the last Sunday of October at 02:00, from IST (UTC+01:00) to GMT (UTC+00:00).\n' +
      'They go forward by 1 hour on the last Sunday of March at 01:00, from GMT to IST.',
    'EET-2EEST,M3.4.4/50,M10.4.4/50':
      'Each year clocks go forward by 1 hour on the second day after the fourth Thursday of March at 02:00, from EET (UTC+02:00) to EEST (UTC+03:00).\n' +
      'They go back by 1 hour on the second day after the fourth Thursday of October at 02:00, from EEST to EET.',
    '<-02>2<-01>,M3.5.0/-1,M10.5.0/0':
      'Each year clocks go forward by 1 hour on the day before the last Sunday of March at 23:00, from -02 (UTC-02:00) to -01 (UTC-01:00).\n' +
      'They go back by 1 hour on the last Sunday of October at 00:00, from -01 to -02.',
    'JST-9': 'Clocks stay at UTC+09:00 all year: no change is planned.',
  };
  return expectEach(posixTz => ruleSentences(posixTz).join('\n'), sentences);
});

describe('the map', () => {
  test('shades exactly the half of the world where the sun has set', () => {
    const [june, december] = [Date.UTC(2026, 5, 21, 3), Date.UTC(2026, 11, 21, 18)];
    for (const epochMs of [NOW_MS, june, december, Date.UTC(2026, 2, 20, 14, 46)]) {
      const vertices = [...nightPath(epochMs).matchAll(/[ML](\d+) (\d+)/g)].map(
        ([, x, y]) => [Number(x), Number(y)] as const,
      );
      expect(vertices.length).toBe(121);
      const nightIsSouth = nightPath(epochMs).endsWith('V1800H0z');
      for (const [x, y] of vertices) {
        const { lat, lon } = coordinatesAt(x, y);
        for (const by of [-3, 3].filter(by => Math.abs(lat + by) < 90)) {
          const isNight = sunHeight({ lat: lat + by, lon }, epochMs) < 0.85; // sunHeight includes refraction and the sun's radius
          // Where the terminator runs along a parallel, three degrees hardly change the height.
          if (Math.abs(sunHeight({ lat: lat + by, lon }, epochMs) - 0.85) > 0.5)
            expect(isNight).toBe(by < 0 === nightIsSouth);
        }
      }
    }
  });

  test('converts coordinates to units and back', () => {
    expect(pointOf(coordinatesAt(1823, 411))).toEqual({ x: 1823, y: 411 });
    expect(pointOf({ lat: 90, lon: -180 })).toEqual({ x: 0, y: 0 });
  });

  test('has each zone of the outlines, with its current offset, and links to its page', async () => {
    const html = await htmlOf('/map');
    const svg = await htmlOf('/assets/outlines.svg');
    const names = [...svg.matchAll(/ id="([^"]+)"/g)].map(match => match[1]!);
    expect(names.length).toBeGreaterThan(400);
    for (const name of names) {
      const zone = zones.find(name)!;
      const offset = formatOffset(zone.periodAt(NOW_MS / 1000).offsetSeconds).replace('+', '\\+');
      const link = `<a href="/zone/${name}" tabindex="-1"[^>]* aria-label="[^"]*: UTC${offset}`;
      expect(html).toMatch(new RegExp(link));
    }
  });
});

const BY = 'Munich, DE-BY';

/** What visitors type, with or without a date, and the page it leads to. */
const FINDS: readonly (readonly [typed: string, date: string, page: string])[] = [
  ['Paris', '', '/zone/Europe/Paris?place=Paris, FR-IDF'],
  ['Perth, Scotland', '', '/zone/Europe/London?place=Perth, GB-SCT'],
  ['Bavaria', '', `/zone/Europe/Berlin?place=${BY}`],
  ['Bavaria', '2026-11-30', `/planner?place=${BY}&date=2026-11-30`],
  ['new york', '', '/zone/America/New_York?place=New York, US-NY'],
  [
    'Berlin, New York, Tokyo',
    '2026-12-01',
    '/planner?place=Berlin, DE-BE&place=New York, US-NY&place=Tokyo, JP-13&date=2026-12-01',
  ],
  ['Berlin and Perth, Scotland', '', '/planner?place=Berlin, DE-BE&place=Perth, GB-SCT'],
  ['Paris, Texas; Paris', '', '/planner?place=Paris, US-TX&place=Paris, FR-IDF'],
  ['Nowhereville', '', '/planner?place=Nowhereville'],
  ['48.8566, 2.3522', '', '/zone/Europe/Paris'],
  ['-33.9 18.4', '2026-11-30', '/zone/Africa/Johannesburg'],
  ['91, 0', '', '/map'],
  ['asia/tokyo', '', '/zone/Asia/Tokyo'],
];

async function find(typed: string, date: string, app?: ReturnType<typeof createApp>) {
  const { status, headers } = await send(`/find?${new URLSearchParams({ q: typed, date })}`, {}, app);
  return { status, page: decodeURIComponent(headers.get('Location')!.replaceAll('+', ' ')) };
}

test.each(FINDS)('%p with the date %p leads to %p', async (typed, date, page) => {
  expect(await find(typed, date)).toEqual({ status: 303, page });
});

test('a server that requires keys looks up nothing for visitors without one', async () => {
  const keyed = createApp(testServer({ access: keyedAccess() }));
  expect((await find('Berlin; Tokyo', '', keyed)).page).toBe('/planner?place=Berlin&place=Tokyo');
  expect((await find('48.8566, 2.3522', '', keyed)).page).toBe('/map');
});

test('without scripts, the map searches through it', async () => {
  const { body } = await send('/map');
  const [, form] = /<form([^>]*data-map-search.*?)<\/form>/s.exec(body)!;
  expect(form).toContain('action="/find"');
  expect(form).toContain('name="q"');
});

/** The guide's page of tasks, its requests in code blocks, and their results on April 15, 2026, 17:30:47 UTC. */
const PAGE = readFileSync(join(import.meta.dir, '../../src/site/guide/deadlines.md'), 'utf8');
const TASKS = [...PAGE.matchAll(/^(.+):\n\n```text\n(.+)\n```$/gm)].map(([, task, request]) => ({
  task: task!,
  request: request!,
}));

/** Keyed by the first words of the task. */
const RESPONSES: Readonly<Record<string, object>> = {
  'Three business days': { iso_local: '2026-04-20T19:30:47+02:00' },
  'A response is due': { iso_local: '2026-04-16T17:00:00+02:00' },
  'How many working hours': { work_hours: 28, business_days: 3 },
  'Whether the New York office': {
    open: true,
    since: { iso_local: '2026-04-15T09:00:00-04:00' },
    until: { iso_local: '2026-04-15T17:00:00-04:00' },
  },
  'When a Sunday cron job': { occurrences: [{ iso_local: '2026-04-19T00:30:00-04:00' }] },
  "A team's meetings": {
    // Not on December 25.
    occurrences: [
      ...['01-30T12:00:00+01', '02-27T12:00:00+01', '03-27T12:00:00+01', '04-24T12:00:00+02'],
      ...['05-29T12:00:00+02', '06-26T12:00:00+02', '07-31T12:00:00+02', '08-28T12:00:00+02'],
      ...['09-25T12:00:00+02', '10-30T12:00:00+01', '11-27T12:00:00+01'],
    ].map(time => ({ iso_local: `2026-${time}:00` })),
  },
  "Someone's age": { calendar: { years: 35, months: 10, days: 29 }, direction: 'passed' },
  'A notice period': { iso_local: '2027-02-28T17:00:00+01:00' },
  'The due date': { utc: '2026-12-28T00:00:00Z', day_full: 'Monday' },
  'The last business day': { utc: '2026-05-29T00:00:00Z', day_full: 'Friday' },
  Settlement: { utc: '2026-07-06T00:00:00Z' },
  'Working days': {
    months: expect.arrayContaining([{ month: '2026-12', business: 22, weekend: 8, holiday: 1, worked: 0 }]),
  },
};

test('the page has at least ten tasks, one per code block', () => {
  expect(TASKS.length).toBeGreaterThanOrEqual(10);
  expect(TASKS.length).toBe(PAGE.match(/^```text$/gm)!.length);
});

test.each(TASKS)('$task', async ({ task, request }) => {
  const [, expected] = Object.entries(RESPONSES).find(([beginning]) => task.startsWith(beginning))!;
  const { status, body } = await send(request);
  expect(status).toBe(200);
  expect(body).toMatchObject(expected);
});
