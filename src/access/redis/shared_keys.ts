import { messageOf } from '../../common/message_of.ts';
import type { Source, StoredKeys } from '../stored_token.ts';
import type { MonthlyCount } from '../usage.ts';
import { type KeyValues, revisionOf, tokensOf } from './shared_key.ts';

/** The API keys in Redis as they were at a revision. */
export interface KeysAtRevision {
  readonly revision: string;
  readonly values: KeyValues;
}

/** The API keys that several machines share, and totals of their usage. Methods reject as those of a `SharedStore`. */
export interface SharedKeyStore {
  /** How many connections it has had. */
  readonly connections: number;
  /** Raises the usage of keys to totals that were seen before, where it is lower: the store has lost some. */
  raiseUsage(totals: readonly MonthlyCount[]): Promise<void>;
  /** All keys; null if the revision is still the present one. */
  fetchKeys(revision: string): Promise<KeysAtRevision | null>;
  /** Stores those keys that are newer than what is there. */
  restoreKeys(values: KeyValues): Promise<void>;
}

/** A copy of the keys on this machine, for a start without Redis. Both methods throw one-line Errors. */
export interface KeyCopy {
  read(): KeyValues;
  write(values: KeyValues): void;
}

/** How many keys one command restores at most. */
const BATCH = 500;

/**
 * The cache of the API keys in Redis. A Redis that has lost keys, since it was restarted without its data or failed over to
 * a replica that lagged, gets them back from the servers that know them: the higher revision of each key is valid.
 */
export class SharedKeys implements Source<StoredKeys> {
  readonly #copy: KeyCopy;
  #revision = '';
  #values: KeyValues;
  #changes = 0;
  #copyError: string | undefined;

  /** Throws if there is a copy that cannot be read: its keys would be rejected. */
  constructor(copy: KeyCopy) {
    this.#copy = copy;
    this.#values = copy.read();
  }

  /** Why the copy could not be written; undefined if it is up to date. */
  get copyError(): string | undefined {
    return this.#copyError;
  }

  /** Whether a key has ever been in Redis, even if it was removed. */
  knows(id: string): boolean {
    return this.#values.has(id);
  }

  stamp(): string {
    return String(this.#changes);
  }

  read(): StoredKeys {
    const tokens = tokensOf(this.#values).map(token => ({ ...token, lastUsedMs: null }));
    return { tokens, hasEverHeld: this.#values.size > 0 };
  }

  /** Takes over changes, and restores what the store has lost. Rejects as the store does. */
  async poll(store: Pick<SharedKeyStore, 'fetchKeys' | 'restoreKeys'>): Promise<void> {
    const fetched = await store.fetchKeys(this.#revision);
    if (fetched === null) {
      if (this.#copyError !== undefined) this.#save();
      return;
    }
    const lost = [...this.#values].filter(
      ([id, value]) => revisionOf(value) > revisionOf(fetched.values.get(id)),
    );
    for (let start = 0; start < lost.length; start += BATCH) {
      await store.restoreKeys(new Map(lost.slice(start, start + BATCH)));
    }
    this.#adopt(new Map([...fetched.values, ...lost]));
    this.#revision = fetched.revision; // that before the restoring: it is fetched again
  }

  #adopt(values: KeyValues): void {
    const isSame =
      values.size === this.#values.size && [...values].every(([id, value]) => this.#values.get(id) === value);
    if (isSame) return;
    tokensOf(values); // throws for a value that is none of ours: the previous keys stay in force
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

/** Two sources of keys as one; keys that the shared one knows, even removed ones, are not taken from the file. */
export function withSharedKeys(file: Source<StoredKeys>, shared: SharedKeys): Source<StoredKeys> {
  return {
    stamp: () => `${shared.stamp()} ${file.stamp()}`,
    read() {
      const [own, others] = [file.read(), shared.read()];
      return {
        tokens: [...others.tokens, ...own.tokens.filter(({ id }) => !shared.knows(id))],
        hasEverHeld: own.hasEverHeld || others.hasEverHeld,
      };
    },
  };
}
