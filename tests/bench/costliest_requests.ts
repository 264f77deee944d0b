/**
 * Searches for the most expensive request of each route, in a separate process: prints a JSON object by path. All requests of
 * `costly_requests.ts` are tried three times; those that take longest or block others longest are then measured. An argument is
 * a pattern of the paths to search.
 */
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';
import { COSTLY_PATHS, type CostlyRequest, concreteRequest, costlyRequests } from './costly_requests.ts';
import { longestTurnMs, threadMs } from './thread_clock.ts';

/**
 * The most expensive requests of a route: the slowest, and the one that blocks others longest. Times are thread CPU times in
 * the fastest tenth of repetitions: the others include compilation, garbage collection and shared caches.
 */
export interface CostliestRequest {
  readonly request: string;
  readonly status: number;
  /** CPU time of the thread that serves it. */
  readonly milliseconds: number;
  readonly blocking: string;
  /** The longest time for which other requests have to wait. */
  readonly longestTurnMs: number;
}

const TRIES = 3;
const FINALISTS = 3;
const REPETITIONS = 40;
const MINUTE_MS = 60_000;

let aheadMs = 0;
const now = () => Date.now() + aheadMs;
const app = createApp(
  { ...testServer({ signing: fixedKeys([sampleKey(1)]) }), now },
  { peerOf: () => '2.125.160.216' },
);

/** Prepares a request; one for a page is sent a minute after the last one, since pages are drawn once a minute. */
function prepared(request: CostlyRequest): () => Promise<Response> {
  if (!request.target.startsWith('/v1/')) aheadMs += MINUTE_MS;
  const concrete = concreteRequest(request);
  return async () => app.handle(concrete);
}

/** The minimum times of a request over some tries. */
interface Tried {
  readonly request: CostlyRequest;
  readonly totalMs: number;
  readonly turnMs: number;
}

async function tried(request: CostlyRequest): Promise<Tried> {
  let [totalMs, turnMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const send = prepared(request);
    const start = threadMs();
    turnMs = Math.min(turnMs, await longestTurnMs(send));
    totalMs = Math.min(totalMs, threadMs() - start);
  }
  return { request, totalMs, turnMs };
}

async function measure(request: CostlyRequest) {
  const [totals, turns]: [number[], number[]] = [[], []];
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const send = prepared(request);
    const start = threadMs();
    await send();
    totals.push(threadMs() - start);
    turns.push(await longestTurnMs(prepared(request)));
  }
  return {
    request,
    status: (await prepared(request)()).status,
    milliseconds: fastestTenth(totals),
    longestTurnMs: fastestTenth(turns),
  };
}

function fastestTenth(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)]!;
}

async function costliestOf(path: string): Promise<CostliestRequest> {
  const all: Tried[] = [];
  for (const request of costlyRequests(path)) all.push(await tried(request));
  const finalists = new Set([
    ...all.sort((a, b) => b.totalMs - a.totalMs).slice(0, FINALISTS),
    ...all.sort((a, b) => b.turnMs - a.turnMs).slice(0, FINALISTS),
  ]);
  const measured = [];
  for (const { request } of finalists) measured.push(await measure(request));
  const costliest = measured.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  const blocking = measured.reduce((a, b) => (b.longestTurnMs > a.longestTurnMs ? b : a));
  return {
    request: textOf(costliest.request),
    status: costliest.status,
    milliseconds: costliest.milliseconds,
    blocking: textOf(blocking.request),
    longestTurnMs: blocking.longestTurnMs,
  };
}

const MAX_SHOWN = 200;

/** A request as shown in the report. */
function textOf({ target, body = '' }: CostlyRequest): string {
  return `${target} ${body}`.trim().slice(0, MAX_SHOWN);
}

if (import.meta.main) {
  const costliest: Record<string, CostliestRequest> = {};
  const pattern = new RegExp(process.argv[2] ?? '');
  for (const path of COSTLY_PATHS.filter(each => pattern.test(each))) {
    costliest[path] = await costliestOf(path);
    console.error(path, costliest[path]);
  }
  console.log(JSON.stringify(costliest));
  process.exit();
}
