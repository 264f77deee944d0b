/**
 * Makes `dist/bench/report.md` of what was measured. `--readme` also puts the table of the routes into the README,
 * between its two marker comments.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Compared, type Figures, REPORT_FOLDER, type RouteFigures, readFigures } from './figures.ts';
import type { Spell } from './load.ts';
import { median } from './median.ts';
import type { ProcessFigures } from './processes.ts';
import { type Opponent, SCENARIOS, type Scenario } from './scenarios.ts';

const README = join(import.meta.dir, '../../README.md');
const MARKERS = ['<!-- figures: `make bench-readme` writes them -->', '<!-- end of figures -->'] as const;

const EVERYBODY = ['meridian', 'Express, Luxon', 'Elysia, date-fns'];

/** A scenario with what it came to. */
interface Measured {
  readonly scenario: Scenario;
  readonly figures: RouteFigures;
}

/** The scenarios that were measured, in their order. */
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

/** By requests a second, and by time on a core. */
function ratios(compared: Compared | null | undefined): string {
  return compared ? `${ratioText(compared.byRate)} / ${ratioText(compared.byCpu)}` : '';
}

/** The table of all routes with all that was measured. */
function routesTable(figures: Figures): string {
  const rows = measuredOf(figures).map(({ scenario, figures: { meridian, over, opponents } }) => [
    scenario.name,
    meridian.requestsPerSecond.toFixed(0),
    meridian.cpuMicrosecondsPerRequest.toFixed(1),
    `${(meridian.serverShare * 100).toFixed(0)} %`,
    ratios(opponents.signature ?? opponents.bare),
    ratios(over),
    ratios(opponents.express),
    ratios(opponents.elysia),
  ]);
  return table(
    [
      'scenario',
      'requests/s',
      'µs CPU',
      'of a core',
      'over its limit',
      'over `current`',
      'over Express',
      'over Elysia + date-fns',
    ],
    rows,
  );
}

/** The ratios of routes that are less than wanted, a line each. */
function slowRoutes(figures: Figures): string[] {
  return measuredOf(figures).flatMap(
    ({ scenario: { name, against, over }, figures: { opponents, over: other } }) => {
      const line = (opponent: string, wanted: number | null, compared: Compared | null | undefined) =>
        wanted === null || !compared || compared.byRate >= wanted
          ? []
          : [
              `- ${name}: ${ratioText(compared.byRate)} of ${opponent} (by time on a core ${ratioText(compared.byCpu)}), wanted ${wanted}`,
            ];
      return [
        ...Object.entries(against).flatMap(([opponent, wanted]) =>
          line(opponent, wanted, opponents[opponent as Opponent]),
        ),
        ...(over === undefined ? [] : line(over.name, over.wanted, other)),
      ];
    },
  );
}

/** At most: start in milliseconds, memory and executable in megabytes. */
const LIMITS: ProcessFigures = { startMs: 50, idleMegabytes: 90, usedMegabytes: 200, diskMegabytes: 155 };
/** What the main thread of a page with a hundred clocks may take. */
const MOST_OF_A_CORE = 0.02;
const LEAST_MEDIAN_OVER_EXPRESS = 3;
const LEAST_SCALING = 1.8;

/** Everything that is not as good as wanted, a line each. */
function shortfalls(figures: Figures): string[] {
  const { processes, workers } = figures;
  const lines = slowRoutes(figures);
  const over = medianOver(figures, 'express');
  if (over < LEAST_MEDIAN_OVER_EXPRESS) lines.push(`- in the middle only ${ratioText(over)} of express`);
  const scaling =
    (workers.at(-1)?.requestsPerSecondAlone ?? NaN) / (workers[0]?.requestsPerSecondAlone ?? NaN);
  if (scaling < LEAST_SCALING)
    lines.push(`- two workers do only ${ratioText(scaling)} times the work of one`);
  for (const [name, limit] of Object.entries(LIMITS)) {
    const value = processes?.meridian[name as keyof ProcessFigures] ?? 0;
    if (value > limit) lines.push(`- ${name}: ${value.toFixed(0)}, wanted at most ${limit}`);
  }
  for (const { clocks, main } of figures.pages ?? []) {
    if (main > MOST_OF_A_CORE)
      lines.push(`- a page of clocks, ${clocks}: ${(main * 100).toFixed(2)} % of a core, wanted at most 2`);
  }
  return lines;
}

