/**
 * The long form of the abuse suite, some minutes: the tests of this folder with many more runs, and then slow clients,
 * half-open connections and 10,000 connections to a real server, with the latency of a well-behaved client beside them, and a server
 * whose Redis is slow or dead. Requires slowhttptest, wrk and redis-server. Exits with 1 if a test fails, a well-behaved request gets no
 * response, a quota is exceeded, or the server does not survive.
 *
 *     bun tests/abuse/main.ts [--runs 1500] [--seed N] [--connections 10000]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../bench/load.ts';
import { startServer } from '../support/process.ts';
import type { CrowdReport } from './crowd.ts';
import { bearRedis } from './redis_load.ts';

interface Latency {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Requests whose response was not 200. */
  readonly failures: number;
}

/** The pause between the requests of a client that sends one now and then, as most do. */
const PAUSE_MS = 2;

/** Sends one request after another until `isOver`, half of them on new connections. */
async function measureLatency(url: string, isOver: () => boolean): Promise<Latency> {
  const times: number[] = [];
  let failures = 0;
  while (!isOver()) {
    const started = performance.now();
    const keepalive = times.length % 2 === 0;
    const isFine = await fetch(`${url}/v1/time/current?tz=Europe/Paris`, {
      keepalive,
      signal: AbortSignal.timeout(10_000),
    }).then(
      async response => response.status === 200 && (await response.text()).startsWith('{"unix":'),
      () => false,
    );
    if (isFine) times.push(performance.now() - started);
    else failures++;
    await Bun.sleep(PAUSE_MS);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return {
    medianMs: median(times),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    longestMs: sorted.at(-1) ?? Number.NaN,
    failures,
  };
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1500' },
    seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
    connections: { type: 'string', default: '10000' },
    /** Skips the tests. */
    'only-clients': { type: 'boolean', default: false },
  },
});
const CONNECTIONS = Number(values.connections);
const SECONDS = 16;
/** How many times longer a well-behaved client may wait than when all is quiet. */
const MOST_RATIO = 3;

function runTests(): boolean {
  console.log(`the tests with FC_SEED=${values.seed} FC_RUNS=${values.runs}, which repeat this run`);
  const sizes = { FC_SEED: values.seed, FC_RUNS: values.runs, ABUSE_KILLS: '10', MERIDIAN_PROOF: '1' };
  const env = { ...process.env, ...sizes };
  const command = [process.execPath, 'test', '--only-failures', '--timeout=240000', import.meta.dir];
  return Bun.spawnSync(command, { env, stdout: 'inherit', stderr: 'inherit' }).success;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes begin with one.
const COLOURS = /\x1b\[[0-9;]*[A-Za-z]/g;

/** Slow clients from slowhttptest, which runs for some seconds; they request the long API description. */
function slowly(...mode: string[]) {
  return async (url: string): Promise<string> => {
    const target = `${url}/openapi.json`;
    const load = ['-c', '1000', '-r', '500', '-i', '3', '-l', `${SECONDS}`, '-p', '5', '-u', target];
    const child = Bun.spawn(['slowhttptest', ...mode, ...load], { stdout: 'pipe', stderr: 'ignore' });
    const text = (await new Response(child.stdout).text()).replace(COLOURS, '');
    const last = (what: string) => [...text.matchAll(new RegExp(`${what}: *(\\w+)`, 'g'))].at(-1)?.[1];
    return `${last('connected')} connected, ${last('closed')} closed, available: ${last('service available')}`;
  };
}

/** A crowd of connections. */
function crowd(kind: 'half' | 'idle' | 'keeping') {
  return async (url: string): Promise<string> => {
    const program = join(import.meta.dir, 'crowd.ts');
    const { port } = new URL(url);
    const command = ['bun', program, port, `${CONNECTIONS}`, kind, `${SECONDS}`].with(0, process.execPath);
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
    const report = JSON.parse(await new Response(child.stdout).text()) as CrowdReport;
    const isLeftOpen = kind === 'half' && report.ended < report.connected;
    if (isLeftOpen || report.failures > 0) throw new Error(`${kind}: ${JSON.stringify(report)}`);
    return `${report.connected} connected, ${report.ended} ended, ${report.responses} responses, ${report.failures} failures`;
  };
}

const quiet = async () => {
  await Bun.sleep(5000);
  return 'no other clients';
};

const SITUATIONS: Readonly<Record<string, (url: string) => Promise<string>>> = {
  quiet,
  'slow headers': slowly('-H'),
  'slow bodies': slowly('-B', '-s', '8192'),
  'slow readers': slowly('-X', '-w', '1', '-y', '64', '-n', '3', '-z', '8', '-k', '10'),
  [`${CONNECTIONS} idle`]: crowd('idle'),
  [`${CONNECTIONS} half-open`]: crowd('half'),
  [`${CONNECTIONS} active`]: crowd('keeping'),
  'quiet again': quiet,
};

/** Runs a situation beside a well-behaved client. */
async function measure(url: string, happen: (url: string) => Promise<string>): Promise<[Latency, string]> {
  let isOver = false;
  const happening = happen(url).finally(() => {
    isOver = true;
  });
  const latency = await measureLatency(url, () => isOver);
  return [latency, await happening];
}

async function bearClients(): Promise<boolean> {
  const mostDescriptors = ['sh', '-c', 'ulimit -n "$(ulimit -Hn)" && exec "$@"', 'sh'];
  using server = await startServer([], {}, mostDescriptors);
  await measure(server.url, quiet); // warms up
  let isFine = true;
  let quietMs = 0;
  console.log('well-behaved client      median ms    p99 ms   longest   ratio    failures');
  for (const [name, happen] of Object.entries(SITUATIONS)) {
    const [{ medianMs, p99Ms, longestMs, failures }, seen] = await measure(server.url, happen);
    quietMs ||= medianMs;
    const cells = [
      medianMs.toFixed(2).padStart(10),
      p99Ms.toFixed(2).padStart(9),
      longestMs.toFixed(0).padStart(9),
      (medianMs / quietMs).toFixed(2).padStart(7),
    ];
    console.log(`${name.padEnd(25)} ${cells.join(' ')} ${`${failures}`.padStart(11)}  ${seen}`);
    if (medianMs > MOST_RATIO * quietMs)
      console.log(`  more than ${MOST_RATIO} times as long as when it is quiet`);
    if (failures > 0 || server.child.exitCode !== null) isFine = false;
  }
  return isFine;
}

const passed = values['only-clients'] || runTests();
const borne = await bearClients();
const isQuotaKept = await bearRedis();
process.exit(passed && borne && isQuotaKept ? 0 : 1);
