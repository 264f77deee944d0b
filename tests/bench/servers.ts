import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BINARY, newFolder } from '../support/process.ts';
import { CONNECTIONS, concretePath, type Subject } from './load.ts';
import type { Opponent, Scenario } from './scenarios.ts';

/** A response to be replayed unchanged. */
interface PreparedResponse {
  readonly path: string;
  readonly text: string;
  /** Without headers that depend on the server: `Date` and `Content-Length`. */
  readonly headers: Headers;
}

/** Fetches the response of each target `N URL`; its path is `/N` followed by that of the URL. */
export async function prepareResponses(targets: readonly string[]): Promise<PreparedResponse[]> {
  const prepared: PreparedResponse[] = [];
  for (const target of targets) {
    const [index, url] = target.split(' ') as [string, string];
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    const headers = new Headers(response.headers);
    for (const name of ['date', 'content-length']) headers.delete(name);
    prepared.push({ path: `/${index}${new URL(url).pathname}`, text: await response.text(), headers });
  }
  return prepared;
}

/** The whole HTTP/1.1 response in bytes, with a date. */
function wireBytes({ text, headers }: PreparedResponse): Uint8Array {
  const body = new TextEncoder().encode(text);
  const all = [...headers, ['date', new Date().toUTCString()], ['content-length', String(body.length)]];
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n`), body]);
}

/** A running server that can be stopped. */
export interface Server extends Subject {
  stop(): void;
}

/** All servers of a run: meridian and the opponents of its scenarios. */
export interface Servers {
  readonly meridian: Server;
  readonly opponents: ReadonlyMap<Opponent, Server>;
  /** Meridian and the baseline again, each with a key whose limits no load reaches. */
  readonly keyed: { readonly meridian?: Server; readonly baseline?: Server };
  stop(): void;
}

const PRODUCTION = {
  ...process.env,
  NODE_ENV: 'production',
  IP_DATABASE: join(import.meta.dir, '../../data/ip/build/ip_zones.mmdb'),
};

/** Without settings from the host's environment. */
const PLAIN = { PATH: process.env['PATH'] ?? '' };

const running = new Set<Bun.Subprocess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill();
    process.exit(1);
  });
}

/** A server that is stopped when the run ends, if not before. */
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
 * Pins a server to core 0, so that all are measured on one core, and its client to core 1; does nothing on a machine with
 * one core.
 */
function pinned(server: Server): Server {
  if (!CAN_PIN) return server;
  pin(server.pid, 0);
  return { ...server, clientCores: [1] };
}

/** The cores that {@link startWorkers} uses. */
const WORKER_CORES = [0, 1];

/**
 * Pins each worker of a server to its own core, starting from a first one. Its client has a thread for each core whatever the
 * number of workers: about half of all requests come from the other core, which makes a response 10 % more expensive.
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

/** Starts the binary with a number of workers, each on its own core, which clients also use. */
export async function startWorkers(workers: number, firstCore: number): Promise<Server> {
  return spread(await startMeridian(['--workers', String(workers)]), workers, firstCore);
}

/**
 * Starts all servers of the scenarios, each on core 0. `baseline` is the path of another executable of meridian, usually
 * an older one.
 */
export async function startServers(scenarios: readonly Scenario[], baseline?: string): Promise<Servers> {
  const started: Server[] = [];
  const start = async (starting: Promise<Server>) => {
    const server = pinned(await starting);
    started.push(server);
    return server;
  };
  const meridian = await start(startMeridian());
  const starters: Record<Opponent, () => Promise<Server>> = {
    baseline: () => startExecutable(baseline!),
    encoding: () => startBare('encoding', targetsOf(scenarios, meridian, 'encoding')),
    bare: () => startBare('elysia', targetsOf(scenarios, meridian)),
    serve: () => startBare('serve', targetsOf(scenarios, meridian)),
    minimal: () => startMinimal(targetsOf(scenarios, meridian)),
    computing: () => startBare('computing'),
    validating: () => startBare('validating'),
    signature: () => startBare('signature'),
    express: () => startRival('express'),
    elysia: () => startRival('elysia'),
  };
  const opponents = new Map<Opponent, Server>();
  for (const opponent of opponentsOf(scenarios)) opponents.set(opponent, await start(starters[opponent]()));
  const keyed = scenarios.some(scenario => scenario.keyed)
    ? {
        meridian: await start(startKeyed(BINARY)),
        ...(baseline === undefined ? {} : { baseline: await start(startKeyed(baseline)) }),
      }
    : {};
  const stop = () => {
    for (const server of started) server.stop();
  };
  return { meridian, opponents, keyed, stop };
}

function opponentsOf(scenarios: readonly Scenario[]): Set<Opponent> {
  return new Set(scenarios.flatMap(({ against }) => Object.keys(against) as Opponent[]));
}

/** The responses that bare servers serve: `N URL` for each path of the Nth scenario, or only of those with an opponent. */
function targetsOf(scenarios: readonly Scenario[], { url }: Server, opponent?: Opponent): string[] {
  return scenarios.flatMap(({ paths, against }, index) => {
    if (opponent !== undefined && !(opponent in against)) return [];
    const byName = new Map(paths.toReversed().map(path => [path.split('?')[0], concretePath(path)]));
    return [...byName.values()].map(path => `${index} ${url}${path}`);
  });
}

function startBare(kind: string, targets: readonly string[] = []): Promise<Server> {
  return startPeer([process.execPath, join(import.meta.dir, 'bare.ts'), kind, ...targets]);
}

/** Starts the server in C, with a response for each scenario; without a C compiler, static routes of `Bun.serve`. */
async function startMinimal(targets: readonly string[]): Promise<Server> {
  if (Bun.which('cc') === null) return startBare('static', targets);
  const folder = newFolder();
  const program = join(folder, 'minimal');
  const { exitCode } = Bun.spawnSync(['cc', '-O2', '-o', program, join(import.meta.dir, 'minimal.c')], {
    stderr: 'inherit',
  });
  if (exitCode !== 0) throw new Error('minimal.c does not compile');
  const files: string[] = [];
  for (const response of await prepareResponses(targets)) {
    const index = Number(response.path.split('/')[1]);
    files[index] ??= join(folder, `${index}.http`);
    writeFileSync(files[index], wireBytes(response));
  }
  return startPeer([program, ...files]);
}

/** Starts the same service on another framework. */
export function startRival(rival: 'express' | 'elysia'): Promise<Server> {
  const [runtime, program] =
    rival === 'express' ? ['node', 'express_luxon.js'] : [process.execPath, 'elysia_date_fns.js'];
  return startPeer([runtime, join(import.meta.dir, 'rivals', program)]);
}

/** Starts the executable of `make build`, in a new state directory. */
export function startMeridian(args: readonly string[] = []): Promise<Server> {
  return startExecutable(BINARY, args);
}

/** Starts an executable of meridian. */
export function startExecutable(
  executable: string,
  args: readonly string[] = [],
  folder = newFolder(),
): Promise<Server> {
  return startPeer([executable, 'serve', '--listen', '127.0.0.1:0', ...args], {
    ...PLAIN,
    MERIDIAN_STATE_DIR: folder,
  });
}

const PLANS =
  '[plans.default]\nrequests_per_second = 1_000_000\nburst = 1_000_000\nrequests_per_month = 1_000_000_000_000\n';

/** Starts an executable with a key whose limits no load reaches; `store` are the flags of its key store. */
export async function startKeyed(
  executable: string,
  args: readonly string[] = [],
  store: readonly string[] = [],
): Promise<Server> {
  const folder = newFolder();
  const plans = join(folder, 'plans.toml');
  writeFileSync(plans, PLANS);
  const { stdout } = Bun.spawnSync([executable, 'tokens', 'add', '--name', 'bench', ...store], {
    env: { ...PLAIN, MERIDIAN_STATE_DIR: folder },
  });
  const server = await startExecutable(executable, ['--plans', plans, ...args, ...store], folder);
  return { ...server, headers: { Authorization: `Bearer ${stdout.toString().trim()}` } };
}

/** Starts a server that prints where it listens, and waits for that. */
async function startPeer(
  command: readonly string[],
  env: Record<string, string | undefined> = PRODUCTION,
): Promise<Server> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'inherit', env });
  const decoder = new TextDecoder();
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    const url = /listening on (\S+)\n/.exec(printed)?.[1];
    if (url !== undefined) return serverOf(url, child);
  }
  throw new Error(`${command.join(' ')} did not start: ${printed}`);
}
