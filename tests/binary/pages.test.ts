import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { temporaryFolder } from '../access/folders.ts';
import { BROWSER_TIMEOUT_MS, hasChromium, inChromium, launchChromium, openPage } from './chromium.ts';
import { type RunningServer, startServer } from './process.ts';

let browser: Browser;
let server: RunningServer;

beforeAll(async () => {
  if (!hasChromium) return;
  server = await startServer();
  browser = await launchChromium();
}, BROWSER_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  server?.[Symbol.dispose]();
});

describe('with every other host out of reach', () => {
  inChromium('the start page shows the time of the server', async () => {
    const { page, faults } = await openPage(browser, server.url, '/');
    await page.waitForSelector('.mark[style]');
    const shown = await page.locator('.now-time').textContent();
    const nowMs = Date.now();
    const today = new Date(nowMs).toISOString().slice(0, 10);
    const differenceMs = Math.abs(nowMs - Date.parse(`${today}T${shown}Z`)) % 86_400_000;
    expect(Math.min(differenceMs, 86_400_000 - differenceMs)).toBeLessThan(5000);
    expect(await page.locator('tr.here th').textContent()).toBe('Tokyo');
    expect(await page.locator('tr.here .world-offset').textContent()).toBe('+09:00');
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('the reference loads, and marks the section in view', async () => {
    const { page, faults } = await openPage(browser, server.url, '/docs#convert');
    await page.waitForSelector('nav.contents a[aria-current][href="#convert"]');
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('on any screen', () => {
  inChromium('no page is wider than it', async () => {
    for (const path of ['/', '/docs', '/clocks']) {
      const { page } = await openPage(browser, server.url, path);
      for (const width of [320, 360, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        const needed = await page.locator('html').evaluate(root => root.scrollWidth);
        expect({ path, width, needed }).toEqual({ path, width, needed: width });
      }
      await page.close();
    }
  });

  inChromium('without script all routes stand one below the other, in full width', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(server.url);
    const panels = await page.locator('.panel').all();
    expect(panels.length).toBeGreaterThan(10);
    const [first, ...others] = await Promise.all(panels.map(async panel => (await panel.boundingBox())!));
    let bottom = first!.y + first!.height;
    for (const { x, y, width, height } of others) {
      expect({ x, width }).toEqual({ x: first!.x, width: first!.width });
      expect(y).toBeGreaterThanOrEqual(bottom);
      bottom = y + height;
    }
    await page.goto(`${server.url}/clocks`);
    expect(await page.locator('button:visible').count()).toBe(0);
    await page.close();
  });
});

describe('the playground', () => {
  inChromium('sends every example of every route', async () => {
    const { page } = await openPage(browser, server.url, '/');
    for (const link of await page.locator('.playground-routes a').all()) {
      await link.click();
      const panel = page.locator('.panel:not([hidden])');
      expect(await panel.count()).toBe(1);
      for (const chip of await panel.locator('.chips a').all()) {
        const request = await chip.getAttribute('href');
        await chip.click();
        await panel.locator(`.exchange p.request a[href="${request}"]`).waitFor();
        const status = Number(await panel.locator('.status b').textContent());
        const text = (await panel.locator('.json').textContent())!;
        const isHtml = text.startsWith('<');
        expect([200, 400, 404]).toContain(status);
        expect(!isHtml && 'error' in JSON.parse(text)).toBe(status !== 200);
        expect(await panel.locator('.preview [data-service-clock]').count()).toBe(isHtml ? 1 : 0);
      }
    }
    await page.close();
  });

  inChromium('sends what is filled in, and its address leads back to it', async () => {
    const { page, faults } = await openPage(browser, server.url, '/');
    const panel = page.locator('.panel:not([hidden])');
    await panel.locator('input[name=offset]').fill('+05:30,-08:00');
    await panel.locator('input[name=format]').fill("%d & it's 100%%");
    await panel.locator('input[name=format]').press('Enter');
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('.request a').getAttribute('href')).toBe(
      '/v1/time/current?offset=%2B05:30,-08:00&format=%25d+%26+it%27s+100%25%25',
    );
    const places = JSON.parse((await panel.locator('.json').textContent())!);
    expect(places).toHaveLength(2);
    expect(places[0].formatted).toMatch(/^\d\d & it's 100%$/);
    expect(faults).toEqual([]);
    await page.reload();
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('input[name=format]').inputValue()).toBe("%d & it's 100%%");
    await page.close();
  });

  inChromium('sends a text of several lines', async () => {
    const { page } = await openPage(browser, server.url, '/#/v1/recurrence');
    const panel = page.locator('.panel:not([hidden])');
    const rule = 'DTSTART:20260415T090000Z\nRRULE:FREQ=DAILY;COUNT=2';
    await panel.locator('[name=rrule]').fill(rule);
    await panel.locator('button[type=submit]').click();
    await panel.locator('.status-good').waitFor();
    expect(JSON.parse((await panel.locator('.json').textContent())!).occurrences).toHaveLength(2);
    await page.reload();
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('[name=rrule]').inputValue()).toBe(rule);
    await page.close();
  });

  inChromium('has the name of the route that is tried in sight on a telephone', async () => {
    const { page, faults } = await openPage(browser, server.url, '/#/v1/time/current');
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${server.url}/#/v1/holidays`);
    const { x, width } = (await page.locator('.playground-routes a[aria-current]').boundingBox())!;
    expect(await page.locator('.playground-routes a[aria-current] span').textContent()).toBe('holidays');
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(360);
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('suggests the names of all zones in zone fields', async () => {
    const { page, faults } = await openPage(browser, server.url, '/');
    await page.locator('.panel:not([hidden]) input[name=tz]').focus();
    await page.locator('#zone-names option').nth(400).waitFor({ state: 'attached' });
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('a response that arrives after that of a later request', () => {
  const LAGOS = /[?&]tz=Africa\/Lagos/;

  inChromium('is not shown in the playground', async () => {
    const { page } = await openPage(browser, server.url, '/');
    const late = await holdBack(page, LAGOS);
    const panel = page.locator('.panel:not([hidden])');
    const zone = panel.locator('input[name=tz]');
    await zone.fill('Africa/Lagos');
    await zone.press('Enter');
    await late.sent;
    await zone.fill('Europe/Oslo');
    await zone.press('Enter');
    await panel.locator('.status-good').waitFor();
    await late.respond();
    expect(await panel.locator('.request a').getAttribute('href')).toContain('Europe/Oslo');
    expect(await panel.locator('.exchange').getAttribute('aria-busy')).toBeNull();
    await page.close();
  });

  inChromium('is not shown in the gallery', async () => {
    const { page } = await openPage(browser, server.url, '/clocks');
    const late = await holdBack(page, LAGOS);
    const zone = page.locator('form [name=tz]');
    await zone.fill('Africa/Lagos');
    await zone.press('Enter');
    await late.sent;
    await zone.fill('Europe/Oslo');
    await zone.press('Enter');
    const elsewhere = page.locator('.exhibit-clock', { hasNot: page.locator('[aria-label="Time in Oslo"]') });
    await elsewhere.first().waitFor({ state: 'detached' });
    await late.respond();
    expect(await elsewhere.count()).toBe(0);
    await page.close();
  });
});

/** Delays the first request that matches: `sent` resolves when it arrives, `respond` lets it go and waits until the page has handled it. */
async function holdBack(page: Page, pattern: RegExp) {
  const sent = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const response = page.waitForResponse(pattern);
  await page.route(
    pattern,
    async route => {
      sent.resolve();
      await released.promise;
      await route.continue();
    },
    { times: 1 },
  );
  const respond = async () => {
    released.resolve();
    await (await response).finished();
    // The page handles the response within two frames.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
  };
  return { sent: sent.promise, respond };
}

describe('on a server that requires a key', () => {
  const KEY = 'a-key-of-the-tests';
  const folder = temporaryFolder();
  let keyed: RunningServer;

  beforeAll(async () => {
    if (hasChromium) keyed = await startServer(['--api-key', KEY], { MERIDIAN_STATE_DIR: folder.path });
  });

  afterAll(() => {
    keyed?.[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  inChromium('nothing is requested before there is one, and then it is sent with every request', async () => {
    const { page, requests, faults } = await openPage(browser, keyed.url, '/');
    const sent = () => requests.filter(path => path.startsWith('/v1/'));
    const field = page.locator('#key-field');
    await page.locator('.panel:not([hidden]) .chips a').first().click();
    await page.locator('.panel:not([hidden]) .status-bad').waitFor();
    expect(await field.evaluate(element => element.matches(':focus'))).toBe(true);
    expect(sent()).toEqual([]);

    await field.fill(KEY);
    await field.press('Enter');
    await page.waitForSelector('.mark[style]');
    await page.locator('.panel:not([hidden]) .chips a').first().click();
    await page.locator('.panel:not([hidden]) .status-good').waitFor();
    expect(sent().length).toBeGreaterThanOrEqual(2);

    await page.goto(`${keyed.url}/docs`, { waitUntil: 'networkidle' });
    expect(await field.inputValue()).toBe(KEY);
    expect(faults).toEqual([]);
    await page.close();
  });
});
