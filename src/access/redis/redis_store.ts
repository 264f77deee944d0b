import { ConnectionFailure } from '../../redis/redis_failures.ts';
import { batchesOf, type Execute, fieldsOf } from '../../redis/redis_hash.ts';
import { RedisLink } from '../../redis/redis_link.ts';
import type { StoredKey } from '../key_store.ts';
import type { LimitStatus, Limits } from '../limiter.ts';
import { type MonthlyCount, monthAt, monthIndexOf, type UsageBatch } from '../usage.ts';
import { ADD, CONSUME, LAST_USES, LOG, PROBE, RAISE, REQUESTS, SETTLE, USAGE } from './redis_scripts.ts';

/** The hash of the last granted request of each API key, epoch milliseconds. */
const LAST_USED_KEY = 'meridian:last';

/** The store of a server, as far as limits and usage are concerned; tests replace it. */
export type SharedStore = Pick<
  RedisStore,
  'connect' | 'probe' | 'reported' | 'restore' | 'consume' | 'addUsage' | 'settleUsage' | 'hash' | 'close'
>;

/** The maximum number of totals or times that one command writes. */
const BATCH = 500;
/** The maximum number of keys whose usage of all months one command reads. */
const USAGE_BATCH = 100;

const VERDICTS = ['granted', 'rate', 'quota'] as const;
type ConsumeReply = [verdict: 0 | 1 | 2, month: number, used: number, rateLeft: number, rateWaitMs: number];

/** Limits and usage of API keys in a Redis that several machines share. Methods reject like those of {@link RedisLink}. */
export class RedisStore extends RedisLink {
  /** The totals that it has reported to this process, and may lose. */
  reported: () => readonly MonthlyCount[] = () => [];
  #isRestored = true;

  /** `silenceMs`: see {@link RedisLink}. */
  constructor(url: string, silenceMs: number) {
    super(url, silenceMs, CONSUME);
  }

  /** Raises the reported totals on a new connection, since a total that is raised later absorbs what was counted before. */
  protected override async prepare(execute: Execute): Promise<void> {
    this.#isRestored = false;
    try {
      await this.restore(execute);
    } catch (error) {
      if (error instanceof ConnectionFailure) throw error;
    }
  }

  /** Rejects if the store does not accept writes. Changes nothing. */
  async probe(): Promise<void> {
    await this.execute<number>(PROBE, [LAST_USED_KEY, 'meridian:probe'], []);
  }

  /** Raises the reported totals again if the store has rejected some on this connection. */
  async restore(execute?: Execute): Promise<void> {
    if (this.#isRestored) return;
    await this.raiseUsage(this.reported(), execute);
    this.#isRestored = true;
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
    return this.execute<number[]>(ADD, keys, monthsAndCounts(counts));
  }

  /** Forgets the receipt of a batch that will not be sent again. */
  async settleUsage({ receipt }: UsageBatch): Promise<void> {
    await this.execute<number>(SETTLE, [receiptKey(receipt)], []);
  }

  /** The usage of all keys by month, in batches; read-only. */
  async *usage(): AsyncGenerator<MonthlyCount[], void> {
    const found = await this.keysLike(usageKey('*'));
    for (const keys of batchesOf([...found], USAGE_BATCH)) {
      const months = await this.execute<string[][]>(USAGE, keys, []);
      yield keys.flatMap((key, i) => countsOf(key.slice(USAGE_KEY.length, -1), months[i]!));
    }
  }

  /** The requests of keys in a month; read-only. */
  async requests(ids: readonly string[], month: number): Promise<ReadonlyMap<string, number>> {
    const counts = await this.execute<(string | null)[]>(REQUESTS, ids.map(usageKey), [monthAt(month).label]);
    return new Map(ids.map((id, i) => [id, Number(counts[i] ?? 0)]));
  }

  /** The fields of the log in a month, without those whose names begin with a time before `fromMs`, in batches; read-only. */
  async *log(
    month: number,
    fromMs: number,
  ): AsyncGenerator<(readonly [name: string, value: string])[], void> {
    let cursor = '0';
    do {
      const args = [cursor, String(fromMs > monthAt(month).startMs ? fromMs : 0)];
      const [next, reply] = await this.execute<[string, string[]]>(LOG, [logKey(month)], args);
      yield batchesOf(reply, 2)
        .map(([name, value]) => [name!, value!] as const)
        .toArray();
      cursor = next;
    } while (cursor !== '0');
  }

  /** Raises usage to totals that were seen before if it is lower, because the store has lost data or never had it. */
  async raiseUsage(
    totals: readonly MonthlyCount[],
    execute: Execute = this.execute.bind(this),
  ): Promise<void> {
    for (const batch of batchesOf(totals, BATCH)) {
      const keys = batch.map(({ id }) => usageKey(id));
      await execute<null>(RAISE, keys, monthsAndCounts(batch));
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
}

/** The Redis key of the usage of an API key: this, its id, and a brace. */
const USAGE_KEY = 'meridian:usage:{';

function usageKey(id: string): string {
  return `${USAGE_KEY}${id}}`;
}

/** The hash of the log entries of a month, each in a field, which is stored as long as usage. */
export function logKey(month: number): string {
  return `meridian:log:${monthAt(month).label}`;
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
