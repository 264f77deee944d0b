import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../access/folders.ts';
import { BINARY } from '../binary/process.ts';
import { threadTimes, timeBetween } from './cpu_time.ts';
import { load } from './load.ts';
import { median } from './median.ts';
import { type Opponent, SCENARIOS } from './scenarios.ts';
import { type Server, startExecutable, startRival } from './servers.ts';

/** What a process takes. */
export interface ProcessFigures {
  /** From its start to its first response: the median of some starts, of meridian the very first ones. */
  readonly startMs: number;
  /** For how long its threads ran until then, which a busy machine changes less. */
  readonly startCpuMs: number;
  /** Memory half a second after that response. */
  readonly idleMegabytes: number;
  /** Memory a second after some seconds of all routes, coordinates and addresses included. */
  readonly usedMegabytes: number;
  /** The executable, or the packages without the runtime that they want beside them. */
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

/** Measures starts in turns, memory and sizes of meridian and of opponents; `baseline` is the path of one of them. */
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
 * Starts a new copy of an executable. How much of a file is resident in a process depends on how the kernel caches the file:
 * of one that was written hours ago, 3 MB less than of the same, just written.
 */
function starterOfCopy(executable: string, copy: string): Starter {
  copyFileSync(executable, copy);
  return () => startExecutable(copy);
}

/** After so long a server has loaded what it loads in the background after its first response. */
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

/** What a server takes under load and has not yet given back is not what it holds. */
const SETTLE_MS = 1000;

/** The memory that a server holds a second after ten seconds of all routes in turns, coordinates and addresses included. */
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
  if (who === 'baseline') return statSync(baseline!).size / 1e6; // it was started
  const modules = join(import.meta.dir, 'rivals/node_modules');
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
}
