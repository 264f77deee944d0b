import { FETCH, GET, REPLACE, RESTORE, SCAN, type Script } from './redis_scripts.ts';

/**
 * A value in a Redis hash shared by several machines: `REVISION JSON`. The revision increases with every change in the hash, even
 * if Redis has lost its data, since it is never below the time in milliseconds. Of two values with the same name, the one with
 * the higher revision is valid. A removed item remains as a value that marks it as removed.
 */
export type SharedValue = string;

/** The values of a hash by name. */
export type SharedValues = ReadonlyMap<string, SharedValue>;

/** The revision of a value; 0 for none. */
export function revisionOf(value: SharedValue | undefined): number {
  return value === undefined ? 0 : Number(value.slice(0, value.indexOf(' ')));
}

/** The JSON of a value, parsed. */
export function parseValue(value: SharedValue): unknown {
  return JSON.parse(value.slice(value.indexOf(' ') + 1));
}

/** The hashes: API keys by id, plans by name, public signing keys by `kid`. */
export type HashName = 'keys' | 'plans' | 'signing-keys';

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
/** The number of attempts at a change while others change the same value. */
const MAX_ATTEMPTS = 10;

/** A hash of shared values in Redis. Methods reject like a `SharedStore`. */
export class RedisHash {
  readonly #keys: readonly string[];
  readonly #execute: Execute;

  constructor(name: HashName, execute: Execute) {
    this.#keys = [`meridian:${name}`, `meridian:${name}:revision`];
    this.#execute = execute;
  }

  /** All values and their revision, unless that is the given one. */
  async newerThan(
    revision: string,
  ): Promise<{ readonly revision: string; readonly values: SharedValues } | null> {
    type Reply = [revision: string, values?: string[] | Record<string, string>];
    const reply = await this.#execute<Reply | null>(FETCH, this.#keys, [revision, String(BATCH)]);
    if (reply === null) return null;
    const [newer, found] = reply;
    if (found !== undefined) return { revision: newer, values: valuesOf(found) };
    // If values change meanwhile, the revision is higher, and they are fetched again.
    const values = new Map<string, SharedValue>();
    for await (const batch of this.scan()) for (const [name, value] of batch) values.set(name, value);
    return { revision: newer, values };
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

  /** Stores those values that are newer than the current ones. */
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

  /**
   * Replaces values by new ones without revision, all or none. `change` returns null if there is nothing to change, which is then
   * the result: false. `what` names the values in the error if others keep changing them.
   */
  async update(
    names: readonly string[],
    change: (value: SharedValue | undefined, name: string) => string | null,
    what: string,
  ): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const present = await this.get(names);
      const replacements: Replacement[] = [];
      for (const name of names) {
        const value = change(present.get(name), name);
        if (value === null) return false;
        replacements.push({ name, revision: revisionOf(present.get(name)), value });
      }
      if (await this.replace(...replacements)) return true;
    }
    throw new Error(`The ${what} is being changed by others; try again`);
  }
}

/** The values in a reply to HGETALL, which is a map in version 3 of the protocol, except within scripts. */
function valuesOf(reply: string[] | Record<string, string>): SharedValues {
  if (!Array.isArray(reply)) return new Map(Object.entries(reply));
  return new Map(reply.flatMap((name, i) => (i % 2 === 0 ? [[name, reply[i + 1]!] as const] : [])));
}
