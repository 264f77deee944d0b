/**
 * Sends millions of mixed requests to one server, and compares its memory and descriptors at the end with those after the first
 * hundred thousand: `bun tests/abuse/soak.ts --requests 10000000`. Requires wrk. Exits with 1 if either has grown.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { API_ROUTES } from '../../src/api/routes.ts';
import { BINARY, newFolder, run } from '../support/process.ts';
import { fc } from '../support/property.ts';
import { queryOf } from './grammar.ts';
import { WELL_FORMED, withOneFault } from './well_formed.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000000' },
    /** Seconds of load between two measurements. */
    portion: { type: 'string', default: '60' },
  },
});
const MOST_GROWTH = 1.1;
const FIRST_REQUESTS = 100_000;
/** Until then portions are short, so that they end soon after. */
const FIRST_SECONDS = 2;
const CONNECTIONS = 64;

/** Requests that never repeat, so that caches must evict. */
const NEW_EACH_TIME = [
  '/v1/time/current?tz=Nowhere/Town{number}',
  '/v1/time/current?tz=UTC&format=%25Y+{number}',
  '/v1/time/current?ip={ip}',
  '/v1/time/current?ip={ip},{ip},{ip},{ip},{ip}',
  '/v1/time/current?lat={lat}&lon={lon}',
  '/v1/time/convert?unix={time}&tz=Europe/Paris&p{number}=1',
  '/v1/time/convert?iso=2026-04-15T13:30:47&source_ip={ip}&lat={lat}&lon={lon}',
  '/v1/timezone?lat={lat}&lon={lon}&sign=true',
  '/v1/time/elapsed?unix={time}&business_days=true&holiday_country=DE',
  '/v1/time/diff?from=unix={time}&to=now&format=%25days+{number}',
  '/v1/time/calendar?unix={time}&tz=America/New_York&week=true&format=%25V+{number}',
  '/nowhere/{number}',
];
const BULK = `/v1/time/current?tz=${Array(20).fill('Europe/Paris,Asia/Tokyo,Mars/Olympus').join()}`;
const PLAIN = [
  ...['/healthz', '/readyz', '/', '/docs', '/openapi.json', '/.well-known/time-api-public-key', '/metrics'],
];

/** Requests of all kinds, `METHOD TARGET KEY` each; none of HEAD, after which wrk waits for a body. */
function requestsWith(key: string): string[] {
  const wellFormed = WELL_FORMED.flatMap(([path, pairs]) =>
    [...fc.sample(pairs, 120), ...fc.sample(withOneFault(pairs), 60)].map((sampled, index) => {
      // Signing takes longer than everything else together: keep a fifth of those requests.
      const kept = sampled.filter(([name]) => name !== 'sign' || index % 5 === 0);
      return `${path}?${queryOf(kept)}`;
    }),
  );
  const rare = [...wellFormed, ...Array(10).fill(BULK), ...PLAIN];
  const common = API_ROUTES.filter(({ path }) => path.startsWith('/v1/time/')).flatMap(({ path, examples }) =>
    examples.map(({ query }) => `${path}?${query.replaceAll(' ', '%20')}`),
  );
  // The rare ones take ten times as long as the common ones.
  const targets = [...rare];
  while (targets.length < 15 * rare.length) targets.push(...common, ...NEW_EACH_TIME);
  return [
    ...targets.map(target => `GET ${target} ${key}`),
    ...targets.slice(0, 100).flatMap(target => [`GET ${target} `, `GET ${target} wrong`]),
    ...['POST', 'DELETE', 'OPTIONS'].map(method => `${method} /v1/time/current ${key}`),
  ];
}

const folder = newFolder();
const state = ['--state-dir', join(folder, 'state')];
const key = (await run(['tokens', 'add', '--name', 'soak', ...state])).stdout.trim();
const requestFile = join(folder, 'requests');
writeFileSync(requestFile, `${requestsWith(key).join('\n')}\n`);
const server = Bun.spawn([BINARY, 'serve', '--listen', '127.0.0.1:0', ...state], {
  stdout: 'pipe',
  stderr: 'ignore',
});
process.once('exit', () => server.kill());
const { value: line } = await server.stdout.getReader().read();
const url = /http:\S+/.exec(new TextDecoder().decode(line))![0];

/** Resident memory in MB and open descriptors, the minimum over ten idle seconds, since freeing takes a while. */
async function measure(): Promise<{ megabytes: number; descriptors: number }> {
  let least = { megabytes: Number.POSITIVE_INFINITY, descriptors: Number.POSITIVE_INFINITY };
  for (let second = 0; second < 10; second++) {
    await Bun.sleep(1000);
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    const megabytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    const descriptors = readdirSync(`/proc/${server.pid}/fd`).length;
    least = {
      megabytes: Math.min(least.megabytes, megabytes),
      descriptors: Math.min(least.descriptors, descriptors),
    };
  }
  return least;
}

let portions = 0;
/** Sends requests for some seconds; returns the number of responses and wrk's report. */
async function load(seconds: number): Promise<{ responses: number; report: string }> {
  const wrk = Bun.spawn(
    [
      ...['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '10s'],
      ...['-s', join(import.meta.dir, 'soak.lua'), url, '--', requestFile, `${++portions}`],
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const report = await new Response(wrk.stdout).text();
  const responses = Number(/(\d+) requests in/.exec(report)?.[1] ?? 0);
  if (responses === 0) throw new Error(`wrk got no response: ${report}`);
  return { responses, report: /Requests\/sec:.*|Socket errors.*/g.exec(report)?.[0] ?? report };
}

const total = Number(values.requests);
let responses = 0;
let first: { megabytes: number; descriptors: number } | undefined;
console.log('   requests        MB  descriptors');
for (;;) {
  let last: Awaited<ReturnType<typeof load>>;
  do {
    last = await load(first === undefined ? FIRST_SECONDS : Number(values.portion));
    responses += last.responses;
  } while (responses < FIRST_REQUESTS);
  const now = await measure();
  console.log(
    `${`${responses}`.padStart(11)} ${now.megabytes.toFixed(1).padStart(9)} ${`${now.descriptors}`.padStart(12)}  ${last.report}`,
  );
  first ??= now;
  if (responses < total) continue;
  const growth = now.megabytes / first!.megabytes;
  const hasLeak = growth > MOST_GROWTH || now.descriptors > first!.descriptors;
  console.log(`memory at the end is ${growth.toFixed(3)} of that after the first hundred thousand`);
  process.exitCode = hasLeak ? 1 : 0;
  break;
}
server.kill();
await server.exited;
