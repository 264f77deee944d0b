/**
 * `make capacity`: measures a machine's capacity; writes and prints the figures of `meridian help capacity`. Requires `wrk`
 * and redis-server; nothing else should run on the machine.
 *
 * - `--rounds N --seconds N` sets the number of rounds, and how long each server is loaded in a round.
 * - `--print` prints the figures only.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BINARY, freePort, newFolder } from '../support/process.ts';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.ts';
import {
  type CapacityFigures,
  capacityText,
  type Measured,
  type MeasuredWithRedis,
} from './capacity_figures.ts';
import { CONNECTIONS, load, median, medianSpell, type Spell, threadTimes, timeBetween } from './load.ts';
import { type Server, startExecutable, startKeyed } from './servers.ts';

const TOPIC = join(import.meta.dir, '../../src/cli/topics/capacity/figures.md');
const PATH = '/v1/time/current?tz=Europe/Paris';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    print: { type: 'boolean', default: false },
  },
});
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];

/** A server to measure, and the Redis it uses. */
interface Candidate {
  readonly workers: number;
  readonly server: Server;
  readonly redis?: RedisServer;
  readonly spells: Spell[];
  readonly redisMicroseconds: number[];
}

if (Bun.which('wrk') === null) throw new Error('wrk is required');
if (REDIS_PROGRAM === null) throw new Error('redis-server is required');
const folder = newFolder();
const redis = new RedisServer(folder, { port: freePort() });
try {
  await redis.start();
  const text = capacityText(await measure());
  if (!values.print) writeFileSync(TOPIC, text);
  console.log(text);
} finally {
  await redis.kill();
}

async function measure(): Promise<CapacityFigures> {
  const open = [await candidate(1), await candidate(2), await candidate(4)];
  const keyed = await keyedCandidate(1);
  const shared = [await keyedCandidate(1, redis), await keyedCandidate(2, redis)];
  const all = [...open, keyed, ...shared];
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const subject of all) await loadOnce(subject, round > 0); // the first warms up
    }
    return {
      machine: `${cpus().length} cores of ${cpus()[0]?.model.trim()}`,
      version: version(),
      date: new Date().toISOString().slice(0, 10),
      open: open.map(measured),
      keyed: measured(keyed),
      shared: shared.map(subject => ({
        ...measured(subject),
        redisMicroseconds: median(subject.redisMicroseconds),
      })) satisfies MeasuredWithRedis[],
      responseBytes: await responseBytes(open[0]!.server),
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
  counts: boolean,
): Promise<void> {
  const before = redis && threadTimes(redis.pid);
  const spell = await load(server, [PATH], seconds, 1);
  if (!counts) return;
  spells.push(spell);
  if (redis === undefined || before === undefined) return;
  const ranMs = timeBetween(before, threadTimes(redis.pid));
  redisMicroseconds.push((ranMs * 1000) / (spell.requestsPerSecond * seconds));
}

function measured({ workers, spells }: Candidate): Measured {
  const { requestsPerSecond, cpuMicrosecondsPerRequest } = medianSpell(spells);
  return { workers, requestsPerSecond, cpuMicroseconds: cpuMicrosecondsPerRequest };
}

/** The size of a response in bytes: status line, headers and body. */
async function responseBytes({ url }: Server): Promise<number> {
  const { hostname, port, host } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number>();
  let bytes = 0;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        bytes += chunk.length;
      },
      close: () => resolve(bytes),
    },
  });
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return await promise;
}

function version(): string {
  return Bun.spawnSync([BINARY, '--version']).stdout.toString().trim().replace(/ \(.*/, '');
}
