/**
 * The contract of a store of API keys, plans and usage, and of the changes that servers follow. Engines: SQLite with a
 * plans file (`sqlite_store.ts`, `plan_file.ts`) and Redis (`redis/redis_key_store.ts`). Commands, paths, tables and schemas
 * call a stored key, as opposed to one from a list, a "token".
 */
import { compareText } from '../common/sorted_list.ts';
import type { Role } from './key_format.ts';
import type { Plan, PlanEntry } from './plan.ts';
import { type MonthlyCount, monthAt, monthOf } from './usage.ts';

/** A stored API key: never the key itself. */
export interface StoredKey {
  /** The public part of the key, which rotation does not change. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly plan: string;
  /** The key's SHA-256. */
  readonly digest: Uint8Array;
  readonly createdMs: number;
  /** Null if never used. */
  readonly lastUsedMs: number | null;
  /** Null unless suspended. */
  readonly suspendedMs: number | null;
  /** When the key expires; null for never. */
  readonly expiresMs: number | null;
  /** The key before the last rotation, and the end of its overlap; null before the first. */
  readonly former: { readonly digest: Uint8Array; readonly expiresMs: number } | null;
}

/** A key to be stored; its role is `client` by default. */
export type NewKey = Pick<StoredKey, 'id' | 'name' | 'plan' | 'digest' | 'createdMs'> &
  Partial<Pick<StoredKey, 'role' | 'expiresMs'>>;

/** Changes to a stored key other than its rotation. */
export type KeyChanges = Partial<Pick<StoredKey, 'name' | 'role' | 'plan' | 'suspendedMs' | 'expiresMs'>>;

/** A key in a store that machines share, valid or removed; the last-used time is part of its usage. */
export interface SharedKey extends Omit<StoredKey, 'lastUsedMs'> {
  /** Null unless removed. */
  readonly removedMs: number | null;
}

/** A removed key, whose usage remains in reports. */
export interface RemovedKey extends Pick<StoredKey, 'id' | 'name' | 'plan'> {
  readonly removedMs: number;
}

export type Awaitable<Value> = Value | Promise<Value>;

/** Part of a list: at most `limit` items after a position; by default the whole list. */
export interface ListPart<Position> {
  readonly after?: Position | null;
  readonly limit?: number;
}

export type KeyPosition = Pick<StoredKey, 'createdMs' | 'id'>;
export type UsagePosition = Pick<MonthlyCount, 'month' | 'id'>;

/** Part of a list of usage; in all months by default. */
export interface UsagePart extends ListPart<UsagePosition> {
  readonly month?: number | null;
}

export const KEY_ACTIONS = [
  'add',
  'edit',
  'rotate',
  'expire',
  'suspend',
  'resume',
  'remove',
  'import',
] as const;
export type KeyAction = (typeof KEY_ACTIONS)[number];

/** The new values in a log entry. Fields of a server's log, none of which may have the name of another. */
export const LOGGED_VALUES = ['name', 'role', 'plan', 'state', 'expires', 'former_expires'] as const;

/** A change of a key in the log of a store, without secrets. Of one that is `unreadable`, only the position is known. */
export interface LogEntry extends LogPosition {
  readonly action: KeyAction | 'unreadable';
  /** The key that was changed. */
  readonly id: string;
  /** Who ran the command that changed it; null for an operator. */
  readonly user: string | null;
  /** The operator's key: its id, or its position in a list; null for a user. */
  readonly operator: string | null;
  readonly values: Readonly<Partial<Record<(typeof LOGGED_VALUES)[number], string | null>>>;
}

export interface LogPosition {
  readonly timeMs: number;
  /** Unique; orders the entries of a millisecond. */
  readonly serial: string;
}

/** A part of the log: at most `limit` entries after a position that is not before {@link oldestLogMs}. */
export interface LogPart {
  readonly after: LogPosition;
  readonly limit: number;
  /** The `Month.index` of the last month that is read. */
  readonly lastMonth: number;
}

/** How long log entries are stored. */
export const LOG_MONTHS = 25;

/** The beginning of the log: older entries are deleted. */
export function oldestLogMs(nowMs: number): number {
  return monthAt(monthOf(nowMs).index - LOG_MONTHS).startMs;
}

/** Keys with all their properties, and their usage. */
export interface StoreContents {
  readonly keys: readonly StoredKey[];
  readonly removed: readonly RemovedKey[];
  readonly usage: readonly MonthlyCount[];
}

