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
import { saveFigures } from './report.ts';
import { measureGrowth, measurePages, measureProcesses } from './resources.ts';
import { against, checkRivals, chooseScenarios, measureRoutes } from './routes.ts';
import { OPPONENTS, type Opponent, SCENARIOS } from './scenarios.ts';
import { startServers } from './servers.ts';

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

for (const name of values.parts.split(',')) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part '${name}': ${Object.keys(PARTS).join(', ')}`);
  console.error(`measuring ${name} …`);
  await part();
}

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
