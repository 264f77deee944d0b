import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, CDPSession } from 'playwright-core';
import { STYLE_NAMES, type StyleName } from '../../src/clock/styles/styles.ts';
import { PageServer } from '../clock/page_server.ts';
import { hasChromium, launchChromium } from '../support/browser.ts';
import { BINARY, newFolder, residentMegabytes } from '../support/process.ts';
import { load, medians, type Spell, threadTimes, timeBetween } from './load.ts';
import type { Pace } from './main.ts';
import { HUNDRED_ZONES, type Opponent, SCENARIOS, TEN_ZONES } from './scenarios.ts';
import { type Server, startExecutable, startMeridian, startRival, startWorkers } from './servers.ts';

/** How cost grows with one variable. */
export interface Growth {
  readonly title: string;
  /** CPU time in microseconds for one request, of meridian, Express and Elysia. */
  readonly points: readonly { readonly at: string; readonly microseconds: readonly number[] }[];
}

const diff = (until: number, country: string) =>
  `/v1/time/diff?from=iso=1970-01-01&to=iso=${until}-01-01&business_days=true&holiday_country=${country}`;

/** Measures how cost grows with zones in a bulk, years in a range, and workers. */
export async function measureGrowth(pace: Pace): Promise<{ growth: Growth[]; workers: WorkerFigures[] }> {
  const workers = await measureWorkers(pace);
  const servers = [await startMeridian(), await startRival('express'), await startRival('elysia')];
  try {
    const growth = [
      await growthOf('Zones in a bulk', servers, pace, {
        '1': '/v1/time/current?tz=Europe/Paris',
        '10': `/v1/time/current?tz=${TEN_ZONES}`,
        '100': `/v1/time/current?tz=${HUNDRED_ZONES}`,
      }),
      await growthOf('Years between two dates, business days of Germany', servers, pace, {
        '1': diff(1971, 'DE'),
        '10': diff(1980, 'DE'),
        '130': diff(2100, 'DE'),
      }),
    ];
    return { growth, workers };
  } finally {
    for (const server of servers) server.stop();
  }
}

/** The CPU time of a request at each point, for each server. */
async function growthOf(
  title: string,
  servers: readonly Server[],
  pace: Pace,
  paths: Readonly<Record<string, string>>,
): Promise<Growth> {
  // A rival takes some seconds for the first response with 130 years of holidays.
  for (const path of Object.values(paths))
    for (const { url } of servers) await (await fetch(url + path)).text();
  const points = Object.entries(paths).map(([at, path]) => ({
    at,
    path,
    spells: servers.map((): Spell[] => []),
  }));
  for (let round = 0; round <= pace.rounds; round++) {
    for (const { path, spells } of points) {
      for (const [index, server] of servers.entries()) {
        const spell = await load(server, [path], pace.seconds);
        if (round > 0) spells[index]!.push(spell);
      }
    }
  }
  const microseconds = (spells: readonly Spell[]) => medians(spells).cpuMicrosecondsPerRequest;
  return { title, points: points.map(({ at, spells }) => ({ at, microseconds: spells.map(microseconds) })) };
}

/** The throughput of some workers together. */
export interface WorkerFigures {
  readonly workers: number;
  /** With the client on the same cores; for one worker, while another server is as busy. */
  readonly requestsPerSecond: number;
  /** Requests per second of the workers' own CPU time, times the workers: their throughput on dedicated cores. */
  readonly requestsPerSecondAlone: number;
}

/**
 * Alternates between two concurrent servers with one worker each and one server with two workers; each worker shares a core
 * with clients, and has connections from both cores. Compares the CPU time that a request takes of the workers, since clients
 * use the same cores. The reference is two servers rather than a single one because a core with an idle sibling is up to half
 * as fast again if both share execution units (as virtual cores mostly do): the loss from 2 is then what the workers of a
 * server cost each other, not what the machine costs.
 */
async function measureWorkers(pace: Pace): Promise<WorkerFigures[]> {
  const paths = ['/v1/time/current?tz=Europe/Paris'];
  const singles = [await startWorkers(1, 0), await startWorkers(1, 1)];
  const pair = await startWorkers(2, 0);
  const spells: [Spell[], Spell[]] = [[], []];
  for (let round = 0; round <= pace.rounds; round++) {
    const ofSingles = await Promise.all(singles.map(single => load(single, paths, pace.seconds)));
    const ofPair = await load(pair, paths, pace.seconds);
    if (round === 0) continue;
    spells[0].push(...ofSingles);
    spells[1].push(ofPair);
  }
  for (const server of [...singles, pair]) server.stop();
  return spells.map((ofOne, index) => {
    const workers = index + 1;
    const { requestsPerSecond, cpuMicrosecondsPerRequest } = medians(ofOne);
    const requestsPerSecondAlone = (workers * 1e6) / cpuMicrosecondsPerRequest;
    return { workers, requestsPerSecond, requestsPerSecondAlone };
  });
}

