import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { checked } from '../../common/checked_json.ts';
import { oneLine, quoted, visible } from '../../common/errors.ts';
import { isObject } from '../../common/json.ts';
import { firstWhere } from '../../common/sorted_list.ts';
import {
  type Addition,
  parseValue,
  type RedisHash,
  type SharedValue,
  type SharedValues,
} from '../../redis/redis_hash.ts';
import { ValueCache, type ValueKind } from '../../redis/value_cache_file.ts';
import { keyDigest } from '../key_format.ts';
import {
  compareCounts,
  compareEntries,
  compareKeys,
  isRemoved,
  type KeyChanges,
  type KeyPosition,
  type KeyStore,
  type ListPart,
  type LogEntry,
  type LogPart,
  type LogPosition,
  type NewKey,
  type PlanStore,
  type RemovedKey,
  type SharedKey,
  type StoreContents,
  type StoredKey,
  type UsagePart,
} from '../key_store.ts';
import { type Plan, planOf } from '../plan.ts';
import { Digest, EpochMs, EpochMsOrNull, KeyRole, readLogEntry } from '../stored_json.ts';
import { type MonthlyCount, monthAt, monthOf } from '../usage.ts';
import { EXPIRY_SECONDS } from './redis_scripts.ts';
import { logKey, RedisStore, type SharedStore } from './redis_store.ts';
import { sortInSlices } from './sliced_sort.ts';

/** The values of `meridian:keys`: API keys by id, with digests instead of the keys themselves. */
export const SHARED_KEYS: ValueKind<SharedKey> = { what: 'API keys', parse: parseSharedKey };

/** The values of `meridian:plans`: the members of plans as in a plans file by name, null for a removed one. */
export const SHARED_PLANS: ValueKind<Plan | null> = {
  what: 'plans',
  parse(value, name) {
    const entry = parseValue(value);
    return entry === null ? null : planOf(name, entry);
  },
};

/** The digest of a removed key of which only the name is known. */
const NO_DIGEST = new Uint8Array(32);

/** The API keys and usage in Redis, for one request or command: since a hash has no order, the whole list is read once. */
export class RedisKeyStore implements KeyStore {
  readonly #redis: RedisStore;
  readonly #hash: RedisHash;
  #keys: Promise<readonly SharedKey[]> | undefined;
  #usage: Promise<readonly MonthlyCount[]> | undefined;
  /** The last month of the log that was read and has entries, for the next page. */
  #log: { readonly month: number; readonly fromMs: number; readonly fields: readonly LogField[] } | undefined;

  constructor(redis: RedisStore) {
    this.#redis = redis;
    this.#hash = redis.hash('keys');
  }

  async keys({ after, limit }: ListPart<KeyPosition> = {}): Promise<StoredKey[]> {
    this.#keys ??= this.#readKeys();
    const listed = await this.#keys;
    const start = after ? indexAfter(listed, after, compareKeys) : 0;
    return await this.#withUses(listed.slice(start, limit === undefined ? undefined : start + limit));
  }

