import type { StoredKey } from '../key_store.ts';
import type { LimitStatus } from '../limiter.ts';
import type { Limits } from '../plan.ts';
import { type MonthlyCount, monthAt, monthLabelled, type UsageBatch } from '../usage.ts';
import {
  type Command,
  ConnectionFailure,
  NOW,
  RedisConnection,
  runScript,
  type Script,
  Silence,
  script,
} from './redis_connection.ts';
import { batchesOf, fieldsOf, type HashName, RedisHash } from './redis_hash.ts';

/*
 * An API key has two Redis keys in one cluster slot: a bucket, which expires once it would be full again, and a hash of
 * requests by month (`2026-11`), which expires 800 days after the last new month. The clock is the store's own (since Redis 5
 * scripts replicate their effects, so they may call `TIME`). Units are those of `token_bucket.ts`.
 */

const MONTH = `${NOW}-- The civil month of a day number, as in common/civil.ts.
local shifted = math.floor(tonumber(time[1]) / 86400) + 719468
local era = math.floor(shifted / 146097)
local dayOfEra = shifted - era * 146097
local year = math.floor((dayOfEra - math.floor(dayOfEra / 1460) + math.floor(dayOfEra / 36524)
  - math.floor(dayOfEra / 146096)) / 365)
local dayOfYear = dayOfEra - (365 * year + math.floor(year / 4) - math.floor(year / 100))
local marchMonth = math.floor((5 * dayOfYear + 2) / 153)
local month = marchMonth < 10 and marchMonth + 3 or marchMonth - 9
year = year + era * 400 + (month <= 2 and 1 or 0)
local label = string.format('%04d-%02d', year, month)
`;

/** The time to live of a key's usage: longer than the 25 months covered by reports. */
const EXPIRY_SECONDS = 800 * 86_400;

/** The hash of the last granted request of each API key, epoch milliseconds. */
const LAST_USED_KEY = 'meridian:last';

/**
 * KEYS: bucket, usage, last uses. ARGV: capacity, units per millisecond (0: no rate limit), units per request, monthly quota (-1:
 * none), requests, which are granted all or none, id. Returns verdict (0 granted, 1 rate, 2 quota), `Month.index`, used, requests
 * left in the bucket, milliseconds until one more.
 */
export const CONSUME = script(`${MONTH}
local capacity, perMs, perRequest, quota = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local requests = tonumber(ARGV[5])
local needed = requests * perRequest
local used = tonumber(redis.call('HGET', KEYS[2], label) or '0')
local units = capacity
if perMs > 0 then
  local bucket = redis.call('HMGET', KEYS[1], 'units', 'ms')
  if bucket[1] then
    units = math.min(capacity, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) * perMs)
  end
end
local verdict = 0
if quota >= 0 and used + requests > quota then
  verdict = 2
elseif perMs > 0 and units < needed then
  verdict = 1
else
  if perMs > 0 then
    units = units - needed
    redis.call('HSET', KEYS[1], 'units', string.format('%.0f', units), 'ms', string.format('%.0f', now))
    redis.call('PEXPIRE', KEYS[1], math.ceil((capacity - units) / perMs) + 1000)
  end
  used = redis.call('HINCRBY', KEYS[2], label, requests)
  redis.call('HSET', KEYS[3], ARGV[6], string.format('%.0f', now))
  if used == requests then redis.call('EXPIRE', KEYS[2], ${EXPIRY_SECONDS}) end
end
local left, wait = 0, 0
if perMs > 0 then
  left = math.floor(units / perRequest)
  local target = units - units % perRequest + perRequest
  if verdict == 1 then target = math.max(target, needed) end
  wait = math.ceil((target - units) / perMs)
end
return {verdict, year * 12 + month - 1, used, left, wait}
`);

/** How long the receipt of a settled batch is stored, since another process may have read the batch before and be sending it. */
const SETTLED_SECONDS = 3600;

/**
 * KEYS: receipt, usage of API keys. ARGV: for each a month and requests. Adds all of them unless the receipt is known, or none
 * if one cannot be added; returns the totals. A receipt is stored as long as the usage, since its sender may be down for long.
 */
