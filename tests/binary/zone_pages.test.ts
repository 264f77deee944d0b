import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { contrastOf } from '../../src/clock/palette.ts';
import { inChromium, withPages } from '../support/browser.ts';
import { until } from '../support/process.ts';

const pages = withPages();

const found = (page: Page) => page.locator('[data-map-found]');

/** The screen position of coordinates on the map. */
async function screenPoint(page: Page, lat: number, lon: number) {
  const box = (await page.locator('[data-map-world]').boundingBox())!;
  return { x: box.x + ((lon + 180) / 360) * box.width, y: box.y + ((84 - lat) / 142) * box.height };
}

pages.test(
  'a click on the map fills in the coordinates and opens the page of the zone there',
  '/map',
  async page => {
    const { x, y } = await screenPoint(page, 47, 2.5);
    await page.mouse.move(x, y);
    await page.locator('[data-map-hint]').getByText('Paris').waitFor();
    await page.mouse.click(x, y);
    await found(page).getByText('Europe/Paris').waitFor();
    expect(Math.abs(Number(await page.locator('#map-lat').inputValue()) - 47)).toBeLessThan(0.5);
    expect(Math.abs(Number(await page.locator('#map-lon').inputValue()) - 2.5)).toBeLessThan(0.5);
    await found(page).getByRole('link').click();
    await page.locator('h1', { hasText: /^Paris$/ }).waitFor();
  },
);