  async find(ids: readonly string[]): Promise<ReadonlyMap<string, StoredKey | RemovedKey>> {
    const keys = keysIn(await this.#hash.get(ids));
    const present = await this.#withUses(keys.filter(({ removedMs }) => removedMs === null));
    return new Map([...present, ...keys.flatMap(removedKey)].map(key => [key.id, key]));
  }

  async removed(): Promise<RemovedKey[]> {
    return keysIn(await this.#hash.values()).flatMap(removedKey);
  }

  async add(key: NewKey, entry?: LogEntry): Promise<void> {
    const rest = { suspendedMs: null, former: null, removedMs: null };
    const value = writeSharedKey({ role: 'client', expiresMs: null, ...rest, ...key });
    if (await this.#hash.replace([{ name: key.id, revision: 0, value }], additionOf([entry]))) return;
    throw new Error(`There is, or was, another API key '${key.id}'; try again`);
  }

  change(id: string, changes: KeyChanges, entry?: LogEntry): Promise<boolean> {
    return this.#update(id, key => ({ ...key, ...changes }), entry);
  }

  rotate(id: string, digest: Uint8Array, expiresMs: number, entry?: LogEntry): Promise<boolean> {
    return this.#update(id, key => ({ ...key, digest, former: { digest: key.digest, expiresMs } }), entry);
  }

  remove(id: string, removedMs: number, entry?: LogEntry): Promise<boolean> {
    return this.#update(id, key => ({ ...key, removedMs, former: null }), entry);
  }

  requests(ids: readonly string[], month: number): Promise<ReadonlyMap<string, number>> {
    return this.#redis.requests(ids, month);
  }

  async usage({ after, limit, month = null }: UsagePart = {}): Promise<MonthlyCount[]> {
    this.#usage ??= Array.fromAsync(this.#redis.usage()).then(read =>
      sortInSlices(read.flat(), compareCounts),
    );
    const listed = await this.#usage;
    const position = after ?? (month === null ? null : { month, id: '' });
    const start = position === null ? 0 : indexAfter(listed, position, compareCounts);
    const end =
      month === null ? listed.length : indexAfter(listed, { month: month + 1, id: '' }, compareCounts);
    return listed.slice(start, limit === undefined ? end : Math.min(end, start + limit));
  }

  async put({ keys, removed, usage }: StoreContents, entries: readonly LogEntry[] = []): Promise<void> {
    const values = new Map([...keys, ...removed].map(key => [key.id, writeSharedKey(sharedKey(key))]));
    if (values.size > 0)
      await this.#hash.update(
        [...values.keys()],
        (_, id) => values.get(id)!,
        'set of API keys',
        additionOf(entries),
      );
    await this.#redis.raiseUsage(usage);
    await this.#redis.raiseLastUses(keys);
  }

  async log({ after, limit, lastMonth }: LogPart): Promise<readonly LogEntry[]> {
    const found: LogEntry[] = [];
    for (let month = monthOf(after.timeMs).index; month <= lastMonth && found.length < limit; month++) {
      const fields = await this.#logOf(month, after.timeMs);
      const start = indexAfter(fields, after, compareEntries);
      for (let i = start; i < fields.length && found.length < limit; i++) {
        const isRepeated = i > 0 && compareEntries(fields[i - 1]!, fields[i]!) === 0;
        if (!isRepeated) found.push(readLogEntry(fields[i]!, fields[i]!.text));
      }
    }
    return found;
  }

  /** The log of a month from a time on, or from before, oldest first; a field may occur twice. */
  async #logOf(month: number, fromMs: number): Promise<readonly LogField[]> {
    if (this.#log?.month === month && this.#log.fromMs <= fromMs) return this.#log.fields;
    const read: LogField[] = [];
    for await (const batch of this.#redis.log(month, fromMs))
      for (const [name, text] of batch) read.push(logField(name, text, month));
    const fields = await sortInSlices(read, compareEntries);
    if (fields.length > 0) this.#log = { month, fromMs, fields };
    return fields;
  }

  async #readKeys(): Promise<readonly SharedKey[]> {
    const valid = new Map<string, SharedKey>(); // a value may occur twice
    for await (const values of this.#hash.scan())
      for (const key of keysIn(values)) if (key.removedMs === null) valid.set(key.id, key);
    return await sortInSlices([...valid.values()], compareKeys);
  }

  async #withUses(keys: readonly SharedKey[]): Promise<StoredKey[]> {
    const uses = await this.#redis.lastUses(keys.map(({ id }) => id));
    return keys.map(({ removedMs: _, ...key }) => ({ ...key, lastUsedMs: uses.get(key.id) ?? null }));
  }

  /** Changes a key; false if there is none, or it was removed. */
  #update(id: string, change: (key: SharedKey) => SharedKey, entry?: LogEntry): Promise<boolean> {
    return this.#hash.update(
      [id],
      value => {
        const key = value === undefined ? undefined : readSharedKey(value, id);
        return key === undefined || key.removedMs !== null ? null : writeSharedKey(change(key));
      },
      `API key '${id}'`,
      additionOf([entry]),
    );
  }
}

/** An entry of the log in a field of its month. */
interface LogField extends LogPosition {
  readonly text: string;
}

/** The name of a field in the log of a month is the position; of one with another name only the month is known. */
function logField(name: string, text: string, month: number): LogField {
  const [, time, serial] = /^(\d{1,16})\.([\w-]{1,64})$/.exec(name) ?? [];
  const timeMs = Number(time);
  if (serial !== undefined && monthOf(timeMs).index === month) return { timeMs, serial, text };
  return { timeMs: monthAt(month).startMs, serial: keyDigest(name).toHex(), text: '' };
}

/** Entries of one time, as an addition to a change. */
function additionOf(entries: readonly (LogEntry | undefined)[]): Addition | undefined {
  const present = entries.filter(entry => entry !== undefined);
  if (present[0] === undefined) return undefined;
  const fields = present.map(entry => [`${entry.timeMs}.${entry.serial}`, JSON.stringify(entry)] as const);
  const key = logKey(monthOf(present[0].timeMs).index);
  return { key, fields: new Map(fields), lifetimeSeconds: EXPIRY_SECONDS };
}

