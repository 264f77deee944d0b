import { afterEach, beforeEach, describe, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { hasChromium, inChromium, withBrowser } from '../support/browser.ts';
import { until } from '../support/process.ts';
import { PageServer } from './page_server.ts';

/** 2026-04-15T17:30:47.500Z: halfway through a second; the server's time unless a test changes it. */
const NOW_MS = 1_776_274_247_500;

const SCRIPT = '<script src="/v1/time/clock/assets/v1/clock.js"></script>';

const browser = withBrowser();
let server: PageServer;
let page: Page;
let faults: string[];

beforeEach(async () => {
  if (!hasChromium) return;
  server = new PageServer(() => NOW_MS);
  faults = [];
  page = await browser().newPage({ timezoneId: 'Asia/Tokyo', viewport: { width: 1200, height: 900 } });
  page.on('console', message => {
    const isTold = message.type() === 'error' || message.type() === 'warning';
    // The browser logs every error response.
    if (isTold && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
  });
  page.on('pageerror', error => faults.push(error.message));
});

afterEach(async () => {
  server?.[Symbol.dispose]();
  if (hasChromium) expect(faults).toEqual([]);
});

interface PageTime {
  /** Advances time, timer by timer; or in one go, as if the machine had been too busy. */
  advance(ms: number): void;
  jump(ms: number): void;
  timers(): Timers;
}

interface Timers {
  /** The maximum number set at the same time. */
  readonly most: number;
  readonly now: number;
  /** Timers of other kinds ever set. */
  readonly others: number;
}

/** Runs in the page before anything else: time is stopped there unless a test advances it. */
function holdTime(visitorMs: number): void {
  const timers = new Map<number, { dueMs: number; run: () => void }>();
  let [elapsedMs, ids, most, others] = [100, 0, 0, 0];
  const scope = globalThis as unknown as Record<string, unknown>;
  Date.now = () => visitorMs + elapsedMs - 100;
  performance.now = () => elapsedMs;
  Math.random = () => 0.5;
  scope['setTimeout'] = (run: () => void, ms = 0) => {
    timers.set(++ids, { dueMs: elapsedMs + ms, run });
    most = Math.max(most, timers.size);
    return ids;
  };
  scope['clearTimeout'] = (id: number) => timers.delete(id);
  for (const name of ['setInterval', 'requestAnimationFrame', 'requestIdleCallback']) {
    scope[name] = () => ++others;
  }
  const runNext = (untilMs: number): boolean => {
    const [next] = [...timers].sort(([, a], [, b]) => a.dueMs - b.dueMs);
    if (next === undefined || next[1].dueMs > untilMs) return false;
    timers.delete(next[0]);
    elapsedMs = Math.max(elapsedMs, next[1].dueMs);
    next[1].run();
    return true;
  };
  const pageTime: PageTime = {
    advance(ms) {
      const untilMs = elapsedMs + ms;
      while (runNext(untilMs));
      elapsedMs = untilMs;
    },
    jump(ms) {
      elapsedMs += ms;
      const count = timers.size;
      for (let index = 0; index < count; index++) runNext(elapsedMs);
    },
    timers: () => ({ most, others, now: timers.size }),
  };
  scope['pageTime'] = pageTime;
}

type WithTime = typeof globalThis & { pageTime: PageTime };

/** Advances the page's time; the page has time for its work between minutes. */
async function advance(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    await page.evaluate(ms => (globalThis as WithTime).pageTime.advance(ms), Math.min(left, 60_000));
  }
}

async function jump(ms: number): Promise<void> {
  await page.evaluate(ms => (globalThis as WithTime).pageTime.jump(ms), ms);
}

function timers(): Promise<Timers> {
  return page.evaluate(() => (globalThis as WithTime).pageTime.timers());
}

/** Waits until the page has the responses to its earlier requests. */
async function settle(): Promise<void> {
  await page.evaluate(() => fetch('/healthz').then(response => response.text()));
}

/** The local times that the page's clocks show, in order. */
function shownTimes(): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[data-service-clock] time')].map(time => time.getAttribute('datetime')!),
  );
}

