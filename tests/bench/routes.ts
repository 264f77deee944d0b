import type { Compared, RouteFigures } from './figures.ts';
import { load, medianSpell, type Spell, type Subject } from './load.ts';
import { loadInTurns, type Target } from './load_in_turns.ts';
import { median } from './median.ts';
import { type Opponent, requiredOverBaseline, type Scenario } from './scenarios.ts';
import type { Servers } from './servers.ts';

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
export async function measureRoutes(
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
  const [meridian, ...nearSpells] = await loadInTurns(
    [
      {
        subject: isConditional
          ? await conditional(servers.meridian, paths[0]!)
          : keyed
            ? servers.keyed.meridian!
            : servers.meridian,
        paths,
      },
      ...near.map(targetOf),
      ...(other === undefined ? [] : [{ subject: servers.meridian, paths: other.paths }]),
    ],
    seconds,
  );
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
  const compared = (theirsOf: (round: Round) => Spell): Compared => ({
    spell: medianSpell(rounds.map(theirsOf)),
    byRate: median(rounds.map(round => round.meridian.requestsPerSecond / theirsOf(round).requestsPerSecond)),
    byCpu: median(
      rounds.map(
        round => theirsOf(round).cpuMicrosecondsPerRequest / round.meridian.cpuMicrosecondsPerRequest,
      ),
    ),
  });
  const [{ opponents, over }] = rounds as [Round];
  return {
    rounds: rounds.length,
    meridian: medianSpell(rounds.map(({ meridian }) => meridian)),
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

/** Scenarios against these opponents only; all of them can be compared with a baseline. */
export function against(scenarios: readonly Scenario[], opponents: ReadonlySet<Opponent>): Scenario[] {
  return scenarios.map(scenario => {
    const all = { baseline: requiredOverBaseline(scenario), ...scenario.against };
    const chosen = Object.entries(all).filter(([name]) => opponents.has(name as Opponent));
    return { ...scenario, against: Object.fromEntries(chosen) };
  });
}

/** The scenarios whose names match, and those they are compared with. */
export function chooseScenarios(scenarios: readonly Scenario[], pattern: RegExp): Scenario[] {
  const chosen = scenarios.filter(({ name }) => pattern.test(name));
  const needed = new Set(
    chosen.flatMap(({ name, over }) => (over === undefined ? [name] : [name, over.name])),
  );
  return scenarios.filter(({ name }) => needed.has(name));
}