export function redisPlanStore(redis: RedisStore): PlanStore {
  const hash = redis.hash('plans');
  const isDefined = (value: SharedValue | undefined) => value !== undefined && !/^\d+ null$/.test(value);
  return {
    async plans() {
      const plans = readable(SHARED_PLANS, await hash.values());
      return new Map(plans.flatMap(plan => (plan ? [[plan.name, plan]] : [])));
    },
    async set(name, entry) {
      await hash.update([name], () => JSON.stringify(entry), `plan '${name}'`);
    },
    remove: name => hash.update([name], value => (isDefined(value) ? 'null' : null), `plan '${name}'`),
  };
}

/** What servers share through Redis: limits and usage, and keys and plans, which they cache. */
export interface SharedAccess<Store = SharedStore> {
  readonly store: Store;
  readonly keys: ValueCache<SharedKey>;
  readonly plans: ValueCache<Plan | null>;
}

/** Redis counts as unreachable after this much silence: longer than slow scripts and forking for a snapshot usually take. */
const SILENCE_MS = 1000;

/** `isWriter`: whether this worker writes copies of keys and plans. @throws {Error} if a copy cannot be read */
export function openSharedAccess(url: string, state: string, isWriter: boolean): SharedAccess<RedisStore> {
  const copy = (name: string) => ({ path: join(state, name), isWriter });
  return {
    store: new RedisStore(url, SILENCE_MS),
    keys: new ValueCache(SHARED_KEYS, copy('redis-keys.json')),
    plans: new ValueCache(SHARED_PLANS, copy('redis-plans.json')),
  };
}

function sharedKey(key: StoredKey | RemovedKey): SharedKey {
  if (isRemoved(key)) {
    const never = { suspendedMs: null, expiresMs: null, former: null };
    return { ...key, role: 'client', digest: NO_DIGEST, createdMs: key.removedMs, ...never };
  }
  const { lastUsedMs: _, ...rest } = key;
  return { ...rest, removedMs: null };
}

/** A key as a removed one; none if it is not removed. */
function removedKey({ id, name, plan, removedMs }: SharedKey): RemovedKey[] {
  return removedMs === null ? [] : [{ id, name, plan, removedMs }];
}

function keysIn(values: SharedValues): SharedKey[] {
  return readable(SHARED_KEYS, values);
}

/** The items in values. Those that cannot be read are skipped, as by servers. */
function readable<Item>({ parse }: ValueKind<Item>, values: SharedValues): Item[] {
  return [...values].flatMap(([name, value]) => {
    try {
      return parse(value, name) ?? [];
    } catch {
      return [];
    }
  });
}

/** The value of a key without its revision, which the script adds. */
function writeSharedKey({ digest, former, ...rest }: SharedKey): string {
  const formerJson = former && { ...former, digest: former.digest.toHex() };
  const json: Static<typeof SharedKeyJson> = { ...rest, digest: digest.toHex(), former: formerJson };
  return JSON.stringify(json);
}

const SharedKeyJson = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: KeyRole,
  plan: Type.String(),
  digest: Digest,
  createdMs: EpochMs,
  suspendedMs: EpochMsOrNull,
  expiresMs: EpochMsOrNull,
  former: Type.Union([Type.Object({ digest: Digest, expiresMs: EpochMs }), Type.Null()]),
  removedMs: EpochMsOrNull,
});

/** The key in a value; undefined for one that was moved. @throws {Error} for a value that is not in our format, or of another key */
function parseSharedKey(value: SharedValue, name: string): SharedKey | undefined {
  const json = parseValue(value);
  if (!isObject(json) || json['id'] !== name) throw new Error('it is not a key of this id');
  // By `meridian migrate` of an earlier version, which has moved the key to a machine's file, where it is valid.
  if (json['isMoved'] === true) return undefined;
  const { digest, former, ...rest } = checked(SharedKeyJson, json);
  const formerKey = former && { ...former, digest: Uint8Array.fromHex(former.digest) };
  return { ...rest, digest: Uint8Array.fromHex(digest), former: formerKey };
}

/** The same for a key that is to be changed. */
function readSharedKey(value: SharedValue, id: string): SharedKey | undefined {
  try {
    return parseSharedKey(value, id);
  } catch (error) {
    throw new Error(
      `The API key ${quoted(visible(id))} in Redis cannot be read: ${oneLine(error)}; HDEL it from meridian:keys`,
    );
  }
}

/** The index of the first item of a sorted list that comes after a position. */
function indexAfter<Item extends Position, Position>(
  list: readonly Item[],
  position: Position,
  compare: (a: Position, b: Position) => number,
): number {
  return firstWhere(0, list.length, index => compare(list[index]!, position) > 0);
}
