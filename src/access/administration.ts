/** Managing API keys and reporting on them, for `meridian tokens` and the operator API. Parsers throw Errors. */
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { utcText } from '../common/iso_text.ts';
import { nextTurn } from '../common/promises.ts';
import { parseDuration, requireDate } from '../common/settings_text.ts';
import { KEY_ID, KEY_RANDOM_BYTES, keyDigest, keyWithId, makeKey, SECRET_BYTES } from './key_format.ts';
import {
  type Awaitable,
  isRemoved,
  type KeyAction,
  type KeyChanges,
  type KeyPosition,
  type KeyStore,
  type LogEntry,
  type LogPosition,
  oldestLogMs,
  type RemovedKey,
  type StoreContents,
  type StoredKey,
  type UsagePosition,
} from './key_store.ts';
import { MONTH, type MonthlyCount, monthAt, monthIndexOf, monthOf } from './usage.ts';

/** How many keys or counts are read at once: less than a millisecond's work. */
const BATCH = 100;

/** The properties of a key that is added. */
type KeyTerms = Pick<StoredKey, 'name' | 'role' | 'plan' | 'expiresMs'>;

/** A new key, and what it has been stored as. */
interface IssuedKey {
  readonly key: string;
  readonly report: KeyReport;
}

/** Who changes keys: the user of a command, or an operator. */
export type Author = Pick<LogEntry, 'user' | 'operator'>;

/** Who changes a key, and when. */
export interface Authored {
  readonly author: Author;
  readonly nowMs: number;
}

/**
 * The keys of a store, and the log of their changes. Methods that change a key return false or null if there is no such key;
 * otherwise they add an entry to the log.
 */
export class KeyAdministration {
  readonly #open: (create: boolean) => Awaitable<KeyStore>;
  readonly #attempt: <Result>(work: () => Awaitable<Result>) => Promise<Result>;
  readonly #changed: (entry: LogEntry) => void;
  #entries = 0;

  /**
   * `open` returns the store; only if it is to be created, a missing one is. `attempt` may repeat work that fails. `changed` is
   * called after each change.
   */
  constructor(
    open: (create: boolean) => Awaitable<KeyStore>,
    attempt: <Result>(work: () => Awaitable<Result>) => Promise<Result> = async work => await work(),
    changed: (entry: LogEntry) => void = () => {},
  ) {
    this.#open = open;
    this.#attempt = attempt;
    this.#changed = changed;
  }

  /** Adds a key. The store only has its digest, so the key itself cannot be retrieved again. */
  async add(terms: KeyTerms, authored: Authored): Promise<IssuedKey> {
    const { nowMs } = authored;
    const { id, key } = makeKey(randomBytes(KEY_RANDOM_BYTES));
    const added = { ...terms, id, createdMs: nowMs };
    const entry = this.#entry('add', id, valuesOf(terms), authored);
    await this.#use(store => store.add({ ...added, digest: keyDigest(key) }, entry), true);
    this.#changed(entry);
    // Not read back from the store, since the key would be lost if that failed.
    return { key, report: keyReport({ ...added, lastUsedMs: null, suspendedMs: null, former: null }, nowMs) };
  }

