import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { once } from '../../src/common/caching.ts';
import type { ReactPageDriver, ReactPageProps } from '../clients/react_page.ts';
import { renderedPage } from '../clients/react_server.ts';
import { axeViolations, hasChromium, inChromium, openPage, withBrowser } from '../support/browser.ts';
import {
  boxOf,
  type Form,
  type HostPage,
  HostServer,
  reactScript,
  STYLESHEETS,
  shownSize,
  studioSnippets,
  visit,
} from './host_server.ts';
import { PageServer } from './page_server.ts';

const browser = withBrowser();
const server = new PageServer(Date.now);
const host = new HostServer();
let snippets: Readonly<Record<Form, string>>;

beforeAll(async () => {
  if (hasChromium) snippets = await studioSnippets(browser(), server);
});

afterAll(() => {
  server[Symbol.dispose]();
  host[Symbol.dispose]();
});

const open = (page: HostPage) => visit(browser(), host, page);

/**
 * What WordPress leaves of an author's content (`wp_kses_post`): no scripts, frames, drawings or style sheets, but `data-`
 * attributes.
 */
const KSES = {
  ALLOWED_TAGS: ['a', 'b', 'br', 'div', 'em', 'figure', 'i', 'img', 'p', 'span', 'strong', 'time'],
  ALLOWED_ATTR: [
    ...['href', 'title', 'rel', 'class', 'id', 'src', 'alt', 'width', 'height', 'loading', 'datetime'],
    'role',
  ],
  ALLOW_DATA_ATTR: true,
};
const PURIFIER = readFileSync(require.resolve('dompurify/dist/purify.min.js'), 'utf8');

/** A page that sanitises content before showing it. */
function purified(content: string): HostPage {
  const show = `document.querySelector('main').innerHTML += DOMPurify.sanitize(${JSON.stringify(content)}, ${JSON.stringify(KSES)})`;
  return { body: '', script: `${PURIFIER}\naddEventListener('DOMContentLoaded', () => { ${show} })` };
}

