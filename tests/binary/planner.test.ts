import { describe, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { inChromium, withPages } from '../support/browser.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';
import { CHANGING } from '../support/zones.ts';

const PLAN = '/planner?place=Berlin&place=New+York&date=2026-11-24';

const pages = withPages();

const placesOf = (page: Page) => page.locator('.plan-row h3 > a').allTextContents();
const timesOf = (page: Page) => page.locator('.plan-time time').allTextContents();
const queryOf = (page: Page) => new URL(page.url()).searchParams;

pages.test('a place is found and added by keyboard, and removed by the back button', PLAN, async page => {
  await page.locator('#plan-place').focus();
  await page.keyboard.type('perth, GB');
  await page.locator('.suggestions li:first-child', { hasText: 'GB-SCT' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.plan-row').nth(2).waitFor();
  expect(await placesOf(page)).toEqual(['Berlin', 'New York', 'Perth']);
  expect(queryOf(page).getAll('place')[2]).toBe('Perth, GB-SCT');
  await page.goBack();
  await page.locator('.plan-row').nth(2).waitFor({ state: 'detached' });
  expect(await placesOf(page)).toEqual(['Berlin', 'New York']);
});

pages.test('the cursor moves in all rows by keyboard, and announces the times', PLAN, async page => {
  expect(await timesOf(page)).toEqual(['9:00 AM', '3:00 AM']);
  const cursor = page.locator('#plan-cursor');
  await cursor.focus();
  await page.keyboard.press('ArrowRight');
  expect(await timesOf(page)).toEqual(['9:15 AM', '3:15 AM']);
  expect(await cursor.getAttribute('aria-valuetext')).toBe(
    'Berlin 9:15 AM, at work; New York 3:15 AM, at night',
  );
  await page.waitForURL(/[?&]at=555(&|$)/);
  await page
    .locator('[data-strip]')
    .first()
    .click({ position: { x: 1, y: 5 } });
  expect(await timesOf(page)).toEqual(['12:00 AM', '6:00 PM']);
});

pages.test('rows are reordered by keyboard without losing the focus', PLAN, async page => {
  await page.getByLabel('Move up New York').press('Enter');
  await page.locator('.plan-row').first().getByText('New York').first().waitFor();
  expect(await placesOf(page)).toEqual(['New York', 'Berlin']);
  await page.getByLabel('Remove Berlin').press('Enter');
  await page.locator('.plan-row').nth(1).waitFor({ state: 'detached' });
  expect(queryOf(page).getAll('place')).toEqual(['New York']);
});

pages.test('the meeting is saved as a calendar file', `${PLAN}&at=900`, async page => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-plan-export]').click(),
  ]);
  expect(download.suggestedFilename()).toBe('meeting-2026-11-24.ics');
  expect(readFileSync(await download.path(), 'utf8')).toContain('\r\nDTSTART:20261124T140000Z\r\n');
});

pages.test("the planner starts with the visitor's place", '/planner', async page => {
  await page.locator('.plan-row').first().locator('h3 > a', { hasText: 'Tokyo' }).waitFor();
});

inChromium("the planner's form and links work without scripts", async () => {
  const page = await pages.browser.newPage({ javaScriptEnabled: false });
  await page.goto(pages.url + PLAN);
  await page.locator('#plan-place').fill('Tokyo');
  await page.locator('#plan-form button').click();
  expect(await placesOf(page)).toEqual(['Berlin', 'New York', 'Tokyo']);
  await page.getByLabel('Remove Berlin').click();
  expect(await placesOf(page)).toEqual(['New York', 'Tokyo']);
  expect(await page.locator('[data-plan-export]').isVisible()).toBe(false);
});

/** Cursor positions in minutes after midnight: both sides of all changes, which are at night, up to a 22-hour day. */
const CURSORS = [0, 15, 45, 60, 105, 120, 165, 180, 225, 240, 1305];
const HALF_DAY_MS = 43_200_000;

async function get<Body>(path: string): Promise<Body> {
  const response = await fetch(pages.url + path);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Body;
}

/** The days of 2026 on which a zone's clocks change, or another day. */
async function daysOfChanges(zone: string): Promise<string[]> {
  const { transitions } = await get<{ transitions: { utc: string }[] }>(
    `/v1/time/transitions?tz=${zone}&from=2026-01-01&to=2027-01-01`,
  );
  const days = transitions.map(({ utc }) =>
    new Date(Date.parse(utc) + HALF_DAY_MS).toISOString().slice(0, 10),
  );
  return days.length > 0 ? days : ['2026-03-29'];
}

