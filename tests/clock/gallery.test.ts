import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { hasChromium, inChromium, openPage, withPages } from '../support/browser.ts';
import { newFolder, type RunningServer, startServer } from '../support/process.ts';

const pages = withPages();

/** The local times that the clocks of a page show. */
function shownTimes(page: Page): Promise<string[]> {
  return page
    .locator('[data-service-clock] time')
    .evaluateAll(times => times.map(time => time.getAttribute('datetime')!));
}

/** The largest difference between the visible running clocks and the current time, in milliseconds. */
async function farthestMs(page: Page): Promise<number> {
  const [shown] = await shownTimes(page);
  return Math.abs(Date.now() - Date.parse(shown!));
}

describe('the clocks page', () => {
  pages.test(
    'has clocks of all styles running, with every other host out of reach',
    '/clocks',
    async (page, requests) => {
      expect(await page.locator('[data-service-clock]').count()).toBe(STYLE_NAMES.length);
      const [first] = await shownTimes(page);
      await page.waitForFunction(
        shown => document.querySelector('[data-service-clock] time')!.getAttribute('datetime') !== shown,
        first,
      );
      expect(await farthestMs(page)).toBeLessThan(5000);
      expect(await page.locator('[data-unsynchronised]').count()).toBe(0);
      expect(requests.filter(path => path.startsWith('/v1/time/current'))).toEqual([]);
    },
  );

  inChromium('shows another zone, and the nearest names for one that there is not', async () => {
    const { page, faults } = await pages.open('/clocks');
    const zone = page.locator('#gallery-zone');
    await zone.fill('Asia/Kathmandu');
    await zone.press('Enter');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[data-service-clock] time')].every(time =>
        time.getAttribute('datetime')!.endsWith('+05:45'),
      ),
    );
    expect(await page.locator('[data-service-clock]').count()).toBe(STYLE_NAMES.length);
    expect(faults).toEqual([]);
    await zone.fill('Asia/Katmandoo');
    await zone.press('Enter');
    await page.locator('[data-gallery-status]', { hasText: 'did you mean' }).waitFor();
    expect(new Set((await shownTimes(page)).map(time => time.slice(-6)))).toEqual(new Set(['+05:45']));
  });

  pages.test(
    "begins in the visitor's zone, without a request for the time",
    '/clocks',
    async (page, requests) => {
      for (const clock of await page.locator('[data-service-clock]').all()) {
        // A clock far off the screen is still as drawn by the server, in UTC.
        await clock.scrollIntoViewIfNeeded();
        await clock.locator('time[datetime$="+09:00"]').waitFor({ state: 'attached' });
      }
      expect(await page.locator('#gallery-zone').inputValue()).toBe('Asia/Tokyo');
      expect(await page.locator('[role=timer][aria-label="Time in Tokyo"]').count()).toBe(STYLE_NAMES.length);
      expect(requests.filter(path => path.startsWith('/v1/time/current'))).toEqual([]);
    },
  );

  pages.test('has 60 copy buttons, each with a name of its own', '/clocks', async page => {
    const names = await page
      .locator('[data-copy]')
      .evaluateAll(buttons => buttons.map(button => button.getAttribute('aria-label')));
    expect(new Set(names).size).toBe(2 * STYLE_NAMES.length);
  });

  pages.test('makes its clocks larger and smaller', '/clocks', async page => {
    const clock = page.locator('.service-clock').first();
    const width = () => clock.evaluate(({ clientWidth }) => clientWidth);
    expect(await width()).toBe(176);
    await page.locator('#gallery-size').fill('320');
    expect(await width()).toBe(320);
  });

  pages.test('copies what makes a clock run on a page of another host', '/clocks', async page => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: pages.url });
    const stranger = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        new Response(`<!doctype html><title>x</title><link rel="icon" href="data:,">${copied}`, {
          headers: { 'Content-Type': 'text/html' },
        }),
    });
    let copied = '';
    for (const what of ['lines', 'fragment']) {
      await page.locator(`[data-exhibit=analog-brass] [data-copy=${what}]`).click();
      await page.locator(`[data-exhibit=analog-brass] [data-copy=${what}]`, { hasText: 'Copied' }).waitFor();
      copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(pages.url);
      const visit = await pages.browser.newPage();
      await visit.goto(stranger.url.href);
      await visit.waitForSelector('.service-clock[data-style=analog-brass]');
      await visit.waitForFunction(() => 'serviceClock' in globalThis);
      expect(await visit.locator('.service-clock').evaluate(clock => getComputedStyle(clock).display)).toBe(
        'inline-block',
      );
      expect(await farthestMs(visit)).toBeLessThan(5000);
      expect(await visit.locator('[data-unsynchronised]').count()).toBe(0);
    }
    await stranger.stop(true);
  });
});