/** The page's only clock: its local time, and whether it is marked as not the server's. */
async function shown(): Promise<{ time: string; isMarked: boolean }> {
  const [time] = await shownTimes();
  const isMarked = await page.evaluate(
    () => document.querySelector('[data-service-clock][data-unsynchronised]') !== null,
  );
  return { time: time!, isMarked };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Opens the page at an instant of the visitor's clock, which is then stopped until the test advances it. */
async function openAt(visitorMs: number): Promise<void> {
  await page.addInitScript(holdTime, visitorMs);
  await page.goto(`${server.url}/page`, { waitUntil: 'load' });
  await visibilityReported();
}

/** Opens a page with one clock. */
async function openClock(query: string, visitorMs = NOW_MS): Promise<void> {
  server.body = await server.fragment(query);
  await openAt(visitorMs);
}

/** Waits until the script knows which clocks are visible: the browser reports that to all observers when it renders. */
async function visibilityReported(): Promise<void> {
  await page.evaluate(
    () => new Promise<void>(resolve => new IntersectionObserver(() => resolve()).observe(document.body)),
  );
}

/** Waits until the page shows a time after a response. */
async function expectShown(time: string): Promise<void> {
  const expected = { time, isMarked: false };
  for (let attempt = 0; attempt < 100 && !Bun.deepEquals(await shown(), expected); attempt++)
    await Bun.sleep(50);
  expect(await shown()).toEqual(expected);
}

/** Waits until the page reports something on its console. */
async function expectFault(text: string): Promise<void> {
  for (let looks = 0; looks < 100 && faults.length === 0; looks++) await page.waitForTimeout(20);
  expect(faults.splice(0)).toEqual([expect.stringContaining(text)]);
}

describe('a new clock', () => {
  inChromium('ticks every second, and sends no request for most of an hour', async () => {
    await openClock('style=digital-minimal&tz=Asia/Kolkata');
    expect(await shown()).toEqual({ time: '2026-04-15T23:00:47+05:30', isMarked: false });
    await advance(499);
    expect((await shown()).time).toBe('2026-04-15T23:00:47+05:30');
    await advance(2);
    expect((await shown()).time).toBe('2026-04-15T23:00:48+05:30');
    await advance(50 * MINUTE_MS);
    expect(await shown()).toEqual({ time: '2026-04-15T23:50:48+05:30', isMarked: false });
    expect(server.requests).toEqual([]);
  });

  inChromium('requests the time about once an hour, and adopts it', async () => {
    await openClock('style=analog-station&tz=Asia/Kolkata');
    // The visitor's machine is slow by a minute per hour.
    server.now = () => NOW_MS + 61 * MINUTE_MS;
    await advance(HOUR_MS - 1);
    expect(server.requests).toEqual([]);
    await advance(1);
    await expectShown('2026-04-16T00:01:47+05:30');
    expect(server.requests).toEqual(['/v1/time/current?tz=Asia%2FKolkata&format=%25Z']);
  });

  inChromium("is right although the visitor's clock is slightly behind", async () => {
    await openClock('style=digital-minimal&tz=UTC', NOW_MS - 4000);
    await expectShown('2026-04-15T17:30:47+00:00');
  });
});

describe('a fragment stored yesterday', () => {
  inChromium("shows the server's time, however wrong the visitor's clock is", async () => {
    server.body = await server.fragment('style=digital-minimal&offset=-03:30');
    server.now = () => NOW_MS + DAY_MS;
    await openAt(NOW_MS + DAY_MS - 600_000);
    await expectShown('2026-04-16T14:00:47-03:30');
    expect(server.requests).toEqual(['/v1/time/current?offset=-03%3A30&format=%25Z']);
  });

  for (const status of [401, 403, 404, 429, 500, 502]) {
    inChromium(`uses the visitor's clock if rejected with ${status}, says so, and backs off`, async () => {
      server.body = await server.fragment('style=digital-minimal&tz=America/New_York');
      server.rejection = status;
      await openAt(NOW_MS + DAY_MS);
      expect(await shown()).toEqual({ time: '2026-04-16T13:30:47-04:00', isMarked: true });
      for (let minute = 0; minute < 180; minute++) {
        await advance(MINUTE_MS);
        await settle();
      }
      expect(await shown()).toEqual({ time: '2026-04-16T16:30:47-04:00', isMarked: true });
      expect(server.requests.length).toBeGreaterThan(1);
      expect(server.requests.length).toBeLessThan(16);
    });
  }

  inChromium('ignores an invalid response', async () => {
    server.body = await server.fragment('style=digital-minimal&tz=America/New_York');
    for (const body of [
      '<html>Please sign in</html>',
      'null',
      '{"unix_ms":"now"}',
      '{"unix_ms":1e300,"iso_local":null,"formatted":"UTC"}',
      '{"unix_ms":5,"iso_local":"1970-01-01T02:00:00+01:00","formatted":"CET"}',
    ]) {
      await page.route('**/v1/time/current*', route => route.fulfill({ body }));
      await openAt(NOW_MS + DAY_MS);
      await settle();
      expect(await shown()).toEqual({ time: '2026-04-16T13:30:47-04:00', isMarked: true });
      await page.unroute('**/v1/time/current*');
    }
  });

  inChromium('has the right offset although changes have passed since', async () => {
    server.body = await server.fragment('style=digital-minimal&tz=America/New_York');
    server.rejection = 401;
    await openAt(Date.UTC(2026, 11, 24, 18));
    expect(await shown()).toEqual({ time: '2026-12-24T13:00:00-05:00', isMarked: true });
    await jump(Date.UTC(2029, 6, 4, 12) - Date.UTC(2026, 11, 24, 18));
    expect((await shown()).time).toBe('2029-07-04T08:00:00-04:00');
  });

  inChromium('retries as soon as the network is back', async () => {
    server.body = await server.fragment('style=digital-minimal&tz=UTC');
    server.rejection = 500;
    await openAt(NOW_MS + DAY_MS);
    await settle();
    server.rejection = null;
    server.now = () => NOW_MS + DAY_MS + HOUR_MS;
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await advance(1000);
    await expectShown('2026-04-16T18:30:47+00:00');
  });
});

describe('an offset change', () => {
  // In Paris, clocks go from 2:00 to 3:00 at 2026-03-29T01:00:00Z.
  const CHANGE_MS = Date.UTC(2026, 2, 29, 1);

  inChromium('takes effect at the right second while offline', async () => {
    server.now = () => CHANGE_MS - 90_500;
    await openClock('style=digital-minimal&tz=Europe/Paris', CHANGE_MS - 90_500);
    await page.context().setOffline(true);
    await advance(90_000);
    expect(await shown()).toEqual({ time: '2026-03-29T01:59:59+01:00', isMarked: false });
    await advance(501);
    expect(await shown()).toEqual({ time: '2026-03-29T03:00:00+02:00', isMarked: false });
    await advance(HOUR_MS);
    expect((await shown()).time).toBe('2026-03-29T04:00:00+02:00');
  });

  inChromium('is followed by a request for the next change', async () => {
    let aheadMs = 0;
    server.now = () => CHANGE_MS - 500 + aheadMs;
    await openClock('style=digital-minimal&tz=Europe/Paris', CHANGE_MS - 500);
    aheadMs = 5 * MINUTE_MS + 500;
    await advance(aheadMs);
    await expectShown('2026-03-29T03:05:00+02:00');
    expect(server.requests).toEqual(['/v1/time/current?tz=Europe%2FParis&format=%25Z&details=true']);
    // The next change: 2026-10-25T01:00:00Z, from 3:00 to 2:00.
    const nextMs = Date.UTC(2026, 9, 25, 1);
    server.rejection = 500;
    await jump(nextMs - 500 - server.now());
    expect((await shown()).time).toBe('2026-10-25T02:59:59+02:00');
    await advance(501);
    expect((await shown()).time).toBe('2026-10-25T02:00:00+01:00');
  });
});

describe('a clock with a given instant', () => {
  inChromium('runs on from there, applies offset changes, and never sends requests', async () => {
    await openClock('style=digital-minimal&iso=2026-03-29T00:59:30Z&tz=Europe/Paris');
    expect(await shown()).toEqual({ time: '2026-03-29T01:59:30+01:00', isMarked: false });
    await advance(30_000);
    expect(await shown()).toEqual({ time: '2026-03-29T03:00:00+02:00', isMarked: false });
    await advance(5 * HOUR_MS);
    expect(await shown()).toEqual({ time: '2026-03-29T08:00:00+02:00', isMarked: false });
    expect(server.requests).toEqual([]);
  });

  inChromium('can be of any year', async () => {
    for (const [iso, expected] of [
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+00:00'],
      ['1890-06-01T00:00:00Z', '1890-06-01T00:00:00+00:00'],
    ] as const) {
      await openClock(`style=analog-marine&iso=${iso}`);
      expect((await shown()).time).toBe(expected);
    }
  });
});

describe('a machine that sleeps for an hour', () => {
  /** Makes the page's wall clock jump, as when a machine wakes: its monotonic clock was stopped. */
  const sleepable = () => {
    const scope = globalThis as unknown as { sleptMs: number };
    scope.sleptMs = 0;
    const { now } = Date;
    Date.now = () => now() + scope.sleptMs;
  };
  const sleepAnHour = () =>
    page.evaluate(() => {
      (globalThis as unknown as { sleptMs: number }).sleptMs += 3_600_000;
    });
  /** The difference between the shown time and the page's clock, in milliseconds. */
  const wrongMs = () =>
    page.evaluate(
      () =>
        Date.now() -
        Date.parse(document.querySelector('[data-service-clock] time')!.getAttribute('datetime')!),
    );

  for (const isRejected of [false, true]) {
    inChromium(
      `shows the right time within a second of waking${isRejected ? ', marked as uncertain if rejected' : ''}`,
      async () => {
        await page.addInitScript(sleepable);
        server.now = Date.now;
        server.body = await server.fragment('style=digital-minimal&tz=UTC');
        await page.goto(`${server.url}/page`);
        await page.waitForFunction(() => 'serviceClock' in globalThis);
        expect(await wrongMs()).toBeLessThan(1500);
        // On a busy machine the page may have loaded so slowly that it fetched the time.
        await settle();
        const requestsBefore = server.requests.length;
        server.now = () => Date.now() + HOUR_MS;
        if (isRejected) server.rejection = 401;
        await sleepAnHour();
        await until(async () => Math.abs(await wrongMs()) < 1500);
        expect(await wrongMs()).toBeGreaterThan(-100);
        expect(await wrongMs()).toBeLessThan(1500);
        await page.waitForTimeout(1000); // in which a second request would be sent
        expect(server.requests.slice(requestsBefore)).toHaveLength(1);
        expect((await shown()).isMarked).toBe(isRejected);
      },
    );
  }
});

describe('a page with a hundred clocks', () => {
  const hundredClocks = async (styleAt: (index: number) => string) => {
    const queries = Array.from({ length: 100 }, (_, index) => `style=${styleAt(index)}&tz=Europe/Paris`);
    return (await Promise.all(queries.map(query => server.fragment(query)))).join('');
  };

  inChromium('has one timer, and neither nodes nor heap grow in ten minutes', async () => {
    server.body = await hundredClocks(index => STYLE_NAMES[index % STYLE_NAMES.length]!);
    server.stylesheet = '.service-clock-host { display: inline-block; --service-clock-size: 40px }';
    await openAt(NOW_MS);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const metrics = async () => {
      // Flaps still turning have listeners.
      await until(async () => (await page.locator('.sc-card > b:nth-child(4)').count()) === 0);
      await devtools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devtools.send('Performance.getMetrics');
      const value = (name: string) => metrics.find(metric => metric.name === name)!.value;
      return { nodes: value('Nodes'), listeners: value('JSEventListeners'), heap: value('JSHeapUsedSize') };
    };
    // By then the script is compiled, and its long-lived objects exist.
    await advance(10 * MINUTE_MS);
    const before = await metrics();
    await advance(10 * MINUTE_MS);
    const after = await metrics();
    // On crowded pages the machine-readable time has only minutes, like the label.
    expect(new Set(await shownTimes())).toEqual(new Set(['2026-04-15T19:50:00+02:00']));
    expect(await timers()).toEqual({ most: 1, others: 0, now: 1 });
    expect(after.nodes).toBeLessThanOrEqual(before.nodes * 1.01);
    expect(after.listeners).toBeLessThanOrEqual(before.listeners);
    // Compiled code varies by up to 5 %; 24 bytes per clock and second would be 70 %.
    expect(after.heap).toBeLessThan(before.heap * 1.1);
    expect(server.requests).toEqual([]);
  });

  inChromium('writes only what has changed', async () => {
    server.body = await hundredClocks(() => 'digital-minimal');
    server.stylesheet = '.service-clock-host { display: inline-block; --service-clock-size: 40px }';
    await openAt(NOW_MS);
    const writesIn = async (ms: number) => {
      await page.evaluate(() => {
        const scope = globalThis as unknown as { writes: number; watcher?: MutationObserver };
        scope.writes = 0;
        scope.watcher ??= new MutationObserver(records => {
          scope.writes += records.length;
        });
        const all = { subtree: true, childList: true, characterData: true, attributes: true };
        scope.watcher.observe(document, all);
      });
      await advance(ms);
      return page.evaluate(() => (globalThis as unknown as { writes: number }).writes);
    };
    // The first second discovers existing content; after that, only the visible time changes.
    await writesIn(1000);
    expect(await writesIn(10_000)).toBe(100 * 10);
  });

  inChromium('sends one request for all clocks of the same place', async () => {
    server.body = await hundredClocks(index => STYLE_NAMES[index % STYLE_NAMES.length]!);
    await openAt(NOW_MS + DAY_MS);
    await settle();
    expect(server.requests).toHaveLength(1);
  });

  inChromium('does nothing while hidden', async () => {
    await openClock('style=analog-station&tz=UTC');
    const hide = (isHidden: boolean) =>
      page.evaluate(isHidden => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await hide(true);
    expect((await timers()).now).toBe(0);
    await advance(2 * HOUR_MS);
    expect((await shown()).time).toBe('2026-04-15T17:30:47+00:00');
    expect(server.requests).toEqual([]);
    server.now = () => NOW_MS + 2 * HOUR_MS;
    await hide(false);
    await expectShown('2026-04-15T19:30:47+00:00');
    await until(() => server.requests.length > 0); // the visitor's clock shows the same time before the response
    expect(server.requests).toHaveLength(1);
  });

  inChromium('does not touch off-screen clocks until they come near', async () => {
    server.body = `<div class="far"></div>${await server.fragment('style=digital-minimal&tz=UTC')}`;
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        document.querySelector<HTMLElement>('.far')!.style.height = '5000px';
      });
    });
    await openAt(NOW_MS);
    await advance(10_000);
    expect((await shown()).time).toBe('2026-04-15T17:30:47+00:00');
    await page.evaluate(() => scrollTo(0, 5000));
    await expectShown('2026-04-15T17:30:57+00:00');
  });
});

