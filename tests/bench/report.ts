/**
 * Writes `dist/bench/report.md` from the saved figures. `--readme` also writes the routes table into the README,
 * between its two marker comments.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { cut } from '../../src/common/errors.ts';
import type { CostliestRequest } from './costliest.ts';
import { median, type Spell } from './load.ts';
import type { KnownDifference } from './main.ts';
import type { Growth, PageFigures, ProcessFigures, Who, WorkerFigures } from './resources.ts';
import { type Opponent, requiredOverBaseline, SCENARIOS, type Scenario } from './scenarios.ts';

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
interface Figures {
  readonly machine: string;
  readonly versions: string;
  readonly date: string;
  readonly routes: Readonly<Record<string, RouteFigures>>;
  readonly differences: readonly KnownDifference[];
  /** The cost of a call of each hot function, in nanoseconds of CPU time. */
  readonly functions: Readonly<Record<string, number>>;
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

const REPORT_FOLDER = join(import.meta.dir, '../../dist/bench');
const FILE = join(REPORT_FOLDER, 'figures.json');

/** A run without any figures. */
export const NOTHING: Omit<Figures, 'machine' | 'versions' | 'date'> = {
  routes: {},
  differences: [],
  functions: {},
  growth: [],
  workers: [],
  costliest: {},
  batches: {},
  processes: null,
  pages: [],
};

/** What has been measured so far on this machine. */
function readFigures(): Figures {
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

const README = join(import.meta.dir, '../../README.md');
const MARKERS = ['<!-- figures: `make bench-readme` writes them -->', '<!-- end of figures -->'] as const;

const IMPLEMENTATIONS = ['meridian', 'Express, Luxon', 'Elysia, date-fns'];
const PROCESSES: Readonly<Record<Who, string>> = {
  meridian: 'meridian',
  baseline: 'baseline',
  express: 'Express, Luxon',
  elysia: 'Elysia, date-fns',
};
/** The resources a process may take, relative to the baseline. */
const MOST_OVER_BASELINE = 1.1;

/** A scenario with its figures. */
interface Measured {
  readonly scenario: Scenario;
  readonly figures: RouteFigures;
}

/** The measured scenarios, in order. */
function measuredOf(figures: Figures): Measured[] {
  return SCENARIOS.flatMap(scenario => {
    const found = figures.routes[scenario.name];
    return found === undefined ? [] : [{ scenario, figures: found }];
  });
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = header.map((_, column) => (column === 0 ? '---' : '---:'));
  return [header, rule, ...rows].map(line).join('\n');
}

const ratioText = (ratio: number) => (ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0));

/** The ratios of requests a second and of CPU time, and the required ratio of the first. */
function ratios(compared: Compared | null | undefined, required: number | null = null): string {
  if (!compared) return '';
  const limit = required === null ? '' : ` (≥ ${required.toFixed(2)})`;
  return `${ratioText(compared.byRate)} / ${ratioText(compared.byCpu)}${limit}`;
}

/** The table of all scenarios and their figures. */
function routesTable(figures: Figures): string {
  const rows = measuredOf(figures).map(({ scenario, figures: { meridian, over, opponents } }) => [
    scenario.name,
    meridian.requestsPerSecond.toFixed(0),
    meridian.cpuMicrosecondsPerRequest.toFixed(1),
    `${(meridian.serverShare * 100).toFixed(0)} %`,
    ratios(opponents.baseline, requiredOverBaseline(scenario)),
    opponents.signature === undefined
      ? ratios(opponents.bare, scenario.against.bare)
      : ratios(opponents.signature, scenario.against.signature),
    ratios(over, scenario.over?.wanted),
    ratios(opponents.express),
    ratios(opponents.elysia),
  ]);
  const header = [
    ...['scenario', 'requests/s', 'µs CPU', 'share of a core', 'vs baseline'],
    ...['vs bare Elysia, or vs a signature', 'vs `current`', 'vs Express', 'vs Elysia + date-fns'],
  ];
  return table(header, rows);
}

/** Servers that do less and less work: the limits of the framework, the runtime and the machine. */
const BARE_SERVERS = [
  ['validating', 'Elysia around our operations, queries validated'],
  ['computing', 'Elysia around our operations'],
  ['encoding', 'Elysia, query parsed, body encoded'],
  ['bare', 'bare Elysia'],
  ['serve', 'bare Bun.serve'],
  ['minimal', 'epoll in C'],
] as const;

