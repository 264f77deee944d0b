import { messageOf } from '../../common/message_of.ts';
import type { Source } from '../stored_token.ts';
import { revisionOf, type SharedHash, type SharedValues } from './shared_value.ts';

/** What the values of a hash are. */
export interface ValueKind<Contents> {
  /** In the plural, for messages. */
  readonly what: string;
  /** Throws for values that are none of ours. */
  readonly parse: (values: SharedValues) => Contents;
}

/** A copy of the values on this machine, for a start without Redis. Both methods throw one-line Errors. */
export interface ValueCopy {
  read(): SharedValues;
  write(values: SharedValues): void;
}

/**
 * The cache of a hash in Redis. A Redis that has lost values, since it was restarted without its data or failed over to a
 * replica that lagged, gets them back from the servers that know them: the higher revision of each is valid.
 */
export class ValueCache<Contents> implements Source<Contents> {
  readonly #kind: ValueKind<Contents>;
  readonly #copy: ValueCopy;
  #revision = '';
  #values: SharedValues;
  #contents: Contents;
  #changes = 0;
  #copyError: string | undefined;

  /** Throws if there is a copy that cannot be read. */
  constructor(kind: ValueKind<Contents>, copy: ValueCopy) {
    this.#kind = kind;
    this.#copy = copy;
    this.#values = copy.read();
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

  /** Takes over changes, and restores what the hash has lost. Rejects as the hash does, and for values that are none of ours. */
  async poll(hash: SharedHash): Promise<void> {
    const fetched = await hash.newerThan(this.#revision);
    if (fetched === null) {
      if (this.#copyError !== undefined) this.#save();
      return;
    }
    const lost = [...this.#values].filter(
      ([name, value]) => revisionOf(value) > revisionOf(fetched.values.get(name)),
    );
    if (lost.length > 0) await hash.restore(new Map(lost));
    this.#adopt(new Map([...fetched.values, ...lost]));
    this.#revision = fetched.revision; // that before the restoring: it is fetched again
  }

  #adopt(values: SharedValues): void {
    const isSame =
      values.size === this.#values.size &&
      [...values].every(([name, value]) => this.#values.get(name) === value);
    if (isSame) return;
    this.#contents = this.#kind.parse(values); // the previous values stay in force if it throws
    this.#values = values;
    this.#changes += 1;
    this.#save();
  }

  #save(): void {
    try {
      this.#copy.write(this.#values);
      this.#copyError = undefined;
    } catch (error) {
      this.#copyError = messageOf(error);
    }
  }
}