/** How many times faster than a rival, in the middle of all routes. */
function medianOver(figures: Figures, opponent: Opponent): number {
  return median(
    measuredOf(figures).flatMap(({ figures: { opponents } }) => opponents[opponent]?.byRate ?? []),
  );
}

function summary(figures: Figures): string {
  const [express, elysia] = [medianOver(figures, 'express'), medianOver(figures, 'elysia')].map(ratioText);
  return `In the middle of all routes meridian answers ${express} times as many requests as Express with Luxon, and ${elysia} times as many as Elysia with date-fns.`;
}

function provenance(figures: Figures): string {
  return `Measured ${figures.date} on ${figures.machine}; ${figures.versions}. One process each, 32 connections from one thread of wrk on the same machine.`;
}

/** The table for the README: the routes alone, in requests a second. */
function readmeTable(figures: Figures): string {
  const rate = (spell: Spell | undefined) => spell?.requestsPerSecond.toFixed(0) ?? '';
  const rateOf = (compared: Compared | undefined) => rate(compared?.spell);
  const rows = measuredOf(figures).map(({ scenario, figures: { meridian, opponents } }) => [
    scenario.name,
    rate(meridian),
    rateOf(opponents.bare),
    rateOf(opponents.express),
    rateOf(opponents.elysia),
  ]);
  const header = [
    'requests a second',
    'meridian',
    'bare Elysia, same bytes',
    'Express, Luxon',
    'Elysia, date-fns',
  ];
  return [summary(figures), table(header, rows), `${provenance(figures)}`].join('\n\n');
}

function functionsTable(figures: Figures): string {
  const hasInstructions = figures.functions.some(({ instructions }) => instructions !== null);
  const rows = figures.functions.map(({ name, nanoseconds, instructions }) => [
    name,
    nanoseconds.toFixed(0),
    instructions?.toFixed(0) ?? '',
  ]);
  const note = hasInstructions ? '' : '\n\nThis machine counts no instructions.';
  return table(['function', 'ns', 'instructions'], rows) + note;
}

function growthTables({ growth, workers }: Figures): string {
  const tables = growth.map(({ title, points }) => {
    const rows = points.map(({ at, microseconds }) => [at, ...microseconds.map(value => value.toFixed(1))]);
    return `### ${title}: µs on a core for a request\n\n${table(['', ...EVERYBODY], rows)}`;
  });
  const rows = workers.map(({ workers: count, requestsPerSecond, requestsPerSecondAlone }) => [
    String(count),
    requestsPerSecond.toFixed(0),
    requestsPerSecondAlone.toFixed(0),
    ratioText(requestsPerSecondAlone / workers[0]!.requestsPerSecondAlone),
  ]);
  const header = ['workers', 'requests/s beside the client', 'on cores of their own', 'over one'];
  return [...tables, `### Workers\n\n${WORKERS_NOTE}\n\n${table(header, rows)}`].join('\n\n');
}

const WORKERS_NOTE =
  'The client takes part of the same cores. So what a second of the workers’ own time on cores gives, times the ' +
  'workers, is held against each other: it is what they do on cores of their own. One worker is measured while a ' +
  'server beside it is as busy: two cores may share what they compute with.';

function processTable({ processes }: Figures): string {
  if (processes === null) return '';
  const all = [processes.meridian, processes.express, processes.elysia];
  const row = (name: string, figure: keyof ProcessFigures) => [
    name,
    ...all.map(figures => figures[figure].toFixed(0)),
  ];
  return table(
    ['', ...EVERYBODY],
    [
      row('start to first answer, ms', 'startMs'),
      row('memory after it, MB', 'idleMegabytes'),
      row('memory a second after ten seconds of all routes, MB', 'usedMegabytes'),
      row('on disk, MB (the others without their runtime)', 'diskMegabytes'),
    ],
  );
}

const PAGES_NOTE =
  'A hundred clocks in sight, 96 pixels large, painted without a graphics card: per cent of one core.';

