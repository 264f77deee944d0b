import { RedisClient } from 'bun';
import { messageOf } from '../../common/errors.ts';
import type { StoredToken } from '../key_store.ts';
import type { LimitStatus } from '../limiter.ts';
import { monthAt, monthLabelled } from '../month.ts';
import type { Limits } from '../plan.ts';
import type { MonthlyCount, UsageBatch } from '../usage.ts';
import { masterUrl, parseSentinelUrl } from './master_directory.ts';
import { type HashName, RedisHash } from './redis_hash.ts';
import {
  ADD,
  CONSUME,
  GET,
  LAST_USED_KEY,
  LAST_USES,
  RAISE,
  REQUESTS,
  type Script,
  SETTLE,
  USAGE,
} from './redis_scripts.ts';
import {
  ConnectionFailure,
  Silence,
  StallFreeTimer,
  TimeoutError,
  UnsupportedStore,
  within,
} from './reply_timer.ts';

/** The maximum number of totals or times that one command reads or writes. */
const BATCH = 500;

/** The maximum number of keys whose usage of all months one command reads. */
const USAGE_BATCH = 100;

/** Runs a command, for example only while the store is known to be available. */
export type RunShared = <Value>(command: () => Promise<Value>) => Promise<Value>;

const VERDICTS = ['granted', 'rate', 'quota'] as const;

/** Limits and usage shared by several machines. Every method may reject, with a {@link ConnectionFailure} or an error of this command only. */
export interface SharedStore {
  /** Opens a new connection. */
  connect(): Promise<void>;
  /** Counts requests of a key or rejects all of them, by the store's own clock; `nowMs` is this machine's. */
  consume(id: string, limits: Limits, nowMs: number, requests?: number): Promise<LimitStatus>;
  /** Adds requests that were granted elsewhere, or refunds, unless the batch was added before; resolves to the total of each count. */
  addUsage(batch: UsageBatch): Promise<number[]>;
  /** Forgets the receipt of a batch that will not be sent again. */
  settleUsage(batch: UsageBatch): Promise<void>;
  close(): void;
}

/** A Redis or Valkey server (5 or newer) over one connection; with Sentinel, the current master. */
export class RedisStore implements SharedStore {
  readonly #url: string;
  readonly #silenceMs: number;
  #connection: Promise<RedisConnection> | undefined;
  #connections = 0;

  /** `silenceMs`: the time without any reply after which the server counts as unreachable. */
  constructor(url: string, silenceMs: number) {
    this.#url = url;
    this.#silenceMs = silenceMs;
  }

  /** How many connections it has had. */
  get connections(): number {
    return this.#connections;
  }

  async connect(): Promise<void> {
    await this.#open();
  }

  async consume(id: string, limits: Limits, nowMs: number, requests = 1): Promise<LimitStatus> {
    const { rule, plan } = limits;
    const keys = [`meridian:bucket:{${id}}`, usageKey(id), LAST_USED_KEY];
    const ofPlan = [rule?.capacity ?? 0, rule?.perMs ?? 0, rule?.perRequest ?? 1, plan.monthlyQuota ?? -1];
    const args = [...ofPlan, requests, id];
    const [verdict, month, used, rateLeft, rateWaitMs] = await this.execute<ConsumeReply>(
      CONSUME,
      keys,
      args.map(String),
    );
    return { verdict: VERDICTS[verdict], nowMs, month: monthAt(month), used, rateLeft, rateWaitMs };
  }

  addUsage({ receipt, counts }: UsageBatch): Promise<number[]> {
    const keys = [receiptKey(receipt), ...counts.map(({ id }) => usageKey(id))];
    const args = counts.flatMap(({ month, count }) => [monthAt(month).label, String(count)]);
    return this.#once(client => runScript<number[]>(client, ADD, keys, args));
  }

  async settleUsage({ receipt }: UsageBatch): Promise<void> {
    await this.#once(client => runScript<number>(client, SETTLE, [receiptKey(receipt)], []));
  }

