import { afterAll, describe, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { once } from '../../src/common/caching.ts';
import type { ReactPageDriver, ReactPageProps } from '../clients/react_page.ts';
import { renderedPage } from '../clients/react_server.ts';
import { inChromium, withBrowser } from '../support/browser.ts';
import { boxOf, HostServer, reactScript, visit } from './host_server.ts';
import { PageServer } from './page_server.ts';

declare const reactPage: ReactPageDriver;

const browser = withBrowser();
const server = new PageServer(Date.now);
const host = new HostServer();
afterAll(() => {
  server[Symbol.dispose]();
  host[Symbol.dispose]();
});
const script = once(reactScript);

/** A page with the clock script and an element for React. */
async function open(markup = '') {
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
    const { page, messages } = await open();
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
    const { page, messages } = await open();
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
    const { page } = await open(renderedPage(props));
    await untilRunning(page, 'Tokyo');
    await page.evaluate(given => reactPage.hydrate(document.querySelector('#app')!, given), props);
    await render(page, propsOf('style=digital-card&tz=Europe/Paris', 'Paris'));
    await untilRunning(page, 'Paris');
    expect(await page.locator('#app > p').allTextContents()).toEqual(['Before Paris', 'After']);
  });
});