const ADD = script(`
if redis.call('SET', KEYS[1], '1', 'NX', 'EX', ${EXPIRY_SECONDS}) then
  for i = 2, #KEYS do
    local total = redis.pcall('HINCRBY', KEYS[i], ARGV[2 * i - 3], ARGV[2 * i - 2])
    if type(total) == 'table' then
      for j = 2, i - 1 do redis.call('HINCRBY', KEYS[j], ARGV[2 * j - 3], -ARGV[2 * j - 2]) end
      redis.call('DEL', KEYS[1])
      return total
    end
  end
  for i = 2, #KEYS do redis.call('EXPIRE', KEYS[i], ${EXPIRY_SECONDS}) end
end
local totals = {}
for i = 2, #KEYS do totals[i - 1] = tonumber(redis.call('HGET', KEYS[i], ARGV[2 * i - 3]) or '0') end
return totals
`);

/** KEYS: receipt of a batch that will not be sent again. */
const SETTLE = script(`return redis.call('EXPIRE', KEYS[1], ${SETTLED_SECONDS})`);

/** KEYS: usage of API keys. ARGV: for each a month and a total, the minimum to which its usage is raised. */
const RAISE = script(`
for i, key in ipairs(KEYS) do
  local month, total = ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  if tonumber(redis.call('HGET', key, month) or '0') < total then
    redis.call('HSET', key, month, string.format('%.0f', total))
    redis.call('EXPIRE', key, ${EXPIRY_SECONDS})
  end
end
`);

/** KEYS: usage of API keys. Returns for each its alternating months and requests. */
const USAGE = script(`
local usage = {}
for i, key in ipairs(KEYS) do usage[i] = redis.call('HGETALL', key) end
return usage
`);

/** KEYS: usage of API keys. ARGV: month. Returns the requests of each. */
const REQUESTS = script(`
local requests = {}
for i, key in ipairs(KEYS) do requests[i] = redis.call('HGET', key, ARGV[1]) end
return requests
`);

/** KEYS: last uses. ARGV: alternating ids and epoch milliseconds. Stores those that are later than the present ones. */
const LAST_USES = script(`
for i = 1, #ARGV, 2 do
  if tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '0') < tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
`);

/** The maximum number of totals or times that one command writes. */
const BATCH = 500;
/** The maximum number of keys whose usage of all months one command reads. */
const USAGE_BATCH = 100;

/** Runs a command, for example only while the store is known to be available. */
export type RunShared = <Value>(command: () => Promise<Value>) => Promise<Value>;

/** Limits and usage shared by several machines. Every method may reject, with a {@link ConnectionFailure} or an error of this command only. */
export interface SharedStore {
  connect(): Promise<void>;
  /** Counts requests of a key or rejects all of them, by the store's own clock; `nowMs` is this machine's. */
  consume(id: string, limits: Limits, nowMs: number, requests?: number): Promise<LimitStatus>;
  /** Adds requests that were granted elsewhere, or refunds, unless the batch was added before; resolves to the total of each count. */
  addUsage(batch: UsageBatch): Promise<number[]>;
  /** Forgets the receipt of a batch that will not be sent again. */
  settleUsage(batch: UsageBatch): Promise<void>;
  close(): void;
}

const VERDICTS = ['granted', 'rate', 'quota'] as const;
type ConsumeReply = [verdict: 0 | 1 | 2, month: number, used: number, rateLeft: number, rateWaitMs: number];

/** How often a command is attempted if each connection is closed. */
const MAX_ATTEMPTS = 3;

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
    const args = [...ofPlan, requests, id].map(String);
    const reply = await this.execute<ConsumeReply>(CONSUME, keys, args);
    const [verdict, month, used, rateLeft, rateWaitMs] = reply;
    return { verdict: VERDICTS[verdict], nowMs, month: monthAt(month), used, rateLeft, rateWaitMs };
  }

  addUsage({ receipt, counts }: UsageBatch): Promise<number[]> {
    const keys = [receiptKey(receipt), ...counts.map(({ id }) => usageKey(id))];
    return this.#once(client => runScript<number[]>(client, ADD, keys, monthsAndCounts(counts)));
  }

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
  hash(name: HashName, run: RunShared = command => command()): RedisHash {
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

  /**
   * Runs a command, and repeats it on a new connection if the server closed this one, since it may just have been restarted or
   * have closed an idle connection.
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
    i % 2 === 0 ? [{ id, month: monthLabelled(month), count: Number(months[i + 1]) }] : [],
  );
}