/** The table of what serving the same bytes costs at least. */
function limitsTable(figures: Figures): string {
  const limited = measuredOf(figures).filter(measured => measured.figures.opponents.computing !== undefined);
  const cell = ({ requestsPerSecond, cpuMicrosecondsPerRequest }: Spell) =>
    `${requestsPerSecond.toFixed(0)} / ${cpuMicrosecondsPerRequest.toFixed(1)}`;
  const rows = limited.map(({ scenario, figures: { meridian, opponents } }) => [
    scenario.name,
    cell(meridian),
    ...BARE_SERVERS.map(([name]) => {
      const compared = opponents[name];
      return compared === undefined ? '' : `${cell(compared.spell)} (${ratioText(compared.byRate)})`;
    }),
  ]);
  return table(['scenario', 'meridian', ...BARE_SERVERS.map(([, title]) => title)], rows);
}

const LIMITS_NOTE =
  'Requests a second / µs of CPU time per request; in brackets, meridian’s rate over that server’s. Without a C compiler, ' +
  'a static Bun route replaces the server in C.';

/** The ratios below their requirement, a line each. */
function slowRoutes(figures: Figures): string[] {
  return measuredOf(figures).flatMap(({ scenario, figures: { opponents, over: other } }) => {
    const { name, against, over } = scenario;
    const line = (opponent: string, wanted: number | null, compared: Compared | null | undefined) =>
      wanted === null || !compared || compared.byRate >= wanted
        ? []
        : [
            `- ${name}: ${ratioText(compared.byRate)} of ${opponent} (by CPU time ${ratioText(compared.byCpu)}), required ${wanted}`,
          ];
    return [
      ...line('the baseline', requiredOverBaseline(scenario), opponents.baseline),
      ...Object.entries(against).flatMap(([opponent, wanted]) =>
        line(opponent, wanted, opponents[opponent as Opponent]),
      ),
      ...(over === undefined ? [] : line(over.name, over.wanted, other)),
    ];
  });
}

/** Upper limits: start in milliseconds, memory and executable in megabytes. */
const LIMITS: Omit<ProcessFigures, 'startCpuMs'> = {
  startMs: 50,
  idleMegabytes: 90,
  usedMegabytes: 200,
  diskMegabytes: 155,
};
/** The share of a core that the main thread of a page with a hundred clocks may use. */
const MOST_OF_A_CORE = 0.02;
const LEAST_MEDIAN_OVER_EXPRESS = 3;
const LEAST_SCALING = 1.8;
/** How long one request may block others. */
const LONGEST_TURN_MS = 2;
/** How long a whole batch may block others. */
const LONGEST_TURN_OF_BATCH_MS = 5;

/** A figure and its limit, an upper one unless it is a minimum. */
type Limited = readonly [name: string, value: number, limit: number, isMinimum?: true];

/** Everything that misses its requirement or has not been measured, a line each. */
function shortfalls(figures: Figures): string[] {
  const { processes, workers, costliest, batches, pages } = figures;
  const alone = workers.map(({ requestsPerSecondAlone }) => requestsPerSecondAlone);
  const scaling = (alone.at(-1) ?? Number.NaN) / (alone[0] ?? Number.NaN);
  const ours: Readonly<Record<string, number>> = { ...processes?.meridian };
  const before: Readonly<Record<string, number>> = { ...processes?.baseline };
  const limited: readonly Limited[] = [
    ['median ratio to Express', medianOver(figures, 'express'), LEAST_MEDIAN_OVER_EXPRESS, true],
    ['requests of two workers, relative to one', scaling, LEAST_SCALING, true],
    ...Object.entries(LIMITS).map(([name, limit]): Limited => [name, ours[name] ?? 0, limit]),
    ...Object.entries(ours).map(
      ([name, value]): Limited => [
        `${name}, relative to the baseline`,
        value / before[name]!,
        MOST_OVER_BASELINE,
      ],
    ),
    ...Object.entries(costliest).map(
      ([path, { longestTurnMs }]): Limited => [
        `ms for which ${path} blocks others`,
        longestTurnMs,
        LONGEST_TURN_MS,
      ],
    ),
    ...Object.entries(batches).map(
      ([name, ms]): Limited => [`ms for which the batch ${name} blocks others`, ms, LONGEST_TURN_OF_BATCH_MS],
    ),
    ...(pages ?? []).map(
      ({ clocks, main }): Limited => [
        `share of a core of a page of clocks (${clocks})`,
        main,
        MOST_OF_A_CORE,
      ],
    ),
  ];
  const missed = limited.filter(([, value, limit, isMinimum]) => (isMinimum ? value < limit : value > limit));
  const lines = missed.map(
    ([name, value, limit, isMinimum]) =>
      `- ${name}: ${value.toFixed(3)}, at ${isMinimum ? 'least' : 'most'} ${limit} required`,
  );
  return [...unmeasured(figures), ...slowRoutes(figures), ...lines];
}