  /** The usage of all keys by month, in batches; read-only. */
  async *usage(): AsyncGenerator<MonthlyCount[], void> {
    const ids = await this.#idsWithUsage();
    for (let start = 0; start < ids.length; start += USAGE_BATCH) {
      const batch = ids.slice(start, start + USAGE_BATCH);
      const months = await this.execute<string[][]>(USAGE, batch.map(usageKey), []);
      yield batch.flatMap((id, i) => countsOf(id, months[i]!));
    }
  }

  /** The requests of keys in a month; read-only. */
  async requests(ids: readonly string[], month: number): Promise<ReadonlyMap<string, number>> {
    const counts = await this.execute<(string | null)[]>(REQUESTS, ids.map(usageKey), [monthAt(month).label]);
    return new Map(ids.map((id, i) => [id, Number(counts[i] ?? 0)]));
  }

  /** The last use of keys, epoch milliseconds; read-only. */
  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const uses = new Map<string, number>();
    for (let start = 0; start < ids.length; start += BATCH) {
      const batch = ids.slice(start, start + BATCH);
      const found = await this.execute<(string | null)[]>(GET, [LAST_USED_KEY], batch);
      for (const [i, id] of batch.entries()) if (found[i] != null) uses.set(id, Number(found[i]));
    }
    return uses;
  }

  /** Sets the last use of keys, unless they have a later one. */
  async raiseLastUses(keys: readonly Pick<StoredToken, 'id' | 'lastUsedMs'>[]): Promise<void> {
    const uses = keys.flatMap(({ id, lastUsedMs }) => (lastUsedMs === null ? [] : [id, String(lastUsedMs)]));
    for (let start = 0; start < uses.length; start += 2 * BATCH)
      await this.execute<null>(LAST_USES, [LAST_USED_KEY], uses.slice(start, start + 2 * BATCH));
  }

  /** A hash of values, whose commands are run by `run`. */
  hash(name: HashName, run: RunShared = command => command()): RedisHash {
    return new RedisHash(name, (script, keys, args) => run(() => this.execute(script, keys, args)));
  }

  /** Runs a script, again if the connection was lost; earlier attempts may have taken effect. */
  execute<Reply>(script: Script, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    return this.#retried(client => runScript<Reply>(client, script, keys, args));
  }

  /** Raises usage to totals that were seen before if it is lower, because the store has lost data or never had it. */
  async raiseUsage(totals: readonly MonthlyCount[]): Promise<void> {
    for (let start = 0; start < totals.length; start += BATCH) {
      const batch = totals.slice(start, start + BATCH);
      const args = batch.flatMap(({ month, count }) => [monthAt(month).label, String(count)]);
      await this.execute<null>(
        RAISE,
        batch.map(({ id }) => usageKey(id)),
        args,
      );
    }
  }

  async #idsWithUsage(): Promise<string[]> {
    const found = new Set<string>(); // SCAN may return a key twice
    let cursor = '0';
    do {
      const scan = [cursor, 'MATCH', usageKey('*'), 'COUNT', '1000'];
      const [next, keys]: [string, string[]] = await this.#retried(client => client.send('SCAN', scan));
      for (const key of keys) found.add(key.slice('meridian:usage:{'.length, -1));
      cursor = next;
    } while (cursor !== '0');
    return [...found];
  }

  close(): void {
    this.#connection?.then(
      connection => connection.close(),
      () => {},
    );
    this.#connection = undefined;
  }

  /**
   * Runs a command, and repeats it on a new connection if the server closed this one, since it may just have been restarted or
   * have closed an idle connection. Earlier attempts may have taken effect.
   */
  async #retried<Value>(command: Command<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      const connecting = this.#connected();
      try {
        return await (await connecting).run(command);
      } catch (error) {
        const isLost = error instanceof ConnectionFailure && !(error instanceof Silence);
        if (!isLost || attempt === MAX_ATTEMPTS) throw error;
        // One new connection for all commands that were lost with the old one.
        if (this.#connection === connecting) void this.#open();
      }
    }
  }

  /** Runs a command on this connection only: a new one may lead to a store whose usage must be restored first. */
  async #once<Value>(command: Command<Value>): Promise<Value> {
    return await (await this.#connected()).run(command);
  }

  #open(): Promise<RedisConnection> {
    this.close();
    this.#connections += 1;
    this.#connection = RedisConnection.open(this.#url, this.#silenceMs);
    return this.#connection;
  }

  #connected(): Promise<RedisConnection> {
    return this.#connection ?? Promise.reject(new ConnectionFailure('Not connected'));
  }
}

