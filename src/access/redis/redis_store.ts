import {
  type Command,
  ConnectionFailure,
  RedisConnection,
  runScript,
  type Script,
  Silence,
} from '../../redis/redis_connection.ts';
import { batchesOf, fieldsOf, RedisHash } from '../../redis/redis_hash.ts';
import type { StoredKey } from '../key_store.ts';
import type { LimitStatus, Limits } from '../limiter.ts';
import { type MonthlyCount, monthAt, monthIndexOf, type UsageBatch } from '../usage.ts';
import { ADD, CONSUME, LAST_USES, RAISE, REQUESTS, SETTLE, USAGE } from './redis_scripts.ts';

/** The hash of the last granted request of each API key, epoch milliseconds. */
const LAST_USED_KEY = 'meridian:last';

/** The maximum number of totals or times that one command writes. */
const BATCH = 500;
/** The maximum number of keys whose usage of all months one command reads. */
const USAGE_BATCH = 100;

/** Runs a command, for example only while the store is known to be available. */
export type RunShared = <Value>(command: () => Promise<Value>) => Promise<Value>;

/** Limits and usage shared by several machines. */
export type SharedStore = Pick<RedisStore, 'connect' | 'consume' | 'addUsage' | 'settleUsage' | 'close'>;

const VERDICTS = ['granted', 'rate', 'quota'] as const;
type ConsumeReply = [verdict: 0 | 1 | 2, month: number, used: number, rateLeft: number, rateWaitMs: number];

/** How often a command is attempted if each connection is closed. */
const MAX_ATTEMPTS = 3;

/**
 * A Redis or Valkey server (5 or newer) over one connection; with Sentinel, the current master. Every method may reject, with a
 * {@link ConnectionFailure} or an error of this command only.
 */
export class RedisStore {
  readonly #url: string;
  readonly #silenceMs: number;
  #connection: Promise<RedisConnection> | undefined;
  /** How often it has connected. */
  connections = 0;

  /** `silenceMs`: the time without any reply after which the server counts as unreachable. */
  constructor(url: string, silenceMs: number) {
    this.#url = url;
    this.#silenceMs = silenceMs;
  }

  async connect(): Promise<void> {
    await this.#open();
  }

  /** Counts requests of a key or rejects all of them, by the store's own clock; `nowMs` is this machine's. */
  async consume(id: string, limits: Limits, nowMs: number, requests = 1): Promise<LimitStatus> {
    const { rule, plan } = limits;
    const keys = [`meridian:bucket:{${id}}`, usageKey(id), LAST_USED_KEY];
    const ofPlan = [rule?.capacity ?? 0, rule?.perMs ?? 0, rule?.perRequest ?? 1, plan.monthlyQuota ?? -1];
    const args = [...ofPlan, requests, id].map(String);
    const reply = await this.execute<ConsumeReply>(CONSUME, keys, args);
    const [verdict, month, used, rateLeft, rateWaitMs] = reply;
    return { verdict: VERDICTS[verdict], nowMs, month: monthAt(month), used, rateLeft, rateWaitMs };
  }

  /** Adds requests that were granted elsewhere, or refunds, unless the batch was added before; resolves to the total of each count. */
  addUsage({ receipt, counts }: UsageBatch): Promise<number[]> {
    const keys = [receiptKey(receipt), ...counts.map(({ id }) => usageKey(id))];
    return this.#once(client => runScript<number[]>(client, ADD, keys, monthsAndCounts(counts)));
  }

  /** Forgets the receipt of a batch that will not be sent again. */
  async settleUsage({ receipt }: UsageBatch): Promise<void> {
    await this.#once(client => runScript<number>(client, SETTLE, [receiptKey(receipt)], []));
  }

  /** The usage of all keys by month, in batches; read-only. */
  async *usage(): AsyncGenerator<MonthlyCount[], void> {
    for (const ids of batchesOf(await this.#idsWithUsage(), USAGE_BATCH)) {
      const months = await this.execute<string[][]>(USAGE, ids.map(usageKey), []);
      yield ids.flatMap((id, i) => countsOf(id, months[i]!));
    }
  }

  /** The requests of keys in a month; read-only. */
  async requests(ids: readonly string[], month: number): Promise<ReadonlyMap<string, number>> {
    const counts = await this.execute<(string | null)[]>(REQUESTS, ids.map(usageKey), [monthAt(month).label]);
    return new Map(ids.map((id, i) => [id, Number(counts[i] ?? 0)]));
  }

  /** Raises usage to totals that were seen before if it is lower, because the store has lost data or never had it. */
  async raiseUsage(totals: readonly MonthlyCount[]): Promise<void> {
    for (const batch of batchesOf(totals, BATCH)) {
      const keys = batch.map(({ id }) => usageKey(id));
      await this.execute<null>(RAISE, keys, monthsAndCounts(batch));
    }
  }

  /** The last use of keys, epoch milliseconds; read-only. */
  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const uses = await fieldsOf(this.execute.bind(this), LAST_USED_KEY, ids);
    return new Map([...uses].map(([id, epochMs]) => [id, Number(epochMs)]));
  }

  /** Sets the last use of keys, unless they have a later one. */
  async raiseLastUses(keys: readonly Pick<StoredKey, 'id' | 'lastUsedMs'>[]): Promise<void> {
    const used = keys.filter(({ lastUsedMs }) => lastUsedMs !== null);
    for (const batch of batchesOf(used, BATCH)) {
      const uses = batch.flatMap(({ id, lastUsedMs }) => [id, String(lastUsedMs)]);
      await this.execute<null>(LAST_USES, [LAST_USED_KEY], uses);
    }
  }

  /** A hash of values, whose commands are run by `run`. */
  hash(name: 'keys' | 'plans' | 'signing-keys', run: RunShared = command => command()): RedisHash {
    return new RedisHash(name, (script, keys, args) => run(() => this.execute(script, keys, args)));
  }

  /** Runs a script, again if the connection was lost; earlier attempts may have taken effect. */
  execute<Reply>(script: Script, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    return this.#retried(client => runScript<Reply>(client, script, keys, args));
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

  /** Runs a command, again on a new connection if the server closed this one: it may have been restarted, or the connection idle. */
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
    this.connections += 1;
    this.#connection = RedisConnection.open(this.#url, this.#silenceMs, CONSUME);
    return this.#connection;
  }

  #connected(): Promise<RedisConnection> {
    return this.#connection ?? Promise.reject(new ConnectionFailure('Not connected'));
  }
}

/** The Redis key of the usage of an API key. */
function usageKey(id: string): string {
  return `meridian:usage:{${id}}`;
}

function receiptKey(receipt: string): string {
  return `meridian:receipt:${receipt}`;
}

/** The arguments of a script for counts: alternating months and requests. */
function monthsAndCounts(counts: readonly MonthlyCount[]): string[] {
  return counts.flatMap(({ month, count }) => [monthAt(month).label, String(count)]);
}

/** The usage of a key, from alternating months and requests. */
function countsOf(id: string, months: readonly string[]): MonthlyCount[] {
  return months.flatMap((month, i) =>
    i % 2 === 0 ? [{ id, month: monthIndexOf(month), count: Number(months[i + 1]) }] : [],
  );
}