/** The parts and comparisons without figures. */
function unmeasured(figures: Figures): string[] {
  const { functions, growth, workers, costliest, batches, processes, pages } = figures;
  const parts: Record<string, boolean> = {
    functions: Object.keys(functions).length > 0,
    costliest: Object.keys(costliest).length > 0,
    batches: Object.keys(batches).length > 0,
    growth: growth.length > 0 && workers.length > 0,
    processes: processes?.meridian !== undefined,
    page: pages !== null && pages.length > 0,
  };
  const missing = Object.keys(parts).filter(name => !parts[name]);
  const lines = missing.length === 0 ? [] : [`- not measured: ${missing.join(', ')}`];
  const comparisons = SCENARIOS.flatMap(({ name, against, over }) => {
    const measured = figures.routes[name];
    const required = Object.keys(against).filter(opponent => against[opponent as Opponent] !== null);
    const absent = required.filter(opponent => measured?.opponents[opponent as Opponent] === undefined);
    if (over !== undefined && !measured?.over) absent.push(over.name);
    return absent.length === 0 ? [] : [`- ${name}: not compared with ${absent.join(', ')}`];
  });
  return [...lines, ...comparisons];
}

/** The median over all routes of how many times faster than a rival meridian is. */
function medianOver(figures: Figures, opponent: Opponent): number {
  return median(
    measuredOf(figures).flatMap(({ figures: { opponents } }) => opponents[opponent]?.byRate ?? []),
  );
}

function summary(figures: Figures): string {
  if (!measuredOf(figures).some(({ figures: { opponents } }) => opponents.express && opponents.elysia))
    return '';
  const [express, elysia] = [medianOver(figures, 'express'), medianOver(figures, 'elysia')].map(Math.round);
  return `In the median of all routes meridian serves ${express} times as many requests as Express with Luxon, and ${elysia} times as many as Elysia with date-fns.`;
}

function provenance(figures: Figures): string {
  return `Measured ${figures.date} on ${figures.machine}; ${figures.versions}. One process each, 32 connections from one thread of wrk on the same machine.`;
}

/** The scenarios in the README, one of each kind; the report has all. */
const README_SCENARIOS: ReadonlySet<string> = new Set([
  ...['current', 'current, with format', 'current, with a key', 'current, signed', 'current by ip'],
  ...['current by lat, lon', 'current, bulk of 100', 'convert', 'dst', 'diff', 'durations that never repeat'],
  ...['timezones, all', 'clock', 'holidays of a year'],
]);

/** The table for the README, in requests per second. */
function readmeTable(figures: Figures): string {
  const shown = measuredOf(figures).filter(({ scenario }) => README_SCENARIOS.has(scenario.name));
  const rows = shown.map(({ scenario, figures: { meridian, opponents } }) => {
    const spells = [meridian, opponents.bare?.spell, opponents.express?.spell, opponents.elysia?.spell];
    return [scenario.name, ...spells.map(spell => spell?.requestsPerSecond.toFixed(0) ?? '')];
  });
  const header = ['requests per second', 'meridian', 'bare Elysia, same bytes', ...IMPLEMENTATIONS.slice(1)];
  return [summary(figures), table(header, rows), `${provenance(figures)}`].join('\n\n');
}

function functionsTable({ functions }: Figures): string {
  const rows = Object.entries(functions).map(([name, nanoseconds]) => [name, nanoseconds.toFixed(0)]);
  return table(['function', 'ns'], rows);
}

/** The most expensive request of each route. */
function costliestTable({ costliest }: Figures): string {
  const code = (request: string) => `\`${cut(request, 120).replaceAll('|', '\\|')}\``;
  const rows = Object.entries(costliest).map(([path, figures]) => [
    path,
    figures.milliseconds.toFixed(2),
    code(figures.request),
    String(figures.status),
    figures.longestTurnMs.toFixed(2),
    code(figures.blocking),
  ]);
  const header = ['route', 'CPU time, ms', 'slowest request', 'status', 'longest turn, ms', 'its request'];
  return table(header, rows);
}

const BATCHES_NOTE =
  'The longest turn for which a batch occupies the request thread, as CPU time in the best of 12 repetitions: a request of ' +
  'another client waits for at most one such turn.';

function batchesTable({ batches }: Figures): string {
  const rows = Object.entries(batches).map(([name, turnMs]) => [name, turnMs.toFixed(2)]);
  return `${BATCHES_NOTE}\n\n${table(['batch', 'longest turn, ms'], rows)}`;
}