describe('the script', () => {
  inChromium('may be included many times, and adds one global name', async () => {
    const plain = await browser().newPage();
    await plain.goto(`${server.url}/healthz`);
    const names = await plain.evaluate(() => Object.getOwnPropertyNames(globalThis));
    await plain.close();
    server.body =
      SCRIPT.repeat(3) + (await server.fragment('style=analog-station&tz=UTC')) + SCRIPT.repeat(3);
    await openAt(NOW_MS);
    const more = await page.evaluate(() => Object.getOwnPropertyNames(globalThis));
    const own = ['pageTime', ...more.filter(name => /^__/.test(name))];
    expect(more.filter(name => !names.includes(name) && !own.includes(name))).toEqual(['serviceClock']);
    await advance(1000);
    expect(await timers()).toEqual({ most: 1, others: 0, now: 1 });
    expect((await shown()).time).toBe('2026-04-15T17:30:48+00:00');
  });

  inChromium('finds clocks added later, in any order of their parts, and releases removed ones', async () => {
    server.body = `${SCRIPT}<main></main>`;
    await openAt(NOW_MS);
    expect((await timers()).now).toBe(0);
    const fragment = await server.fragment('style=digital-minimal&tz=UTC');
    await page.evaluate(html => {
      const template = document.createElement('template');
      template.innerHTML = html;
      const [host, config] = template.content.children;
      document.querySelector('main')!.append(host!);
      setTimeout(() => document.querySelector('main')!.append(config!), 500);
    }, fragment);
    await advance(500);
    await visibilityReported();
    await advance(3000);
    expect((await shown()).time).toBe('2026-04-15T17:30:51+00:00');
    expect((await timers()).now).toBe(1);
    await page.evaluate(() => {
      const scope = globalThis as unknown as { gone: WeakRef<Element> };
      scope.gone = new WeakRef(document.querySelector('[data-service-clock]')!);
      document.querySelector('main')!.replaceChildren();
    });
    expect((await timers()).now).toBe(0);
    const devtools = await page.context().newCDPSession(page);
    const isGone = () =>
      page.evaluate(() => (globalThis as unknown as { gone: WeakRef<Element> }).gone.deref() === undefined);
    // An object just accessed lives until its task ends, and sometimes one collection longer.
    for (let looks = 0; looks < 10 && !(await isGone()); looks++) {
      await devtools.send('HeapProfiler.collectGarbage');
    }
    expect(await isGone()).toBe(true);
  });

  inChromium('keeps a moved clock running', async () => {
    server.body = `<main></main>${await server.fragment('style=digital-minimal&tz=UTC')}`;
    await openAt(NOW_MS);
    await page.evaluate(() =>
      document.querySelector('main')!.append(document.querySelector('[data-service-clock]')!),
    );
    await visibilityReported();
    await advance(2000);
    expect((await shown()).time).toBe('2026-04-15T17:30:49+00:00');
  });

  inChromium('finds the clocks in a registered shadow tree', async () => {
    server.body = `<main></main>${SCRIPT}`;
    await openAt(NOW_MS);
    const fragment = await server.fragment('style=digital-minimal&tz=UTC');
    await page.evaluate(html => {
      const root = document.querySelector('main')!.attachShadow({ mode: 'open' });
      root.innerHTML = html;
      (globalThis as unknown as { serviceClock: { scan(root: ShadowRoot): void } }).serviceClock.scan(root);
    }, fragment);
    await visibilityReported();
    await advance(2000);
    const time = await page.evaluate(() =>
      document.querySelector('main')!.shadowRoot!.querySelector('time')!.getAttribute('datetime'),
    );
    expect(time).toBe('2026-04-15T17:30:49+00:00');
  });

  inChromium('leaves the picture of a clock with an unknown config', async () => {
    const fragment = await server.fragment('style=digital-minimal&tz=UTC');
    server.body =
      fragment.replace('"version":"v1"', '"version":"v9"') + (await server.fragment('style=analog-grid'));
    await openAt(NOW_MS);
    await advance(2000);
    expect(await shownTimes()).toEqual(['2026-04-15T17:30:47+00:00', '2026-04-15T17:30:49+00:00']);
  });

  inChromium('keeps the others running if one cannot be shown', async () => {
    // The text fits on Friday, and is too long on Saturday.
    const format = encodeURIComponent('%4090Y%A');
    server.now = () => Date.UTC(2026, 3, 17, 23, 59, 59, 500);
    server.body =
      (await server.fragment('style=digital-minimal&tz=UTC')) +
      (await server.fragment(`style=digital-minimal&tz=UTC&format=${format}`));
    await openAt(server.now());
    await advance(2000);
    expect(await shownTimes()).toEqual(['2026-04-18T00:00:01+00:00', '2026-04-17T23:59:59+00:00']);
    expect(faults.splice(0).join()).toContain('4096');
  });

  inChromium("leaves the page's fallback if the clock is rejected", async () => {
    server.body = `<div data-service-clock-src="/v1/time/clock?style=none">no clock</div>${SCRIPT}`;
    await openAt(NOW_MS);
    await settle();
    expect(await page.locator('div').textContent()).toBe('no clock');
    expect(faults.splice(0)).toEqual([expect.stringContaining("'none' is not one of the 30 styles")]);
  });

  inChromium('fills an element only once its clock has styles', async () => {
    server.body = `<div data-service-clock-src="/v1/time/clock?style=digital-minimal&amp;tz=UTC">a link</div>${SCRIPT}`;
    const requested = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<Response>();
    server.files.set('/v1/time/clock/assets/v1/clock.css', () => {
      requested.resolve();
      return sent.promise;
    });
    await page.goto(`${server.url}/page`, { waitUntil: 'commit' }); // the stylesheet can delay later events
    await requested.promise;
    expect(await page.locator('div').first().textContent()).toBe('a link');
    sent.resolve(new Response('.service-clock{width:99px}', { headers: { 'Content-Type': 'text/css' } }));
    await page.waitForSelector('.service-clock');
    expect(await page.locator('.service-clock').evaluate(clock => clock.clientWidth)).toBe(99);
    expect(await page.locator('div').first().textContent()).not.toContain('a link');
  });

  inChromium('shows the clock last named by an element, even if named before', async () => {
    const source = (zone: string) => `/v1/time/clock?style=digital-minimal&tz=${zone}`;
    server.body = `${SCRIPT}<div></div>`;
    const requests: PromiseWithResolvers<Response>[] = [];
    server.files.set('/v1/time/clock/assets/v1/clock.css', () => {
      const request = Promise.withResolvers<Response>();
      requests.push(request);
      return request.promise;
    });
    await openAt(NOW_MS);
    for (const [index, zone] of ['UTC', 'Asia/Tokyo', 'UTC'].entries()) {
      await page.evaluate(
        source => document.querySelector('div')!.setAttribute('data-service-clock-src', source),
        source(zone),
      );
      while ((await page.locator('div > link').count()) <= index) await Bun.sleep(20);
    }
    for (const { resolve } of requests)
      resolve(new Response('.service-clock{width:99px}', { headers: { 'Content-Type': 'text/css' } }));
    await expectShown('2026-04-15T17:30:47+00:00');
    expect(await page.locator('div > link').count()).toBe(1);
  });

  inChromium("keeps an element's content if its clock would have no styles", async () => {
    server.body = `<div data-service-clock-src="/v1/time/clock?style=digital-minimal&amp;tz=UTC">a link</div>${SCRIPT}`;
    server.files.set('/v1/time/clock/assets/v1/clock.css', () => new Response(null, { status: 503 }));
    await openAt(NOW_MS);
    await expectFault('its stylesheet cannot be loaded');
    expect(await page.locator('div').innerHTML()).toBe('a link');
  });

  inChromium('shows another clock when its element names one, or reports why it cannot', async () => {
    const source = (zone: string) => `/v1/time/clock?style=digital-minimal&amp;tz=${zone}`;
    server.body = `<div data-service-clock-src="${source('UTC')}"></div>${SCRIPT}`;
    await openAt(NOW_MS);
    await expectShown('2026-04-15T17:30:47+00:00');
    const name = (zone: string) =>
      page.evaluate(zone => {
        const place = document.querySelector('[data-service-clock-src]')!;
        place.setAttribute('data-service-clock-src', `/v1/time/clock?style=digital-minimal&tz=${zone}`);
      }, zone);
    await name('Asia/Kolkata');
    await expectShown('2026-04-15T23:00:47+05:30');
    await name('Asia/Katmandoo');
    await expectFault('did you mean');
    expect(await shown()).toEqual({ time: '2026-04-15T23:00:47+05:30', isMarked: false });
  });

  inChromium("recoils when a station clock's minute hand jumps", async () => {
    await openClock('style=analog-station&tz=UTC');
    const minuteHand = () =>
      page.evaluate(() => {
        const hand = document.querySelector('[data-part=minute]')!;
        return [hand.getAttribute('transform'), hand.getAnimations().length];
      });
    await advance(12_000);
    expect(await minuteHand()).toEqual(['rotate(180)', 0]);
    const jump = page.evaluate(() => {
      const hand = document.querySelector('[data-part=minute]')!;
      (globalThis as WithTime).pageTime.advance(600);
      return [hand.getAttribute('transform'), hand.getAnimations().length];
    });
    expect(await jump).toEqual(['rotate(186)', 1]);
  });

  inChromium('prints the current time, even for off-screen clocks', async () => {
    server.body = `<div class="far"></div>${await server.fragment('style=digital-minimal&tz=UTC')}`;
    server.stylesheet = '.far { height: 5000px }';
    await openAt(NOW_MS);
    await advance(10_000);
    expect((await shown()).time).toBe('2026-04-15T17:30:47+00:00');
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect((await shown()).time).toBe('2026-04-15T17:30:57+00:00');
  });

  inChromium('moves only on the second for visitors who prefer reduced motion', async () => {
    server.body = await server.fragment('style=analog-station&tz=UTC');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openAt(NOW_MS);
    const hand = () =>
      page.evaluate(() => document.querySelector('[data-part=second]')!.getAttribute('transform'));
    const first = await hand();
    await advance(400);
    expect(await hand()).toBe(first);
    await advance(101);
    expect(await hand()).not.toBe(first);
  });

  inChromium("inserts a clock named by another host's page, with paths to the clock's server", async () => {
    using other = new PageServer(() => NOW_MS);
    server.body =
      `<div data-service-clock-src="${other.url}/v1/time/clock?style=digital-minimal&amp;tz=UTC">a clock</div>` +
      `<script src="${other.url}/v1/time/clock/assets/v1/clock.js"></script>`;
    server.policy = `default-src 'self' ${other.url}`;
    await openAt(NOW_MS);
    await page.waitForSelector('[data-service-clock]');
    await expectShown('2026-04-15T17:30:47+00:00');
    const stylesheet = await page.evaluate(() => document.querySelector<HTMLLinkElement>('div link')!.href);
    expect(stylesheet).toBe(`${other.url}/v1/time/clock/assets/v1/clock.css`);
    await advance(HOUR_MS);
    await expectShown('2026-04-15T17:30:47+00:00');
    expect(other.requests).toHaveLength(1);
    expect(server.requests).toEqual([]);
  });
});

