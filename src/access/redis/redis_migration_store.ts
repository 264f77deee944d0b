import { randomUUID } from 'node:crypto';
import { isEqual, isSameOrRotated, type MigrationStore, type MovedKey } from '../administration/migration.ts';
import { monthLabelled } from '../month.ts';
import { type PlanEntry, planEntry } from '../plan.ts';
import type { UsageBatch } from '../usage.ts';
import type { RedisHash } from './redis_hash.ts';
import { RedisPlanStore } from './redis_plan_store.ts';
import { LAST_USED_KEY, script } from './redis_scripts.ts';
import { type RedisStore, usageKey } from './redis_store.ts';
import { readSharedKey, type SharedKey, writeSharedKey } from './shared_key.ts';
import { revisionOf, type SharedValue } from './shared_value.ts';

const MIGRATION_KEY = 'meridian:migration';

/** KEYS: the migration. ARGV: its id, or nothing to read it, or '' to end it. Returns it. */
const MIGRATION = script(`
if ARGV[1] == '' then redis.call('DEL', KEYS[1]) elseif ARGV[1] then redis.call('SET', KEYS[1], ARGV[1]) end
return redis.call('GET', KEYS[1])
`);

/** KEYS: usage of an API key, its usage in transit. ARGV: a new receipt. Turns the former into the latter and returns that. */
const TAKE_OUT = script(`
if redis.call('EXISTS', KEYS[2]) == 0 and redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('RENAME', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[2], 'receipt', ARGV[1])
end
return redis.call('HGETALL', KEYS[2])
`);

const DELETE = script("return redis.call('DEL', KEYS[1])");

/** KEYS: last uses. ARGV: id, epoch milliseconds. */
const SET_LAST_USE = script(`
if tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0') < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
`);

/** The digest of a removed key of which only the name is known. */
const NO_DIGEST = new Uint8Array(32);

/** The API keys, plans and usage in Redis as the source or target of a migration. */
export class RedisMigrationStore implements MigrationStore {
  readonly name = 'Redis';
  readonly #redis: RedisStore;
  readonly #keys: RedisHash;
  readonly #plans: RedisPlanStore;
  /** The keys as read by `keys`. */
  #read = new Map<string, SharedValue>();

  constructor(redis: RedisStore) {
    this.#redis = redis;
    this.#keys = redis.hash('keys');
    this.#plans = new RedisPlanStore(redis);
  }

  migration(): Promise<string | null> {
    return this.#redis.execute(MIGRATION, [MIGRATION_KEY], []);
  }

  async setMigration(id: string | null): Promise<void> {
    await this.#redis.execute(MIGRATION, [MIGRATION_KEY], [id ?? '']);
  }

