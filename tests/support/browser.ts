import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { newFolder, type RunningServer, startServer } from './process.ts';

const CHROMIUM = '/usr/bin/chromium';

/** The only fonts available to pages, so that layouts do not depend on the machine. */
const FONTS = join(import.meta.dir, '..', '..', 'node_modules', '@expo-google-fonts');
/** DejaVu Sans, used only if a page names it. */
const DEJAVU = join(import.meta.dir, '..', 'clients', 'node_modules', 'dejavu-fonts-ttf', 'ttf');
/** The font families in stylesheets, and their substitutes in {@link FONTS}. */
const FAMILIES: Readonly<Record<string, string>> = {
  'sans-serif': 'Arimo',
  'system-ui': 'Roboto',
  serif: 'Tinos',
  monospace: 'Cousine',
  'Arial Narrow': 'Archivo Narrow',
};

/** Whether a browser is available. */
export const hasChromium = existsSync(CHROMIUM);

/** A browser can be slow on a busy machine. */
const BROWSER_TIMEOUT_MS = 180_000;

const browsers = new Set<Browser>();

/** A test in the browser, after which all pages are closed. */
export function inChromium(claim: string, body: () => Promise<void>): void {
  test.skipIf(!hasChromium)(`${claim} (requires ${CHROMIUM})`, async () => {
    try {
      await body();
    } finally {
      const contexts = [...browsers].flatMap(browser => browser.contexts());
      await Promise.all(contexts.map(context => context.close()));
    }
  });
}

/** Starts a browser that reaches only loopback, and has no fonts except {@link FONTS} or {@link DEJAVU}. */
export async function launchChromium(families = FAMILIES): Promise<Browser> {
  const folder = newFolder();
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    env: { ...process.env, FONTCONFIG_FILE: fontConfiguration(folder, families) },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
  browsers.add(browser);
  browser.on('disconnected', () => browsers.delete(browser));
  return browser;
}

/** Starts a browser before the tests of a file, and stops it afterwards. The returned function returns it in tests. */
export function withBrowser(families = FAMILIES): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (hasChromium) browser = await launchChromium(families);
  });
  afterAll(() => browser?.close());
  return () => browser!;
}

/** Writes a fontconfig configuration with only one of these folders, and returns its path. */
function fontConfiguration(folder: string, families: typeof FAMILIES): string {
  const path = join(folder, 'fonts.conf');
  const fonts = Object.values(families).includes('DejaVu Sans') ? DEJAVU : FONTS;
  const rules = Object.entries(families).map(
    ([family, font]) =>
      `<match target="scan"><test name="family"><string>${font}</string></test>` +
      `<edit name="family" mode="append"><string>${family}</string></edit></match>`,
  );
  writeFileSync(
    path,
    `<fontconfig><dir>${fonts}</dir><cachedir>${folder}</cachedir>${rules.join('')}</fontconfig>`,
  );
  return path;
}

/** A page, its requests, and its errors. */
export interface WatchedPage {
  readonly page: Page;
  /** Paths with queries, in request order. */
  readonly requests: readonly string[];
  /** Requests to other hosts, failed requests, errors and warnings on the console: none is expected. */
  readonly faults: readonly string[];
}

/** Opens a path of a server, whose URL is `base`, and waits until its requests are finished. */
export async function openPage(
  browser: Browser,
  base: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const page = await browser.newPage({ timezoneId: 'Asia/Tokyo', ...options });
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  const requests: string[] = [];
  const faults: string[] = [];
  page.on('request', request => {
    if (request.url().startsWith(base)) requests.push(request.url().slice(base.length));
    else faults.push(`asks ${request.url()}`);
  });
  page.on('requestfailed', request => faults.push(`failed ${request.url()}`));
  page.on('response', response => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', error => faults.push(error.message));
  await page.goto(base + path, { waitUntil: 'networkidle' });
  // On a busy machine the browser is idle before it has run all scripts.
  await page.waitForLoadState();
  return { page, requests, faults };
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** axe's findings for a loaded page: rules, each with the first element that violates it. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Responses that are about to be replaced are dimmed.
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  // Evaluated through the protocol, which no content security policy restricts.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}

type PageTarget = BrowserContextOptions & { readonly path: string };
export type PageTest = (page: Page, requests: WatchedPage['requests']) => Promise<void>;

/** A server and a browser for the tests of a file. */
export interface Pages {
  readonly browser: Browser;
  /** The URL of the server. */
  readonly url: string;
  /** Opens a path of the server, as {@link openPage} does. */
  open(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  /** A test of a page of the server, which is opened before it, must have no faults, and is closed. */
  test(claim: string, target: string | PageTarget, body: PageTest): void;
}

/** Starts a server and a browser before the tests of a file, and stops them afterwards. */
export function withPages(): Pages {
  const browser = withBrowser();
  let server: RunningServer | undefined;
  beforeAll(async () => {
    if (hasChromium) server = await startServer();
  });
  afterAll(() => server?.[Symbol.dispose]());
  return {
    get browser() {
      return browser();
    },
    get url() {
      return server!.url; // set while tests run
    },
    open: (path, options) => openPage(browser(), server!.url, path, options),
    test(claim, target, body) {
      const { path, ...options } = typeof target === 'string' ? { path: target } : target;
      inChromium(claim, async () => {
        const { page, faults, requests } = await this.open(path, options);
        await body(page, requests);
        expect(faults).toEqual([]);
      });
    },
  };
}
