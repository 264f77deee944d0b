import { readdirSync, readFileSync } from 'node:fs';
import type { Browser, CDPSession } from 'playwright-core';
import { STYLE_NAMES, type StyleName } from '../../src/clock/styles/styles.ts';
import { PageServer } from '../clock/page_server.ts';
import { hasChromium, launchChromium } from '../support/browser.ts';
import { median } from './median.ts';

/** The CPU usage of a page with a hundred visible clocks: shares of one core from 0 to 1. */
export interface PageFigures {
  readonly clocks: string;
  /** Of the page's main thread, as reported by Chromium: scripts, styles, layout, and the rest of painting. */
  readonly main: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
  /** Of all of Chromium's processes, which without a GPU rasterize every pixel in software. */
  readonly chromium: number;
}

const COUNT = 100;
const PAGES: readonly (readonly [clocks: string, styles: readonly StyleName[]])[] = [
  ['all styles in turns', STYLE_NAMES],
  ['digital-minimal', ['digital-minimal']],
  ['analog-station', ['analog-station']],
];

/** Measures pages of clocks in turns; null without Chromium. */
export async function measurePages({ rounds }: { rounds: number }): Promise<PageFigures[] | null> {
  if (!hasChromium) return null;
  using server = new PageServer();
  server.now = Date.now;
  server.stylesheet = '.service-clock-host { display: inline-block; --service-clock-size: 96px }';
  const browser = await launchChromium();
  try {
    const spells: PageFigures[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const [clocks, styles] of PAGES) spells.push(await measurePage(browser, server, clocks, styles));
    }
    return PAGES.map(([clocks]) => middle(spells.filter(spell => spell.clocks === clocks)));
  } finally {
    await browser.close();
  }
}

const SPELL_MS = 4000;
const DURATIONS = ['TaskDuration', 'ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'] as const;

async function measurePage(
  browser: Browser,
  server: PageServer,
  clocks: string,
  styles: readonly StyleName[],
): Promise<PageFigures> {
  const fragments = Array.from({ length: COUNT }, (_, index) =>
    server.fragment(`style=${styles[index % styles.length]}&tz=Europe/Paris`),
  );
  server.body = (await Promise.all(fragments)).join('');
  const page = await browser.newPage({ viewport: { width: 1920, height: 1400 } });
  await page.goto(`${server.url}/page`);
  await page.waitForTimeout(2000);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const [before, usedBefore, beganMs] = [await durations(devtools), secondsOfChildren(), performance.now()];
  await page.waitForTimeout(SPELL_MS);
  const [after, usedAfter] = [await durations(devtools), secondsOfChildren()];
  const seconds = (performance.now() - beganMs) / 1000;
  await page.close();
  const [main, script, style, layout] = after.map((value, at) => (value - before[at]!) / seconds);
  const chromium = (usedAfter - usedBefore) / seconds;
  return { clocks, main: main!, script: script!, style: style!, layout: layout!, chromium };
}

/** Seconds since the page was opened. */
async function durations(devtools: CDPSession): Promise<number[]> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return DURATIONS.map(name => metrics.find(metric => metric.name === name)!.value);
}

/** The CPU time of all descendants of this process in seconds. */
function secondsOfChildren(): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(name)[1] : undefined;
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === process.pid || isOurs(parents.get(pid)));
  // Its 14th and 15th fields are the time in user and kernel mode, in hundredths of a second.
  const ticks = [...parents.keys()].filter(isOurs).map(pid => {
    const fields = statOf(String(pid));
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return ticks.reduce((sum, value) => sum + value, 0) / 100;
}

/** The fields of `/proc/PID/stat` after the process name; empty if it has ended. */
function statOf(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function middle(spells: readonly PageFigures[]): PageFigures {
  const of = (figure: Exclude<keyof PageFigures, 'clocks'>) => median(spells.map(spell => spell[figure]));
  return {
    clocks: spells[0]!.clocks,
    main: of('main'),
    script: of('script'),
    style: of('style'),
    layout: of('layout'),
    chromium: of('chromium'),
  };
}
