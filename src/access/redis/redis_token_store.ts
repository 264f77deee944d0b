import type { NewToken, RemovedToken, StoredToken, TokenChanges, TokenStore } from '../stored_token.ts';
import type { MonthlyCount } from '../usage.ts';
import type { RedisHash } from './redis_hash.ts';
import type { RedisStore } from './redis_store.ts';
import { idsOf, readSharedKey, type SharedKey, tokensOf, writeSharedKey } from './shared_key.ts';
import { revisionOf, type SharedValues } from './shared_value.ts';

/** How often a change is tried while others change the same key. */
const MAX_ATTEMPTS = 10;

/** The API keys and their usage in Redis, besides those of a file that Redis does not know. */
export class RedisTokenStore implements TokenStore {
  readonly #redis: RedisStore;
  readonly #hash: RedisHash;
  readonly #file: TokenStore;

  constructor(redis: RedisStore, file: TokenStore) {
    this.#redis = redis;
    this.#hash = redis.hash('keys');
    this.#file = file;
  }

  async tokens(): Promise<StoredToken[]> {
    const [values, uses] = [await this.#values(), await this.#redis.lastUses()];
    const shared = tokensOf(values).map(token => ({
      ...token,
      lastUsedMs: uses.get(token.id) ?? null,
    }));
    const ids = idsOf(values);
    const own = (await this.#file.tokens()).filter(({ id }) => !ids.has(id));
    return [...shared, ...own];
  }

  async add(token: NewToken): Promise<void> {
    const rest = { suspendedMs: null, former: null, removedMs: null };
    const value = writeSharedKey({ role: 'client', expiresMs: null, ...rest, ...token });
    await this.#hash.replace({ name: token.id, revision: 0, value });
  }

  async change(id: string, changes: TokenChanges): Promise<boolean> {
    return (
      (await this.#update(id, key => ({ ...key, ...changes }))) ?? (await this.#file.change(id, changes))
    );
  }

  async rotate(id: string, digest: Uint8Array, overlapEndMs: number): Promise<boolean> {
    const rotated = await this.#update(id, key => ({
      ...key,
      digest,
      former: { digest: key.digest, expiresMs: overlapEndMs },
    }));
    return rotated ?? (await this.#file.rotate(id, digest, overlapEndMs));
  }

  async remove(id: string, nowMs: number): Promise<boolean> {
    const removed = await this.#update(id, key => ({ ...key, removedMs: nowMs, former: null }));
    return removed ?? (await this.#file.remove(id, nowMs));
  }

  async removed(): Promise<RemovedToken[]> {
    const own = await this.#file.removed();
    const shared = [...(await this.#values()).values()]
      .map(readSharedKey)
      .flatMap(({ id, name, plan, removedMs, isMoved }) =>
        removedMs === null || isMoved ? [] : [{ id, name, plan, removedMs }],
      );
    return [...own, ...shared];
  }

  /** That in the file is usage that was not sent to Redis yet. */
  async usage(): Promise<MonthlyCount[]> {
    return [...(await this.#redis.usage()), ...(await this.#file.usage())];
  }

  #values(): Promise<SharedValues> {
    return this.#hash.values();
  }

  /** Changes a key; false if it was removed, undefined if Redis has never had it, or no longer. */
  async #update(id: string, change: (key: SharedKey) => SharedKey): Promise<boolean | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const value = (await this.#values()).get(id);
      if (value === undefined) return undefined;
      const key = readSharedKey(value);
      if (key.isMoved) return undefined;
      if (key.removedMs !== null) return false;
      const changed = { name: id, revision: revisionOf(value), value: writeSharedKey(change(key)) };
      if (await this.#hash.replace(changed)) return true;
    }
    throw new Error(`The API key '${id}' is being changed by others; try again`);
  }
}
