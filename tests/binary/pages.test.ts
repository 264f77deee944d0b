import { describe, expect } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { axeViolations, inChromium, openPage, type PageTest, withPages } from '../support/browser.ts';
import { newFolder, startServer } from '../support/process.ts';
import { sample } from '../support/proof.ts';

const pages = withPages();

describe('with all other hosts unreachable', () => {
  pages.test("the start page shows the server's time", '/', async page => {
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
  });

  pages.test('the reference loads, and marks the section in view', '/docs#convert', async page => {
    await page.waitForSelector('nav.contents a[aria-current][href="#convert"]');
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
  });

  pages.test('sends the filled-in form, and its URL restores it', '/', async page => {
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
    await page.reload();
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('input[name=format]').inputValue()).toBe("%d & it's 100%%");
  });

  pages.test('sends multi-line text', '/#/v1/recurrence', async page => {
    const panel = page.locator('.panel:not([hidden])');
    const rule = 'DTSTART:20260415T090000Z\nRRULE:FREQ=DAILY;COUNT=2';
    await panel.locator('[name=rrule]').fill(rule);
    await panel.locator('button[type=submit]').click();
    await panel.locator('.exchange .request a[href*="rrule"]').waitFor();
    expect(JSON.parse((await panel.locator('.json').textContent())!).occurrences).toHaveLength(2);
    await page.reload();
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('[name=rrule]').inputValue()).toBe(rule);
  });

  pages.test('keeps the name of the current route visible on a phone', '/#/v1/time/current', async page => {
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`${pages.url}/#/v1/holidays`);
    const { x, width } = (await page.locator('.playground-routes a[aria-current]').boundingBox())!;
    expect(await page.locator('.playground-routes a[aria-current] span').textContent()).toBe(
      'List public holidays',
    );
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(360);
  });

  pages.test('suggests zones and places in zone fields, also within lists', '/', async page => {
    const zone = page.locator('.panel:not([hidden]) input[name=tz]');
    await zone.fill('Asia/Tokyo,munich');
    await page.locator('.suggestions:not([hidden]) li', { hasText: 'DE-BY' }).first().click();
    expect(await zone.inputValue()).toBe('Asia/Tokyo,Europe/Berlin');
    await zone.fill('st_johns');
    await page.locator('.suggestions:not([hidden]) li', { hasText: 'America/St_Johns' }).first().waitFor();
  });

  pages.test('starts with a current response, and goes back to the previous task', '/', async page => {
    await page.locator('.panel:not([hidden]) .status-good').waitFor();
    const { unix } = JSON.parse((await page.locator('.panel:not([hidden]) .json').textContent())!);
    expect(Math.abs(Date.now() / 1000 - unix)).toBeLessThan(60);
    await page.locator('.playground-routes a', { hasText: 'Count working days' }).click();
    await page.goBack();
    const current = page.locator('.playground-routes a[aria-current] span');
    await current.getByText('What time is it?').waitFor();
  });

  inChromium('corrects a misspelt zone with a click', async () => {
    const { page } = await pages.open('/#/v1/time/current?tz=Asia/Tokyo,Europe/Pariss');
    await page.locator('.panel:not([hidden]) .fixes button', { hasText: 'Europe/Paris' }).click();
    const panel = page.locator('.panel:not([hidden])');
    await panel.locator('.status-good').waitFor();
    expect(await panel.locator('input[name=tz]').inputValue()).toBe('Asia/Tokyo,Europe/Paris');
  });

  pages.test("fills in a picked time, in the field's format", '/#/v1/time/convert', async page => {
    const panel = page.locator('.panel:not([hidden])');
    await panel.getByLabel('Pick iso').fill('2026-11-24T15:30');
    expect(await panel.locator('input[name=iso]').inputValue()).toBe('2026-11-24T15:30');
    await page.goto(`${pages.url}/#/v1/work/days`);
    await panel.getByLabel('Pick from').fill('2026-11-24');
    expect(await panel.locator('input[name=from]').inputValue()).toBe('2026-11-24');
    await page.goto(`${pages.url}/#/v1/time/diff`);
    await panel.getByLabel('Pick to').fill('2026-11-24T15:30');
    expect(await panel.locator('input[name=to]').inputValue()).toBe('iso=2026-11-24T15:30');
  });
});

