import type { RouteFigures } from './figures.ts';
import { load, medianSpell, type Spell } from './load.ts';
import type { Opponent, Scenario } from './scenarios.ts';
import type { Servers } from './servers.ts';

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
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
  const spells = new Map<string, Spell[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [index, scenario] of scenarios.entries()) {
      const { name, keyed = false, paths, against } = scenario;
      const measure = async (who: string, ...[subject, asked]: Parameters<typeof load>) => {
        const spell = await load(subject, asked, seconds);
        if (round > 0) spells.set(`${who} ${name}`, [...(spells.get(`${who} ${name}`) ?? []), spell]);
      };
      await measure('meridian', keyed ? servers.keyed : servers.meridian, paths, seconds);
      for (const opponent of Object.keys(against) as Opponent[]) {
        const asked = paths.map(path => pathAt(opponent, path, index));
        await measure(opponent, servers.opponents[opponent], asked, seconds);
      }
    }
  }
  const medianOf = (who: string, name: string) => medianSpell(spells.get(`${who} ${name}`)!);
  return Object.fromEntries(
    scenarios.map(({ name, against, over }) => [
      name,
      {
        rounds,
        meridian: medianOf('meridian', name),
        opponents: Object.fromEntries(
          Object.keys(against).map(opponent => [opponent, medianOf(opponent, name)]),
        ),
        over: over === undefined ? null : medianOf('meridian', over.name),
      },
    ]),
  );
}

/** Where an opponent answers the path of the scenario at an index. */
function pathAt(opponent: Opponent, path: string, index: number): string {
  if (opponent === 'bare') return `/${index}${path}`;
  return opponent === 'signature' ? path.replace('&sign=true', '') : path;
}

/** The scenarios whose name contains any of some texts, and those that they are held against. */
export function chooseScenarios(scenarios: readonly Scenario[], texts: readonly string[]): Scenario[] {
  const chosen = scenarios.filter(({ name }) => texts.some(text => name.includes(text)));
  const needed = new Set(
    chosen.flatMap(({ name, over }) => (over === undefined ? [name] : [name, over.name])),
  );
  return scenarios.filter(({ name }) => needed.has(name));
}