describe("the studio's code works on pages of another host", () => {
  for (const [name, load] of Object.entries(STYLESHEETS)) {
    inChromium(name, async () => {
      const stylesheet = await load();
      for (const [form, body] of Object.entries(snippets)) {
        for (const direction of ['ltr', 'rtl'] as const) {
          const { page, messages } = await open({
            body,
            stylesheet,
            ...(direction === 'rtl' && { direction }),
          });
          expect([form, ...(await shownSize(page, form))]).toEqual([form, 240, 240]);
          expect(messages).toEqual([]);
        }
      }
    });
  }

  inChromium('under a strict policy with Trusted Types', async () => {
    const from = ['script-src', 'style-src', 'connect-src', 'frame-src', 'img-src'].map(
      directive => `${directive} 'self' ${server.url} ${directive === 'img-src' ? 'data:' : ''}`,
    );
    const policy = `default-src 'none'; ${from.join(';')}; require-trusted-types-for 'script'`;
    for (const form of ['lines', 'fragment', 'image'] as const) {
      const { page, messages } = await open({ body: snippets[form]!, policy });
      expect([form, ...(await shownSize(page, form))]).toEqual([form, 240, 240]);
      expect(messages).toEqual([]);
    }
  });

  inChromium("as WordPress sanitises an author's: as an image, otherwise as a link or text", async () => {
    const image = await open(purified(snippets.image));
    expect(await shownSize(image.page, 'image')).toEqual([240, 240]);
    const lines = await open(purified(snippets.lines));
    const link = lines.page.locator('main a');
    expect(await link.textContent()).toStartWith('Time in ');
    expect(await link.getAttribute('href')).toStartWith(`${server.url}/embed/clock?style=analog-brass`);
    const fragment = await open(purified(snippets.fragment));
    expect(await fragment.page.locator('main time').textContent()).toMatch(/^\d\d:\d\d, /);
    for (const { messages } of [image, lines, fragment]) expect(messages).toEqual([]);
  });

  inChromium('if scripts are stripped and frames are not', async () => {
    const { page } = await open({ body: snippets.frame.replaceAll(/<script.*?<\/script>/gs, '') });
    expect(await shownSize(page, 'frame')).toEqual([240, 240]);
  });

  inChromium('as WordPress embeds a URL: in a frame that may run scripts but has no origin', async () => {
    const address = `${server.url}/embed/clock?style=digital-card&tz=Asia/Tokyo`;
    const response = await fetch(`${server.url}/oembed?url=${encodeURIComponent(address)}`);
    const { html } = (await response.json()) as { html: string };
    const { page, messages } = await open({
      body: html.replace('<iframe', '<iframe sandbox="allow-scripts"'),
    });
    const time = page.frameLocator('iframe').locator('time');
    const shown = await time.getAttribute('datetime');
    await page
      .frameLocator('iframe')
      .locator(`time:not([datetime="${shown}"])`)
      .waitFor({ state: 'attached' });
    expect(messages).toEqual([]);
  });

  inChromium('when a component changes its attribute, with a warning for an unknown zone', async () => {
    const { page, messages } = await open({ body: snippets['lines']! });
    await shownSize(page, 'lines');
    const change = (query: string) =>
      page.evaluate(
        source =>
          document.querySelector('[data-service-clock-src]')!.setAttribute('data-service-clock-src', source),
        `${server.url}/v1/time/clock?${query}`,
      );
    await change('style=analog-slate&tz=Asia/Tokyo&ground=10243e&size=120px');
    await page.locator('.service-clock[data-style=analog-slate]').waitFor();
    expect(await boxOf(page, '.service-clock')).toEqual([120, 120]);
    expect(messages).toEqual([]);
    const warned = page.waitForEvent('console', message => message.type() === 'warning');
    await change('style=analog-slate&tz=Asia/Tokio');
    expect((await warned).text()).toContain("'Asia/Tokio' is not a zone");
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  inChromium(`axe finds no violations in gallery and builder, on ${colorScheme} pages`, async () => {
    const { page } = await openPage(browser(), server.url, '/clocks');
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page)).toEqual([]);
    await page.locator('[data-exhibit=digital-card] [data-build]').click();
    await page.locator('[data-builder-code]', { hasText: 'digital-card' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
}

inChromium('axe finds no violations in pages for frames, which have no text too small to read', async () => {
  for (const path of [
    '/embed/clock?style=analog-station&tz=Europe/Zurich',
    '/embed/board?style=digital-slate&tz=Asia/Tokyo,UTC',
  ]) {
    const { page } = await openPage(browser(), server.url, path);
    expect(await axeViolations(page)).toEqual([]);
    const said = page.locator('.sc-said').first();
    expect(await said.evaluate(text => Number.parseFloat(getComputedStyle(text).fontSize))).toBe(12);
  }
});

declare const reactPage: ReactPageDriver;

const script = once(reactScript);

/** A page with the clock script and an element for React. */
async function openReact(markup = '') {
  const body = `<div id="app">${markup}</div><script async src="${server.url}/v1/time/clock/assets/v1/clock.js"></script>`;
  return visit(browser(), host, { body, script: await script() });
}

function render(page: Page, props: ReactPageProps): Promise<void> {
  return page.evaluate(given => reactPage.render(document.querySelector('#app')!, given), props);
}

const propsOf = (query: string, label: string): ReactPageProps => ({
  source: `${server.url}/v1/time/clock?${query}`,
  label,
});

function clockIn(page: Page, place: string) {
  return page.locator(`#app .service-clock[aria-label="Time in ${place}"]`);
}

/** Waits until the script has shown a later second than the server. */
async function untilRunning(page: Page, place: string): Promise<void> {
  const time = clockIn(page, place).locator('time');
  const shown = await time.getAttribute('datetime');
  await clockIn(page, place).locator(`time:not([datetime="${shown}"])`).waitFor({ state: 'attached' });
}

describe('in a React page', () => {
  inChromium('a clock follows its props, leaves, and comes back', async () => {
    const { page, messages } = await openReact();
    await render(page, propsOf('style=analog-slate&tz=Asia/Tokyo&size=120px', 'Tokyo'));
    await untilRunning(page, 'Tokyo');
    expect(await boxOf(page, '.service-clock')).toEqual([120, 120]);
    await render(page, propsOf('style=digital-card&tz=Europe/Paris&size=100px', 'Paris'));
    await untilRunning(page, 'Paris');
    expect(await page.locator('#app > p').allTextContents()).toEqual(['Before Paris', 'After']);
    expect(await boxOf(page, '.service-clock')).toEqual([200, 80]);
    await render(page, { label: 'none' });
    await page.locator('#app p', { hasText: 'Before none' }).waitFor();
    expect(await page.locator('#app').textContent()).toBe('Before noneAfter');
    await render(page, propsOf('style=digital-card&tz=Europe/Paris&size=100px', 'Paris'));
    await untilRunning(page, 'Paris');
    expect(await page.locator('#app .service-clock').count()).toBe(1);
    expect(messages.filter(message => !message.includes('React DevTools'))).toEqual([]);
  });

  inChromium('a fragment runs as the content of an element, and so does the next', async () => {
    const { page, messages } = await openReact();
    for (const [zone, place] of [
      ['Asia/Tokyo', 'Tokyo'],
      ['Europe/Paris', 'Paris'],
    ] as const) {
      const fragment = await server.fragment(`style=analog-brass&tz=${zone}`);
      await render(page, { fragment: fragment.replaceAll('"/v1/time/', `"${server.url}/v1/time/`) });
      await untilRunning(page, place);
    }
    expect(await page.locator('#app .service-clock').count()).toBe(1);
    expect(messages.filter(message => !message.includes('React DevTools'))).toEqual([]);
  });

  inChromium('a clock runs on when React hydrates the markup that the script has filled', async () => {
    const props = propsOf('style=analog-slate&tz=Asia/Tokyo', 'Tokyo');
    const { page } = await openReact(renderedPage(props));
    await untilRunning(page, 'Tokyo');
    await page.evaluate(given => reactPage.hydrate(document.querySelector('#app')!, given), props);
    await render(page, propsOf('style=digital-card&tz=Europe/Paris', 'Paris'));
    await untilRunning(page, 'Paris');
    expect(await page.locator('#app > p').allTextContents()).toEqual(['Before Paris', 'After']);
  });
});