describe('a page with rules for its own drawings', () => {
  inChromium('does not recolour clocks with them, but does with the custom properties', async () => {
    const styles = ['analog-aviation', 'analog-brass', 'digital-cyan', 'digital-timetable', 'digital-card'];
    const fragments = styles.map(style => server.fragment(`style=${style}&tz=UTC`));
    server.body = (await Promise.all(fragments)).join('');
    const colours = async (stylesheet: string) => {
      server.stylesheet = stylesheet;
      await openAt(NOW_MS);
      return page.evaluate(() =>
        [...document.querySelectorAll('.service-clock')].map(clock =>
          [...clock.querySelectorAll('svg, svg *')].map(part => {
            const { fill, stroke, strokeWidth, width } = getComputedStyle(part);
            return [fill, stroke, strokeWidth, width].join();
          }),
        ),
      );
    };
    const own = await colours('');
    const rules =
      'path, circle, text, g { stroke: red; fill: lime; stroke-width: 9px } svg { width: 10px; fill: red }';
    // The copies made by `use` have no computed style.
    const screenshot = () => page.locator('[data-style=digital-cyan]').screenshot();
    const tubes = async () => {
      let shown = await screenshot();
      // Until it is painted in full, which can take more than one frame.
      for (let next = await screenshot(); !next.equals(shown); next = await screenshot()) shown = next;
      return shown;
    };
    const ownTubes = await tubes();
    expect(await colours(rules)).toEqual(own);
    expect((await tubes()).equals(ownTubes)).toBe(true);
    const inked = await colours(':root { --service-clock-ink: #123456; --service-clock-ground: #fedcba }');
    for (const [index, parts] of inked.entries()) {
      const changed = parts.filter((part, at) => part !== own[index]![at]).length;
      expect([styles[index], changed > 3]).toEqual([styles[index], true]);
    }
  });
});

describe('a clock opened as a standalone page', () => {
  inChromium('is styled and ticks every second', async () => {
    await page.addInitScript(holdTime, NOW_MS);
    await page.goto(`${server.url}/v1/time/clock?style=digital-minimal&tz=Asia/Kolkata`, {
      waitUntil: 'load',
    });
    await visibilityReported();
    expect((await shown()).time).toBe('2026-04-15T23:00:47+05:30');
    await advance(1000);
    expect((await shown()).time).toBe('2026-04-15T23:00:48+05:30');
    expect(await page.evaluate(() => document.styleSheets.length)).toBe(1);
  });
});
