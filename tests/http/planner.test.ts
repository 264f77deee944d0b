import { describe, expect, test } from 'bun:test';
import ICAL from 'ical.js';
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
import { fc } from '../support/property.ts';
import { keyedAccess, NOW_MS, send, testServer } from '../support/service.ts';
import { CHANGING } from '../support/zones.ts';

const TEXTS = new PlanTexts('en-GB');

async function get(request: string): Promise<unknown> {
  const { status, body } = await send(request);
  if (status !== 200) throw new Error(body.error.message);
  return body;
}

const planOf = (query: string): Promise<Plan> => loadPlan(parsePlan(new URLSearchParams(query)), get, 'en');

describe('around clock changes', () => {
  test(`the page has the times of the API in ${CHANGING.length} zones`, async () => {
    let compared = 0;
    let changes = 0;
    for (const [index, zone] of CHANGING.entries()) {
      const { transitions } = (await send(`/v1/time/transitions?tz=${zone}&from=2026-01-01&to=2027-01-01`))
        .body;
      for (const { utc } of transitions) {
        const date = new Date(Date.parse(utc) + 43_200_000).toISOString().slice(0, 10);
        const others = [CHANGING[(index + 7) % CHANGING.length]!, 'Asia/Tokyo'];
        const at = (index * 75 + changes * 345) % 1380;
        const query = new URLSearchParams([
          ...[zone, ...others].map(place => ['place', place] as [string, string]),
        ]);
        query.set('date', date);
        query.set('at', String(at));
        const { body: html } = await send(`/planner?${query}`);
        const shown = [...html.matchAll(/class="plan-time"><time datetime="([^"]+)"/g)].map(([, iso]) => iso);
        const midnight = (await send(`/v1/time/convert?iso=${date}T00:00&source_tz=${zone}&utc=true`)).body
          .unix;
        const tz = [zone, ...others].join(',');
        const expected = (await send(`/v1/time/convert?unix=${midnight + at * 60}&tz=${tz}`)).body;
        expect([date, ...shown]).toEqual([
          date,
          ...expected.map(({ iso_local }: { iso_local: string }) => iso_local),
        ]);
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
    expect(await hours('2026-03-29')).toBe(23);
    expect(await hours('2026-10-25')).toBe(25);
    expect(await hours('2026-10-26')).toBe(24);
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

  test('shows the unknown place, and the others', async () => {
    const { body } = await send('/planner?place=Xyzzyqq&place=Tokyo&date=2026-11-24');
    expect(body).toContain('There is no place &#x27;Xyzzyqq&#x27;');
    expect(body).toContain('Day in Tokyo');
    expect(body.match(/class="plan-time"/g)).toHaveLength(1);
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