inChromium('a place can be found by keyboard only', async () => {
  const { page, faults } = await pages.open('/map');
  await page.locator('#map-place').focus();
  await page.keyboard.type('perth, gb');
  await page.locator('.suggestions li:first-child', { hasText: 'GB-SCT' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await found(page).getByText('Europe/London').waitFor();
  await page.locator('#map-lat').fill('-33.9');
  await page.locator('#map-lon').fill('18.4');
  await page.keyboard.press('Enter');
  await found(page).getByText('Africa/Johannesburg').waitFor();
  await page.locator('#map-lat').fill('north');
  await page.keyboard.press('Enter');
  await found(page).getByText("'lat'").waitFor();
  expect(faults.filter(fault => !fault.includes('400'))).toEqual([]);
});

pages.test('the local time ticks, and the countdown has seconds', '/zone/Europe/Paris', async page => {
  expect(await page.locator('[data-local-time] time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(await page.locator('[data-change=next] [data-countdown]').textContent()).toMatch(
    /^in \d+ days? \d+ h \d+ min \d+ s$/,
  );
});

const LONG_DATE = { dateStyle: 'full', timeZone: 'UTC' } as const;

inChromium("the dates are in the visitor's language", async () => {
  for (const locale of ['de-DE', 'en-GB', 'en-US']) {
    const { page, faults } = await pages.open('/zone/Europe/Paris', { locale });
    const date = page.locator('[data-change=next] [data-date]');
    const format = new Intl.DateTimeFormat(locale, LONG_DATE);
    expect(await date.textContent()).toBe(format.format(Number(await date.getAttribute('data-date'))));
    // For this day, or the one that has just begun.
    const days = [Date.now() - 86_400_000, Date.now(), Date.now() + 86_400_000].map(day =>
      format.format(day),
    );
    expect(days).toContain((await page.locator('[data-local-time] span').textContent())!);
    expect(faults).toEqual([]);
  }
});

inChromium('the local date follows the clock into the next day', async () => {
  const page = await pages.browser.newPage();
  const tomorrow = Date.now() + 86_400_000;
  await page.clock.install({ time: tomorrow });
  await page.route('**/v1/time/current*', route => route.abort()); // without the server, the clock is the device's
  await page.goto(`${pages.url}/zone/UTC`);
  const format = new Intl.DateTimeFormat('en-US', LONG_DATE);
  await page.locator('[data-local-time] span', { hasText: format.format(tomorrow) }).waitFor();
});

inChromium("the local time is the server's, however wrong the device's clock is", async () => {
  const page = await pages.browser.newPage();
  await page.clock.install({ time: Date.now() - 40 * 86_400_000 });
  await page.goto(`${pages.url}/zone/UTC`);
  const today = new Intl.DateTimeFormat('en-US', LONG_DATE).format(Date.now());
  await page.locator('[data-local-time] span', { hasText: today }).waitFor();
});

inChromium('without scripts the zones on the map and in the list link to their pages', async () => {
  const page = await pages.browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${pages.url}/map`);
  const { x, y } = await screenPoint(page, 47, 2.5);
  await page.mouse.click(x, y);
  await page.waitForURL('**/zone/Europe/Paris');
  expect(await page.locator('[data-local-time] time').textContent()).toMatch(/^\d\d:\d\d$/);
  await page.goto(`${pages.url}/map`);
  await page.locator('summary', { hasText: 'Asia' }).click();
  await page.getByRole('link', { name: 'Tokyo', exact: true }).click();
  await page.locator('h1', { hasText: /^Tokyo$/ }).waitFor();
});

/** The map's colours by day, and the overlay at night. */
interface Colours {
  readonly water: string;
  readonly lands: readonly string[];
  readonly night: string;
}

const COLOURS = `({
  water: getComputedStyle(document.querySelector('.map-frame')).backgroundColor,
  lands: [...new Set([...document.querySelectorAll('.map-zones a')].map(zone => getComputedStyle(zone).fill))],
  night: getComputedStyle(document.querySelector('[data-map-night]')).fill,
})`;

const channelsOf = (colour: string) => colour.match(/[\d.]+/g)!.map(Number);

/** A CSS colour blended over another, in hexadecimal. */
function below(over: string, colour: string): string {
  const [red = 0, green = 0, blue = 0, alpha = 1] = channelsOf(over);
  const mixed = channelsOf(colour).map(
    (channel, at) => channel * (1 - alpha) + [red, green, blue][at]! * alpha,
  );
  return `#${mixed.map(channel => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

for (const colorScheme of ['light', 'dark'] as const) {
  pages.test(
    `on the ${colorScheme} map, land differs from water, and night from day`,
    { path: '/map', colorScheme },
    async page => {
      const { water, lands, night } = await page.evaluate<Colours>(COLOURS);
      expect(lands).toHaveLength(5);
      const byDay = (colour: string) => below('rgb(0 0 0 / 0)', colour);
      const atNight = (colour: string) => below(night, colour);
      for (const land of lands) {
        expect(contrastOf(byDay(land), byDay(water))).toBeGreaterThan(1.2);
        expect(contrastOf(atNight(land), atNight(water))).toBeGreaterThan(1.17);
        expect(contrastOf(byDay(land), atNight(land))).toBeGreaterThan(1.5);
      }
      expect(contrastOf(byDay(water), atNight(water))).toBeGreaterThan(1.2);
    },
  );
}

// What a page defers, so that a slow phone shows and scrolls it at once.
const onPhone = (path: string) => ({ path, viewport: { width: 412, height: 823 } });

/** Whether the last element that matches a selector is laid out. */
const isLaidOut = (page: Page, selector: string) =>
  page.evaluate<boolean>(
    `[...document.querySelectorAll('${selector}')].at(-1).checkVisibility({ contentVisibilityAuto: true })`,
  );

/** Waits until it is; a frame can pass between the scrolling and the layout. */
const laidOut = (page: Page, selector: string) => until(() => isLaidOut(page, selector));

pages.test(
  'an off-screen clock is laid out and started when it comes near the screen',
  onPhone('/clocks'),
  async page => {
    const last = page.locator('[data-service-clock]').last();
    expect(await isLaidOut(page, '[data-exhibit="analog-station"] .sc-dial')).toBe(true);
    expect(await isLaidOut(page, '.exhibit .sc-face')).toBe(false);
    const label = last.locator('[role="timer"]');
    expect(await label.getAttribute('aria-label')).toBe('Time in UTC');
    const exhibit = page.locator('.exhibit').last();
    const { width, height } = (await exhibit.boundingBox())!;
    await exhibit.scrollIntoViewIfNeeded();
    await page.locator('[role="timer"][aria-label="Time in Tokyo"]').last().waitFor();
    await laidOut(page, '.exhibit .sc-face');
    expect(await exhibit.boundingBox()).toMatchObject({ width, height });
  },
);

/** Waits until the browser skips an element in a frame, scrolls to the last of some boxes, and waits until the element is laid out. */
async function expectLaidOutNear(page: Page, element: string, boxes: string): Promise<void> {
  await until(async () => !(await isLaidOut(page, element)));
  await page.evaluate(`[...document.querySelectorAll('${boxes}')].at(-1).scrollIntoView()`);
  await laidOut(page, element);
}

pages.test(
  'a section of the reference is laid out when it comes near the screen',
  onPhone('/docs'),
  async page => {
    const text = '.route .route-text p';
    await page.evaluate("[...document.querySelectorAll('.route .fold-button')].at(-1).click()");
    await expectLaidOutNear(page, text, '.route');
  },
);

pages.test('the form of a task is built when the task is selected', onPhone('/'), async page => {
  const form = page.locator('[id="/v1/time/diff"] form');
  expect(await form.count()).toBe(0);
  await page.locator('a[href="#/v1/time/diff"]').dispatchEvent('click'); // a pointer can miss it while the layout shifts
  await form.locator('[name="from"]').waitFor();
  expect(await page.locator('.panel form').count()).toBe(2); // including the first task's
});

pages.test(
  "a month on a zone's page is laid out when it comes near the screen",
  onPhone('/zone/Europe/Paris'),
  async page => {
    expect(await isLaidOut(page, '.zone-now dd')).toBe(true);
    await expectLaidOutNear(page, '.year-calendar td', '.year-calendar > div');
  },
);

pages.test(
  'on a wide screen all sections are laid out at once, and links lead to them',
  { path: '/docs', viewport: { width: 1280, height: 800 } },
  async page => {
    expect(await isLaidOut(page, '#convert h3')).toBe(true);
    await page.locator('.contents a[href="#convert"]').click();
    // The policy of the page does not allow `waitForFunction` to evaluate it.
    const distance = "Math.abs(document.querySelector('#convert').getBoundingClientRect().top - 50)";
    await until(async () => (await page.evaluate<number>(distance)) < 50);
  },
);

pages.test(
  'the first form of the start page is built when the visitor comes near it',
  onPhone('/'),
  async (page, requests) => {
    const form = page.locator('#try form').first();
    expect(await form.locator('.preview-request').count()).toBe(0);
    const before = requests.length;
    await page.locator('#try').scrollIntoViewIfNeeded();
    await form.locator('.preview-request').waitFor();
    await page.locator('#try .exchange .status', { hasText: '200 in' }).first().waitFor();
    expect(requests.slice(before).filter(path => path.startsWith('/v1/'))).toHaveLength(1);
  },
);

inChromium('an open server needs no key, and stored keys are not read', async () => {
  const page = await pages.browser.newPage();
  await page.addInitScript("Storage.prototype.getItem = () => { throw new Error('read') }");
  await page.goto(pages.url);
  await page.locator('.now-time', { hasText: /\d\d:\d\d:\d\d/ }).waitFor();
});

/** The zone of the gallery and the offset of its first clock, after a script has run; waits for a countdown on the page of a zone. */
async function zonesWith(script: string) {
  const page = await pages.browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-US' });
  await page.addInitScript(script);
  await page.goto(`${pages.url}/clocks`);
  await page.locator('[role="timer"][aria-label="Time in Tokyo"]').first().waitFor();
  const field = await page.locator('#gallery-zone').inputValue();
  const shown = await page.locator('[role="timer"] time').first().getAttribute('datetime');
  await page.goto(`${pages.url}/zone/Europe/Paris`);
  await page.locator('[data-countdown]', { hasText: /^in .* s$/ }).waitFor();
  return { field, offset: shown!.slice(-'+00:00'.length) };
}

const TOKYO = { field: 'Asia/Tokyo', offset: '+09:00' };

inChromium("the visitor's zone, and dates in the server's language, need no Intl", async () => {
  expect(await zonesWith("Intl.DateTimeFormat = () => { throw new Error('used') }")).toEqual(TOKYO);
});

inChromium("the visitor's zone needs no Temporal", async () => {
  expect(await zonesWith('delete globalThis.Temporal')).toEqual(TOKYO);
});
