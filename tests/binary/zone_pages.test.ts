import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { inChromium, withPages } from '../support/browser.ts';

const pages = withPages();

const found = (page: Page) => page.locator('[data-map-found]');

/** The screen position of coordinates on the map. */
async function screenPoint(page: Page, lat: number, lon: number) {
  const box = (await page.locator('[data-map-world]').boundingBox())!;
  return { x: box.x + ((lon + 180) / 360) * box.width, y: box.y + ((84 - lat) / 142) * box.height };
}

inChromium('a click on the map fills in the coordinates and opens the page of the zone there', async () => {
  const { page, faults } = await pages.open('/map');
  const { x, y } = await screenPoint(page, 47, 2.5);
  await page.mouse.move(x, y);
  await page.locator('[data-map-hint]').getByText('Paris').waitFor();
  await page.mouse.click(x, y);
  await found(page).getByText('Europe/Paris').waitFor();
  expect(Math.abs(Number(await page.locator('#map-lat').inputValue()) - 47)).toBeLessThan(0.5);
  expect(Math.abs(Number(await page.locator('#map-lon').inputValue()) - 2.5)).toBeLessThan(0.5);
  await found(page).getByRole('link').click();
  await page.locator('h1', { hasText: /^Paris$/ }).waitFor();
  expect(faults).toEqual([]);
  await page.close();
});

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
  await page.close();
});

inChromium('the local time ticks, and the countdown has seconds', async () => {
  const { page, faults, requests } = await pages.open('/zone/Europe/Paris');
  expect(await page.locator('[data-local-time] time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(await page.locator('[data-change=next] [data-countdown]').textContent()).toMatch(
    /^in \d+ days? \d+ h \d+ min \d+ s$/,
  );
  expect(requests.every(path => path.startsWith('/'))).toBe(true);
  expect(faults).toEqual([]);
  await page.close();
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
    await page.close();
  }
});

inChromium('the local date follows the clock into the next day', async () => {
  const page = await pages.browser.newPage();
  const tomorrow = Date.now() + 86_400_000;
  await page.clock.install({ time: tomorrow });
  await page.goto(`${pages.url}/zone/UTC`);
  const format = new Intl.DateTimeFormat('en-US', LONG_DATE);
  await page.locator('[data-local-time] span', { hasText: format.format(tomorrow) }).waitFor();
  await page.close();
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
  await page.close();
});
