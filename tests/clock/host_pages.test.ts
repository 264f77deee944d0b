import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import {
  axeViolations,
  BROWSER_TIMEOUT_MS,
  hasChromium,
  inChromium,
  launchChromium,
  openPage,
} from '../binary/chromium.ts';
import { PageServer } from './page_server.ts';

/** The rules that resets of frameworks have for everything, and what themes add to them. */
const STYLESHEETS: Readonly<Record<string, string>> = {
  plain: '',
  'Bootstrap (Reboot)':
    '*,::after,::before{box-sizing:border-box}body{margin:0;font:400 1rem/1.5 system-ui}img,svg{vertical-align:middle}a{color:#0d6efd}',
  'Tailwind (Preflight)':
    '*,::after,::before{box-sizing:border-box;margin:0;padding:0;border:0 solid}img,svg,iframe{display:block;vertical-align:middle}img{max-width:100%;height:auto}',
  'a theme that recolours everything': '*{color:#c00!important;font-size:30px;line-height:3}path{stroke:red}',
};

interface HostPage {
  readonly body: string;
  readonly stylesheet?: string;
  readonly policy?: string;
  readonly direction?: 'rtl';
}

class HostServer {
  page: HostPage = { body: '' };
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request =>
      new URL(request.url).pathname === '/host.css'
        ? new Response(this.page.stylesheet, { headers: { 'Content-Type': 'text/css' } })
        : new Response(this.#document(), { headers: this.#headers() }),
  });

  get url(): string {
    return this.#server.url.origin;
  }

  #headers(): Record<string, string> {
    const { policy } = this.page;
    return {
      'Content-Type': 'text/html; charset=utf-8',
      ...(policy && { 'Content-Security-Policy': policy }),
    };
  }

  #document(): string {
    const { body, direction = 'ltr' } = this.page;
    return `<!doctype html><html lang="en" dir="${direction}"><title>Host</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/host.css"><main><h1>Host</h1>${body}</main></html>`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

let browser: Browser;
let server: PageServer;
let host: HostServer;
/** The code of a clock by its form, as the studio shows it. */
const snippets: Record<string, string> = {};

beforeAll(async () => {
  if (!hasChromium) return;
  server = new PageServer();
  server.now = Date.now;
  host = new HostServer();
  browser = await launchChromium();
  const { page } = await openPage(browser, server.url, '/clocks');
  await page.locator('[data-exhibit=analog-brass] [data-build]').click();
  for (const form of ['lines', 'fragment', 'frame', 'image']) {
    await page.locator(`[name=form][value=${form}]`).check();
    const marks = {
      lines: 'data-service-clock-src',
      fragment: 'service-clock-host',
      frame: '<iframe',
      image: '<img',
    };
    const code = page.locator('[data-builder-code]', { hasText: marks[form as keyof typeof marks] });
    snippets[form] = (await code.textContent())!;
  }
  await page.close();
}, BROWSER_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  server?.[Symbol.dispose]();
  host?.[Symbol.dispose]();
});

async function visit(page: HostPage): Promise<{ page: Page; messages: string[] }> {
  host.page = page;
  const opened = await browser.newPage();
  const messages: string[] = [];
  opened.on('console', message => messages.push(message.text()));
  opened.on('pageerror', error => messages.push(error.message));
  await opened.goto(host.url);
  return { page: opened, messages };
}

/** Waits until the clock of a form runs, or stands in its place, and returns its size in pixels. */
async function shownSize(page: Page, form: string): Promise<readonly [width: number, height: number]> {
  if (form === 'image') {
    await page.waitForFunction(() => document.querySelector('img')!.naturalWidth > 0);
    return boxOf(page, 'img');
  }
  if (form !== 'frame') {
    await page.waitForFunction(() => 'serviceClock' in globalThis);
    return boxOf(page, '.service-clock');
  }
  await page.frameLocator('iframe').locator('.service-clock').waitFor();
  return boxOf(page, 'iframe');
}

async function boxOf(page: Page, selector: string): Promise<readonly [width: number, height: number]> {
  const element = page.locator(selector).first();
  await element.waitFor();
  const { width, height } = (await element.boundingBox())!;
  return [Math.round(width), Math.round(height)];
}

describe('what the studio shows works on pages of another host', () => {
  for (const [name, stylesheet] of Object.entries(STYLESHEETS)) {
    inChromium(name, async () => {
      for (const [form, body] of Object.entries(snippets)) {
        for (const direction of ['ltr', 'rtl'] as const) {
          const { page, messages } = await visit({
            body,
            stylesheet,
            ...(direction === 'rtl' && { direction }),
          });
          expect([form, ...(await shownSize(page, form))]).toEqual([form, 240, 240]);
          expect(messages).toEqual([]);
          await page.close();
        }
      }
    });
  }

  inChromium('under a strict policy with Trusted Types', async () => {
    const from = ['script-src', 'style-src', 'connect-src', 'frame-src', 'img-src'].map(
      directive => `${directive} 'self' ${server.url} ${directive === 'img-src' ? 'data:' : ''}`,
    );
    const policy = `default-src 'none'; ${from.join(';')}; require-trusted-types-for 'script'`;
    for (const form of ['lines', 'fragment', 'image']) {
      const { page, messages } = await visit({ body: snippets[form]!, policy });
      expect([form, ...(await shownSize(page, form))]).toEqual([form, 240, 240]);
      expect(messages).toEqual([]);
      await page.close();
    }
  });

  inChromium('where scripts are stripped, as frame and image, and otherwise as a link', async () => {
    const strip = (html: string) => html.replaceAll(/<script.*?<\/script>/gs, '');
    for (const form of ['frame', 'image']) {
      const { page } = await visit({ body: strip(snippets[form]!) });
      expect(await shownSize(page, form)).toEqual([240, 240]);
      await page.close();
    }
    const { page } = await visit({ body: strip(snippets['lines']!) });
    const link = page.locator('main a');
    expect(await link.textContent()).toStartWith('Time in ');
    expect(await link.getAttribute('href')).toStartWith(`${server.url}/embed/clock?style=analog-brass`);
    await page.close();
  });

  inChromium(
    'when a component changes its attribute, and with a warning for a zone that is not one',
    async () => {
      const { page, messages } = await visit({ body: snippets['lines']! });
      await shownSize(page, 'lines');
      const change = (query: string) =>
        page.evaluate(
          source =>
            document
              .querySelector('[data-service-clock-src]')!
              .setAttribute('data-service-clock-src', source),
          `${server.url}/v1/time/clock?${query}`,
        );
      await change('style=analog-slate&tz=Asia/Tokyo&ground=10243e&size=120px');
      await page.locator('.service-clock[data-style=analog-slate]').waitFor();
      expect(await boxOf(page, '.service-clock')).toEqual([120, 120]);
      expect(messages).toEqual([]);
      const warned = page.waitForEvent('console', message => message.type() === 'warning');
      await change('style=analog-slate&tz=Asia/Tokio');
      expect((await warned).text()).toContain("'Asia/Tokio' is not a zone");
      await page.close();
    },
  );
});

inChromium('gallery and builder have no violation that axe finds, on light and on dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openPage(browser, server.url, '/clocks');
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page)).toEqual([]);
    await page.locator('[data-exhibit=digital-card] [data-build]').click();
    await page.locator('[data-builder-code]', { hasText: 'digital-card' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.close();
  }
});
