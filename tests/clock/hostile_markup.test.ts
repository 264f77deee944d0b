import { afterEach, beforeEach, describe, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { hasChromium, inChromium, withBrowser } from '../support/browser.ts';
import { CLOBBERING, HOSTILE_FRAGMENTS, hostileConfigs, hostileSources } from './hostile_markup.ts';
import { PageServer } from './page_server.ts';

const SCRIPT = '/v1/time/clock/assets/v1/clock.js';
const PURIFY = new URL(import.meta.resolve('dompurify/dist/purify.min.js'));

const browser = withBrowser();
let server: PageServer;
let hostile: Bun.Server<undefined>;
let page: Page;
/** How often the page has been opened: it must not be navigated away from. */
let navigations: number;

beforeEach(async () => {
  if (!hasChromium) return;
  server = new PageServer();
  const html = (text: string) =>
    new Response(text, { headers: { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' } });
  const fragment = (path: string) => html(HOSTILE_FRAGMENTS[Number(path.slice(1))] ?? '');
  hostile = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request => fragment(new URL(request.url).pathname),
  });
  for (const [index, text] of HOSTILE_FRAGMENTS.entries()) {
    server.files.set(`/uploads/${index}`, () => html(text));
    server.files.set(`/redirect/${index}`, () => Response.redirect(`${hostile.url}${index}`));
  }
  server.files.set('/purify.js', () => new Response(Bun.file(PURIFY)));
  // Only the sanitiser and the clock script protect this page.
  server.policy = "default-src * data: blob: 'unsafe-inline'";
  page = await browser().newPage();
  navigations = 0;
  page.on('framenavigated', frame => {
    if (frame === page.mainFrame()) navigations++;
  });
  await page.addInitScript(() => {
    const scope = globalThis as unknown as { runs: number; ran: () => void };
    scope.runs = 0;
    scope.ran = () => {
      scope.runs++;
    };
  });
});

afterEach(async () => {
  if (hasChromium) expect(navigations).toBe(1);
  server?.[Symbol.dispose]();
  await hostile?.stop(true);
});

/** All payloads: every hostile fragment, referenced in every way, every config, and names that shadow others. */
function payloads(): string[] {
  const urls = HOSTILE_FRAGMENTS.flatMap((text, index) => [
    ...[
      `${hostile.url}${index}`,
      `//${hostile.url.host}/${index}`,
      `/uploads/${index}`,
      `/redirect/${index}`,
    ],
    ...(index % 4 === 0 ? [`data:text/html,${encodeURIComponent(text)}`, 'javascript:ran()'] : []),
  ]);
  return [...hostileSources(urls), ...hostileConfigs(), ...CLOBBERING];
}

/** Inserts payloads with or without sanitising them. */
function insert(all: readonly string[], isSanitised: boolean): Promise<void> {
  return page.evaluate(
    ([all, isSanitised]) => {
      const { DOMPurify } = globalThis as unknown as { DOMPurify: { sanitize(html: string): string } };
      for (const html of all) {
        const box = document.createElement('div');
        box.innerHTML = isSanitised ? DOMPurify.sanitize(html) : html;
        document.querySelector('main')!.append(box);
      }
    },
    [all, isSanitised] as const,
  );
}

/** Waits for all requests of the page, and then acts like a visitor: clicks on everything. */
async function visit(): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(1500);
  await page.evaluate(() => {
    addEventListener('submit', event => {
      const { target, submitter } = event as SubmitEvent;
      const form = (target as Element).getAttribute('action');
      const action = submitter?.getAttribute('formaction') ?? form;
      // Any other form would navigate away from the page.
      if (!action?.startsWith('javascript:')) event.preventDefault();
    });
    for (const element of document.querySelectorAll('main *')) {
      element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
      if (element instanceof HTMLElement) element.focus();
    }
  });
  await page.waitForTimeout(300);
}

function loadScript(url: string): Promise<void> {
  return page.evaluate(async url => {
    const script = document.createElement('script');
    script.src = url;
    await new Promise(resolve => {
      script.onload = resolve;
      document.head.append(script);
    });
  }, url);
}

const runs = () => page.evaluate(() => (globalThis as unknown as { runs: number }).runs);
const count = (selector: string) => page.locator(selector).count();

describe("a page that sanitises content with DOMPurify's defaults", () => {
  inChromium('runs none of it, whether it precedes the script or is added later', async () => {
    const all = payloads();
    expect(all.length).toBeGreaterThanOrEqual(200);
    const clock = await server.fragment('style=digital-minimal&tz=UTC');
    server.body = `${clock.replace(/<script src.*/, '')}<main></main><script src="/purify.js"></script>`;
    await page.goto(`${server.url}/page`);
    await insert(all, true);
    await loadScript(SCRIPT);
    await visit();
    expect(await runs()).toBe(0);
    await insert(all, true);
    await visit();
    expect(await runs()).toBe(0);
    // The sanitiser leaves everything the script looks for, and the script runs.
    expect(await count('[data-service-clock-src]')).toBeGreaterThan(all.length / 2);
    expect(await count('main [data-service-clock]')).toBeGreaterThan(200);
    await page.evaluate(() => scrollTo(0, 0));
    const shown = await page.locator('.sc-live').textContent();
    await page.waitForFunction(text => document.querySelector('.sc-live')!.textContent !== text, shown);
    // The same fragments do run script if inserted as HTML.
    const [image] = HOSTILE_FRAGMENTS;
    await insert([image!], true);
    await page.waitForTimeout(100);
    expect(await runs()).toBe(0);
    await insert([image!], false);
    await page.waitForFunction(() => (globalThis as unknown as { runs: number }).runs > 0);
    await insert(HOSTILE_FRAGMENTS, false);
    await visit();
    expect(await runs()).toBeGreaterThan(HOSTILE_FRAGMENTS.length / 2);
  });
});

describe('the script', () => {
  inChromium("sets only its own attributes, even with a page's config", async () => {
    // As on a page that writes unsanitised JSON next to a clock.
    server.body = `<main></main><script src="${SCRIPT}"></script>`;
    await page.goto(`${server.url}/page`);
    const scripted = hostileConfigs().map(html =>
      html
        .replace(/<(p|div|span|pre|code|textarea|template) type/, '<script type')
        .replace(
          /(<script [^>]*>)([^<]*)<\/\w+>/,
          (_, tag: string, text: string) => `${tag}${text.replaceAll('&quot;', '"')}</script>`,
        ),
    );
    await insert(scripted, false);
    await visit();
    expect(await runs()).toBe(0);
    const changed = await page.locator('main [data-fit], main [datetime]').count();
    expect(changed).toBe(0);
    expect(await count('main [onclick], main [onerror], main [src], main [href], main [style]')).toBe(0);
  });

  inChromium('loads clocks only from the servers that its copies come from', async () => {
    using other = new PageServer();
    const place = (base: string) =>
      `<div data-service-clock-src="${base}/v1/time/clock?style=digital-minimal&amp;tz=UTC">none</div>`;
    server.body = `${place(server.url)}${place(other.url)}<script src="${SCRIPT}"></script>`;
    await page.goto(`${server.url}/page`);
    await page.waitForSelector('[data-service-clock]');
    await page.waitForLoadState('networkidle');
    expect(await count('[data-service-clock]')).toBe(1);
    await loadScript(other.url + SCRIPT);
    await page.waitForFunction(() => document.querySelectorAll('[data-service-clock]').length === 2);
    expect(
      await page
        .locator('link[href*="clock.css"]')
        .evaluateAll(links => links.map(link => (link as HTMLLinkElement).href)),
    ).toEqual([server.url, other.url].map(url => `${url}/v1/time/clock/assets/v1/clock.css`));
  });

  inChromium('draws all styles if Trusted Types are required', async () => {
    const errors: string[] = [];
    page.on('console', message => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', error => errors.push(error.message));
    server.policy = "default-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
    const places = STYLE_NAMES.map(
      style => `<div data-service-clock-src="/v1/time/clock?style=${style}&amp;tz=Asia/Tokyo"></div>`,
    );
    server.body = `${places.join('')}<script src="${SCRIPT}"></script>`;
    await page.goto(`${server.url}/page`);
    await page.waitForFunction(
      styles => document.querySelectorAll('.service-clock').length === styles,
      STYLE_NAMES.length,
    );
    const styles = await page
      .locator('.service-clock')
      .evaluateAll(clocks => clocks.map(clock => clock.getAttribute('data-style')));
    expect(styles).toEqual([...STYLE_NAMES]);
    const boxes = await page
      .locator('.service-clock')
      .evaluateAll(clocks => clocks.map(clock => clock.getBoundingClientRect().height));
    expect(Math.min(...boxes)).toBeGreaterThan(50);
    const times = () =>
      page.locator('.service-clock time').evaluateAll(all => all.map(time => time.getAttribute('datetime')));
    const before = await times();
    await page.waitForFunction(
      first => document.querySelector('.service-clock time')!.getAttribute('datetime') !== first,
      before[0]!,
    );
    expect(errors).toEqual([]);
  });
});
