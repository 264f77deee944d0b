/** A connection to Redis or Valkey, to the current master with Sentinel; the timeouts and errors of its commands. */
import { hash } from 'node:crypto';
import type { RedisClient } from 'bun';
import { messageOf } from '../common/errors.ts';
import { connectionFailure } from './failed_connection.ts';
import { ConnectionFailure, replyError, Silence, UnsupportedStore } from './redis_failures.ts';

/** A starved process needs up to three turns of the event loop to send a command and to process its reply. */
const TURNS = 10;

/**
 * Calls `onExpiry` after `timeoutMs`, but not before {@link TURNS} turns of the event loop, between which readable sockets are
 * processed. So this process's own stalls have no effect: a reply that has arrived is never late.
 */
function stallFreeTimer(timeoutMs: number, onExpiry: () => void) {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
    if (turns < TURNS) return;
    clearInterval(timer);
    onExpiry();
  }, timeoutMs / TURNS);
  return {
    restart() {
      turns = 0;
    },
    cancel: () => clearInterval(timer),
  };
}

/** Rejects with a {@link Silence} if the promise does not settle within `timeoutMs`; see {@link stallFreeTimer}. */
export function within<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = stallFreeTimer(timeoutMs, () => reject(silence(timeoutMs)));
    promise.finally(() => timer.cancel()).then(resolve, reject);
  });
}

function silence(timeoutMs: number): Silence {
  return new Silence(`No reply within ${timeoutMs} ms`);
}

const SENTINEL_URL =
  /^(?<scheme>rediss?)\+sentinel:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/]+)\/(?<name>[A-Za-z0-9._-]+)(?<database>\/\d+)?$/;
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/;

/** The Sentinels that know the master of a group, and how to connect to it. */
interface SentinelGroup {
  readonly sentinels: readonly string[];
  readonly name: string;
  readonly urlOf: (host: string, port: string) => string;
}

/** Parses `redis+sentinel://[USER:PASSWORD@]HOST:PORT,…/NAME[/DATABASE]` (`rediss`: TLS; login of the master); null for another URL. */
export function parseSentinelUrl(url: string): SentinelGroup | null {
  const { scheme, login, hosts = '', name, database = '' } = SENTINEL_URL.exec(url)?.groups ?? {};
  const places = hosts.split(',');
  if (name === undefined || !places.every(place => HOST.test(place))) return null;
  return {
    sentinels: places.map(place => `${scheme}://${/:\d+$/.test(place) ? place : `${place}:26379`}`),
    name,
    urlOf(host, port) {
      const place = host.includes(':') ? `[${host}]` : host;
      return `${scheme}://${login === undefined ? '' : `${login}@`}${place}:${port}${database}`;
    },
  };
}

/** How long to wait for one Sentinel before trying the next. */
const SENTINEL_TIMEOUT_MS = 300;

/** The URL of the group's current master, from the first Sentinel that knows it. Rejects if none does. */
async function masterUrl({ sentinels, name, urlOf }: SentinelGroup): Promise<string> {
  const reasons: string[] = [];
  for (const sentinel of sentinels) {
    let client: RedisClient | undefined;
    try {
      client = await connectedClient(sentinel, SENTINEL_TIMEOUT_MS);
      const address: [string, string] | null = await within(
        SENTINEL_TIMEOUT_MS,
        client.send('SENTINEL', ['GET-MASTER-ADDR-BY-NAME', name]),
      );
      if (address !== null) return urlOf(...address);
      reasons.push(`it does not know '${name}'`);
    } catch (error) {
      reasons.push(messageOf(error));
    } finally {
      client?.close();
    }
  }
  throw new ConnectionFailure(`No Sentinel names a master: ${reasons.join(', ')}`);
}

