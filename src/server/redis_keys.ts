import { randomBytes } from 'node:crypto';
import { ConnectionFailure } from '../access/redis/redis_connection.ts';
import { parseValue, type RedisHash, revisionOf } from '../access/redis/redis_hash.ts';
import { type CopyFile, ValueCache, type ValueKind } from '../access/redis/value_cache_file.ts';
import { messageOf } from '../common/errors.ts';
import {
  FleetKeyStore,
  readSharedKey,
  type SharedKeyAt,
  type SharedKeyStore,
  type SharedKeys,
  type SigningKeyChange,
} from '../signing/fleet_key_store.ts';
import type { KeyDirectory } from '../signing/key_directory.ts';

/** The values of `meridian:signing-keys`. */
const SIGNING_KEYS: ValueKind<SharedKeyAt> = {
  what: 'signing keys',
  parse: value => ({ key: readSharedKey(parseValue(value)), revision: revisionOf(value) }),
};

/** The signing keys of this machine and of all machines that share its Redis. */
export function fleetKeyStore(
  directory: KeyDirectory,
  hash: RedisHash,
  copy: CopyFile | null,
  report: (message: string) => void,
): FleetKeyStore {
  const shared = new RedisKeys(hash, copy, report);
  return new FleetKeyStore(directory, { shared, epochMs: Date.now, seed: () => randomBytes(32), report });
}

/** The cached signing keys of all machines in Redis, with a copy for starting without Redis. Other failures are reported once. */
export class RedisKeys implements SharedKeyStore {
  readonly #hash: RedisHash;
  readonly #cache: ValueCache<SharedKeyAt>;
  readonly #report: (message: string) => void;
  #problem: string | undefined;

  constructor(hash: RedisHash, copy: CopyFile | null, report: (message: string) => void) {
    this.#hash = hash;
    this.#cache = new ValueCache(SIGNING_KEYS, copy);
    this.#report = report;
  }

  async read(): Promise<SharedKeys> {
    await this.#unlessAway(async () => {
      await this.#cache.poll(this.#hash);
      if (this.#cache.copyError !== undefined) throw new Error(this.#cache.copyError);
    });
    return this.#cache.read();
  }

  async change(changes: readonly SigningKeyChange[]): Promise<'done' | 'conflict' | 'away'> {
    const replacements = changes.map(({ name, revision, key }) => ({
      name,
      revision,
      value: JSON.stringify(key),
    }));
    const isDone = await this.#unlessAway(() => this.#hash.replace(...replacements));
    if (isDone === undefined) return 'away';
    return isDone ? 'done' : 'conflict';
  }

  async #unlessAway<Value>(command: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await command();
      this.#problem = undefined;
      return value;
    } catch (error) {
      const problem = `Signing keys in Redis: ${messageOf(error)}`;
      // A lost connection is reported by access control.
      if (!(error instanceof ConnectionFailure) && problem !== this.#problem) this.#report(problem);
      this.#problem = problem;
      return undefined;
    }
  }
}
