import { messageOf } from '../../common/errors.ts';
import type { Source } from '../stored_token.ts';
import { revisionOf, type SharedHash, type SharedValue, type SharedValues } from './shared_value.ts';

/** Describes the values of a hash. */
export interface ValueKind<Contents> {
  /** Their name in the plural, for messages. */
  readonly what: string;
  /** Throws for values that are not in our format. */
  readonly parse: (values: SharedValues) => Contents;
  /**
   * The contents after a change of some values; it may modify `contents`. By default all values are parsed again. Throws like
   * {@link parse}, in which case nothing is modified.
   */
  update?(contents: Contents, changed: SharedValues): Contents;
}

/** A local copy of the values, for starting without Redis. Both methods throw or reject with one-line Errors. */
export interface ValueCopy {
  read(): SharedValues;
  write(values: SharedValues): void | Promise<void>;
}

/** How many values are compared before yielding to other work: a fraction of a millisecond. */
const VALUES_AT_ONCE = 1000;

/**
 * The cache of a hash in Redis. If Redis has lost values, because it was restarted without its data or failed over to a lagging
 * replica, the servers that have them restore them: of each value the higher revision is valid.
 */
export class ValueCache<Contents> implements Source<Contents> {
  readonly #kind: ValueKind<Contents>;
  readonly #copy: ValueCopy;
  #revision = '';
  readonly #values: Map<string, SharedValue>;
  /** The number of the last change by name, for values that have changed since startup. */
  readonly #changedAt = new Map<string, number>();
  #contents: Contents;
  #changes = 0;
  #copyError: string | undefined;
  #saved = Promise.resolve();

  /** Throws if there is a copy that cannot be read. */
  constructor(kind: ValueKind<Contents>, copy: ValueCopy) {
    this.#kind = kind;
    this.#copy = copy;
    this.#values = new Map(copy.read());
    this.#contents = kind.parse(this.#values);
  }

  get what(): string {
    return this.#kind.what;
  }

  /** The revision of the hash at the last poll; '' before the first. */
  get revision(): string {
    return this.#revision;
  }

  /** The values by name. */
  get values(): SharedValues {
    return this.#values;
  }

  /** Why the copy could not be written; undefined if it is up to date. */
  get copyError(): string | undefined {
    return this.#copyError;
  }

  stamp(): string {
    return String(this.#changes);
  }

  read(): Contents {
    return this.#contents;
  }

  /** The names of the values that have changed since a stamp. */
  changedSince(stamp: string): string[] {
    return [...this.#changedAt].filter(([, change]) => change > Number(stamp)).map(([name]) => name);
  }

  /** Applies changes, and restores values that the hash has lost. Rejects like the hash, and for values that are not in our format. */
  async poll(hash: SharedHash): Promise<void> {
    const fetched = await hash.newerThan(this.#revision);
    if (fetched === null) {
      if (this.#copyError !== undefined) await this.#save();
      return;
    }
    const { changed, lost } = await this.#compare(fetched.values);
    if (lost.size > 0) await hash.restore(lost);
    if (changed.size > 0) await this.#adopt(changed);
    this.#revision = fetched.revision; // from before the restore, so that it is fetched again
  }

  /** The fetched values that differ from the cached ones, and the cached ones that are newer or missing in the hash. */
  async #compare(fetched: SharedValues) {
    const changed = new Map<string, SharedValue>();
    const lost = new Map<string, SharedValue>();
    let steps = 0;
    for (const [name, theirs] of fetched) {
      const own = this.#values.get(name);
      if (own !== theirs && revisionOf(own) > revisionOf(theirs))
        lost.set(name, own!); // its revision is not 0
      else if (own !== theirs) changed.set(name, theirs);
      if (++steps % VALUES_AT_ONCE === 0) await new Promise(setImmediate);
    }
    for (const [name, own] of this.#values) {
      if (!fetched.has(name)) lost.set(name, own);
      if (++steps % VALUES_AT_ONCE === 0) await new Promise(setImmediate);
    }
    return { changed, lost };
  }

  async #adopt(changed: SharedValues): Promise<void> {
    const { parse, update } = this.#kind;
    // The previous values stay in force if it throws.
    this.#contents = update?.(this.#contents, changed) ?? parse(new Map([...this.#values, ...changed]));
    this.#changes += 1;
    for (const [name, value] of changed) {
      this.#values.set(name, value);
      this.#changedAt.set(name, this.#changes);
    }
    await this.#save();
  }

  /** Writes the copy, after any previous write has finished. */
  #save(): Promise<void> {
    this.#saved = this.#saved.then(() => this.#write());
    return this.#saved;
  }

  async #write(): Promise<void> {
    try {
      await this.#copy.write(this.#values);
      this.#copyError = undefined;
    } catch (error) {
      this.#copyError = messageOf(error);
    }
  }
}
