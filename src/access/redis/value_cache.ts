import { messageOf } from '../../common/message_of.ts';
import type { Source } from '../stored_token.ts';
import { revisionOf, type SharedHash, type SharedValue, type SharedValues } from './shared_value.ts';

/** What the values of a hash are. */
export interface ValueKind<Contents> {
  /** In the plural, for messages. */
  readonly what: string;
  /** Throws for values that are none of ours. */
  readonly parse: (values: SharedValues) => Contents;
  /**
   * The contents, which it may modify, after the change of some values; by default all of them are parsed again. Throws as
   * {@link parse} does, and then modifies nothing.
   */
  update?(contents: Contents, changed: SharedValues): Contents;
}

/** A copy of the values on this machine, for a start without Redis. Both methods throw or reject with one-line Errors. */
export interface ValueCopy {
  read(): SharedValues;
  write(values: SharedValues): void | Promise<void>;
}

/** How many values are compared before other work gets a turn: a fraction of a millisecond. */
const VALUES_AT_ONCE = 1000;

/**
 * The cache of a hash in Redis. A Redis that has lost values, since it was restarted without its data or failed over to a
 * replica that lagged, gets them back from the servers that know them: the higher revision of each is valid.
 */
export class ValueCache<Contents> implements Source<Contents> {
  readonly #kind: ValueKind<Contents>;
  readonly #copy: ValueCopy;
  #revision = '';
  readonly #values: Map<string, SharedValue>;
  /** By name the number of the last change, of those values that have changed since the start. */
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

  /** Takes over changes, and restores what the hash has lost. Rejects as the hash does, and for values that are none of ours. */
  async poll(hash: SharedHash): Promise<void> {
    const fetched = await hash.newerThan(this.#revision);
    if (fetched === null) {
      if (this.#copyError !== undefined) await this.#save();
      return;
    }
    const { changed, lost } = await this.#compare(fetched.values);
    if (lost.size > 0) await hash.restore(lost);
    if (changed.size > 0) await this.#adopt(changed);
    this.#revision = fetched.revision; // that before the restoring: it is fetched again
  }

  /** The values that differ from those here, and those here that are newer or missing there. */
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

  /** Writes the copy, after a former writing of it. */
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
