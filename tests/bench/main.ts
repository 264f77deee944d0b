/**
 * `make bench`: how fast each route is, held against a bare Elysia server and against the same service as others would
 * write it; what the hot functions cost, how cost grows, what a process takes. What is measured is added to
 * `dist/bench/figures.json`, and `dist/bench/report.md` is made of it all.
 * `--parts routes,functions,growth,processes,page` measures some of these, `--only PATTERN` the scenarios whose name it fits
 * and those that they are held against; `--rounds N` and `--seconds N` make it longer. Wants `wrk` and `node`, and
 * Chromium for the part `page`.
 */
import { parseArgs } from 'node:util';
import { measurePages } from './clocks_in_page.ts';
import { checkRivals } from './fairness.ts';
import { saveFigures } from './figures.ts';
import { measureFunctions } from './functions.ts';
import { measureGrowth } from './growth.ts';
import { measureProcesses } from './processes.ts';
import { chooseScenarios, measureRoutes } from './routes.ts';
import { SCENARIOS } from './scenarios.ts';
import { startServers } from './servers.ts';

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'routes,functions,growth,processes,page' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
for (const program of ['wrk', 'node']) {
  if (Bun.which(program) === null) throw new Error(`${program} is wanted`);
}
const pace = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

const PARTS: Record<string, () => Promise<unknown>> = {
  async routes() {
    const scenarios = chooseScenarios(SCENARIOS, new RegExp(values.only));
    const servers = await startServers(scenarios);
    try {
      const differences = await checkRivals(servers);
      saveFigures({ differences, routes: await measureRoutes(scenarios, servers, pace) });
    } finally {
      servers.stop();
    }
  },
  functions: async () => saveFigures({ functions: measureFunctions() }),
  growth: async () => saveFigures(await measureGrowth(pace)),
  async page() {
    const pages = await measurePages(pace);
    if (pages === null) console.error('There is no Chromium: what a page of clocks takes is not measured.');
    saveFigures({ pages });
  },
  processes: async () => saveFigures({ processes: await measureProcesses() }),
};

for (const name of values.parts.split(',')) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`There is no part '${name}': ${Object.keys(PARTS).join(', ')}`);
  console.error(`measuring ${name} …`);
  await part();
}
