/**
 * `make capacity`: measures a machine's capacity; writes and prints the figures of `meridian help capacity`. Requires `wrk`,
 * curl and redis-server; nothing else should run on the machine.
 *
 * - `--rounds N --seconds N` sets the number of rounds, and how long each server is loaded in a round.
 * - `--print` prints the figures only.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BINARY, freePort, output } from '../support/process.ts';
import { REDIS_PROGRAM, type RedisServer, startRedis } from '../support/redis.ts';
import { CONNECTIONS, load, median, medians, type Spell, threadTimes, timeBetween } from './load.ts';
import { type Server, startExecutable, startKeyed } from './servers.ts';

const TOPIC = join(import.meta.dir, '../../src/cli/topics/capacity/figures.md');
const PATH = '/v1/time/current?tz=Europe/Paris';

/** A server to measure, and the Redis it uses. */
interface Candidate {
  readonly workers: number;
  readonly server: Server;
  readonly redis?: RedisServer;
  readonly spells: Spell[];
  readonly redisMicroseconds: number[];
}

/** Measures this machine, and writes the figures unless they are only to be printed. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      print: { type: 'boolean', default: false },
    },
  });
  if (Bun.which('wrk') === null) throw new Error('wrk is required');
  if (REDIS_PROGRAM === null) throw new Error('redis-server is required');
  await using redis = await startRedis({ port: freePort() });
  const text = capacityText(await measure(redis, Number(values.rounds), Number(values.seconds)));
  if (!values.print) writeFileSync(TOPIC, text);
  console.log(text);
}

async function measure(redis: RedisServer, rounds: number, seconds: number): Promise<CapacityFigures> {
  const open = [await candidate(1), await candidate(2), await candidate(4)];
  const keyed = await keyedCandidate(1);
  const shared = [await keyedCandidate(1, redis), await keyedCandidate(2, redis)];
  const all = [...open, keyed, ...shared];
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const subject of all) await loadOnce(subject, seconds, round > 0); // the first warms up
    }
    return {
      machine: `${cpus().length} cores of ${cpus()[0]?.model.trim()}`,
      version: output([BINARY, '--version']).replace(/ \(.*\s*/, ''),
      date: new Date().toISOString().slice(0, 10),
      open: open.map(measured),
      keyed: measured(keyed),
      shared: shared.map(subject => ({
        ...measured(subject),
        redisMicroseconds: median(subject.redisMicroseconds),
      })) satisfies MeasuredWithRedis[],
      responseBytes: responseBytes(open[0]!.server),
    };
  } finally {
    for (const { server } of all) server.stop();
  }
}

const SETTINGS = (workers: number) => ['--workers', String(workers), '--log-level', 'error'];

async function candidate(workers: number): Promise<Candidate> {
  return candidateOf(workers, await startExecutable(BINARY, SETTINGS(workers)));
}

function candidateOf(workers: number, server: Server): Candidate {
  return {
    workers,
    server: { ...server, connections: CONNECTIONS * workers },
    spells: [],
    redisMicroseconds: [],
  };
}

/** A server with a key whose limits no load reaches. */
async function keyedCandidate(workers: number, shared?: RedisServer): Promise<Candidate> {
  if (shared === undefined) return candidateOf(workers, await startKeyed(BINARY, SETTINGS(workers)));
  // `closed`, so that no request is counted without Redis.
  const args = [...SETTINGS(workers), '--quota-fail', 'closed'];
  const store = ['--redis', `redis://127.0.0.1:${shared.port}`];
  return { ...candidateOf(workers, await startKeyed(BINARY, args, store)), redis: shared };
}

async function loadOnce(
  { server, redis, spells, redisMicroseconds }: Candidate,
  seconds: number,
  counts: boolean,
): Promise<void> {
  const before = redis && threadTimes(redis.pid);
  const spell = await load(server, [PATH], seconds);
  if (!counts) return;
  spells.push(spell);
  if (redis === undefined || before === undefined) return;
  const ranMs = timeBetween(before, threadTimes(redis.pid));
  redisMicroseconds.push((ranMs * 1000) / (spell.requestsPerSecond * seconds));
}

function measured({ workers, spells }: Candidate): Measured {
  const { requestsPerSecond, cpuMicrosecondsPerRequest } = medians(spells);
  return { workers, requestsPerSecond, cpuMicroseconds: cpuMicrosecondsPerRequest };
}

/** The size of a response in bytes: status line, headers and body. */
function responseBytes({ url }: Server): number {
  const sizes = output([
    'curl',
    '-sS',
    '-o',
    '/dev/null',
    '-w',
    '%{size_header} %{size_download}',
    url + PATH,
  ]);
  return sizes.split(' ').reduce((sum, size) => sum + Number(size), 0);
}

// The tables of `meridian help capacity`, and their derivation from measured figures.

/** Requests of one kind to one server with a number of workers. */
export interface Measured {
  readonly workers: number;
  readonly requestsPerSecond: number;
  /** CPU time of all the server's processes per request. */
  readonly cpuMicroseconds: number;
}

/** Requests whose limits are in Redis. */
interface MeasuredWithRedis extends Measured {
  /** CPU time of Redis per request. */
  readonly redisMicroseconds: number;
}

/** Everything that is measured. */
export interface CapacityFigures {
  readonly machine: string;
  /** `meridian 0.1.0` */
  readonly version: string;
  readonly date: string;
  /** Without API keys, by the number of workers. */
  readonly open: readonly Measured[];
  /** With an API key whose limits are counted in the process. */
  readonly keyed: Measured;
  /** With an API key whose limits are counted in Redis, by the number of workers. */
  readonly shared: readonly MeasuredWithRedis[];
  /** The size of a response on the wire, headers included. */
  readonly responseBytes: number;
}

