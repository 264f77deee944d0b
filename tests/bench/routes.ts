import type { Compared, RouteFigures } from './figures.ts';
import { load, median, medianSpell, type Spell } from './load.ts';
import type { Opponent, Scenario } from './scenarios.ts';
import type { Servers } from './servers.ts';

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
}

/** The spells of one round, of meridian and of all that it is held against in a scenario. */
interface Round {
  readonly meridian: Spell;
  readonly opponents: ReadonlyMap<Opponent, Spell>;
  readonly over: Spell | null;
}

/**
 * Measures scenarios in rounds of short spells: in each, meridian and the opponents of a scenario take turns, so that
 * a noisy machine is noisy to all alike. A round before them warms up.
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

async function measureRound(
  { paths, keyed, against, over }: Scenario,
  index: number,
  scenarios: readonly Scenario[],
  servers: Servers,
  seconds: number,
): Promise<Round> {
  const meridian = await load(keyed ? servers.keyed : servers.meridian, paths, seconds);
  const opponents = new Map<Opponent, Spell>();
  for (const opponent of Object.keys(against) as Opponent[]) {
    const asked = paths.map(path => pathAt(opponent, path, index));
    opponents.set(opponent, await load(servers.opponents[opponent], asked, seconds));
  }
  const other = scenarios.find(({ name }) => name === over?.name);
  return {
    meridian,
    opponents,
    over: other === undefined ? null : await load(servers.meridian, other.paths, seconds),
  };
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

/** Where an opponent answers the path of the scenario at an index. */
function pathAt(opponent: Opponent, path: string, index: number): string {
  if (opponent === 'bare') return `/${index}${path}`;
  return opponent === 'signature' ? path.replace('&sign=true', '') : path;
}

/** The scenarios whose name a pattern fits, and those that they are held against. */
export function chooseScenarios(scenarios: readonly Scenario[], pattern: RegExp): Scenario[] {
  const chosen = scenarios.filter(({ name }) => pattern.test(name));
  const needed = new Set(
    chosen.flatMap(({ name, over }) => (over === undefined ? [name] : [name, over.name])),
  );
  return scenarios.filter(({ name }) => needed.has(name));
}
