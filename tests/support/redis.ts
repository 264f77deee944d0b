import { join } from 'node:path';
import { RedisClient } from 'bun';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { newFolder, requiring } from './process.ts';

/** The program of Redis or Valkey, null if neither is installed. */
export const REDIS_PROGRAM = Bun.which('redis-server') ?? Bun.which('valkey-server');

/** A test with Redis. */
export const withRedis = requiring(REDIS_PROGRAM?.includes('valkey') ? 'valkey-server' : 'redis-server');

interface Options {
  /** Whether acknowledged writes survive `kill`. */
  readonly persists?: boolean;
  /** An additional port on loopback. */
  readonly port?: number;
  /** Further arguments. */
  readonly more?: readonly string[];
}

/** A private Redis server on a unix socket, which can be killed and started repeatedly. */
export class RedisServer {
  readonly url: string;
  readonly #folder: string;
  /** The port it listens on in addition to its socket; 0 for none. */
  readonly port: number;
  readonly #options: Options;
  #child: Bun.Subprocess | undefined;

  constructor(folder: string, options: Options = {}) {
    this.#folder = folder;
    this.#options = options;
    this.port = options.port ?? 0;
    this.url = `redis+unix://${join(folder, 'redis.sock')}`;
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    const { persists = true, port = 0, more = [] } = this.#options;
    const socket = join(this.#folder, 'redis.sock');
    const options = ['--port', String(port), '--unixsocket', socket, '--dir', this.#folder, '--save', ''];
    const files = ['--appendonly', persists ? 'yes' : 'no', '--appendfsync', 'no'];
    this.#child = await started([...options, ...files, ...more], /ready to accept connections/i);
  }

  /** Its process id. */
  get pid(): number {
    if (this.#child === undefined) throw new Error('The server was not started');
    return this.#child.pid;
  }

  /** Kills it without notice. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#child?.exited;
  }

  /** Runs a command on a connection of its own. */
  async send(command: string, ...args: string[]) {
    const client = new RedisClient(this.url);
    try {
      return await client.send(command, args);
    } finally {
      client.close();
    }
  }

  /** Suspends it with its connections open, or resumes it. */
  freeze(frozen: boolean): void {
    this.#child?.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Starts a Redis server in a folder of its own; disposing of it kills it. */
export async function startRedis(options: Options = {}): Promise<RedisServer> {
  const server = new RedisServer(newFolder(), options);
  await server.start();
  return server;
}

/** A Sentinel that fails a group of servers over if its master is silent for half a second; dispose of it to kill it. */
export async function startSentinel(folder: string, port: number, masterPort: number) {
  const path = join(folder, 'sentinel.conf');
  const settings = [
    `port ${port}`,
    `dir ${folder}`,
    `sentinel monitor group 127.0.0.1 ${masterPort} 1`,
    'sentinel down-after-milliseconds group 500',
    'sentinel failover-timeout group 3000',
  ];
  await Bun.write(path, `${settings.join('\n')}\n`);
  const child = await started([path, '--sentinel'], /\+monitor master/);
  const client = new Bun.RedisClient(`redis://127.0.0.1:${port}`);
  return {
    /** Whether it has a working replica of the master, which it asks for them every second or more rarely. */
    async knowsReplica(): Promise<boolean> {
      const replicas = await client.send('SENTINEL', ['replicas', 'group']);
      return JSON.stringify(replicas).includes('"master-link-status":"ok"');
    },
    async [Symbol.asyncDispose]() {
      client.close();
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** A server's replication info; empty if it closes the connection, as it does when its role changes. */
export async function replicationOf(url: string): Promise<string> {
  const client = new Bun.RedisClient(url, { autoReconnect: false });
  try {
    return String(await client.send('INFO', ['replication']).catch(() => ''));
  } finally {
    client.close();
  }
}

async function started(args: readonly string[], ready: RegExp): Promise<Bun.Subprocess> {
  const child = Bun.spawn([REDIS_PROGRAM!, ...args], { stdout: 'pipe', stderr: 'ignore' });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (ready.test(text)) return child;
  }
  throw new Error(`redis-server did not start: ${text}`);
}

/** Longer than an overloaded machine takes for a reply. */
const BUDGET_MS = 2000;

/** The requests in a Redis by API key, of its last month. */
export async function usageIn({ url }: RedisServer): Promise<ReadonlyMap<string, number>> {
  const store = new RedisStore(url, BUDGET_MS);
  await store.connect();
  const counts = (await Array.fromAsync(store.usage())).flat();
  store.close();
  return new Map(counts.map(({ id, count }) => [id, count]));
}

/** A running Redis with a store and a client that are connected to it; disposing of it closes all. */
export async function runningRedis(options: Options = {}, Store = RedisStore) {
  await using started = new AsyncDisposableStack();
  const server = started.use(new RedisServer(newFolder(), options));
  await server.start();
  const store = new Store(server.url, BUDGET_MS);
  started.defer(() => store.close());
  await store.connect();
  const client = new RedisClient(server.url);
  started.defer(() => client.close());
  const running = started.move();
  return { server, store, client, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
