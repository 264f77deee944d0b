import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { inChromium, withPages } from '../support/browser.ts';

const pages = withPages();

/** A visitor on the start page, who knows nothing of the API; counts actions: a click, a key, or a filled field. */
class Visitor {
  actions = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async fill(label: string, text: string): Promise<void> {
    this.actions++;
    await this.page.getByLabel(label).fill(text);
  }

  async enter(): Promise<void> {
    this.actions++;
    await this.page.keyboard.press('Enter');
    await this.page.waitForURL(/\/(zone|planner)/);
    await this.page.waitForLoadState('networkidle');
  }
}

/** A task that starts at `/`: the number of actions it takes, and what the visitor sees at the end. */
function task(goal: string, actions: number, body: (visitor: Visitor) => Promise<void>): void {
  inChromium(`'${goal}' takes ${actions} actions`, async () => {
    const { page, faults } = await pages.open('/');
    const visitor = new Visitor(page);
    await body(visitor);
    expect(visitor.actions).toBe(actions);
    expect(faults).toEqual([]);
    await page.close();
  });
}

const PLACES = 'Places, a region, or coordinates';
const DATE = 'Date, if not today';

/** JSON from the API. */
async function api(path: string) {
  return (await fetch(pages.url + path)).json();
}

task('When do Berlin, New York and Tokyo overlap next Tuesday?', 3, async visitor => {
  await visitor.fill(PLACES, 'Berlin, New York and Tokyo');
  await visitor.fill(DATE, '2026-12-01');
  await visitor.enter();
  const { page } = visitor;
  expect(await page.locator('.plan-row h3 > a').allTextContents()).toEqual(['Berlin', 'New York', 'Tokyo']);
  expect(await page.locator('.plan-day time').getAttribute('datetime')).toBe('2026-12-01');
  // No hour suits all three: the best has one at work, and nobody at night.
  expect(await page.locator('.plan-slots li').first().textContent()).toMatch(
    /Berlin 1:00.PM.*New York 7:00.AM.*Tokyo 9:00.PM/,
  );
});

task('When does Paris change its clock?', 2, async visitor => {
  await visitor.fill(PLACES, 'Paris');
  await visitor.enter();
  const { details } = (await api('/v1/time/dst?tz=Europe/Paris&details=true')) as {
    details: { zone: { next_transition: { unix: number } } };
  };
  const shown = visitor.page.locator('[data-change=next] [data-countdown]');
  expect(Number(await shown.getAttribute('data-countdown'))).toBe(details.zone.next_transition.unix * 1000);
});

task('Is Monday a holiday in Bavaria?', 3, async visitor => {
  await visitor.fill(PLACES, 'Bavaria');
  await visitor.fill(DATE, '2027-05-17'); // Whit Monday
  await visitor.enter();
  const { days } = (await api(
    '/v1/work/days?holiday_country=DE-BY&from=2027-05-17&to=2027-05-17&lang=en',
  )) as { days: { name: string }[] };
  expect(days[0]!.name).toBe('Pentecost Monday');
  expect(await visitor.page.locator('.plan-notes').textContent()).toContain('Pentecost Monday');
});

task('Is another Monday one?', 3, async visitor => {
  await visitor.fill(PLACES, 'Bavaria');
  await visitor.fill(DATE, '2027-05-10');
  await visitor.enter();
  expect(await visitor.page.locator('.plan-notes').textContent()).toContain('working day');
});

task('What time is it in Perth, Scotland?', 2, async visitor => {
  await visitor.fill(PLACES, 'Perth, Scotland');
  await visitor.enter();
  const { page } = visitor;
  await page.getByText('The time in Perth, GB-SCT, is that of London.').waitFor();
  const { iso_local } = (await api('/v1/time/current?place=Perth,%20GB')) as { iso_local: string };
  const shown = (await page.locator('[data-local-time] time').textContent())!;
  const [date] = iso_local.split('T');
  const apartMs = Math.abs(Date.parse(`${date}T${shown}Z`) - Date.parse(`${iso_local.slice(0, 19)}Z`));
  expect(Math.min(apartMs, 86_400_000 - apartMs)).toBeLessThan(10_000);
});

task('Which zone is this coordinate in?', 2, async visitor => {
  await visitor.fill(PLACES, '-31.95, 115.86');
  await visitor.enter();
  expect(new URL(visitor.page.url()).pathname).toBe('/zone/Australia/Perth');
  expect(await visitor.page.locator('h1').textContent()).toBe('Perth');
});