const REQUESTS_PER_DAY = 1e9;
const SECONDS_PER_DAY = 86_400;
/** The busiest second of a day as a multiple of the average. */
const PEAK = 3;
const AVERAGE_RATE = REQUESTS_PER_DAY / SECONDS_PER_DAY;
const PEAK_RATE = AVERAGE_RATE * PEAK;
/** The planned utilization of a core at the peak: the rest is for bursts, deployments and a lost machine. */
const UTILISATION = 0.6;
/** Fractions of the requests that a CDN responds to. */
const CDN_SHARES = [0, 0.5, 0.9];

/** The planned utilization of a Redis core. */
const REDIS_UTILISATION = 0.5;

/** The demand of 10⁹ requests a day without API keys at its peak, if a CDN responds to some of them. */
interface Demand {
  readonly cdnShare: number;
  /** Requests that reach the servers. */
  readonly requestsPerSecond: number;
  readonly cores: number;
  readonly megabitsPerSecond: number;
}

/** The same with API keys: no shared cache may store the responses. */
interface KeyedDemand {
  readonly cores: number;
  readonly coresWithRedis: number;
  /** One for each group of machines. */
  readonly redisServers: number;
}

/** Derives the demand from the CPU time of requests, not from the throughput of a machine shared with its clients. */
export function demands({ open, responseBytes }: CapacityFigures): Demand[] {
  return CDN_SHARES.map(cdnShare => {
    const requestsPerSecond = PEAK_RATE * (1 - cdnShare);
    return {
      cdnShare,
      requestsPerSecond,
      cores: coresFor(requestsPerSecond, open[0]!),
      megabitsPerSecond: (requestsPerSecond * responseBytes * 8) / 1e6,
    };
  });
}

/** As {@link demands}, for requests with API keys. */
export function keyedDemand({ keyed, shared }: CapacityFigures): KeyedDemand {
  return {
    cores: coresFor(PEAK_RATE, keyed),
    coresWithRedis: coresFor(PEAK_RATE, shared[0]!),
    redisServers: Math.ceil(PEAK_RATE / redisCapacity(shared) / REDIS_UTILISATION),
  };
}

function coresFor(requestsPerSecond: number, { cpuMicroseconds }: Measured): number {
  return Math.ceil((requestsPerSecond * cpuMicroseconds) / 1e6 / UTILISATION);
}

/** The requests a second that one Redis can serve; its commands run on one core. */
export function redisCapacity(shared: readonly MeasuredWithRedis[]): number {
  return 1e6 / shared[0]!.redisMicroseconds;
}

/** The tables in Markdown, at most 80 columns wide. */
export function capacityText(figures: CapacityFigures): string {
  const { machine, version, date, open, keyed, shared, responseBytes } = figures;
  const row = (what: string, measured: Measured, redis = '') => [
    what,
    String(measured.workers),
    count(measured.requestsPerSecond),
    `${measured.cpuMicroseconds.toFixed(1)} µs`,
    redis,
  ];
  const all = demands(figures);
  const withKeys = keyedDemand(figures);
  const across = (title: string, of: (demand: Demand) => string) => [title, ...all.map(of)];
  return `${wrapped(`Measured by \`make capacity\` on ${date} with ${version}, clients and Redis on the same machine: ${machine}.`)}

${table([
  ['', 'workers', 'requests/s', 'CPU', 'CPU of Redis'],
  ...open.map(measured => row('without API keys', measured)),
  row('limits in the process', keyed),
  ...shared.map(measured => row('limits in Redis', measured, `${measured.redisMicroseconds.toFixed(1)} µs`)),
])}

${wrapped(`CPU is the CPU time per request of all processes of the server. A dedicated core therefore handles ${count(1e6 / open[0]!.cpuMicroseconds)} requests a second without keys, ${count(1e6 / keyed.cpuMicroseconds)} with limits in the process and ${count(1e6 / shared[0]!.cpuMicroseconds)} with limits in Redis. Redis runs its commands on one core, so one Redis handles ${count(redisCapacity(shared))} requests a second; plan with ${REDIS_UTILISATION * 100} % of that.`)}

## 10⁹ requests a day

${wrapped(`This is ${count(AVERAGE_RATE)} a second on average, and ${count(PEAK_RATE)} in the busiest second of a day, assuming ${PEAK} times the average. The cores are for that second, each at ${UTILISATION * 100} %; a response has ${count(responseBytes)} bytes. Without API keys:`)}

${table([
  across('served by a CDN', ({ cdnShare }) => (cdnShare === 0 ? 'nothing' : `${cdnShare * 100} %`)),
  across('requests/s at the servers', ({ requestsPerSecond }) => count(requestsPerSecond)),
  across('cores', ({ cores }) => String(cores)),
  across('network, Mbit/s', ({ megabitsPerSecond }) => count(megabitsPerSecond)),
])}

${wrapped(`With API keys, shared caches must not store the responses, so all requests reach the servers:`)}

${table([
  ['cores, limits in the process', String(withKeys.cores)],
  ['cores, limits in Redis', String(withKeys.coresWithRedis)],
  [`Redis servers, each at ${REDIS_UTILISATION * 100} % of a core at most`, String(withKeys.redisServers)],
])}
`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Rows in aligned, indented columns: the first left-aligned, the others right-aligned. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
  return rows
    .map(row =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))),
    )
    .map(row => `    ${row.join('  ')}`.trimEnd())
    .join('\n');
}

const COLUMNS = 80;

/** Wraps text at 80 columns. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= COLUMNS) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

if (import.meta.main) await main();
