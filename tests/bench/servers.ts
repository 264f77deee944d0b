import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, startServer } from '../binary/process.ts';
import type { Subject } from './load.ts';
import type { Opponent, Scenario } from './scenarios.ts';
import { CONNECTIONS } from './wrk.ts';

/** A server that was started and can be stopped. */
export interface Server extends Subject {
  stop(): void;
}

/** All servers of a run. */
export interface Servers {
  readonly meridian: Server;
  /** Meridian again, with a key whose plan has limits that no load reaches. */
  readonly keyed: Server;
  readonly opponents: Readonly<Record<Opponent, Server>>;
  stop(): void;
}

const PRODUCTION = {
  ...process.env,
  NODE_ENV: 'production',
  IP_DATABASE: join(import.meta.dir, '../../data/ip/build/ip_zones.mmdb'),
};

const running = new Set<Bun.Subprocess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill();
    process.exit(1);
  });
}

/** A server that is stopped at the latest when the run is. */
function serverOf(url: string, child: Bun.Subprocess): Server {
  running.add(child);
  const stop = () => {
    child.kill();
    running.delete(child);
  };
  return { url, pid: child.pid, stop };
}

const CAN_PIN = availableParallelism() >= 2 && Bun.which('taskset') !== null;

/**
 * Keeps a server to core 0, as one core is what all are measured by, and its client to core 1; on a machine with one
 * core it stays as it is.
 */
function pinned(server: Server): Server {
  if (!CAN_PIN) return server;
  pin(server.pid, 0);
  return { ...server, clientCores: [1] };
}

/** The cores that {@link startWorkers} makes use of. */
const WORKER_CORES = [0, 1];

/**
 * Keeps each worker of a server to a core of its own from a first one on. Its client has a thread for each core whatever the
 * number of workers: about half of all requests then come from the other core, which makes an answer a tenth dearer.
 */
function spread(server: Server, workers: number, firstCore: number): Server {
  if (!CAN_PIN) return server;
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
  const pids = workers === 1 ? [server.pid] : children.split(' ').filter(Boolean).map(Number);
  if (pids.length !== workers) throw new Error(`${pids.length} workers instead of ${workers}`);
  for (const [index, pid] of pids.entries()) pin(pid, firstCore + index);
  return { ...server, clientCores: WORKER_CORES, connections: workers * CONNECTIONS };
}

function pin(pid: number, core: number): void {
  const { exitCode } = Bun.spawnSync(['taskset', '-a', '-c', '-p', String(core), String(pid)]);
  if (exitCode !== 0) throw new Error(`${pid} cannot be pinned`);
}

/** Starts the binary with so many workers, each on another core, which clients use too. */
export async function startWorkers(workers: number, firstCore: number): Promise<Server> {
  return spread(await startMeridian(['--workers', String(workers)]), workers, firstCore);
}

/** Starts everything that the scenarios want, each on core 0. */
export async function startServers(scenarios: readonly Scenario[]): Promise<Servers> {
  const meridian = pinned(await startMeridian());
  const urls = scenarios.map(({ paths }) => meridian.url + paths[0]);
  const [keyed, bare, signature, express, elysia] = (
    await Promise.all([
      startKeyed(),
      startPeer([process.execPath, join(import.meta.dir, 'bare.ts'), ...urls]),
      startPeer([process.execPath, join(import.meta.dir, 'one_signature.ts')]),
      startRival('express'),
      startRival('elysia'),
    ])
  ).map(pinned) as [Server, Server, Server, Server, Server];
  const all = [meridian, keyed, bare, signature, express, elysia];
  const stop = () => {
    for (const server of all) server.stop();
  };
  return { meridian, keyed, opponents: { bare, signature, express, elysia }, stop };
}

/** Starts the service as others would write it. */
export function startRival(rival: 'express' | 'elysia'): Promise<Server> {
  const [runtime, program] =
    rival === 'express' ? ['node', 'express_luxon.js'] : [process.execPath, 'elysia_date_fns.js'];
  return startPeer([runtime, join(import.meta.dir, 'rivals', program)]);
}

/** Starts the binary. */
export async function startMeridian(
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Server> {
  const { url, child } = await startServer(args, env);
  return serverOf(url, child);
}

async function startKeyed(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-bench-'));
  const plans = join(folder, 'plans.toml');
  writeFileSync(
    plans,
    '[plans.default]\nrequests_per_second = 1_000_000\nrequests_per_month = 1_000_000_000_000\n',
  );
  const env = { MERIDIAN_STATE_DIR: folder };
  const { stdout } = await run(['tokens', 'add', '--name', 'bench'], { env });
  const server = await startMeridian(['--plans', plans], env);
  return {
    ...server,
    headers: { Authorization: `Bearer ${stdout.trim()}` },
    stop() {
      server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts a server that says where it listens, and waits for that. */
async function startPeer(command: string[]): Promise<Server> {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit', env: PRODUCTION });
  const { value } = await child.stdout.getReader().read();
  const url = /listening on (\S+)/.exec(new TextDecoder().decode(value))?.[1];
  if (url === undefined) throw new Error(`${command.join(' ')} did not start`);
  return serverOf(url, child);
}
