import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { inChromium, withPages } from '../support/browser.ts';

/** What a page defers, so that a slow phone shows and scrolls it at once. */

const pages = withPages();
const TELEPHONE = { viewport: { width: 412, height: 823 } };

/** Whether the last element that matches a selector is laid out. */
const isLaidOut = (page: Page, selector: string) =>
  page.evaluate<boolean>(
    `[...document.querySelectorAll('${selector}')].at(-1).checkVisibility({ contentVisibilityAuto: true })`,
  );

/** Waits until an expression is true in the page, whose policy does not allow `waitForFunction` to evaluate it. */
async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate<boolean>(expression))) await Bun.sleep(20);
}

/** Waits until it is; a frame can pass between the scrolling and the layout. */
async function laidOut(page: Page, selector: string): Promise<void> {
  while (!(await isLaidOut(page, selector))) await Bun.sleep(20);
}

inChromium('an off-screen clock is laid out and started when it comes near the screen', async () => {
  const { page, faults } = await pages.open('/clocks', TELEPHONE);
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
  expect(faults).toEqual([]);
  await page.close();
});

/** Waits until the browser skips an element in a frame, scrolls to the last of some boxes, and waits until the element is laid out. */
async function expectLaidOutNear(page: Page, element: string, boxes: string): Promise<void> {
  while (await isLaidOut(page, element)) await Bun.sleep(20);
  await page.evaluate(`[...document.querySelectorAll('${boxes}')].at(-1).scrollIntoView()`);
  await laidOut(page, element);
}

inChromium('a section of the reference is laid out when it comes near the screen', async () => {
  const { page, faults } = await pages.open('/docs', TELEPHONE);
  const text = '.route .route-text p';
  await page.evaluate("[...document.querySelectorAll('.route .fold-button')].at(-1).click()");
  await expectLaidOutNear(page, text, '.route');
  expect(faults).toEqual([]);
  await page.close();
});

inChromium('the form of a task is built when the task is selected', async () => {
  const { page, faults } = await pages.open('/', TELEPHONE);
  const form = page.locator('[id="/v1/time/diff"] form');
  expect(await form.count()).toBe(0);
  await page.locator('a[href="#/v1/time/diff"]').click();
  await form.locator('[name="from"]').waitFor();
  expect(await page.locator('.panel form').count()).toBe(2); // including the first task's
  expect(faults).toEqual([]);
  await page.close();
});

inChromium("a month on a zone's page is laid out when it comes near the screen", async () => {
  const { page, faults } = await pages.open('/zone/Europe/Paris', TELEPHONE);
  expect(await isLaidOut(page, '.zone-now dd')).toBe(true);
  await expectLaidOutNear(page, '.year-calendar td', '.year-calendar > div');
  expect(faults).toEqual([]);
  await page.close();
});

inChromium('on a wide screen all sections are laid out immediately, and links lead to them', async () => {
  const { page, faults } = await pages.open('/docs', { viewport: { width: 1280, height: 800 } });
  expect(await isLaidOut(page, '#convert h3')).toBe(true);
  await page.locator('.contents a[href="#convert"]').click();
  await until(page, "Math.abs(document.querySelector('#convert').getBoundingClientRect().top - 50) < 50");
  expect(faults).toEqual([]);
  await page.close();
});

inChromium('the first form of the start page is built when the visitor comes near it', async () => {
  const { page, requests, faults } = await pages.open('/', TELEPHONE);
  const form = page.locator('#try form').first();
  expect(await form.locator('.preview-request').count()).toBe(0);
  const before = requests.length;
  await page.locator('#try').scrollIntoViewIfNeeded();
  await form.locator('.preview-request').waitFor();
  await page.locator('#try .exchange .status', { hasText: '200 in' }).first().waitFor();
  expect(requests.slice(before).filter(path => path.startsWith('/v1/'))).toHaveLength(1);
  expect(faults).toEqual([]);
  await page.close();
});

inChromium('an open server needs no key, and stored keys are not read', async () => {
  const page = await pages.browser.newPage();
  await page.addInitScript("Storage.prototype.getItem = () => { throw new Error('read') }");
  await page.goto(pages.url);
  await page.locator('.now-time', { hasText: /\d\d:\d\d:\d\d/ }).waitFor();
  await page.close();
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
  await page.close();
  return { field, offset: shown!.slice(-'+00:00'.length) };
}

const TOKYO = { field: 'Asia/Tokyo', offset: '+09:00' };

inChromium("the visitor's zone, and dates in the server's language, need no Intl", async () => {
  expect(await zonesWith("Intl.DateTimeFormat = () => { throw new Error('used') }")).toEqual(TOKYO);
});

inChromium("the visitor's zone needs no Temporal", async () => {
  expect(await zonesWith('delete globalThis.Temporal')).toEqual(TOKYO);
});
