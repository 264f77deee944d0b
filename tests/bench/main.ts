/**
 * `make bench`: how fast each route is, compared with servers that only return the same bytes and with the same service on
 * other frameworks; the cost of the hot functions and of the most expensive request of each route, how cost grows, and the
 * resources of a process. Results are added to `dist/bench/figures.json`, from which `dist/bench/report.md` is written.
 *
 * - `--parts routes,functions,costliest,batches,growth,processes,page` selects parts.
 * - `--only instants,places,^current$` selects the scenarios whose name matches one of these patterns.
 * - `--against baseline,bare` selects opponents.
 * - `--baseline PATH` adds another executable of meridian as an opponent of every scenario and of starts, interleaved with this one.
 * - `--rounds N --seconds N` sets the number of rounds, and how long each server is loaded in a round; `wrk` needs whole seconds.
 *
 * Requires `wrk`, Node for the opponent `express`, and Chromium for the part `page`.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, loadInTurns, median, medians, type Spell, type Subject, type Target } from './load.ts';
import { type Compared, type RouteFigures, saveFigures } from './report.ts';
import { measureGrowth, measurePages, measureProcesses } from './resources.ts';
import { against, chooseScenarios, OPPONENTS, type Opponent, SCENARIOS, type Scenario } from './scenarios.ts';
import { type Server, type Servers, startServers } from './servers.ts';

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'routes,functions,costliest,batches,growth,processes,page' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    against: { type: 'string', default: OPPONENTS.join() },
    baseline: { type: 'string' },
  },
});
if (Bun.which('wrk') === null) throw new Error('wrk is required');
const opponents = new Set(values.against.split(',').map(opponentNamed));
if (values.baseline === undefined) opponents.delete('baseline');
const pace = { rounds: wholeNumber('rounds'), seconds: wholeNumber('seconds') };

/** The JSON that a program of this folder prints, which runs in a process of its own. */
function printed(program: string, ...args: readonly string[]) {
  const command = [process.execPath, join(import.meta.dir, program), ...args];
  const { stdout, exitCode } = Bun.spawnSync(command, { stderr: 'inherit' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed`);
  return JSON.parse(stdout.toString());
}

const PARTS: Record<string, () => Promise<unknown>> = {
  async routes() {
    const pattern = new RegExp(values.only.replaceAll(',', '|'));
    const scenarios = against(chooseScenarios(SCENARIOS, pattern), opponents);
    const servers = await startServers(scenarios, values.baseline);
    try {
      const differences = await checkRivals(servers);
      const routes = await measureRoutes(scenarios, servers, pace);
      saveFigures({ routes, ...(differences === null ? {} : { differences }) });
    } finally {
      servers.stop();
    }
  },
  functions: async () => saveFigures({ functions: printed('functions.ts') }),
  costliest: async () => saveFigures({ costliest: printed('costliest.ts', 'requests') }),
  batches: async () => saveFigures({ batches: printed('costliest.ts', 'batches') }),
  growth: async () => saveFigures(await measureGrowth(pace)),
  async page() {
    const pages = await measurePages(pace);
    if (pages === null) console.error('Without Chromium a page of clocks is not measured.');
    saveFigures({ pages });
  },
  processes: async () => saveFigures({ processes: await measureProcesses(opponents, values.baseline) }),
};

function wholeNumber(name: 'rounds' | 'seconds'): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a positive whole number`);
  return number;
}

function opponentNamed(name: string): Opponent {
  const found = OPPONENTS.find(opponent => opponent === name);
  if (found === undefined) throw new Error(`no opponent '${name}': ${OPPONENTS.join(', ')}`);
  return found;
}

interface Check {
  readonly path: string;
  /** Members of the response that may differ. */
  readonly differing?: readonly string[];
}

const UNIX = 'unix=1776274247';

/** Responses that must be equal except for the named members. */
const EQUAL: readonly Check[] = [
  { path: `/v1/time/convert?${UNIX}&tz=Europe/Paris,America/New_York,Asia/Kolkata,Australia/Lord_Howe` },
  { path: `/v1/time/convert?${UNIX}&offset=-08:00,%2B05:45` },
  { path: `/v1/time/convert?${UNIX}&utc=true` },
  { path: `/v1/time/convert?${UNIX}&ip=8.8.8.8` },
  { path: `/v1/time/convert?${UNIX}&lat=48.8566&lon=2.3522` },
  { path: `/v1/time/convert?${UNIX}&lat=51.4430&lon=4.9340` },
  { path: `/v1/time/convert?${UNIX}&tz=Asia/Tokyo&format=%25Y-%25m-%25d+%25H:%25M` },
  { path: '/v1/time/convert?iso=2026-04-15T13:30:47&source_tz=America/New_York&tz=Asia/Tokyo' },
  { path: '/v1/time/convert?iso=1999-12-31T23:59:59-05:00&tz=Asia/Tokyo' },
  { path: `/v1/time/add?${UNIX}&days=1&hours=-3&tz=Asia/Tokyo` },
  { path: `/v1/time/calendar?${UNIX}&week=true&tz=Asia/Tokyo` },
  { path: '/v1/time/calendar?iso=2027-01-01T00:30:00Z&week=true&tz=America/New_York' },
  { path: '/v1/time/diff?from=iso=1970-01-01&to=iso=2100-12-31' },
  {
    path: '/v1/time/diff?from=iso=2020-01-01&to=iso=2030-12-31&business_days=true&holiday_country=DE&holiday_subdivision=BY',
  },
  { path: `/v1/time/diff?from=${encodeURIComponent(UNIX)}&to=iso=2026-12-24T18:00&format=%25days+%25hours` },
  {
    path: `/v1/time/elapsed?iso=2026-04-01T13:30:47&source_tz=America/New_York&compare_${UNIX}&business_days=true`,
  },
  {
    path: '/v1/holidays?country=DE&subdivision=BY&year=2026',
    differing: ['work_week', 'coverage', 'subdivisions_differ', 'name', 'name_en', 'status', 'source'],
  },
  {
    path: '/v1/work/days?from=2026-12-01&to=2027-01-31&holiday_country=DE&holiday_subdivision=BY',
    differing: ['name'],
  },
];

/** Responses that depend on the current time: members and their types must be the same. */
const ALIKE: readonly string[] = [
  ...['/v1/time/current?tz=Europe/Paris', '/v1/time/current?ip=8.8.8.8', '/v1/time/current'],
  ...['/v1/time/dst?next=true&tz=Europe/Paris', '/v1/time/dst?next=true&tz=Asia/Tokyo'],
  ...['/v1/timezone?tz=Europe/Paris', '/v1/timezones?country=NZ'],
  '/v1/time/current?tz=Europe/Paris&sign=true',
];

/** Where the rivals are known to be wrong; their responses go into the report. */
const KNOWN_WRONG: readonly { readonly path: string; readonly member: string; readonly why: string }[] = [
  {
    path: '/v1/time/convert?iso=2026-12-01T12:00:00Z&tz=America/Vancouver',
    member: 'iso_local',
    why: 'British Columbia keeps -07:00 since 2026; the zone data of the runtime is older',
  },
  {
    path: '/v1/time/convert?iso=1900-01-01T00:00:00Z&tz=Europe/Dublin',
    member: 'iso_local',
    why: 'local mean time has seconds in its offset',
  },
  {
    path: '/v1/time/convert?unix=1776274247&tz=US/Eastern',
    member: 'timezone',
    why: 'the requested name, not the canonical one',
  },
  {
    path: '/v1/time/convert?iso=2026-03-08T02:30:00&source_tz=America/New_York&tz=UTC&disambiguation=reject',
    member: 'error',
    why: 'a skipped local time cannot be rejected',
  },
];

/** A response of meridian and its rivals, if these are known to be wrong. */
export interface KnownDifference {
  readonly path: string;
  readonly why: string;
  readonly answers: Readonly<Record<'meridian' | 'express' | 'elysia', string>>;
}

/** Throws if a rival's work differs from meridian's; returns the known differences, or null unless both rivals run. */
async function checkRivals({ meridian, opponents }: Servers): Promise<KnownDifference[] | null> {
  const [express, elysia] = [opponents.get('express'), opponents.get('elysia')];
  if (express === undefined || elysia === undefined) return null;
  for (const rival of [express, elysia]) {
    const compare = async (path: string, view: (body: unknown) => unknown) =>
      expectEqual(path, view(await fetchJson(meridian.url, path)), view(await fetchJson(rival.url, path)));
    for (const { path, differing = [] } of EQUAL) await compare(path, body => without(body, differing));
    for (const path of ALIKE) await compare(path, shapeOf);
  }
  await checkClocks([meridian, express, elysia]);
  return Promise.all(
    KNOWN_WRONG.map(async ({ path, member, why }) => {
      const of = async ({ url }: Server) => {
        const value = ((await fetchJson(url, path)) as Record<string, unknown>)[member];
        return typeof value === 'string' ? value : value === undefined ? 'none' : 'given';
      };
      const answers = { meridian: await of(meridian), express: await of(express), elysia: await of(elysia) };
      return { path: `${path} (${member})`, why, answers };
    }),
  );
}

const CLOCK = '/v1/time/clock?style=analog-station&tz=Europe/Paris&unix=1776274247';
const CLOCK_MEMBERS = ['version', 'style', 'unix_ms', 'offset_minutes', 'timezone', 'format'];

/** Compares the configurations of the clocks; their drawings may differ. */
async function checkClocks(servers: readonly Server[]): Promise<void> {
  const configs = await Promise.all(
    servers.map(async ({ url }) => {
      const fragment = await (await fetch(url + CLOCK)).text();
      const config = JSON.parse(
        /<script[^>]*type="application\/json"[^>]*>(.*?)<\/script>/s.exec(fragment)![1]!,
      );
      return CLOCK_MEMBERS.map(name => config[name]);
    }),
  );
  for (const config of configs) expectEqual(CLOCK, configs[0], config);
}

async function fetchJson(url: string, path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

function expectEqual(path: string, ours: unknown, theirs: unknown): void {
  if (Bun.deepEquals(ours, theirs)) return;
  throw new Error(
    `A rival responds differently to ${path}:\n${JSON.stringify(ours, null, 1)}\n${JSON.stringify(theirs, null, 1)}`,
  );
}

/** A value without some members, at any depth. */
function without(value: unknown, names: readonly string[]): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (names.includes(name) ? undefined : member)));
}