describe('a response that arrives after that of a later request', () => {
  const LAGOS = /[?&]tz=Africa\/Lagos/;

  pages.test('is not shown in the playground', '/', async page => {
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
  });

  pages.test('is not shown in the gallery', '/clocks', async page => {
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

inChromium('pages of a server with keys send no request without one, and then one with all', async () => {
  const KEY = 'a-key-of-the-tests';
  using keyed = await startServer(['--api-key', KEY], { MERIDIAN_STATE_DIR: newFolder() });
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
});

const SIGNED = '/#/v1/time/current?tz=Asia/Tokyo&sign=true';

pages.test('a signed response is verified in the browser, and rejected if changed', SIGNED, async page => {
  await page.getByText('Signature valid').waitFor();
  await page.getByLabel('Tamper with the body').check();
  await page.getByText('Signature invalid').waitFor();
  expect(await page.locator('.signature').textContent()).toContain('not the one that was signed');
});

describe('the docs', () => {
  pages.test(
    "are searched without a request, and have the example's clock",
    '/docs',
    async (page, requests) => {
      expect(await page.locator('#clock .example-clock [data-service-clock]').count()).toBe(1);
      const before = requests.length;
      await page.keyboard.press('/');
      await page.keyboard.type('weekend subdivision');
      await page.locator('[data-docs-found]', { hasText: /^\d+ of \d+ sections$/ }).waitFor();
      expect(await page.locator('#holidays').isVisible()).toBe(true);
      expect(await page.locator('#convert').isVisible()).toBe(false);
      expect(requests.slice(before).filter(path => !path.startsWith('/v1/time/current'))).toEqual([]);
    },
  );

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
  });
});

/** Each page, with the selector of the element that a keyboard user looks for first. */
const PAGES: Readonly<Record<string, string>> = {
  '/': '#try .panel:not([hidden]) input',
  '/docs': '#docs-search',
  '/clocks': '#gallery-zone',
  '/planner?place=Berlin&place=New+York&date=2026-11-24': '#plan-place',
  '/map': '#map-place',
  '/zone/Europe/Paris': '#content a, #content summary',
  '/zone/Africa/Casablanca': '#content a, #content summary',
  '/nowhere': '#content a',
};
const APPEARANCES: Readonly<Record<string, BrowserContextOptions>> = {
  'in light colours on a screen': { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  'in dark colours on a telephone': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  'in forced colours on a tablet': { forcedColors: 'active', viewport: { width: 768, height: 1024 } },
};
/** Similar parts, of which axe examines a random sample in each run: all would take a minute. */
const ALIKE = ['#content > section.route', '#content > section.object', '.panel[hidden]', '.exhibit'];
const MOST_BYTES = 100_000;
/** The map additionally has its outlines. */
const MOST_BYTES_OF_MAP = 300_000;

/** The size of a page in a coding, with headers. */
async function transferredBytes(path: string, coding: string): Promise<number> {
  const page = await pages.browser.newPage({ extraHTTPHeaders: { 'Accept-Encoding': coding } });
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Network.enable');
  let bytes = 0;
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const response = await page.goto(pages.url + path, { waitUntil: 'networkidle' });
  // Errors are short, and sent uncompressed.
  if (response!.ok()) expect(response!.headers()['content-encoding']).toBe(coding);
  return bytes;
}

/** Whether the focused element has a size, and it or an ancestor has an outline. */
const FOCUS_SHOWN = `(() => {
  if (document.activeElement.getBoundingClientRect().width === 0) return false;
  for (let shown = document.activeElement; shown !== null; shown = shown.parentElement) {
    const { outlineStyle, outlineWidth } = getComputedStyle(shown);
    if (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) return true;
  }
  return false;
})()`;

/** Removes all parts that match a selector except a sample. */
async function thinOut(page: Page, selector: string): Promise<void> {
  const count = await page.locator(selector).count();
  const shown = sample([...Array(count).keys()], 4);
  await page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .forEach((part, index) => ${JSON.stringify(shown)}.includes(index) || part.remove())`);
}

const numberOf = async (page: Page, expression: string) => Number(await page.evaluate(expression));

describe.each(Object.keys(PAGES))('%s', path => {
  /** As `pages.test`, but the status of the error page is expected. */
  const on = (claim: string, options: BrowserContextOptions, body: PageTest) =>
    inChromium(claim, async () => {
      const { page, requests, faults } = await pages.open(path, options);
      await body(page, requests);
      expect(faults.filter(fault => path !== '/nowhere' || !fault.includes('404'))).toEqual([]);
    });

  on('loads without errors, from this server only, under a strict policy', {}, async (page, requests) => {
    expect(requests.length).toBeGreaterThan(2);
    const response = await page.request.get(pages.url + path, { headers: { Accept: 'text/html' } });
    const policy = response.headers()['content-security-policy'];
    expect(policy).toStartWith("default-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toMatch(/https?:|\*/);
  });

  for (const [name, options] of Object.entries(APPEARANCES)) {
    on(`axe finds nothing ${name}`, options, async page => {
      for (const selector of ALIKE) await thinOut(page, selector);
      expect(await axeViolations(page)).toEqual([]);
    });
  }

  on('is no wider than the screen', {}, async page => {
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      const needed = await numberOf(page, 'document.documentElement.scrollWidth');
      expect({ width, needed }).toEqual({ width, needed: width });
    }
  });

  inChromium('is below 100 KB with everything it loads, with Brotli and with gzip', async () => {
    for (const coding of ['br', 'gzip']) {
      const bytes = await transferredBytes(path, coding);
      expect(bytes).toBeGreaterThan(5000);
      expect(bytes).toBeLessThan(path === '/map' ? MOST_BYTES_OF_MAP : MOST_BYTES);
    }
  });

  on('moves nothing if reduced motion is preferred', { reducedMotion: 'reduce' }, async page => {
    const running = 'document.getAnimations().filter(({ playState }) => playState === "running").length';
    expect(await numberOf(page, running)).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).scrollBehavior')).toBe('auto');
  });

  on('has its content without scripts', { javaScriptEnabled: false }, async page => {
    expect(await page.locator('h1').isVisible()).toBe(true);
    expect(await page.locator('#content :is(p, li, td, figure):visible').count()).toBeGreaterThan(1);
  });

  on('can be navigated by keyboard: each stop is visible and has an outline', {}, async page => {
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('href')).toBe('#content');
    let isReached = false;
    for (let stops = 0; stops < 120 && !isReached; stops++) {
      await page.keyboard.press('Tab');
      expect({ stops, shown: await page.evaluate(FOCUS_SHOWN) }).toEqual({ stops, shown: true });
      isReached = Boolean(
        await page.evaluate(`document.activeElement.matches(${JSON.stringify(PAGES[path])})`),
      );
    }
    expect(isReached).toBe(true);
  });
});

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly name: string;
  /** Whether its text overflows. */
  readonly isCut: boolean;
}

/** The boxes of the visible elements that match a selector, in page order; or of their contents. */
async function boxesOf(
  path: string,
  width: number,
  selector: string,
  of: 'element' | 'contents' = 'contents',
) {
  const { page } = await pages.open(path, { viewport: { width, height: 900 } });
  const boxes = await page.evaluate<Box[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(element => element.checkVisibility({ visibilityProperty: true }))
    .map(element => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right, top, bottom } = (${of === 'contents'} ? range : element).getBoundingClientRect();
      const isCut = element.scrollWidth > element.clientWidth + 1;
      return { left, right, top: Math.round(top), bottom, name: element.id || element.textContent, isCut };
    })`);
  return boxes;
}

function overlaps(one: Box, other: Box): boolean {
  const isBeside = one.right <= other.left + 0.5 || other.right <= one.left + 0.5;
  return !isBeside && one.top < other.bottom - 1 && other.top < one.bottom - 1;
}

inChromium('the list of tasks scrolls next to the form, and keeps the current task visible', async () => {
  const { page } = await pages.open('/', { viewport: { width: 1440, height: 900 } });
  const tasks = page.locator('.playground-routes');
  expect((await tasks.boundingBox())!.height).toBeLessThanOrEqual(900);
  const last = tasks.locator('a').last();
  await last.focus();
  const [list, task] = [(await tasks.boundingBox())!, (await last.boundingBox())!];
  expect(task.y + task.height).toBeLessThanOrEqual(list.y + list.height);
});

inChromium("the planner's hours and the dates between them do not touch", async () => {
  const plan = '/planner?place=Berlin&place=New+York&place=Tokyo&place=Kathmandu&date=2026-11-23';
  for (const width of [390, 768, 1440]) {
    const labels = await boxesOf(plan, width, '.strip-hours li > *');
    expect(labels.length).toBeGreaterThan(20);
    const touching = labels.filter(({ left, top }, index) => {
      const before = labels[index - 1];
      return before !== undefined && before.top === top && before.right > left - 1;
    });
    expect({ width, touching }).toEqual({ width, touching: [] });
  }
});

inChromium("nothing in the planner's form overlaps or is cut off", async () => {
  const controls = '#plan-form :is(label, input, select, button)';
  for (const width of [390, 768, 1440]) {
    const plan = '/planner?place=Berlin&place=Sao+Paulo&date=2026-11-24';
    const boxes = await boxesOf(plan, width, controls, 'element');
    expect(boxes.length).toBeGreaterThan(5);
    const cut = boxes.filter(({ left, right, isCut }) => left < 0 || right > width || isCut);
    const overlapping = boxes.filter((box, index) =>
      boxes.slice(0, index).some(other => overlaps(box, other)),
    );
    expect({ width, cut, overlapping }).toEqual({ width, cut: [], overlapping: [] });
  }
});

inChromium("the gallery's ten dials are in two rows, and digital faces are aligned", async () => {
  const rows = async (selector: string) => {
    const boxes = await boxesOf('/clocks', 1440, selector);
    return [...Map.groupBy(boxes, ({ top }) => top).values()].map(group => group.length);
  };
  expect(await rows('.analog-gallery figcaption')).toEqual([5, 5]);
  expect((await rows('.digital-gallery figcaption')).slice(0, 6)).toEqual([3, 3, 3, 3, 3, 3]);
});

inChromium("on a phone the map's search has a row for the place and one for coordinates", async () => {
  const tops = (await boxesOf('/map', 390, '.map-search label')).map(({ top }) => top);
  expect(tops.length).toBe(3);
  expect([tops[0] === tops[1], tops[1] === tops[2]]).toEqual([false, true]);
});
