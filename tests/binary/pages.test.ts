import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { hasChromium, inChromium, openPage, withPages } from '../support/browser.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/process.ts';

const pages = withPages();

describe('with all other hosts unreachable', () => {
  inChromium("the start page shows the server's time", async () => {
    const { page, faults } = await pages.open('/');
    await page.waitForSelector('.mark[style]');
    const shown = await page.locator('.now-time').textContent();
    const nowMs = Date.now();
    const tokyoMs = nowMs + 9 * 3_600_000;
    const today = new Date(tokyoMs).toISOString().slice(0, 10);
    const differenceMs = Math.abs(tokyoMs - Date.parse(`${today}T${shown}Z`)) % 86_400_000;
    expect(Math.min(differenceMs, 86_400_000 - differenceMs)).toBeLessThan(5000);
    await page.locator('[data-own-clock] [aria-label="Time in Tokyo"]').waitFor();
    await page.locator('.now-place', { hasText: /^Tokyo$/ }).waitFor();
    await page.locator('tr.here th', { hasText: /^Tokyo$/ }).waitFor();
    expect(await page.locator('tr.here .world-offset').textContent()).toBe('+09:00');
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('the reference loads, and marks the section in view', async () => {
    const { page, faults } = await pages.open('/docs#convert');
    await page.waitForSelector('nav.contents a[aria-current][href="#convert"]');
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('without scripts', () => {
  inChromium('all routes are stacked at full width', async () => {
    const page = await pages.browser.newPage({ javaScriptEnabled: false });
    await page.goto(pages.url);
    const panels = await page.locator('.panel').all();
    expect(panels.length).toBeGreaterThan(10);
    const [first, ...others] = await Promise.all(panels.map(async panel => (await panel.boundingBox())!));
    let bottom = first!.y + first!.height;
    for (const { x, y, width, height } of others) {
      expect({ x, width }).toEqual({ x: first!.x, width: first!.width });
      expect(y).toBeGreaterThanOrEqual(bottom);
      bottom = y + height;
    }
    await page.goto(`${pages.url}/clocks`);
    expect(await page.locator('button:visible').count()).toBe(0);
    await page.close();
  });
});

describe('the playground', () => {
  inChromium('sends every example of every route', async () => {
    const { page } = await pages.open('/');
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
        const isJson = /^[[{]/.test(text); // else HTML, text, a table or a calendar
        expect([200, 400, 404]).toContain(status);
        if (isJson) expect('error' in JSON.parse(text)).toBe(status !== 200);
        else expect(text.startsWith('Cannot read')).toBe(status !== 200);
        const count = (selector: string) => panel.locator(`.preview ${selector}`).count();
        expect(await count('[data-service-clock]')).toBe(Number(text.startsWith('<div')));
        expect(await count('img')).toBe(Number(text.startsWith('<svg')));
      }
    }
    await page.close();
  });

  inChromium('sends the filled-in form, and its URL restores it', async () => {
    const { page, faults } = await pages.open('/');
    const panel = page.locator('.panel:not([hidden])');
    await panel.locator('input[name=offset]').fill('+05:30,-08:00');
    await panel.locator('input[name=format]').fill("%d & it's 100%%");
    await panel.locator('input[name=format]').press('Enter');
    const request = '/v1/time/current?offset=%2B05:30,-08:00&format=%25d+%26+it%27s+100%25%25';
    await panel.locator(`.exchange .request a[href="${request}"]`).waitFor();
    expect(await panel.locator('.preview-request code').textContent()).toBe(`curl '${pages.url}${request}'`);
    const places = JSON.parse((await panel.locator('.json').textContent())!);
    expect(places).toHaveLength(2);
    expect(places[0].formatted).toMatch(/^\d\d & it's 100%$/);
    expect(faults).toEqual([]);
    await page.reload();
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('input[name=format]').inputValue()).toBe("%d & it's 100%%");
    await page.close();
  });

  inChromium('sends multi-line text', async () => {
    const { page } = await pages.open('/#/v1/recurrence');
    const panel = page.locator('.panel:not([hidden])');
    const rule = 'DTSTART:20260415T090000Z\nRRULE:FREQ=DAILY;COUNT=2';
    await panel.locator('[name=rrule]').fill(rule);
    await panel.locator('button[type=submit]').click();
    await panel.locator('.exchange .request a[href*="rrule"]').waitFor();
    expect(JSON.parse((await panel.locator('.json').textContent())!).occurrences).toHaveLength(2);
    await page.reload();
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('[name=rrule]').inputValue()).toBe(rule);
    await page.close();
  });

  inChromium('keeps the name of the current route visible on a phone', async () => {
    const { page, faults } = await pages.open('/#/v1/time/current');
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${pages.url}/#/v1/holidays`);
    const { x, width } = (await page.locator('.playground-routes a[aria-current]').boundingBox())!;
    expect(await page.locator('.playground-routes a[aria-current] span').textContent()).toBe(
      'List public holidays',
    );
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(360);
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('suggests zones and places in zone fields, also within lists', async () => {
    const { page, faults } = await pages.open('/');
    const zone = page.locator('.panel:not([hidden]) input[name=tz]');
    await zone.fill('Asia/Tokyo,munich');
    await page.locator('.suggestions:not([hidden]) li', { hasText: 'DE-BY' }).first().click();
    expect(await zone.inputValue()).toBe('Asia/Tokyo,Europe/Berlin');
    await zone.fill('st_johns');
    await page.locator('.suggestions:not([hidden]) li', { hasText: 'America/St_Johns' }).first().waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('starts with a current response, and goes back to the previous task', async () => {
    const { page, faults } = await pages.open('/');
    await page.locator('.panel:not([hidden]) .status-good').waitFor();
    const { unix } = JSON.parse((await page.locator('.panel:not([hidden]) .json').textContent())!);
    expect(Math.abs(Date.now() / 1000 - unix)).toBeLessThan(60);
    await page.locator('.playground-routes a', { hasText: 'Count working days' }).click();
    await page.goBack();
    const current = page.locator('.playground-routes a[aria-current] span');
    await current.getByText('What time is it?').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('corrects a misspelt zone with a click', async () => {
    const { page } = await pages.open('/#/v1/time/current?tz=Asia/Tokyo,Europe/Pariss');
    await page.locator('.panel:not([hidden]) .fixes button', { hasText: 'Europe/Paris' }).click();
    const panel = page.locator('.panel:not([hidden])');
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('input[name=tz]').inputValue()).toBe('Asia/Tokyo,Europe/Paris');
    await page.close();
  });

  inChromium("fills in a picked time, in the field's format", async () => {
    const { page, faults } = await pages.open('/#/v1/time/convert');
    const panel = page.locator('.panel:not([hidden])');
    await panel.getByLabel('Pick iso').fill('2026-11-24T15:30');
    expect(await panel.locator('input[name=iso]').inputValue()).toBe('2026-11-24T15:30');
    await page.goto(`${pages.url}/#/v1/work/days`);
    await panel.getByLabel('Pick from').fill('2026-11-24');
    expect(await panel.locator('input[name=from]').inputValue()).toBe('2026-11-24');
    await page.goto(`${pages.url}/#/v1/time/diff`);
    await panel.getByLabel('Pick to').fill('2026-11-24T15:30');
    expect(await panel.locator('input[name=to]').inputValue()).toBe('iso=2026-11-24T15:30');
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('a response that arrives after that of a later request', () => {
  const LAGOS = /[?&]tz=Africa\/Lagos/;

  inChromium('is not shown in the playground', async () => {
    const { page } = await pages.open('/');
    const late = await holdBack(page, LAGOS);
    const panel = page.locator('.panel:not([hidden])');
    const zone = panel.locator('input[name=tz]');
    await zone.fill('Africa/Lagos');
    await zone.press('Enter');
    await late.sent;
    await zone.fill('Europe/Oslo');
    await zone.press('Enter');
    await panel.locator('.exchange .request a[href*="Oslo"]').waitFor();
    await late.respond();
    expect(await panel.locator('.request a').getAttribute('href')).toContain('Europe/Oslo');
    expect(await panel.locator('.exchange').getAttribute('aria-busy')).toBeNull();
    await page.close();
  });

  inChromium('is not shown in the gallery', async () => {
    const { page } = await pages.open('/clocks');
    const late = await holdBack(page, LAGOS);
    const zone = page.locator('#gallery-zone');
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

/** Delays the first request that matches: `sent` resolves when it arrives, `respond` releases it and waits until the page has handled it. */
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

  inChromium(
    'nothing is requested before a key is entered, and then it is sent with every request',
    async () => {
      const { page, requests, faults } = await openPage(pages.browser, keyed.url, '/');
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
      await page.locator('.copy-block').first().waitFor({ state: 'attached' }); // the script has run
      expect(await field.inputValue()).toBe(KEY);
      expect(faults).toEqual([]);
      await page.close();
    },
  );
});

describe('a signed response', () => {
  inChromium('is verified in the browser, and rejected if changed', async () => {
    const { page } = await pages.open('/#/v1/time/current?tz=Asia/Tokyo&sign=true');
    await page.getByText('Signature valid').waitFor();
    await page.getByLabel('Tamper with the body').check();
    await page.getByText('Signature invalid').waitFor();
    expect(await page.locator('.signature').textContent()).toContain('not the one that was signed');
    await page.close();
  });
});

describe('the docs', () => {
  inChromium("are searched without a request, and show the example's clock", async () => {
    const { page, requests, faults } = await pages.open('/docs');
    expect(await page.locator('#clock .example-clock [data-service-clock]').count()).toBe(1);
    const before = requests.length;
    await page.keyboard.press('/');
    await page.keyboard.type('weekend subdivision');
    await page.locator('[data-docs-found]', { hasText: /^\d+ of \d+ sections$/ }).waitFor();
    expect(await page.locator('#holidays').isVisible()).toBe(true);
    expect(await page.locator('#convert').isVisible()).toBe(false);
    expect(requests.slice(before).filter(path => !path.startsWith('/v1/time/current'))).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('are collapsed on a phone, except for the section in the URL', async () => {
    const page = await pages.browser.newPage({ viewport: { width: 390, height: 800 } });
    await page.goto(`${pages.url}/docs#convert`);
    const text = (id: string) => page.locator(`#${id} .endpoint`);
    await text('diff').waitFor({ state: 'hidden' });
    expect(await text('convert').isVisible()).toBe(true);
    const shownInFolded = page.locator('.folded > :visible:not(:has(.fold-button)), .contents li:visible');
    expect(await shownInFolded.count()).toBe(0);
    await page.locator('#diff .fold-button').click();
    expect(await text('diff').isVisible()).toBe(true);
    expect(await page.locator('#diff .fold-button').getAttribute('aria-expanded')).toBe('true');
    await page.close();
  });
});