  /** Null if there is no such key, or it was removed. */
  async get(id: string, nowMs: number): Promise<KeyReport | null> {
    const key = (await this.#use(store => store.find([id]))).get(id);
    return key === undefined || isRemoved(key) ? null : keyReport(key, nowMs);
  }

  change(id: string, action: KeyAction, changes: KeyChanges, authored: Authored): Promise<boolean> {
    const entry = this.#entry(action, id, valuesOf(changes), authored);
    return this.#change(entry, store => store.change(id, changes, entry));
  }

  /** Replaces a key with a new one with the same id, which is returned. */
  async rotate(id: string, overlapEndMs: number, authored: Authored): Promise<IssuedKey | null> {
    // Read before the rotation: if reading failed afterwards, the new key would be lost.
    const before = (await this.#use(store => store.find([id]))).get(id);
    if (before === undefined || isRemoved(before)) return null;
    const key = keyWithId(id, randomBytes(SECRET_BYTES));
    const entry = this.#entry('rotate', id, { former_expires: utcText(overlapEndMs) }, authored);
    const rotate = (store: KeyStore) => store.rotate(id, keyDigest(key), overlapEndMs, entry);
    if (!(await this.#change(entry, rotate))) return null;
    const former = { digest: before.digest, expiresMs: overlapEndMs };
    return { key, report: keyReport({ ...before, former }, authored.nowMs) };
  }

  remove(id: string, authored: Authored): Promise<boolean> {
    const entry = this.#entry('remove', id, {}, authored);
    return this.#change(entry, store => store.remove(id, authored.nowMs, entry));
  }

  /** Stores keys of another store; see {@link KeyStore.put}. */
  async import(contents: StoreContents, authored: Authored): Promise<void> {
    const entries = [
      ...contents.keys.map(key => ({ ...key, state: stateOf(key, authored.nowMs) })),
      ...contents.removed.map(key => ({ ...key, state: 'removed' })),
    ].map(({ id, name, plan, state }) => this.#entry('import', id, { name, plan, state }, authored));
    await this.#use(store => store.put(contents, entries), true);
  }

  /** The log after a position, or all of it, in batches. */
  async *log(nowMs: number, after: LogPosition | null = null) {
    const store = await this.#use(store => store);
    const start = { timeMs: oldestLogMs(nowMs), serial: '' };
    const from = after !== null && after.timeMs > start.timeMs ? after : start;
    const lastMonth = monthOf(nowMs).index + 1; // another machine's clock may be fast
    for await (const entries of this.#batches<LogPosition, LogEntry>(from, ({ limit, after }) =>
      store.log({ limit, after: after ?? from, lastMonth }),
    ))
      yield entries.map(entry => ({ position: entry, report: logReport(entry) }));
  }

  async #change(entry: LogEntry, work: (store: KeyStore) => Awaitable<boolean>): Promise<boolean> {
    const isChanged = await this.#use(work);
    if (isChanged) this.#changed(entry);
    return isChanged;
  }

  #entry(action: KeyAction, id: string, values: LogEntry['values'], { author, nowMs }: Authored): LogEntry {
    const serial = `${String(++this.#entries).padStart(6, '0')}-${randomBytes(4).toString('hex')}`;
    return { timeMs: nowMs, serial, action, id, ...author, values };
  }

  /** The keys after a position, with their requests in a month, oldest first, in batches. */
  async *list(month: number, nowMs: number, after: KeyPosition | null = null) {
    const store = await this.#use(store => store);
    for await (const keys of this.#batches(after, part => store.keys(part))) {
      const ids = keys.map(({ id }) => id);
      const requests = await this.#attempt(() => store.requests(ids, month));
      yield keys.map(key => ({
        position: key,
        report: { ...keyReport(key, nowMs), requests: requests.get(key.id) ?? 0 },
      }));
    }
  }

  /** Requests by key and month after a position, or in one month, oldest month first, in batches. */
  async *usage(month: number | null, nowMs: number, after: UsagePosition | null = null) {
    const store = await this.#use(store => store);
    for await (const counts of this.#batches(after, part => store.usage({ ...part, month }))) {
      const keys = await this.#attempt(() => store.find(counts.map(({ id }) => id)));
      yield counts.map(count => ({ position: count, report: usageReport(count, keys.get(count.id), nowMs) }));
    }
  }

  #use<Result>(work: (store: KeyStore) => Awaitable<Result>, create = false): Promise<Result> {
    return this.#attempt(async () => await work(await this.#open(create)));
  }

  /** Reads a list from a position in batches; other work continues in between. Each item contains its position. */
  async *#batches<Position, Item extends Position>(
    start: Position | null,
    read: (part: { after: Position | null; limit: number }) => Awaitable<readonly Item[]>,
  ): AsyncGenerator<readonly Item[], void> {
    for (let after = start; ; ) {
      const items = await this.#attempt(() => read({ after, limit: BATCH }));
      const last = items.at(-1);
      if (last === undefined) return;
      yield items;
      after = last;
      await nextTurn();
    }
  }
}

/** Changed properties for the log: the action says whether the key is suspended. */
function valuesOf({ suspendedMs: _, expiresMs, ...values }: KeyChanges): LogEntry['values'] {
  return { ...values, ...(expiresMs !== undefined && { expires: instantText(expiresMs) }) };
}

/** An entry of the log in a report. */
function logReport({ timeMs, serial: _, ...entry }: LogEntry) {
  return { time: utcText(timeMs), ...entry };
}

/** The stored API keys of a server, for operators. */
export interface ServerKeys {
  /** Methods wait while another process locks the store, and reject with UPSTREAM_FAILURE if Redis cannot be reached. */
  readonly keys: KeyAdministration;
  /** The plans that a key can have. */
  readonly planNames: () => readonly string[];
}

/** A key in a report. */
interface KeyReport extends Pick<StoredKey, 'id' | 'name' | 'role' | 'plan'> {
  readonly state: 'active' | 'suspended' | 'expired';
  readonly created: string;
  readonly expires: string | null;
  /** When the key before the last rotation expires; null if it has, or there is none. */
  readonly former_expires: string | null;
  readonly last_used: string | null;
}

