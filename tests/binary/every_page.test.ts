import { describe, expect } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { axeViolations, inChromium, withPages } from '../support/browser.ts';
import { sample } from '../support/proof.ts';

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
const PATHS = Object.keys(PAGES);
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

const pages = withPages();

/** Opens a page as a document with the given options; the error page is the only one whose status is not 200. */
async function opened(path: string, options?: BrowserContextOptions) {
  const { page, requests, faults } = await pages.open(path, options);
  const isExpected = (fault: string) => path === '/nowhere' && fault.includes('404');
  return { page, requests, faults: faults.filter(fault => !isExpected(fault)) };
}

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
  await page.close();
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

describe.each(PATHS)('%s', path => {
  inChromium('loads without errors, from this server only, under a strict policy', async () => {
    const { page, faults, requests } = await opened(path);
    expect(faults).toEqual([]);
    expect(requests.length).toBeGreaterThan(2);
    const response = await page.request.get(pages.url + path, { headers: { Accept: 'text/html' } });
    const policy = response.headers()['content-security-policy'];
    expect(policy).toStartWith("default-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toMatch(/https?:|\*/);
    await page.close();
  });

  for (const [name, options] of Object.entries(APPEARANCES)) {
    inChromium(`axe finds nothing ${name}`, async () => {
      const { page } = await opened(path, options);
      for (const selector of ALIKE) await thinOut(page, selector);
      expect(await axeViolations(page)).toEqual([]);
      await page.close();
    });
  }

  inChromium('is no wider than the screen', async () => {
    const { page } = await opened(path);
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      const needed = await numberOf(page, 'document.documentElement.scrollWidth');
      expect({ width, needed }).toEqual({ width, needed: width });
    }
    await page.close();
  });

  inChromium('is below 100 KB with everything it loads, with Brotli and with gzip', async () => {
    for (const coding of ['br', 'gzip']) {
      const bytes = await transferredBytes(path, coding);
      expect(bytes).toBeGreaterThan(5000);
      expect(bytes).toBeLessThan(path === '/map' ? MOST_BYTES_OF_MAP : MOST_BYTES);
    }
  });

  inChromium('moves nothing if reduced motion is preferred', async () => {
    const { page } = await opened(path, { reducedMotion: 'reduce' });
    const running = 'document.getAnimations().filter(({ playState }) => playState === "running").length';
    expect(await numberOf(page, running)).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).scrollBehavior')).toBe('auto');
    await page.close();
  });

  inChromium('has its content without scripts', async () => {
    const { page, faults } = await opened(path, { javaScriptEnabled: false });
    expect(await page.locator('h1').isVisible()).toBe(true);
    expect(await page.locator('#content :is(p, li, td, figure):visible').count()).toBeGreaterThan(1);
    expect(faults).toEqual([]);
    await page.close();
  });

  inChromium('can be navigated by keyboard: each stop is visible and has an outline', async () => {
    const { page } = await opened(path);
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
    await page.close();
  });
});