function pagesTable({ pages }: Figures): string {
  if (pages === null) return 'There was no Chromium to measure it with.';
  const percent = (share: number) => (share * 100).toFixed(2);
  const rows = pages.map(({ clocks, main, script, style, layout, chromium }) => [
    clocks,
    ...[main, script, style, layout, chromium].map(percent),
  ]);
  const header = ['clocks', 'main thread', 'of it script', 'styles', 'layout', 'all of Chromium'];
  return `${PAGES_NOTE}\n\n${table(header, rows)}`;
}

function differences(figures: Figures): string {
  const rows = figures.differences.map(({ path, why, answers }) => [
    `\`${path}\``,
    answers.meridian,
    answers.express,
    answers.elysia,
    why,
  ]);
  return table(['asked', ...EVERYBODY, 'why'], rows);
}

/**
 * Of answers: found by leaving one thing out at a time, in 25 to 60 spells in turns, when an answer of a bare server took
 * about 16 µs on a core. Of a start: by looks at the clock in it. Of a page: by Chromium's trace. All on 2026-11-22.
 */
const WHERE_TIME_GOES = [
  'What bare Elysia does not do takes 1.5 to 2.5 µs beside its 16, for any kept question: 1 to 1.3 µs to read two headers ' +
    'of the request, which Bun copies with the first that is asked for, 0.6 µs to measure and count, with two looks at the clock, ' +
    'one more look for the present, and the rest for memory that is not in the caches of the processor. That a kept question ' +
    'needs no finding of its route saves 0.7 µs, and headers that are copied from a Response 0.1.',
  'A question that nobody asked lately takes 5 to 9 µs more, about half of it in Bun and half in our own code: 1 µs to write ' +
    'the time, 1 µs to read the query. It takes 4 KB of memory, a kept one 2.',
  'A signature takes 33 to 35 µs by itself. The hash of the body takes 1.4 more, the envelope and three texts in base64 1.5, and ' +
    'six headers 1.5 to set and as much to send. Those who ask the same in one millisecond share a signature, and what is left of ' +
    'all that is the headers: so it is with `current, signed`. Of 400 places in turns each answer has its own.',
  'A key takes 4.6 µs where an open answer takes 20.5: 1.1 µs for the six headers of limits, 1.2 µs for the numbers in two of ' +
    'them that change with each answer, 1 µs for the header that it comes in, and 1.3 µs to check it and to count.',
  'A start that took 41 ms until it listened spent about 5 in Bun, 17 to read the modules and run them, 5 on settings, zones and ' +
    'the keys of callers, 3 on signing keys, 6 on the application and 4 on the socket. The first answer took 7 more, with its client.',
  'A page of a hundred clocks of all styles took 19 ms a second: 4 to lay out, 3 to paint, 3 for layers, 2 for the script, 2 for ' +
    'styles, 3 to find out what is to be painted where, and the rest for what Chromium does at any frame.',
].join('\n\n');

const RATIOS =
  'Ratios are of requests a second, and after the stroke of time on a core for one request; more is faster. Over a limit and ' +
  'over `current`, both clients take turns of a twentieth of a second, so that the noise of the machine is noise to both.';

/** The whole report. */
export function report(figures: Figures): string {
  const missing = shortfalls(figures);
  return [
    '# Speed',
    provenance(figures),
    RATIOS,
    summary(figures),
    '## Routes',
    routesTable(figures),
    '## Short of what is wanted',
    missing.length === 0 ? 'Nothing.' : missing.join('\n'),
    WHERE_TIME_GOES,
    '## Functions',
    functionsTable(figures),
    '## How cost grows',
    growthTables(figures),
    '## Processes',
    processTable(figures),
    '## A page of clocks',
    pagesTable(figures),
    '## Where the others answer otherwise',
    differences(figures),
  ].join('\n\n');
}

/** A text with what stands between the two markers replaced. Throws where they are not there. */
export function withFigures(text: string, figures: string): string {
  const [first, last] = MARKERS.map(marker => text.indexOf(marker)) as [number, number];
  if (first === -1 || last < first) throw new Error(`${MARKERS.join(' and ')} do not stand in the README`);
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