/**
 * A store of keys, their usage and the log of their changes. Methods that change a key return false if there is no such key;
 * otherwise `entry` is added to the log with the change, both or neither.
 */
export interface KeyStore {
  /** Keys, oldest first. */
  keys(part?: ListPart<KeyPosition>): Awaitable<readonly StoredKey[]>;
  /** Keys by id, removed ones too. */
  find(ids: readonly string[]): Awaitable<ReadonlyMap<string, StoredKey | RemovedKey>>;
  removed(): Awaitable<readonly RemovedKey[]>;
  /** Throws if there is a key with the same id. */
  add(key: NewKey, entry?: LogEntry): Awaitable<void>;
  change(id: string, changes: KeyChanges, entry?: LogEntry): Awaitable<boolean>;
  /** Replaces a key; the old one is accepted until the end of the overlap. */
  rotate(id: string, digest: Uint8Array, overlapEndMs: number, entry?: LogEntry): Awaitable<boolean>;
  /** Removes a key but not its usage. */
  remove(id: string, nowMs: number, entry?: LogEntry): Awaitable<boolean>;
  /** The requests of keys in a month, by id. */
  requests(ids: readonly string[], month: number): Awaitable<ReadonlyMap<string, number>>;
  /** Usage by month and key id, including removed keys and keys from lists. */
  usage(part?: UsagePart): Awaitable<readonly MonthlyCount[]>;
  /** Stores keys as they are, in place of any with the same ids: all or none. Raises usage to at least the given counts. */
  put(contents: StoreContents, entries?: readonly LogEntry[]): Awaitable<void>;
  /** Changes of keys, oldest first. */
  log(part: LogPart): Awaitable<readonly LogEntry[]>;
}

export interface PlanStore {
  plans(): Awaitable<ReadonlyMap<string, Plan>>;
  set(name: string, entry: PlanEntry): Awaitable<void>;
  /** False if there is no such plan. */
  remove(name: string): Awaitable<boolean>;
}

/** The store if there is none: it is empty, and nothing can be added to it. */
export const NO_KEYS: KeyStore = {
  keys: () => [],
  find: () => new Map(),
  removed: () => [],
  add: rejectKeys,
  change: () => false,
  rotate: () => false,
  remove: () => false,
  requests: () => new Map(),
  usage: () => [],
  put: rejectKeys,
  log: () => [],
};

function rejectKeys(): never {
  throw new Error('There is no store for API keys');
}

/** Something outside the process that may change while the server runs. Both methods throw one-line Errors. */
export interface Source<Value> {
  /** Another text whenever the value may have changed; cheap. Only the source itself interprets it. */
  stamp(): string;
  read(): Value;
}

/** Values by name that several machines share. */
export interface SharedSource<Value> extends Source<ReadonlyMap<string, Value>> {
  /** The names of the values that have changed since a stamp. */
  changedSince(stamp: string): string[];
  /** Why values cannot be read, by name; it has none of those. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Whether it has, or has had, any value, even an unreadable one; undefined as long as it was never read. */
  readonly isFilled: boolean | undefined;
}

/** The stored keys that a server accepts. */
export interface KeySource extends Source<StoredKeys> {
  /** The changes since a stamp: keys by id, null for removed ones; undefined if all keys must be reread. */
  changesSince(stamp: string): ReadonlyMap<string, StoredKey | null> | undefined;
}

export interface StoredKeys {
  readonly keys: readonly StoredKey[];
  /** Whether there is, or has been, a key. */
  readonly hasEverHeld: boolean;
  /** Whether there may be more keys, since a shared store was never read. */
  readonly mayLackKeys?: boolean;
}

/** Whether a key is one that was removed. */
export function isRemoved(key: StoredKey | RemovedKey): key is RemovedKey {
  return 'removedMs' in key;
}

/** The order of a list of keys: oldest first. */
export function compareKeys(a: KeyPosition, b: KeyPosition): number {
  return a.createdMs - b.createdMs || compareText(a.id, b.id);
}

/** The order of a list of usage: oldest month first. */
export function compareCounts(a: UsagePosition, b: UsagePosition): number {
  return a.month - b.month || compareText(a.id, b.id);
}

/** The order of a log: oldest first. */
export function compareEntries(a: LogPosition, b: LogPosition): number {
  return a.timeMs - b.timeMs || compareText(a.serial, b.serial);
}
