import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openPage } from '../support/browser.ts';
import type { PageServer } from './page_server.ts';

/** The forms of a clock's code in the studio, and what each contains. */
const MARKS = {
  lines: 'data-service-clock-src',
  fragment: 'service-clock-host',
  frame: '<iframe',
  image: '<img',
};
export type Form = keyof typeof MARKS;

/** The studio's code for a brass clock, by form. */
export async function studioSnippets(browser: Browser, server: PageServer): Promise<Record<Form, string>> {
  const { page } = await openPage(browser, server.url, '/clocks');
  await page.locator('[data-exhibit=analog-brass] [data-build]').click();
  const snippets: Partial<Record<Form, string>> = {};
  for (const [form, hasText] of Object.entries(MARKS) as [Form, string][]) {
    await page.locator(`[name=form][value=${form}]`).check();
    snippets[form] = (await page.locator('[data-builder-code]', { hasText }).textContent())!;
  }
  return snippets as Record<Form, string>;
}

export interface HostPage {
  readonly body: string;
  readonly stylesheet?: string;
  /** Runs before the body is parsed. */
  readonly script?: string;
  readonly policy?: string;
  readonly direction?: 'rtl';
}

/** A server for a third-party host's pages, on another origin than the clocks. */
export class HostServer {
  page: HostPage = { body: '' };
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request => {
      const { stylesheet, script } = this.page;
      const { pathname } = new URL(request.url);
      if (pathname === '/host.css')
        return new Response(stylesheet, { headers: { 'Content-Type': 'text/css' } });
      if (pathname === '/host.js')
        return new Response(script, { headers: { 'Content-Type': 'text/javascript' } });
      return new Response(this.#document(), { headers: this.#headers() });
    },
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
    return `<!doctype html><html lang="en" dir="${direction}"><title>Host</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/host.css"><script src="/host.js"></script><main><h1>Host</h1>${body}</main></html>`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

/** Opens a page of another host. Its messages are its console messages and errors. */
export async function visit(
  browser: Browser,
  host: HostServer,
  page: HostPage,
): Promise<{ page: Page; messages: string[] }> {
  host.page = page;
  const opened = await browser.newPage();
  const messages: string[] = [];
  opened.on('console', message => messages.push(message.text()));
  opened.on('pageerror', error => messages.push(error.message));
  await opened.goto(host.url);
  return { page: opened, messages };
}

/** Waits until the clock of a form runs, or is in place, and returns its size in pixels. */
export async function shownSize(page: Page, form: string): Promise<readonly [width: number, height: number]> {
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

export async function boxOf(page: Page, selector: string): Promise<readonly [width: number, height: number]> {
  const element = page.locator(selector).first();
  await element.waitFor();
  const { width, height } = (await element.boundingBox())!;
  return [Math.round(width), Math.round(height)];
}

const PACKAGES = join(import.meta.dir, '..', 'clients', 'node_modules');

function packaged(path: string): Promise<string> {
  return Bun.file(join(PACKAGES, path)).text();
}

/** The stylesheet that Tailwind compiles from its directives, as served to a page. */
async function tailwind(directives: string): Promise<string> {
  const { compile } = await import(join(PACKAGES, 'tailwindcss/dist/lib.mjs'));
  const loadStylesheet = async (id: string, base: string) => {
    const path = join(PACKAGES, id === 'tailwindcss' ? 'tailwindcss/index.css' : id);
    return { path, base, content: await Bun.file(path).text() };
  };
  return (await compile(directives, { loadStylesheet })).build(['p-4', 'flex', 'text-red-600']);
}

/** Stylesheets of third-party pages, as shipped by their frameworks. */
export const STYLESHEETS: Readonly<Record<string, () => Promise<string>>> = {
  'a plain page': async () => '',
  Bootstrap: () => packaged('bootstrap/dist/css/bootstrap.min.css'),
  Tailwind: () => tailwind('@import "tailwindcss";'),
  'Preflight of Tailwind, without layers': () =>
    tailwind('@import "tailwindcss/theme.css"; @import "tailwindcss/preflight.css";'),
  'a theme that recolours everything': async () =>
    '*{color:#c00!important;font-size:30px;line-height:3}path{stroke:red}',
};

/** The script of `tests/clients/react_page.ts` with React. */
export async function reactScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(PACKAGES, '..', 'react_page.ts')],
    target: 'browser',
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputs[0]!.text();
}