/** The resources of a process. */
export interface ProcessFigures {
  /** From its start to its first response: the median of some starts; for meridian the very first ones. */
  readonly startMs: number;
  /** CPU time until then, which is less sensitive to a busy machine. */
  readonly startCpuMs: number;
  /** Memory half a second after that response. */
  readonly idleMegabytes: number;
  /** Memory a second after some seconds of load on all routes, including coordinates and addresses. */
  readonly usedMegabytes: number;
  /** The executable, or the packages without the runtime they require. */
  readonly diskMegabytes: number;
}

const STARTS = 11;
const CURRENT = '/v1/time/current?tz=Europe/Paris';
type Starter = () => Promise<Server>;
const RIVALS = {
  express: () => startRival('express'),
  elysia: () => startRival('elysia'),
} satisfies Record<string, Starter>;
/** `baseline` is another executable of meridian. */
export type Who = keyof typeof RIVALS | 'meridian' | 'baseline';

type Start = Pick<ProcessFigures, 'startMs' | 'startCpuMs' | 'idleMegabytes'>;

/** Measures interleaved starts, memory and sizes of meridian and opponents; `baseline` is the path of another executable. */
export async function measureProcesses(
  opponents: ReadonlySet<Opponent>,
  baseline?: string,
): Promise<Partial<Record<Who, ProcessFigures>>> {
  const folder = newFolder();
  const starters: Partial<Record<Who, Starter>> = {
    meridian: starterOfCopy(BINARY, join(folder, 'meridian')),
    ...RIVALS,
    ...(baseline !== undefined && { baseline: starterOfCopy(baseline, join(folder, 'baseline')) }),
  };
  const chosen = (Object.entries(starters) as [Who, Starter][]).filter(
    ([who]) => who === 'meridian' || opponents.has(who),
  );
  const starts = new Map(chosen.map(([who]) => [who, [] as Start[]]));
  for (let start = 0; start < STARTS; start++) {
    for (const [who, starter] of chosen) starts.get(who)!.push(await measureStart(starter));
  }
  const all: Partial<Record<Who, ProcessFigures>> = {};
  for (const [who, starter] of chosen) {
    all[who] = {
      ...medians(starts.get(who)!),
      usedMegabytes: await megabytesAfterUse(starter),
      diskMegabytes: megabytesOnDisk(who, baseline),
    };
  }
  return all;
}

/**
 * Starts a new copy of an executable. How much of a file is resident in a process depends on how the kernel caches the
 * file: 3 MB less for one written hours ago than for the same file just written.
 */
function starterOfCopy(executable: string, copy: string): Starter {
  copyFileSync(executable, copy);
  return () => startExecutable(copy);
}

/** By then a server has finished loading in the background after its first response. */
const SETTLING_MS = 500;

/** The time from the start of a server to its first response, and its memory once it is idle. */
async function measureStart(start: () => Promise<Server>): Promise<Start> {
  const beganMs = performance.now();
  const server = await start();
  await (await fetch(server.url + CURRENT)).text();
  const startMs = performance.now() - beganMs;
  const startCpuMs = timeBetween(new Map(), threadTimes(server.pid));
  await Bun.sleep(SETTLING_MS);
  const idleMegabytes = residentMegabytes(server.pid);
  server.stop();
  return { startMs, startCpuMs, idleMegabytes };
}

/** Memory not yet returned after load is not counted as held. */
const SETTLE_MS = 1000;

/** The memory of a server a second after ten seconds of load on all routes in turns, including coordinates and addresses. */
async function megabytesAfterUse(start: () => Promise<Server>): Promise<number> {
  const server = await start();
  const paths = SCENARIOS.filter(({ against }) => 'express' in against).flatMap(({ paths }) => paths);
  await load(server, paths, 10);
  await Bun.sleep(SETTLE_MS);
  const megabytes = residentMegabytes(server.pid);
  server.stop();
  return megabytes;
}

function megabytesOnDisk(who: Who, baseline?: string): number {
  if (who === 'meridian') return statSync(BINARY).size / 1e6;
  if (who === 'baseline') return statSync(baseline!).size / 1e6; // it has been started
  const modules = join(import.meta.dir, 'rivals/node_modules');
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
}

/** The CPU usage of a page with a hundred visible clocks: shares of one core from 0 to 1. */
export interface PageFigures {
  readonly clocks: string;
  /** Of the page's main thread, as reported by Chromium: scripts, styles, layout, and the rest of painting. */
  readonly main: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
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
    return PAGES.map(([clocks]) => {
      const measured = spells.filter(spell => spell.clocks === clocks);
      return { ...medians(measured), clocks };
    });
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
  const [before, beganMs] = [await durations(devtools), performance.now()];
  await page.waitForTimeout(SPELL_MS);
  const after = await durations(devtools);
  const seconds = (performance.now() - beganMs) / 1000;
  await page.close();
  const [main, script, style, layout] = after.map((value, at) => (value - before[at]!) / seconds);
  return { clocks, main: main!, script: script!, style: style!, layout: layout! };
}

/** Seconds since the page was opened. */
async function durations(devtools: CDPSession): Promise<number[]> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return DURATIONS.map(name => metrics.find(metric => metric.name === name)!.value);
}
