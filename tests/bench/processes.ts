import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY } from '../binary/process.ts';
import { load, median } from './load.ts';
import { SCENARIOS } from './scenarios.ts';
import { type Server, startMeridian, startRival } from './servers.ts';

/** What a process of each takes, as text. */
export interface ProcessFigures {
  readonly rows: readonly {
    readonly name: string;
    readonly meridian: string;
    readonly express: string;
    readonly elysia: string;
  }[];
}

const STARTS = 11;
const CURRENT = '/v1/time/current?tz=Europe/Paris';
const STARTERS = {
  meridian: () => startMeridian(),
  express: () => startRival('express'),
  elysia: () => startRival('elysia'),
};
type Who = keyof typeof STARTERS;
const EVERYBODY = Object.keys(STARTERS) as Who[];

interface Life {
  readonly startMs: number;
  readonly idleMegabytes: number;
}

/** Measures starts, memory and sizes. */
export async function measureProcesses(): Promise<ProcessFigures> {
  const lives: Record<Who, Life[]> = { meridian: [], express: [], elysia: [] };
  for (let start = 0; start < STARTS; start++) {
    for (const who of EVERYBODY) lives[who].push(await live(STARTERS[who]));
  }
  const used = { meridian: 0, express: 0, elysia: 0 };
  for (const who of EVERYBODY) used[who] = await megabytesAfterUse(STARTERS[who]);
  const row = (name: string, of: (who: Who) => string) => ({
    name,
    meridian: of('meridian'),
    express: of('express'),
    elysia: of('elysia'),
  });
  const middle = (who: Who, figure: keyof Life) => median(lives[who].map(life => life[figure])).toFixed(0);
  return {
    rows: [
      row('start to first answer, ms', who => middle(who, 'startMs')),
      row('memory after it, MB', who => middle(who, 'idleMegabytes')),
      row('memory after use of all routes, MB', who => used[who].toFixed(0)),
      row('on disk, MB', who => megabytesOnDisk(who)),
    ],
  };
}

/** How long a server takes from its start to its first answer, and how much memory it then holds. */
async function live(start: () => Promise<Server>): Promise<Life> {
  const beganMs = performance.now();
  const server = await start();
  await (await fetch(server.url + CURRENT)).text();
  const startMs = performance.now() - beganMs;
  const idleMegabytes = residentMegabytes(server.pid);
  server.stop();
  return { startMs, idleMegabytes };
}

/** The memory that a server holds after ten seconds of all routes in turns, coordinates and addresses included. */
async function megabytesAfterUse(start: () => Promise<Server>): Promise<number> {
  const server = await start();
  const paths = SCENARIOS.filter(({ against }) => 'express' in against).flatMap(({ paths }) => paths);
  await load(server, paths, 10);
  const megabytes = residentMegabytes(server.pid);
  server.stop();
  return megabytes;
}

function residentMegabytes(pid: number): number {
  return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;
}

/** The executable, or the packages without the runtime that they want beside them. */
function megabytesOnDisk(who: Who): string {
  if (who === 'meridian') return (statSync(BINARY).size / 1e6).toFixed(0);
  const modules = join(import.meta.dir, 'rivals/node_modules');
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return `${(bytes / 1e6).toFixed(0)} and the runtime`;
}