type Command<Value> = (client: RedisClient) => Promise<Value>;

/** How often a command is attempted if each connection is closed. */
const MAX_ATTEMPTS = 3;
/** Longer than for a command: no request waits for a connection, unless it lost one. */
const CONNECT_TIMEOUT_MS = 1000;

/** A connection. Commands wait for their reply until the connection is lost, and then reject with a {@link ConnectionFailure}. */
class RedisConnection {
  readonly #client: RedisClient;
  readonly #silenceMs: number;
  #runningCommands = 0;
  /** Runs while commands are pending. Replies arrive in order, so one timer is enough for all of them. */
  #silenceTimer: StallFreeTimer | undefined;
  #isSilent = false;

  private constructor(client: RedisClient, silenceMs: number) {
    this.#client = client;
    this.#silenceMs = silenceMs;
  }

  static async open(url: string, silenceMs: number): Promise<RedisConnection> {
    const group = parseSentinelUrl(url);
    let client: RedisClient | undefined;
    try {
      const place = group === null ? url : await masterUrl(group);
      client = new RedisClient(place, { autoReconnect: false, enableOfflineQueue: false });
      await within(CONNECT_TIMEOUT_MS, client.connect());
      await within(CONNECT_TIMEOUT_MS, client.send('SCRIPT', ['LOAD', CONSUME.text]));
      await within(CONNECT_TIMEOUT_MS, rejectCluster(client));
      return new RedisConnection(client, silenceMs);
    } catch (error) {
      client?.close();
      if (error instanceof UnsupportedStore) throw error;
      throw error instanceof TimeoutError
        ? new Silence(error.message)
        : new ConnectionFailure(messageOf(error));
    }
  }

  async run<Value>(command: Command<Value>): Promise<Value> {
    this.#runningCommands += 1;
    this.#silenceTimer ??= new StallFreeTimer(this.#silenceMs, () => {
      this.#isSilent = true;
      this.close();
    });
    try {
      return await command(this.#client);
    } catch (error) {
      if (this.#isSilent) throw new Silence(`No reply within ${this.#silenceMs} ms`);
      throw isReply(error) && !isReplica(error) ? error : new ConnectionFailure(messageOf(error));
    } finally {
      this.#runningCommands -= 1;
      this.#silenceTimer?.restart();
      if (this.#runningCommands === 0) this.#stopTimer();
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

/** Whether a rejection is an error reply from the server. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_REDIS_SERVER_ERROR';
}

/** Whether a server replied that it is a replica, which it may have become while connected. */
function isReplica(error: Error): boolean {
  return error.message.startsWith('READONLY');
}

/** Bun's client does not follow the redirections of a Cluster. */
async function rejectCluster(client: RedisClient): Promise<void> {
  const info: unknown = await client.send('INFO', ['cluster']).catch(() => ''); // an ACL may not permit it
  if (!String(info).includes('cluster_enabled:1')) return;
  throw new UnsupportedStore('--redis: this is a Redis Cluster; use a single server, or Sentinel');
}

type ConsumeReply = [verdict: 0 | 1 | 2, month: number, used: number, rateLeft: number, rateWaitMs: number];

/** EVALSHA, or EVAL if the server does not have the script cached. */
async function runScript<Reply>(
  client: RedisClient,
  { text, sha1 }: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<Reply> {
  const rest = [String(keys.length), ...keys, ...args];
  try {
    return await client.send('EVALSHA', [sha1, ...rest]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return await client.send('EVAL', [text, ...rest]);
  }
}

/** The Redis key of the usage of an API key. */
function usageKey(id: string): string {
  return `meridian:usage:{${id}}`;
}

function receiptKey(receipt: string): string {
  return `meridian:receipt:${receipt}`;
}

/** The usage of a key, from months and requests in turn. */
function countsOf(id: string, months: readonly string[]): MonthlyCount[] {
  return months.flatMap((month, i) =>
    i % 2 === 0 ? [{ id, month: monthLabelled(month), count: Number(months[i + 1]) }] : [],
  );
}
