import { FETCH, GET, REPLACE, RESTORE, SCAN } from './hash_scripts.ts';
import type { Script } from './redis_scripts.ts';
import type { HashName, SharedHash, SharedValue, SharedValues, ValuesAtRevision } from './shared_value.ts';

/** Runs a script; rejects like a `SharedStore`. */
export type Execute = <Reply>(
  script: Script,
  keys: readonly string[],
  args: readonly string[],
) => Promise<Reply>;

/** A new value without revision, and the revision of the current value; 0 if there is none. */
export interface Replacement {
  readonly name: string;
  readonly revision: number;
  readonly value: string;
}

/** The maximum number of values that one command reads or restores. */
const BATCH = 500;

/** A hash of shared values in Redis. */
export class RedisHash implements SharedHash {
  readonly #keys: readonly string[];
  readonly #execute: Execute;

  constructor(name: HashName, execute: Execute) {
    this.#keys = [`meridian:${name}`, `meridian:${name}:revision`];
    this.#execute = execute;
  }

  async newerThan(revision: string): Promise<ValuesAtRevision | null> {
    type Reply = [revision: string, values?: string[] | Record<string, string>];
    const reply = await this.#execute<Reply | null>(FETCH, this.#keys, [revision, String(BATCH)]);
    if (reply === null) return null;
    const [newer, values] = reply;
    return { revision: newer, values: values === undefined ? await this.#scanned() : valuesOf(values) };
  }

  /** All values. If any change meanwhile, the revision is higher, and they are fetched again. */
  async #scanned(): Promise<SharedValues> {
    const values = new Map<string, SharedValue>();
    for await (const batch of this.scan()) for (const [name, value] of batch) values.set(name, value);
    return values;
  }

  /** The current values. */
  async values(): Promise<SharedValues> {
    return (await this.newerThan(''))?.values ?? new Map();
  }

  /** The current values of some names. */
  async get(names: readonly string[]): Promise<SharedValues> {
    const found = new Map<string, SharedValue>();
    for (let start = 0; start < names.length; start += BATCH) {
      const batch = names.slice(start, start + BATCH);
      const values = await this.#execute<(string | null)[]>(GET, this.#keys, batch);
      for (const [i, name] of batch.entries()) {
        const value = values[i] ?? null;
        if (value !== null) found.set(name, value);
      }
    }
    return found;
  }

  /** All values in batches. A value that changes meanwhile may occur twice; one that is added may be missing. */
  async *scan(): AsyncGenerator<SharedValues, void> {
    let cursor = '0';
    do {
      const [next, values] = await this.#execute<[string, string[]]>(SCAN, this.#keys, [cursor]);
      yield valuesOf(values);
      cursor = next;
    } while (cursor !== '0');
  }

  async restore(values: SharedValues): Promise<void> {
    const entries = [...values];
    for (let start = 0; start < entries.length; start += BATCH) {
      await this.#execute<number>(RESTORE, this.#keys, entries.slice(start, start + BATCH).flat());
    }
  }

  /** Replaces all values or none: false if one has another revision, unless all new values are stored already. */
  async replace(...replacements: readonly Replacement[]): Promise<boolean> {
    const args = replacements.flatMap(({ name, revision, value }) => [name, String(revision), value]);
    return (await this.#execute<number>(REPLACE, this.#keys, args)) === 1;
  }
}

/** The values in a reply to HGETALL, which is a map in version 3 of the protocol, except within scripts. */
function valuesOf(reply: string[] | Record<string, string>): SharedValues {
  if (!Array.isArray(reply)) return new Map(Object.entries(reply));
  return new Map(reply.flatMap((name, i) => (i % 2 === 0 ? [[name, reply[i + 1]!] as const] : [])));
}
