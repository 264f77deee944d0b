import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { PageFigures } from './clocks_in_page.ts';
import type { CostliestRequest } from './costliest_requests.ts';
import type { KnownDifference } from './fairness.ts';
import type { FunctionCost } from './functions.ts';
import type { Growth, WorkerFigures } from './growth.ts';
import type { Spell } from './load.ts';
import type { ProcessFigures, Who } from './processes.ts';
import type { Opponent } from './scenarios.ts';

/** A measurement and its ratios: medians over rounds, each ratio between consecutive spells. */
export interface Compared {
  readonly spell: Spell;
  /** meridian's requests a second over its own. */
  readonly byRate: number;
  /** Its CPU time for a request over meridian's. */
  readonly byCpu: number;
}

/** The figures of a scenario from one run. */
export interface RouteFigures {
  readonly rounds: number;
  readonly meridian: Spell;
  readonly opponents: Readonly<Partial<Record<Opponent, Compared>>>;
  /** The other scenario that it is compared with. */
  readonly over: Compared | null;
}

/** Everything that was measured. A run of some parts or scenarios replaces theirs and leaves the others. */
export interface Figures {
  readonly machine: string;
  readonly versions: string;
  readonly date: string;
  readonly routes: Readonly<Record<string, RouteFigures>>;
  readonly differences: readonly KnownDifference[];
  readonly functions: readonly FunctionCost[];
  readonly growth: readonly Growth[];
  readonly workers: readonly WorkerFigures[];
  readonly processes: Readonly<Partial<Record<Who, ProcessFigures>>> | null;
  /** The most expensive request of each route, by path. */
  readonly costliest: Readonly<Record<string, CostliestRequest>>;
  /** The longest time for which the largest batches block others, in milliseconds by kind. */
  readonly batches: Readonly<Record<string, number>>;
  /** Null without Chromium. */
  readonly pages: readonly PageFigures[] | null;
}

export const REPORT_FOLDER = join(import.meta.dir, '../../dist/bench');
const FILE = join(REPORT_FOLDER, 'figures.json');

/** A run without any figures. */
export const NOTHING: Omit<Figures, 'machine' | 'versions' | 'date'> = {
  routes: {},
  differences: [],
  functions: [],
  growth: [],
  workers: [],
  costliest: {},
  batches: {},
  processes: null,
  pages: [],
};

/** What has been measured so far on this machine. */
export function readFigures(): Figures {
  const saved = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
  return { ...NOTHING, ...saved };
}

/** Saves new figures and leaves the other ones. */
export function saveFigures(changes: Partial<Figures>): Figures {
  const before = readFigures();
  const figures: Figures = {
    ...before,
    ...changes,
    routes: { ...before.routes, ...changes.routes },
    machine: `${cpus()[0]?.model.trim()}, ${cpus().length} cores`,
    versions: versions(),
    date: new Date().toISOString().slice(0, 10),
  };
  mkdirSync(REPORT_FOLDER, { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(figures, null, 1)}\n`);
  return figures;
}

/** The versions of everything measured, from the installed packages. */
function versions(): string {
  const of = (name: string) => {
    const file = join(import.meta.dir, 'rivals/node_modules', name, 'package.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : '(not installed)';
  };
  const node =
    Bun.which('node') === null
      ? '(not installed)'
      : Bun.spawnSync(['node', '--version']).stdout.toString().trim().slice(1);
  const names = [
    'express',
    'luxon',
    'elysia',
    'date-fns',
    '@date-fns/tz',
    'geo-tz',
    'maxmind',
    'date-holidays',
  ];
  return [`Bun ${Bun.version}`, `Node ${node}`, ...names.map(name => `${name} ${of(name)}`)].join(', ');
}
