import { afterAll, beforeAll, expect } from 'bun:test';
import type { Browser } from 'playwright-core';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { BROWSER_TIMEOUT_MS, hasChromium, inChromium, launchChromium } from '../binary/chromium.ts';
import { PageServer } from './page_server.ts';

let browser: Browser;
const server = new PageServer();

beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
}, BROWSER_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  server[Symbol.dispose]();
});

/** From seven letters to fourteen. */
const ZONES = [
  ...['America/Caracas', 'Africa/Casablanca', 'America/Los_Angeles', 'Asia/Ho_Chi_Minh'],
  ...['America/Argentina/Buenos_Aires', 'America/Port_of_Spain', 'Antarctica/DumontDUrville'],
];

inChromium('names of up to fourteen letters stand whole on every digital face', async () => {
  const styles = STYLE_NAMES.filter(name => name.startsWith('digital-'));
  const asked = ZONES.flatMap(zone => styles.map(style => `style=${style}&tz=${zone}`));
  server.body = (await Promise.all(asked.map(query => server.fragment(query)))).join('');
  const page = await browser.newPage();
  await page.clock.setFixedTime(server.now());
  await page.goto(`${server.url}/page`);
  const [count, cut] = await page.evaluate(() => {
    const places = [...document.querySelectorAll('.sc-place')];
    const isCut = ({ scrollWidth, clientWidth }: Element) => clientWidth > 0 && scrollWidth > clientWidth + 1;
    return [places.length, places.filter(isCut).map(place => place.closest('[data-style]')?.outerHTML)];
  });
  expect(count).toBe(asked.length);
  expect(cut).toEqual([]);
  await page.close();
});