/** Rejects with a {@link ConnectionFailure}, which has the reason. */
async function connectedClient(url: string, timeoutMs: number): Promise<RedisClient> {
  const client = new Bun.RedisClient(url, { autoReconnect: false, enableOfflineQueue: false });
  try {
    await within(timeoutMs, client.connect());
    return client;
  } catch (error) {
    client.close();
    if (error instanceof Silence) throw error;
    throw new ConnectionFailure((await connectionFailure(url)) ?? messageOf(error));
  }
}

/** A script, which Redis runs atomically, and the digest by which servers cache it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function script(text: string): Script {
  return { text, sha1: hash('sha1', text) };
}

/** The beginning of a script: `time` is the store's own clock, `now` the same in milliseconds. */
export const NOW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;

/** Longer than for a command: no request waits for a connection, unless it lost one. */
const CONNECT_TIMEOUT_MS = 1000;

/** A connection. Scripts wait for their reply until the connection is lost, and then reject with a {@link ConnectionFailure}. */
export class RedisConnection {
  readonly #client: RedisClient;
  readonly #silenceMs: number;
  #runningCommands = 0;
  /** Runs while commands are pending. Replies arrive in order, so one timer is enough for all of them. */
  #silenceTimer: ReturnType<typeof stallFreeTimer> | undefined;
  #isSilent = false;

  private constructor(client: RedisClient, silenceMs: number) {
    this.#client = client;
    this.#silenceMs = silenceMs;
  }

  /** Connects to a URL, and has the server cache a script. `silenceMs`: see `RedisLink`. */
  static async open(url: string, silenceMs: number, cached: Script): Promise<RedisConnection> {
    const group = parseSentinelUrl(url);
    let client: RedisClient | undefined;
    try {
      client = await connectedClient(group === null ? url : await masterUrl(group), CONNECT_TIMEOUT_MS);
      await within(CONNECT_TIMEOUT_MS, client.send('SCRIPT', ['LOAD', cached.text]));
      await within(CONNECT_TIMEOUT_MS, rejectCluster(client));
      return new RedisConnection(client, silenceMs);
    } catch (error) {
      client?.close();
      const isKnown = error instanceof UnsupportedStore || error instanceof ConnectionFailure;
      throw isKnown ? error : new ConnectionFailure(replyError(messageOf(error)).message);
    }
  }

  async execute<Reply>(script: Script, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    this.#runningCommands += 1;
    this.#silenceTimer ??= stallFreeTimer(this.#silenceMs, () => {
      this.#isSilent = true;
      this.close();
    });
    try {
      return await this.#runScript(script, [String(keys.length), ...keys, ...args]);
    } catch (error) {
      if (this.#isSilent) throw silence(this.#silenceMs);
      const isReply = error instanceof Error && 'code' in error && error.code === 'ERR_REDIS_SERVER_ERROR';
      throw isReply ? replyError(error.message) : new ConnectionFailure(messageOf(error));
    } finally {
      this.#runningCommands -= 1;
      this.#silenceTimer?.restart();
      if (this.#runningCommands === 0) this.#stopTimer();
    }
  }

  /** Runs a script by its digest, or by its text if the server does not have it cached. */
  async #runScript<Reply>({ text, sha1 }: Script, args: readonly string[]): Promise<Reply> {
    try {
      return await this.#client.send('EVALSHA', [sha1, ...args]);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await this.#client.send('EVAL', [text, ...args]);
    }
  }

  close(): void {
    this.#stopTimer();
    this.#client.close();
  }

  #stopTimer(): void {
    this.#silenceTimer?.cancel();
    this.#silenceTimer = undefined;
  }
}

/** Bun's client does not follow the redirections of a Cluster. */
async function rejectCluster(client: RedisClient): Promise<void> {
  const info: unknown = await client.send('INFO', ['cluster']).catch(() => ''); // an ACL may not permit it
  if (!String(info).includes('cluster_enabled:1')) return;
  throw new UnsupportedStore('--redis: this is a Redis Cluster; use a single server, or Sentinel');
}