/** `2026-03-29T15:05:00+02:00` as the planner shows it in American English: `3:05 PM`. */
function shownAs(iso: string): string {
  const [hour, minute] = [Number(iso.slice(11, 13)), iso.slice(14, 16)];
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`;
}

describe('around clock changes', () => {
  for (const zone of sample(CHANGING, 3)) {
    inChromium(`the planner's script shows the API's times: ${zone}`, async () => {
      const days = await daysOfChanges(zone);
      const differences: string[] = [];
      for (const day of days) {
        const { page, faults } = await pages.open(`/planner?place=${zone}&place=Asia/Tokyo&date=${day}`);
        const { unix: midnight } = await get<{ unix: number }>(
          `/v1/time/convert?iso=${day}T00:00&source_tz=${zone}&utc=true`,
        );
        // On a busy machine the page still has the server's 24-hour times.
        await page.locator('.plan-time time', { hasText: 'M' }).first().waitFor();
        for (const cursor of CURSORS) {
          await page.locator('#plan-cursor').fill(String(cursor));
          const shown = await page.locator('.plan-time time').allTextContents();
          const api = await get<{ iso_local: string }[]>(
            `/v1/time/convert?unix=${midnight + cursor * 60}&tz=${zone},Asia/Tokyo`,
          );
          const expected = api.map(({ iso_local }) => shownAs(iso_local));
          if (shown.join() !== expected.join())
            differences.push(`${day} ${cursor}: ${shown.join()} is not ${expected.join()}`);
        }
        expect(faults).toEqual([]);
      }
      expectNoDifferences(`planner in ${zone}`, days.length * CURSORS.length * 2, differences);
    });
  }
});

const PLACES = 'Places, a region, or coordinates';
const DATE = 'Date, if not today';

/** A task of a visitor who starts at `/` and knows nothing of the API: fills in fields, presses Enter, and sees the result. */
function task(goal: string, fields: Readonly<Record<string, string>>, see: (page: Page) => Promise<void>) {
  const actions = Object.keys(fields).length + 1;
  pages.test(`'${goal}' takes ${actions} actions`, '/', async page => {
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/(zone|planner)/);
    await page.waitForLoadState('networkidle');
    await see(page);
  });
}

const overlap = { [PLACES]: 'Berlin, New York and Tokyo', [DATE]: '2026-12-01' };
task('When do Berlin, New York and Tokyo overlap next Tuesday?', overlap, async page => {
  expect(await placesOf(page)).toEqual(['Berlin', 'New York', 'Tokyo']);
  expect(await page.locator('.plan-day time').getAttribute('datetime')).toBe('2026-12-01');
  // No hour suits all three: the best has one at work, and nobody at night.
  expect(await page.locator('.plan-slots li').first().textContent()).toMatch(
    /Berlin 1:00.PM.*New York 7:00.AM.*Tokyo 9:00.PM/,
  );
});

task('When does Paris change its clock?', { [PLACES]: 'Paris' }, async page => {
  const { details } = await get<{ details: { zone: { next_transition: { unix: number } } } }>(
    '/v1/time/dst?tz=Europe/Paris&details=true',
  );
  const shown = page.locator('[data-change=next] [data-countdown]');
  expect(Number(await shown.getAttribute('data-countdown'))).toBe(details.zone.next_transition.unix * 1000);
});

const whitMonday = { [PLACES]: 'Bavaria', [DATE]: '2027-05-17' };
task('Is Monday a holiday in Bavaria?', whitMonday, async page => {
  const { days } = await get<{ days: { name: string }[] }>(
    '/v1/work/days?holiday_country=DE-BY&from=2027-05-17&to=2027-05-17&lang=en',
  );
  expect(days[0]!.name).toBe('Pentecost Monday');
  expect(await page.locator('.plan-notes').textContent()).toContain('Pentecost Monday');
});

task('Is another Monday one?', { [PLACES]: 'Bavaria', [DATE]: '2027-05-10' }, async page => {
  expect(await page.locator('.plan-notes').textContent()).toContain('working day');
});

task('What time is it in Perth, Scotland?', { [PLACES]: 'Perth, Scotland' }, async page => {
  await page.getByText('The time in Perth, GB-SCT, is that of London.').waitFor();
  const { iso_local } = await get<{ iso_local: string }>('/v1/time/current?place=Perth,%20GB');
  const shown = (await page.locator('[data-local-time] time').textContent())!;
  const [date] = iso_local.split('T');
  const apartMs = Math.abs(Date.parse(`${date}T${shown}Z`) - Date.parse(`${iso_local.slice(0, 19)}Z`));
  expect(Math.min(apartMs, 86_400_000 - apartMs)).toBeLessThan(10_000);
});

task('Which zone is this coordinate in?', { [PLACES]: '-31.95, 115.86' }, async page => {
  expect(new URL(page.url()).pathname).toBe('/zone/Australia/Perth');
  expect(await page.locator('h1').textContent()).toBe('Perth');
});
