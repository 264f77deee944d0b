import { randomBytes } from 'node:crypto';
import type { RedisHash } from '../access/redis/redis_hash.ts';
import { parseValue, revisionOf, type SharedValues } from '../access/redis/shared_value.ts';
import { ConnectionFailure } from '../access/redis/store_errors.ts';
import { ValueCache, type ValueCopy, type ValueKind } from '../access/redis/value_cache.ts';
import { messageOf } from '../common/errors.ts';
import {
  FleetKeyStore,
  type KeyChange,
  readSharedKey,
  type SharedKeyStore,
  type SharedKeys,
} from '../signing/fleet_key_store.ts';
import type { KeyDirectory } from '../signing/key_directory.ts';

/** The values of `meridian:signing-keys`. */
export const SIGNING_KEYS: ValueKind<SharedKeys> = {
  what: 'signing keys',
  parse: (values: SharedValues) =>
    new Map(
      [...values].map(([name, value]) => [
        name,
        { key: readSharedKey(parseValue(value)), revision: revisionOf(value) },
      ]),
    ),
};

/** The keys in Redis, as {@link RedisKeys} accesses them. */
interface RedisAccess {
  readonly hash: RedisHash;
  readonly run: RunShared;
  readonly copy: ValueCopy;
}

/** The signing keys of this machine and of all machines that share its Redis. */
export function fleetKeyStore(
  directory: KeyDirectory,
  { hash, run, copy }: RedisAccess,
  report: (message: string) => void,
): FleetKeyStore {
  const shared = new RedisKeys(hash, run, copy, report);
  return new FleetKeyStore(directory, { shared, epochMs: Date.now, seed: () => randomBytes(32), report });
}

/** Runs a Redis command; rejects with a {@link ConnectionFailure} while Redis is unavailable. */
export type RunShared = <Value>(command: () => Promise<Value>) => Promise<Value>;

/** The cached signing keys of all machines in Redis, with a copy for starting without Redis. Other failures are reported once. */
export class RedisKeys implements SharedKeyStore {
  readonly #hash: RedisHash;
  readonly #run: RunShared;
  readonly #cache: ValueCache<SharedKeys>;
  readonly #report: (message: string) => void;
  #problem: string | undefined;

  constructor(hash: RedisHash, run: RunShared, copy: ValueCopy, report: (message: string) => void) {
    this.#hash = hash;
    this.#run = run;
    this.#cache = new ValueCache(SIGNING_KEYS, copy);
    this.#report = report;
  }

  async read(): Promise<SharedKeys> {
    await this.#unlessAway(async () => {
      await this.#cache.poll({
        newerThan: revision => this.#run(() => this.#hash.newerThan(revision)),
        restore: values => this.#run(() => this.#hash.restore(values)),
      });
      if (this.#cache.copyError !== undefined) throw new Error(this.#cache.copyError);
    });
    return this.#cache.read();
  }

  async change(changes: readonly KeyChange[]): Promise<'done' | 'conflict' | 'away'> {
    const replacements = changes.map(({ name, revision, key }) => ({
      name,
      revision,
      value: JSON.stringify(key),
    }));
    const isDone = await this.#unlessAway(() => this.#run(() => this.#hash.replace(...replacements)));
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
