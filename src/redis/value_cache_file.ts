import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type } from '@sinclair/typebox';
import { checked } from '../common/checked_json.ts';
import { oneLine, quoted, systemReason, visible } from '../common/errors.ts';
import { nextTurn } from '../common/promises.ts';
import { fileExists, replaceFile } from '../common/state_files.ts';
import { batchesOf, type RedisHash, revisionOf, type SharedValue, type SharedValues } from './redis_hash.ts';

export interface ValueKind<Item> {
  /** Their name in the plural, for messages. */
  readonly what: string;
  /** The item in a value; undefined if it counts as absent. Throws for a value that is not in our format. */
  readonly parse: (value: SharedValue, name: string) => Item | undefined;
}

/** The local copy of the values, for starting without Redis: a private JSON file. Only one of several workers writes it. */
export interface CopyFile {
  readonly path: string;
  readonly isWriter: boolean;
}

/** New values by name; `undefined` for a removed one. */
type Changes = ReadonlyMap<string, SharedValue | undefined>;

/** How many values are compared, or written to the copy, before yielding to other work: a fraction of a millisecond. */
const COMPARED_AT_ONCE = 1000;
const WRITTEN_AT_ONCE = 250;

/**
 * The cache of a hash in Redis. If Redis has lost values, because it was restarted without its data or failed over to a lagging
 * replica, the servers that have them restore them: of each value the higher revision is valid.
 */
export class ValueCache<Item> {
  readonly what: string;
  readonly #parse: ValueKind<Item>['parse'];
  readonly #copy: CopyFile | null;
  #revision = '';
  /** Whether the copy lacks changes, because it is about to be written or could not be. */
  #isCopyStale = false;
  readonly #values: Map<string, SharedValue>;
  readonly #items = new Map<string, Item>();
  readonly #unreadable = new Map<string, string>();
  #isFilled: boolean | undefined;
  /** The number of the last change by name, for values that have changed since startup. */
  readonly #changedAt = new Map<string, number>();
  #changes = 0;
  #saved = Promise.resolve();

  /** Throws a one-line Error if there is a copy that cannot be read. */
  constructor({ what, parse }: ValueKind<Item>, copy: CopyFile | null) {
    this.what = what;
    this.#parse = parse;
    this.#copy = copy;
    try {
      const copied = copy === null ? [] : readCopy(copy.path);
      this.#values = new Map(copied);
      this.#isFilled = this.#values.size > 0 || undefined; // an empty copy counts as none
      this.#setItems(this.#values);
    } catch (error) {
      throw new Error(
        `Cannot read the copy of the ${what} in Redis, '${copy?.path}': ${systemReason(error)}`,
      );
    }
  }

  /** Whether there is, or was, any value, readable or not; undefined as long as neither the hash nor a copy was ever read. */
  get isFilled(): boolean | undefined {
    return this.#isFilled;
  }

  /** Why values of the hash cannot be read, by name. They are copied like the others, but not restored. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  /** The revision of the hash at the last poll; '' before the first. */
  get revision(): string {
    return this.#revision;
  }

  stamp(): string {
    return String(this.#changes);
  }

  read(): ReadonlyMap<string, Item> {
    return this.#items;
  }

  changedSince(stamp: string): string[] {
    return [...this.#changedAt].filter(([, change]) => change > Number(stamp)).map(([name]) => name);
  }

  /**
   * Applies changes, and restores values that the hash has lost. Rejects like the hash or if the copy could not be written, which
   * the next poll retries; changes are applied and copied even if the hash refuses to be restored.
   */
  async poll(hash: RedisHash): Promise<void> {
    const revision = await hash.revision(); // from before a restore, so that what it stores is read again
    // A person who removes an unreadable value may leave the revision as it is.
    const unreadable = [...this.#unreadable.keys()];
    const isChanged = revision !== this.#revision;
    const present = await (isChanged ? hash.values() : hash.get(unreadable));
    const names = isChanged ? new Set([...present.keys(), ...this.#values.keys()]) : unreadable;
    const { changed, lost } = await this.#compare([...names], present);
    if (changed.size > 0) this.#apply(changed);
    this.#isFilled ||= this.#values.size > 0;
    try {
      if (lost.size > 0) await hash.restore(lost);
      this.#revision = revision;
    } finally {
      if (this.#isCopyStale) await this.#save();
    }
  }

  /** @throws {Error} if values cannot be read */
  requireReadable(): void {
    const [unreadable, ...others] = this.#unreadable;
    if (unreadable === undefined) return;
    const [name, reason] = unreadable;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    throw new Error(`the value of ${quoted(visible(name))}${more} is ignored: ${reason}`);
  }

  /** The values of the hash that differ from the cached ones, and the readable cached ones that are newer or missing in the hash. */
  async #compare(names: readonly string[], present: SharedValues) {
    const [changed, lost] = [new Map<string, SharedValue | undefined>(), new Map<string, SharedValue>()];
    for (const batch of batchesOf(names, COMPARED_AT_ONCE)) {
      for (const name of batch) {
        const [theirs, own] = [present.get(name), this.#values.get(name)];
        if (theirs === own) continue;
        if (own === undefined || revisionOf(own) <= revisionOf(theirs) || this.#unreadable.has(name))
          changed.set(name, theirs);
        else lost.set(name, own);
      }
      await nextTurn();
    }
    return { changed, lost };
  }

  #apply(changed: Changes): void {
    this.#setItems(changed);
    this.#changes += 1;
    for (const [name, value] of changed) {
      if (value === undefined) this.#values.delete(name);
      else this.#values.set(name, value);
      this.#changedAt.set(name, this.#changes);
    }
    this.#isCopyStale = true;
  }

  /** Replaces items by those in changed values; by none if a value cannot be parsed. */
  #setItems(changed: Changes): void {
    for (const [name, value] of changed) {
      this.#items.delete(name);
      this.#unreadable.delete(name);
      if (value === undefined) continue;
      try {
        const item = this.#parse(value, name);
        if (item !== undefined) this.#items.set(name, item);
      } catch (error) {
        this.#unreadable.set(name, oneLine(error));
      }
    }
  }

  /** Writes the copy, after any previous write has finished. Rejects with a one-line Error. */
  #save(): Promise<void> {
    const write = async () => {
      this.#isCopyStale = false;
      if (!this.#copy?.isWriter) return;
      const { path } = this.#copy;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await replaceFile(path, copyOf(this.#values));
      } catch (error) {
        this.#isCopyStale = true;
        throw new Error(`Cannot write '${path}': ${systemReason(error)}`);
      }
    };
    this.#saved = this.#saved.then(write, write);
    return this.#saved;
  }
}

const Copy = Type.Record(Type.String(), Type.String());

/** Throws an Error that does not quote the copy. */
function readCopy(path: string): [string, SharedValue][] {
  if (!fileExists(path)) return [];
  const text = readFileSync(path, 'utf8');
  let copy: unknown;
  try {
    copy = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  return Object.entries(checked(Copy, copy));
}

function* copyOf(values: SharedValues) {
  let separator = '{';
  for (const batch of batchesOf([...values], WRITTEN_AT_ONCE)) {
    yield separator + JSON.stringify(Object.fromEntries(batch)).slice(1, -1);
    separator = ',';
  }
  yield values.size === 0 ? '{}' : '}';
}