/** The members of a value and their types. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, shapeOf(member)]),
  );
}

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
}

/** One round of a scenario: the spells of meridian and of everything it is compared with. */
interface Round {
  readonly meridian: Spell;
  readonly opponents: ReadonlyMap<Opponent, Spell>;
  readonly over: Spell | null;
}

/**
 * Measures scenarios in rounds of short spells, so that noise affects all alike. A first round warms up.
 */
async function measureRoutes(
  scenarios: readonly Scenario[],
  servers: Servers,
  { rounds, seconds }: Pace,
): Promise<Record<string, RouteFigures>> {
  const measured = scenarios.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, scenario] of scenarios.entries()) {
      const outcome = await measureRound(scenario, index, scenarios, servers, seconds);
      if (round > 0) measured[index]!.push(outcome);
    }
  }
  return Object.fromEntries(scenarios.map(({ name }, index) => [name, figuresOf(measured[index]!)]));
}

/** Other implementations are many times slower: a separate spell after the others is accurate enough. */
const FAR_OFF: ReadonlySet<Opponent> = new Set(['express', 'elysia']);

async function measureRound(
  { paths, keyed, isConditional, against, over }: Scenario,
  index: number,
  scenarios: readonly Scenario[],
  servers: Servers,
  seconds: number,
): Promise<Round> {
  const targetOf = (opponent: Opponent): Target => ({
    subject: (keyed && opponent === 'baseline' ? servers.keyed.baseline : servers.opponents.get(opponent))!,
    paths: paths.map(path => pathAt(opponent, path, index)),
  });
  const names = Object.keys(against) as Opponent[];
  const near = names.filter(name => !FAR_OFF.has(name));
  const other = scenarios.find(({ name }) => name === over?.name);
  const own = keyed ? servers.keyed.meridian! : servers.meridian;
  const subject = isConditional ? await conditional(own, paths[0]!) : own;
  const reference = other === undefined ? [] : [{ subject: servers.meridian, paths: other.paths }];
  const targets = [{ subject, paths }, ...near.map(targetOf), ...reference];
  const [meridian, ...nearSpells] = await loadInTurns(targets, seconds);
  const opponents = new Map(near.map((opponent, at) => [opponent, nearSpells[at]!]));
  for (const opponent of names.filter(name => FAR_OFF.has(name))) {
    const { subject, paths: targetPaths } = targetOf(opponent);
    opponents.set(opponent, await load(subject, targetPaths, seconds));
  }
  return { meridian: meridian!, opponents, over: other === undefined ? null : nearSpells.at(-1)! };
}