function keyReport(key: Omit<StoredKey, 'digest'>, nowMs: number): KeyReport {
  const { id, name, role, plan, createdMs, expiresMs, former } = key;
  const formerMs = Math.min(former?.expiresMs ?? 0, expiresMs ?? Number.POSITIVE_INFINITY);
  return {
    id,
    name,
    role,
    plan,
    state: stateOf(key, nowMs),
    created: utcText(createdMs),
    expires: instantText(expiresMs),
    former_expires: formerMs > nowMs ? utcText(formerMs) : null,
    last_used: instantText(key.lastUsedMs),
  };
}

export function instantText(epochMs: number | null): string | null {
  return epochMs === null ? null : utcText(epochMs);
}

function stateOf(key: Pick<StoredKey, 'suspendedMs' | 'expiresMs'>, nowMs: number): KeyReport['state'] {
  if (key.suspendedMs !== null) return 'suspended';
  return key.expiresMs !== null && key.expiresMs <= nowMs ? 'expired' : 'active';
}

/** A line of a report, and its position in the list. */
export interface Row<Position, Report> {
  readonly position: Position;
  readonly report: Report;
}

/** The members of a report on usage, in order. */
export const USAGE_COLUMNS = ['month', 'id', 'name', 'plan', 'state', 'requests'] as const;

/** The requests of a key in a month. A key from a list is not stored, and only has an id. */
function usageReport(usage: MonthlyCount, key: StoredKey | RemovedKey | undefined, nowMs: number) {
  const { name = null, plan = null } = key ?? {};
  const state = key === undefined ? null : isRemoved(key) ? 'removed' : stateOf(key, nowMs);
  return { month: monthAt(usage.month).label, id: usage.id, name, plan, state, requests: usage.count };
}

const MAX_NAME_LENGTH = 100;

/** Who a key is for: one line, not empty. */
export const KeyName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
});

export function parseKeyName(text: string): string {
  if (Value.Check(KeyName, text)) return text;
  throw new Error(`expected one line of at most ${MAX_NAME_LENGTH} characters`);
}

/** How long the old key stays valid after a rotation by default. */
export const DEFAULT_OVERLAP = '7d';

/** When a key expires, given the current time; null for never. */
export type Expiry = (nowMs: number) => number | null;

const INSTANT = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** `never`, a date (its beginning in UTC), an instant (`2027-01-31T12:00:00Z`), or a duration from now. */
export function parseExpiry(text: string): Expiry {
  if (text === 'never') return () => null;
  if (/^\d{4}-/.test(text)) {
    const date = requireDate(INSTANT.test(text) ? text.slice(0, 10) : text);
    const epochMs = Date.parse(INSTANT.test(text) ? text : date);
    return () => epochMs;
  }
  try {
    const durationMs = parseDuration(text);
    return nowMs => nowMs + durationMs;
  } catch {
    throw new Error(`'${text}' is neither 'never' nor a date such as 2027-01-31 nor a duration such as 90d`);
  }
}

/** A month, `YYYY-MM`. */
export function parseMonth(text: string): string {
  if (MONTH.test(text)) return text;
  throw new Error(`'${text}' is not a month such as 2026-11`);
}

/** The position of a key as text: `1795226400000.0Kc3pTq9d` */
export function writeKeyCursor({ createdMs, id }: KeyPosition): string {
  return `${createdMs}.${id}`;
}

export function parseKeyCursor(text: string): KeyPosition {
  const [createdMs, id] = parseCursor(text, /^-?\d{1,16}$/);
  return { createdMs: Number(createdMs), id };
}

/** The position of a count as text: `2026-11.0Kc3pTq9d` */
export function writeUsageCursor({ month, id }: UsagePosition): string {
  return `${monthAt(month).label}.${id}`;
}

/** The position of a log entry as text: `1795226400000.000001-0c3fa9d2` */
export function writeLogCursor({ timeMs, serial }: LogPosition): string {
  return `${timeMs}.${serial}`;
}

export function parseLogCursor(text: string): LogPosition {
  const { createdMs: timeMs, id: serial } = parseKeyCursor(text);
  return { timeMs, serial };
}

/** A cursor of a list of all months, or of one. */
export function parseUsageCursor(text: string, month: number | null): UsagePosition {
  const [label, id] = parseCursor(text, MONTH);
  const position = { month: monthIndexOf(label), id };
  if (month !== null && position.month !== month)
    throw new Error(`'${text}' belongs to a list for another month`);
  return position;
}

/** The two parts of a cursor, the first of which has a pattern. */
function parseCursor(text: string, pattern: RegExp): [first: string, id: string] {
  const [first = '', id = '', ...others] = text.split('.');
  if (pattern.test(first) && KEY_ID.test(id) && others.length === 0) return [first, id];
  throw new Error(`'${text.slice(0, 80)}' is not a 'next_cursor' of this list`);
}