  async keys(): Promise<MovedKey[]> {
    const uses = await this.#redis.lastUses();
    this.#read = new Map(await this.#keys.values());
    return [...this.#read.values()].map(readSharedKey).flatMap(key => movedKey(key, uses) ?? []);
  }

  async key(id: string): Promise<MovedKey | null> {
    const value = (await this.#keys.get([id])).get(id);
    if (value === undefined) return null;
    this.#read.set(id, value);
    return movedKey(readSharedKey(value), await this.#redis.lastUsesOf([id]));
  }

  async replaceKey(former: MovedKey, moved: MovedKey): Promise<boolean> {
    const { id } = moved;
    const value = (await this.#keys.get([id])).get(id);
    if (value === undefined || !isUnchanged(readSharedKey(value), sharedKeyOf(former))) return false;
    const key = writeSharedKey(sharedKeyOf(moved));
    if (!(await this.#keys.replace({ name: id, revision: revisionOf(value), value: key }))) return false;
    await this.#setLastUse(moved);
    return true;
  }

  async putKey(moved: MovedKey): Promise<boolean> {
    const { id } = moved;
    const key = sharedKeyOf(moved);
    const put = (revision: number) => this.#keys.replace({ name: id, revision, value: writeSharedKey(key) });
    if (!(await put(0))) {
      const value = (await this.#keys.get([id])).get(id);
      const present = value === undefined ? undefined : readSharedKey(value);
      if (present !== undefined && !present.isMoved) return isSame(present, key);
      if (!(await put(revisionOf(value))))
        throw new Error(`The API key '${id}' is being changed by others; try again`);
    }
    await this.#setLastUse(moved);
    return true;
  }

  async dropKey({ id }: MovedKey): Promise<boolean> {
    const value = this.#read.get(id);
    if (value === undefined) return true;
    const key = readSharedKey(value);
    const removedMs = key.removedMs ?? revisionOf(value);
    const moved = writeSharedKey({ ...key, removedMs, former: null, isMoved: true });
    return await this.#keys.replace({ name: id, revision: revisionOf(value), value: moved });
  }

  async plans(): Promise<ReadonlyMap<string, PlanEntry>> {
    return new Map([...(await this.#plans.plans())].map(([name, plan]) => [name, planEntry(plan)]));
  }

  putPlan(name: string, entry: PlanEntry): Promise<void> {
    return this.#plans.set(name, entry);
  }

  async dropPlan(name: string): Promise<void> {
    await this.#plans.remove(name);
  }

  async hasUsage(): Promise<boolean> {
    return (await this.#redis.idsOf('usage')).length > 0;
  }

  /** First the usage taken out by an interrupted migration, then the remaining usage. */
  async *takeUsage(): AsyncGenerator<UsageBatch> {
    yield* this.unsettledUsage();
    for (const id of await this.#redis.idsOf('usage')) yield await this.#takeOut(id);
  }

  async *unsettledUsage(): AsyncGenerator<UsageBatch> {
    for (const id of await this.#redis.idsOf('moving')) yield await this.#takeOut(id);
  }

  async addUsage(batch: UsageBatch): Promise<void> {
    await this.#redis.addUsage(batch);
  }

  async settleUsage({ counts }: UsageBatch): Promise<void> {
    for (const id of new Set(counts.map(count => count.id))) {
      await this.#redis.execute(DELETE, [movingKey(id)], []);
    }
  }

  async #takeOut(id: string): Promise<UsageBatch> {
    const reply = await this.#redis.execute<string[] | Record<string, string>>(
      TAKE_OUT,
      [usageKey(id), movingKey(id)],
      [randomUUID()],
    );
    const fields = Array.isArray(reply) ? pairsOf(reply) : Object.entries(reply);
    const { receipt = '', ...months } = Object.fromEntries(fields);
    const counts = Object.entries(months).map(([label, count]) => ({
      id,
      month: monthLabelled(label),
      count: Number(count),
    }));
    return { receipt, counts };
  }

  async #setLastUse({ id, token }: MovedKey): Promise<void> {
    if (token === null || token.lastUsedMs === null) return;
    await this.#redis.execute(SET_LAST_USE, [LAST_USED_KEY], [id, String(token.lastUsedMs)]);
  }
}

function movingKey(id: string): string {
  return `meridian:moving:{${id}}`;
}

function pairsOf(list: readonly string[]): [string, string][] {
  return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!] as [string, string]] : []));
}

function sharedKeyOf({ id, token, removed }: MovedKey): SharedKey {
  if (token !== null) {
    const { lastUsedMs: _, ...rest } = token;
    return { ...rest, removedMs: null };
  }
  const { name, plan, removedMs } = removed;
  const never = { suspendedMs: null, expiresMs: null, former: null };
  return { id, name, plan, role: 'client', digest: NO_DIGEST, createdMs: removedMs, ...never, removedMs };
}

/** A key to move; null for one that was moved before. */
function movedKey(key: SharedKey, uses: ReadonlyMap<string, number>): MovedKey | null {
  const { removedMs, isMoved, ...token } = key;
  const { id, name, plan } = token;
  if (isMoved) return null;
  return removedMs === null
    ? { id, token: { ...token, lastUsedMs: uses.get(id) ?? null }, removed: null }
    : { id, token: null, removed: { id, name, plan, removedMs } };
}

/** Whether a key in this store is the same as the one being moved, or results from it by a rotation or removal. */
function isSame(present: SharedKey, key: SharedKey): boolean {
  if (key.removedMs !== null) return present.removedMs !== null;
  if (present.removedMs !== null) return Buffer.from(present.digest).equals(key.digest);
  return isSameOrRotated(present, key);
}

/** Whether a key is unchanged since it was added here. */
function isUnchanged(present: SharedKey, put: SharedKey): boolean {
  return present.removedMs === put.removedMs && isEqual(present, put);
}
