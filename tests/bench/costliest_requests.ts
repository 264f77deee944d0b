/**
 * Searches the most expensive request of each route, in a process of its own: prints a JSON object by path. All queries of
 * `costly_queries.ts` are tried three times; what the slowest take is then measured in time on a core. An argument is a
 * pattern of the paths to search.
 */

import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { testServer } from '../http/service.ts';
import { sampleKey } from '../signing/sample_keys.ts';
import { COSTLY_PATHS, concreteQuery, costlyQueries } from './costly_queries.ts';

/** The most expensive request of a route. */
export interface CostliestRequest {
  readonly query: string;
  readonly status: number;
  /** Time on a core, milliseconds. */
  readonly milliseconds: number;
  /** The longest time for which it blocks others, as in the fastest tenth of repetitions: other processes add to the rest. */
  readonly longestTurnMs: number;
}

const TRIES = 3;
const FINALISTS = 6;
const REPETITIONS = 40;

const app = createApp(
  { ...testServer({ signing: fixedKeys([sampleKey(1)]) }), now: Date.now },
  { peerOf: () => '2.125.160.216' },
);
let requests = 0;

/** Sends a query that was never sent before, so that none is cached. */
async function send(path: string, query: string): Promise<number> {
  const response = await app.handle(
    new Request(`http://localhost${path}?${concreteQuery(query)}&_=${requests++}`),
  );
  await response.arrayBuffer();
  return response.status;
}

async function fastestMs(path: string, query: string): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const start = performance.now();
    await send(path, query);
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

async function longestTurnMs(path: string, query: string): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  let timer = setImmediate(function next() {
    turn();
    timer = setImmediate(next);
  });
  await send(path, query);
  clearImmediate(timer);
  turn();
  return longest;
}

async function measure(path: string, query: string): Promise<CostliestRequest> {
  const before = process.cpuUsage();
  for (let repetition = 0; repetition < REPETITIONS; repetition++) await send(path, query);
  const { user, system } = process.cpuUsage(before);
  const turns: number[] = [];
  for (let repetition = 0; repetition < REPETITIONS; repetition++)
    turns.push(await longestTurnMs(path, query));
  return {
    query,
    status: await send(path, query),
    milliseconds: (user + system) / 1000 / REPETITIONS,
    longestTurnMs: turns.sort((a, b) => a - b)[REPETITIONS / 10]!,
  };
}

if (import.meta.main) {
  const costliest: Record<string, CostliestRequest> = {};
  const pattern = new RegExp(process.argv[2] ?? '');
  for (const path of COSTLY_PATHS.filter(each => pattern.test(each))) {
    const tried: { readonly query: string; readonly ms: number }[] = [];
    for (const query of costlyQueries(path)) tried.push({ query, ms: await fastestMs(path, query) });
    tried.sort((a, b) => b.ms - a.ms);
    const measured: CostliestRequest[] = [];
    for (const { query } of tried.slice(0, FINALISTS)) measured.push(await measure(path, query));
    costliest[path] = measured.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  }
  console.log(JSON.stringify(costliest));
  process.exit();
}