function growthTables({ growth, workers }: Figures): string {
  const tables = growth.map(({ title, points }) => {
    const rows = points.map(({ at, microseconds }) => [at, ...microseconds.map(value => value.toFixed(1))]);
    return `### ${title}: µs of CPU time per request\n\n${table(['', ...IMPLEMENTATIONS], rows)}`;
  });
  const rows = workers.map(({ workers: count, requestsPerSecond, requestsPerSecondAlone }) => [
    String(count),
    requestsPerSecond.toFixed(0),
    requestsPerSecondAlone.toFixed(0),
    ratioText(requestsPerSecondAlone / workers[0]!.requestsPerSecondAlone),
  ]);
  const header = [
    'workers',
    'requests/s, sharing cores with the client',
    'on dedicated cores',
    'vs one worker',
  ];
  return [...tables, `### Workers\n\n${WORKERS_NOTE}\n\n${table(header, rows)}`].join('\n\n');
}

const WORKERS_NOTE =
  'The client uses the same cores. The comparison is therefore between requests per second of the workers’ own CPU time, ' +
  'times the number of workers: their throughput on dedicated cores. One worker is measured while a second server is as ' +
  'busy, since two cores may share execution units.';

const PROCESS_ROWS: Readonly<Record<keyof ProcessFigures, string>> = {
  startMs: 'start to first response, ms',
  startCpuMs: 'CPU time until then, ms',
  idleMegabytes: 'idle memory after it, MB',
  usedMegabytes: 'memory a second after ten seconds of load on all routes, MB',
  diskMegabytes: 'size on disk, MB (other implementations without their runtime)',
};

function processTable({ processes }: Figures): string {
  if (processes === null) return '';
  const measured = (Object.keys(PROCESSES) as Who[]).filter(who => processes[who] !== undefined);
  const rows = Object.entries(PROCESS_ROWS).map(([figure, name]) => [
    name,
    ...measured.map(who => processes[who]![figure as keyof ProcessFigures].toFixed(0)),
  ]);
  return table(['', ...measured.map(who => PROCESSES[who])], rows);
}

const PAGES_NOTE = 'A hundred visible clocks of 96 pixels, rendered without a GPU: percent of one core.';

function pagesTable({ pages }: Figures): string {
  if (pages === null) return 'Not measured: requires Chromium.';
  const percent = (share: number) => (share * 100).toFixed(2);
  const rows = pages.map(({ clocks, ...shares }) => [clocks, ...Object.values(shares).map(percent)]);
  const header = ['clocks', 'main thread', 'script', 'styles', 'layout'];
  return `${PAGES_NOTE}\n\n${table(header, rows)}`;
}

function differences(figures: Figures): string {
  const rows = figures.differences.map(({ path, why, answers }) => [
    ...[`\`${path}\``, answers.meridian, answers.express, answers.elysia, why],
  ]);
  return table(['request', ...IMPLEMENTATIONS, 'reason'], rows);
}

const RATIOS =
  'Ratios are by requests a second, then by CPU time per request; higher means meridian is faster; the required ratio is in brackets. ' +
  'Except for Express and Elysia with date-fns, clients take turns of 50 ms, so that machine noise affects all alike.';

/** The whole report. */
export function report(figures: Figures): string {
  const missing = shortfalls(figures);
  const limits = `${LIMITS_NOTE}\n\n${limitsTable(figures)}`;
  const sections = {
    Routes: routesTable(figures),
    'Limits of the framework, the runtime and the machine': limits,
    'Missed requirements': missing.length === 0 ? 'None.' : missing.join('\n'),
    Functions: functionsTable(figures),
    'Most expensive request of each route': costliestTable(figures),
    'Largest batches': batchesTable(figures),
    'How cost grows': growthTables(figures),
    Processes: processTable(figures),
    'Page with clocks': pagesTable(figures),
    'Known differences of the other implementations': differences(figures),
  };
  return [
    ...['# Benchmark report', provenance(figures), RATIOS, summary(figures)],
    ...Object.entries(sections).map(([title, text]) => `## ${title}\n\n${text}`),
  ].join('\n\n');
}

/** Replaces the text between the two markers. Throws if they are missing. */
export function withFigures(text: string, figures: string): string {
  const [first, last] = MARKERS.map(marker => text.indexOf(marker)) as [number, number];
  if (first === -1 || last < first) throw new Error(`${MARKERS.join(' and ')} are missing from the README`);
  return `${text.slice(0, first + MARKERS[0].length)}\n\n${figures}\n\n${text.slice(last)}`;
}

if (import.meta.main) {
  const figures = readFigures();
  await Bun.write(join(REPORT_FOLDER, 'report.md'), `${report(figures)}\n`);
  if (process.argv.includes('--readme')) {
    writeFileSync(README, withFigures(readFileSync(README, 'utf8'), readmeTable(figures)));
  }
  console.log(report(figures));
}