pages.test('a button that was pressed twice has its name again after a while', '/clocks', async page => {
  await page.context().grantPermissions(['clipboard-write'], { origin: pages.url });
  await page.clock.install();
  const button = page.locator('[data-exhibit=analog-brass] [data-copy=lines]');
  await button.click();
  await page.locator('[data-exhibit=analog-brass]', { hasText: 'Copied' }).waitFor();
  await page.clock.runFor(1000);
  const response = page.waitForResponse(response => response.url().includes('/v1/time/clock?'));
  await button.click();
  await response;
  await page.evaluate(() => navigator.clipboard.writeText('')); // after the page's own write, which it waits for
  await page.clock.runFor(5000);
  expect(await button.textContent()).toBe('Copy');
});

describe('copy failures are reported', () => {
  inChromium('of a zone that there is not, and without the server', async () => {
    const { page } = await pages.open('/clocks');
    const says = (text: string) => page.locator('[data-gallery-status]', { hasText: text }).waitFor();
    for (const what of ['lines', 'fragment']) {
      await page.locator('#gallery-zone').fill('Asia/Katmandoo');
      await page.locator(`[data-exhibit=analog-brass] [data-copy=${what}]`).click();
      await says('did you mean');
      await page.context().setOffline(true);
      await page.locator(`[data-exhibit=analog-brass] [data-copy=${what}]`).click();
      await says('unreachable');
      await page.context().setOffline(false);
      expect(await page.locator('[data-copy]', { hasText: 'Copied' }).count()).toBe(0);
    }
  });
});

describe('on a server that requires a key', () => {
  const KEY = 'a-key-of-the-tests';
  let keyed: RunningServer;

  beforeAll(async () => {
    if (hasChromium) keyed = await startServer(['--api-key', KEY], { MERIDIAN_STATE_DIR: newFolder() });
  });

  afterAll(() => keyed?.[Symbol.dispose]());

  inChromium('the clocks are alive without one, and another zone requires it', async () => {
    const { page, requests, faults } = await openPage(pages.browser, keyed.url, '/clocks');
    expect(await farthestMs(page)).toBeLessThan(5000);
    expect(await page.locator('[data-unsynchronised]').count()).toBe(0);
    const zone = page.locator('#gallery-zone');
    await zone.fill('Asia/Kolkata');
    await zone.press('Enter');
    await page.locator('[data-gallery-status]', { hasText: 'API key' }).waitFor();
    await zone.fill('');
    await page.locator('[data-gallery-status]').evaluate(status => {
      status.textContent = '';
    });
    await page.locator('[data-exhibit=analog-brass] [data-copy=fragment]').click();
    await page.locator('[data-gallery-status]', { hasText: 'API key' }).waitFor();
    await zone.fill('Asia/Kolkata');
    expect(requests.filter(path => path.startsWith('/v1/time/clock?'))).toEqual([]);
    await page.locator('#key-field').fill(KEY);
    await page.locator('#key-field').press('Enter');
    await zone.press('Enter');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[data-service-clock] time')].every(time =>
        time.getAttribute('datetime')!.endsWith('+05:30'),
      ),
    );
    expect(faults).toEqual([]);
  });
});
