/**
 * Two searches in a separate process, each printed as JSON: `requests PATTERN` finds the most expensive request of each route whose
 * path matches, `batches` how long the largest batches block other clients. All requests of `costly_requests.ts` are tried three times;
 * those that take longest or block others longest are then measured. Times are CPU times of the thread, so that machine noise
 * matters little.
 */

import { createApp } from '../../src/server/app.ts';
import { libc } from '../../src/server/libc.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { testServer } from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';
import { COSTLY_PATHS, type CostlyRequest, concreteRequest, costlyRequests } from './costly_requests.ts';
import { HUNDRED_ZONES } from './scenarios.ts';

/** `CLOCK_THREAD_CPUTIME_ID` of Linux. */
const THREAD_CPU_TIME = 3;

const timespec = new BigInt64Array(2);

/**
 * The CPU time of this thread so far in milliseconds: waiting for other processes is not included, so that a busy machine does
 * not matter. Linux only.
 */
function threadMs(): number {
  if (libc()?.clock_gettime(THREAD_CPU_TIME, timespec) !== 0)
    throw new Error('There is no clock of the CPU time of a thread here');
  return Number(timespec[0]) * 1e3 + Number(timespec[1]) / 1e6;
}

/** The longest time for which other tasks waited for this thread, in milliseconds of its CPU time. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadMs();
  const turn = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  let timer = setImmediate(function next() {
    turn();
    timer = setImmediate(next);
  });
  await work();
  clearImmediate(timer);
  turn();
  return longest;
}

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
const REQUEST_REPETITIONS = 40;
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
  for (let repetition = 0; repetition < REQUEST_REPETITIONS; repetition++) {
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

async function costliestRequests(pattern: RegExp): Promise<Record<string, CostliestRequest>> {
  const costliest: Record<string, CostliestRequest> = {};
  for (const path of COSTLY_PATHS.filter(each => pattern.test(each))) {
    costliest[path] = await costliestOf(path);
    console.error(path, costliest[path]);
  }
  return costliest;
}

const BATCH_REPETITIONS = 12;

const times = (count: number, requestOf: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => requestOf(i));

/** Batches of the maximum size: in requests, in entries, or in response bytes. */
const BATCHES: Readonly<Record<string, readonly string[]>> = {
  '1,000 times the present': times(1000, () => '/v1/time/current?tz=Asia/Tokyo'),
  '1,000 instants': times(1000, index => `/v1/time/convert?unix=${index * 86_400}&tz=Asia/Tokyo`),
  '100 zones 150 times': times(150, index => `/v1/time/current?tz=${HUNDRED_ZONES}&nonce=${index}`),
  '8 MB of clock changes': times(40, () => '/v1/time/transitions?all=true&from=2020-01-01&to=2025-01-01'),
  '8 MB of places': times(
    1000,
    index => `/v1/places?q=${'abcdefghijklmnopqrstuvwxyz'[index % 26]}&limit=50&nonce=${index}`,
  ),
  '8 MB of lists of zones': times(1000, index => `/v1/timezones?unix=${index * 2_592_000}`),
};

/** Sends a batch from another process, which reads the response as fast as it can. */
async function send(url: string, body: Blob, coding: string): Promise<void> {
  const headers = ['Content-Type: application/json', `Accept-Encoding: ${coding}`];
  const given = headers.flatMap(header => ['--header', header]);
  const client = Bun.spawn(
    ['curl', '--silent', '--fail', '--output', '/dev/null', '--data-binary', '@-', ...given, url],
    { stdin: body },
  );
  if ((await client.exited) !== 0) throw new Error(`A batch failed: curl exited with ${client.exitCode}`);
}

/**
 * How long the largest batches block other clients: the CPU time of the thread in a turn, from parsing a batch until its response
 * is sent, in milliseconds.
 */
async function largestBatches(): Promise<Record<string, number>> {
  const { handle } = createApp({ ...testServer(), now: Date.now });
  const { url } = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handle });
  const figures: Record<string, number> = {};
  for (const [name, requests] of Object.entries(BATCHES)) {
    const body = new Blob([JSON.stringify({ requests })]);
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      const turns: number[] = [];
      for (let repetition = 0; repetition < BATCH_REPETITIONS; repetition++)
        turns.push(await longestTurnMs(() => send(`${url}v1/batch`, body, coding)));
      figures[`${name}, ${coding}`] = Math.min(...turns);
    }
  }
  return figures;
}

const [kind, pattern = ''] = process.argv.slice(2);
const found = kind === 'batches' ? await largestBatches() : await costliestRequests(new RegExp(pattern));
console.log(JSON.stringify(found));
process.exit();
