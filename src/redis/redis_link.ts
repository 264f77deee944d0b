import { messageOf } from '../common/errors.ts';
import type { ProblemLog } from '../common/problem_log.ts';
import { RedisConnection, type Script, script } from './redis_connection.ts';
import { ConnectionFailure, Refusal, Silence } from './redis_failures.ts';
import { type Execute, RedisHash } from './redis_hash.ts';

/** ARGV: a cursor, initially 0, and a pattern. Returns the next cursor, 0 at the end, and some names of matching keys. */
const SCAN = script(`return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 1000)`);

/** How often a script is attempted if each connection is closed. */
const MAX_ATTEMPTS = 3;

/** Runs a command and logs its problem, or that it ended; undefined if it fails. A lost connection is reported by access control. */
export async function runReported<Topic extends string, Value>(
  problems: ProblemLog<Topic>,
  topic: Topic,
  what: string,
  command: () => Promise<Value>,
  solved?: string,
): Promise<Value | undefined> {
  try {
    const value = await command();
    problems.solve(topic, solved);
    return value;
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) problems.fail(topic, `${what} in Redis: ${messageOf(error)}`);
    return undefined;
  }
}

/** Runs a command, for example only while the server is known to be available. */
export type RunCommand = <Value>(command: () => Promise<Value>) => Promise<Value>;

/**
 * A Redis or Valkey server (Redis 6 or newer), or with Sentinel the current master, over one connection at a time. Every method may reject:
 * with a {@link ConnectionFailure}, an `UnsupportedStore` when it connects, a {@link Refusal}, or an error of this script only.
 */
export class RedisLink {
  readonly #url: string;
  readonly #silenceMs: number;
  readonly #cached: Script;
  #connection: Promise<RedisConnection> | undefined;

  /** `silenceMs`: the time without any reply after which the server counts as unreachable. `cached`: a script that every server gets first. */
  constructor(url: string, silenceMs: number, cached: Script) {
    this.#url = url;
    this.#silenceMs = silenceMs;
    this.#cached = cached;
  }

  async connect(): Promise<void> {
    await this.#open();
  }

  /**
   * Runs a script, again on a new connection if the server closed this one, since it was restarted or the connection idle, or if
   * it has become a replica.
   */
  async execute<Reply>(script: Script, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const connecting = this.#connection ?? Promise.reject(new ConnectionFailure('Not connected'));
      try {
        return await (await connecting).execute<Reply>(script, keys, args);
      } catch (error) {
        const isClosed = error instanceof ConnectionFailure && !(error instanceof Silence);
        const isLost = isClosed || (error instanceof Refusal && error.isReplica);
        if (!isLost || attempt === MAX_ATTEMPTS) throw error;
        // One new connection for all scripts that were lost with the old one.
        if (this.#connection === connecting) void this.#open();
      }
    }
  }

  /** The names of all Redis keys that match a glob pattern. */
  async keysLike(pattern: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>(); // SCAN may return a key twice
    let cursor = '0';
    do {
      const [next, keys] = await this.execute<[string, string[]]>(SCAN, [], [cursor, pattern]);
      for (const key of keys) found.add(key);
      cursor = next;
    } while (cursor !== '0');
    return found;
  }

  /** A hash of values, whose commands are run by `run`. */
  hash(name: string, run: RunCommand = command => command()): RedisHash {
    return new RedisHash(name, (script, keys, args) => run(() => this.execute(script, keys, args)));
  }

  close(): void {
    this.#connection?.then(
      connection => connection.close(),
      () => {},
    );
    this.#connection = undefined;
  }

  /** Prepares a new connection before scripts run on it: it may lead to a server that has lost data. May reject like a script. */
  protected async prepare(_execute: Execute): Promise<void> {}

  #open(): Promise<RedisConnection> {
    this.close();
    this.#connection = this.#openPrepared();
    return this.#connection;
  }

  async #openPrepared(): Promise<RedisConnection> {
    const connection = await RedisConnection.open(this.#url, this.#silenceMs, this.#cached);
    await this.prepare((...command) => connection.execute(...command)).catch(error => {
      connection.close();
      throw error;
    });
    return connection;
  }
}
