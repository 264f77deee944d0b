import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { inChromium, withPages } from '../support/browser.ts';

const PLAN = '/planner?place=Berlin&place=New+York&date=2026-11-24';

const pages = withPages();

const placesOf = (page: Page) => page.locator('.plan-row h3 > a').allTextContents();
const timesOf = (page: Page) => page.locator('.plan-time time').allTextContents();
const queryOf = (page: Page) => new URL(page.url()).searchParams;

inChromium('a place is found and added by keyboard, and removed by the back button', async () => {
  const { page, faults } = await pages.open(PLAN);
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
  expect(faults).toEqual([]);
  await page.close();
});

inChromium('the cursor moves in all rows by keyboard, and announces the times', async () => {
  const { page, faults } = await pages.open(PLAN);
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
  expect(faults).toEqual([]);
  await page.close();
});

inChromium('rows are reordered by keyboard without losing the focus', async () => {
  const { page, faults } = await pages.open(PLAN);
  await page.getByLabel('Move up New York').press('Enter');
  await page.locator('.plan-row').first().getByText('New York').first().waitFor();
  expect(await placesOf(page)).toEqual(['New York', 'Berlin']);
  await page.getByLabel('Remove Berlin').press('Enter');
  await page.locator('.plan-row').nth(1).waitFor({ state: 'detached' });
  expect(queryOf(page).getAll('place')).toEqual(['New York']);
  expect(faults).toEqual([]);
  await page.close();
});

inChromium('the meeting is saved as a calendar file', async () => {
  const { page, faults } = await pages.open(`${PLAN}&at=900`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-plan-export]').click(),
  ]);
  expect(download.suggestedFilename()).toBe('meeting-2026-11-24.ics');
  expect(readFileSync(await download.path(), 'utf8')).toContain('\r\nDTSTART:20261124T140000Z\r\n');
  expect(faults).toEqual([]);
  await page.close();
});

inChromium("the planner starts with the visitor's place", async () => {
  const { page, faults } = await pages.open('/planner');
  await page.locator('.plan-row').first().locator('h3 > a', { hasText: 'Tokyo' }).waitFor();
  expect(faults).toEqual([]);
  await page.close();
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
  await page.close();
});
