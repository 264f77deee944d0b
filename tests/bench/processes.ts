import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, temporaryFolder } from '../support/process.ts';
import { threadTimes, timeBetween } from './cpu_time.ts';
import { load } from './load.ts';
import { median } from './median.ts';
import { type Opponent, SCENARIOS } from './scenarios.ts';
import { type Server, startExecutable, startRival } from './servers.ts';

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
  using folder = temporaryFolder();
  const starters: Partial<Record<Who, Starter>> = {
    meridian: starterOfCopy(BINARY, join(folder.path, 'meridian')),
    ...RIVALS,
    ...(baseline !== undefined && { baseline: starterOfCopy(baseline, join(folder.path, 'baseline')) }),
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
    const medianOf = (figure: keyof Start) => median(starts.get(who)!.map(start => start[figure]));
    all[who] = {
      startMs: medianOf('startMs'),
      startCpuMs: medianOf('startCpuMs'),
      idleMegabytes: medianOf('idleMegabytes'),
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

function residentMegabytes(pid: number): number {
  return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;
}

function megabytesOnDisk(who: Who, baseline?: string): number {
  if (who === 'meridian') return statSync(BINARY).size / 1e6;
  if (who === 'baseline') return statSync(baseline!).size / 1e6; // it has been started
  const modules = join(import.meta.dir, 'rivals/node_modules');
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
}