/** A server whose client already has the response of a path. */
async function conditional(subject: Subject, path: string): Promise<Subject> {
  const tag = (await fetch(subject.url + path)).headers.get('ETag');
  if (tag === null) throw new Error(`${path} has no entity tag`);
  const headers = { 'If-None-Match': tag };
  const { status } = await fetch(subject.url + path, { headers });
  if (status !== 304) throw new Error(`${path}: ${status} instead of 304`);
  return { ...subject, headers };
}

function figuresOf(rounds: readonly Round[]): RouteFigures {
  const compared = (theirsOf: (round: Round) => Spell): Compared => {
    const ratio = (figure: keyof Spell) =>
      median(rounds.map(round => round.meridian[figure] / theirsOf(round)[figure]));
    const byCpu = 1 / ratio('cpuMicrosecondsPerRequest');
    return { spell: medians(rounds.map(theirsOf)), byRate: ratio('requestsPerSecond'), byCpu };
  };
  const [{ opponents, over }] = rounds as [Round];
  return {
    rounds: rounds.length,
    meridian: medians(rounds.map(({ meridian }) => meridian)),
    opponents: Object.fromEntries(
      [...opponents.keys()].map(opponent => [opponent, compared(round => round.opponents.get(opponent)!)]),
    ),
    over: over === null ? null : compared(round => round.over!),
  };
}

/** The servers that return the same bytes, with a path for each scenario. */
const BARE: ReadonlySet<Opponent> = new Set(['encoding', 'bare', 'serve', 'minimal']);

/** The path at which an opponent serves a path of the scenario at an index. */
function pathAt(opponent: Opponent, path: string, index: number): string {
  if (BARE.has(opponent)) return `/${index}${path}`;
  return opponent === 'signature' ? path.replace('&sign=true', '') : path;
}

for (const name of values.parts.split(',')) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part '${name}': ${Object.keys(PARTS).join(', ')}`);
  console.error(`measuring ${name} …`);
  await part();
}
