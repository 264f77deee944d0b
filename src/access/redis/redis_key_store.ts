import { join } from 'node:path';
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
import { ROLES } from '../key_format.ts';
import {
  compareCounts,
  compareEntries,
  compareKeys,
  isRemoved,
  type KeyChanges,
  type KeyPosition,
  type KeyStore,
  type ListPart,
  LOG_MONTHS,
  type LogEntry,
  type LogPart,
  type NewKey,
  type PlanStore,
  type RemovedKey,
  type SharedKey,
  type StoreContents,
  type StoredKey,
  type UsagePart,
} from '../key_store.ts';
import { type Plan, planOf } from '../plan.ts';
import { type MonthlyCount, monthAt, monthOf } from '../usage.ts';
import { EXPIRY_SECONDS } from './redis_scripts.ts';
import { RedisStore, type SharedStore } from './redis_store.ts';
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

  async log({ after, limit = Number.POSITIVE_INFINITY }: LogPart): Promise<readonly LogEntry[]> {
    let found: readonly LogEntry[] = [];
    const first = monthOf(after.timeMs).index;
    // Also the next month, since another machine's clock may be fast.
    for (let month = first; month < first + LOG_MONTHS + 2 && found.length < limit; month++) {
      const entries = await this.#logOf(month);
      found = found.concat(entries.slice(indexAfter(entries, after, compareEntries)));
    }
    return found.slice(0, limit);
  }

  async #logOf(month: number): Promise<readonly LogEntry[]> {
    const entries = new Map<string, LogEntry>(); // a field may occur twice
    for await (const fields of this.#redis.hash(logName(month)).scan())
      for (const [name, text] of fields) entries.set(name, parseEntry(name, text, month));
    return await sortInSlices([...entries.values()], compareEntries);
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

/** The hash of the log entries of a month, each in a field, whose usage is stored as long. */
function logName(month: number): string {
  return `log:${monthAt(month).label}`;
}

/** The entry in a field; one that cannot be read has only a position, at the beginning of the month if its name has none. */
function parseEntry(name: string, text: string, month: number): LogEntry {
  const [, timeMs, serial] = /^(\d{1,15})\.(.+)$/s.exec(name) ?? [name, monthAt(month).startMs, name];
  const position = { timeMs: Number(timeMs), serial: String(serial) };
  try {
    const entry = JSON.parse(text);
    if (isLogged(entry)) return { ...entry, ...position };
  } catch {
    // Redis contains something else.
  }
  return { ...position, action: 'unreadable', id: '', user: null, operator: null, values: {} };
}

/** Whether a value is an entry, apart from its position. */
function isLogged(value: unknown): value is LogEntry {
  const isText = (member: unknown) => member === null || typeof member === 'string';
  if (!isObject(value) || !isObject(value['values'])) return false;
  const { action, id, user, operator, values } = value;
  return [action, id].every(Boolean) && [action, id, user, operator, ...Object.values(values)].every(isText);
}

/** Entries of one time, as an addition to a change. */
function additionOf(entries: readonly (LogEntry | undefined)[]): Addition | undefined {
  const present = entries.filter(entry => entry !== undefined);
  if (present[0] === undefined) return undefined;
  const fields = present.map(entry => [`${entry.timeMs}.${entry.serial}`, JSON.stringify(entry)] as const);
  const name = logName(monthOf(present[0].timeMs).index);
  return { key: `meridian:${name}`, fields: new Map(fields), lifetimeSeconds: EXPIRY_SECONDS };
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

/** A shared key as JSON: digests are in hex. */
interface SharedKeyJson extends Omit<SharedKey, 'digest' | 'former'> {
  readonly digest: string;
  readonly former: { readonly digest: string; readonly expiresMs: number } | null;
  /** Set by `meridian migrate` of an earlier version, which has moved the key to a machine's file, where it is valid. */
  readonly isMoved?: true;
}

/** The value of a key without its revision, which the script adds. */
function writeSharedKey({ digest, former, ...rest }: SharedKey): string {
  const formerJson = former && { ...former, digest: former.digest.toHex() };
  const json: SharedKeyJson = { ...rest, digest: digest.toHex(), former: formerJson };
  return JSON.stringify(json);
}

/** The key in a value; undefined for one that was moved. @throws {Error} for a value that is not in our format, or of another key */
function parseSharedKey(value: SharedValue, name: string): SharedKey | undefined {
  const { isMoved, digest, former, ...rest }: SharedKeyJson = Object(parseValue(value));
  if (rest.id !== name) throw new Error('it is not a key of this id');
  if (!ROLES.includes(rest.role)) throw new Error('it has an unknown role');
  if (typeof rest.name !== 'string' || typeof rest.plan !== 'string')
    throw new Error('it has no name or plan');
  for (const ms of [rest.createdMs, rest.suspendedMs ?? 0, rest.expiresMs ?? 0, rest.removedMs ?? 0])
    if (!Number.isInteger(ms)) throw new Error('one of its times is not a number of milliseconds');
  if (isMoved) return undefined;
  const formerKey = former && { ...former, digest: digestOf(former.digest) };
  return { ...rest, digest: digestOf(digest), former: formerKey };
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

function digestOf(hex: string): Uint8Array {
  const digest = Uint8Array.fromHex(hex);
  if (digest.length !== 32) throw new Error('a digest does not have 32 bytes');
  return digest;
}

/** The index of the first item of a sorted list that comes after a position. */
function indexAfter<Item extends Position, Position>(
  list: readonly Item[],
  position: Position,
  compare: (a: Position, b: Position) => number,
): number {
  return firstWhere(0, list.length, index => compare(list[index]!, position) > 0);
}
