import { compareText, indexAfter, mergeSorted, sortPatiently } from '../../common/sorted_list.ts';
import { inBatches } from '../administration/in_batches.ts';
import type {
  ListPart,
  NewToken,
  RemovedToken,
  StoredToken,
  TokenChanges,
  TokenPosition,
  TokenStore,
  UsagePart,
  UsagePosition,
} from '../stored_token.ts';
import type { MonthlyCount } from '../usage.ts';
import type { RedisHash } from './redis_hash.ts';
import type { RedisStore } from './redis_store.ts';
import { readSharedKey, type SharedKey, writeSharedKey } from './shared_key.ts';
import { revisionOf } from './shared_value.ts';

/** The number of attempts at a change while others change the same key. */
const MAX_ATTEMPTS = 10;
/** The maximum number of keys whose last use one command reads. */
const BATCH = 250;

/**
 * The API keys and usage in Redis, plus those in a file that Redis does not have. Since Redis has no order, a list is read
 * completely on the first request for a part of it; an instance is for one request or command.
 */
export class RedisTokenStore implements TokenStore {
  readonly #redis: RedisStore;
  readonly #hash: RedisHash;
  readonly #file: TokenStore;
  #tokens: Promise<readonly StoredToken[]> | undefined;
  #usage: Promise<readonly MonthlyCount[]> | undefined;

  constructor(redis: RedisStore, file: TokenStore) {
    this.#redis = redis;
    this.#hash = redis.hash('keys');
    this.#file = file;
  }

  async tokens({ after, limit }: ListPart<TokenPosition> = {}): Promise<StoredToken[]> {
    this.#tokens ??= this.#readTokens();
    const listed = await this.#tokens;
    const start = after ? indexAfter(listed, after, compareTokens) : 0;
    const part = listed.slice(start, limit === undefined ? undefined : start + limit);
    const found: StoredToken[] = [];
    for (let i = 0; i < part.length; i += BATCH)
      found.push(...(await this.#withUses(part.slice(i, i + BATCH))));
    return found;
  }

  async find(ids: readonly string[]): Promise<ReadonlyMap<string, StoredToken | RemovedToken>> {
    const shared = [...(await this.#hash.get(ids)).values()].map(readSharedKey).filter(isNotMoved);
    const known = await this.#withUses(shared.filter(({ removedMs }) => removedMs === null).map(storedToken));
    const removed = shared.flatMap(({ id, name, plan, removedMs }) =>
      removedMs === null ? [] : [{ id, name, plan, removedMs }],
    );
    const own = await this.#file.find(ids);
    return new Map([...own, ...[...known, ...removed].map(key => [key.id, key] as const)]);
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

  /** Adds the requests in the file, which have not been sent to Redis yet. */
  async requests(ids: readonly string[], month: number): Promise<ReadonlyMap<string, number>> {
    const [shared, own] = [await this.#redis.requests(ids, month), await this.#file.requests(ids, month)];
    return new Map(ids.map(id => [id, (shared.get(id) ?? 0) + (own.get(id) ?? 0)]));
  }

  async usage({
    after,
    limit = Number.POSITIVE_INFINITY,
    month = null,
  }: UsagePart = {}): Promise<MonthlyCount[]> {
    this.#usage ??= this.#readUsage();
    const listed = await this.#usage;
    const position = after ?? (month === null ? null : { month, id: '' });
    const counts: MonthlyCount[] = [];
    for (
      let i = position === null ? 0 : indexAfter(listed, position, compareCounts);
      i < listed.length;
      i++
    ) {
      const count = listed[i]!;
      const last = counts.at(-1);
      if (month !== null && count.month !== month) break;
      if (last !== undefined && compareCounts(last, count) === 0)
        counts[counts.length - 1] = { ...last, count: last.count + count.count };
      else if (counts.length === limit) break;
      else counts.push(count);
    }
    return counts;
  }

  /** The keys without their last-used times, oldest first. */
  async #readTokens(): Promise<readonly StoredToken[]> {
    const valid = new Map<string, StoredToken>();
    const ids = new Set<string>();
    for await (const values of this.#hash.scan())
      for (const key of [...values.values()].map(readSharedKey)) {
        if (key.removedMs === null) valid.set(key.id, storedToken(key));
        if (!key.isMoved) ids.add(key.id);
      }
    const lists = [await sortPatiently([...valid.values()], compareTokens)];
    for await (const tokens of inBatches((part: ListPart<TokenPosition>) => this.#file.tokens(part)))
      lists.push(tokens.filter(({ id }) => !ids.has(id)));
    return await mergeSorted(lists, compareTokens);
  }

  async #readUsage(): Promise<readonly MonthlyCount[]> {
    const batches: MonthlyCount[][] = [];
    for await (const counts of this.#redis.usage()) batches.push(counts.sort(compareCounts));
    for await (const counts of inBatches((part: ListPart<UsagePosition>) => this.#file.usage(part)))
      batches.push([...counts]);
    return await mergeSorted(batches, compareCounts);
  }

  /** Keys with their last-used times. */
  async #withUses(tokens: readonly StoredToken[]): Promise<StoredToken[]> {
    if (tokens.length === 0) return [];
    const uses = await this.#redis.lastUsesOf(tokens.map(({ id }) => id));
    return tokens.map(token => ({ ...token, lastUsedMs: uses.get(token.id) ?? token.lastUsedMs }));
  }

  /** Changes a key; false if it was removed, undefined if Redis does not have it. */
  async #update(id: string, change: (key: SharedKey) => SharedKey): Promise<boolean | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const value = (await this.#hash.get([id])).get(id);
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

function isNotMoved({ isMoved }: SharedKey): boolean {
  return !isMoved;
}

function storedToken({ removedMs: _, isMoved: __, ...token }: SharedKey): StoredToken {
  return { ...token, lastUsedMs: null };
}

function compareTokens(a: TokenPosition, b: TokenPosition): number {
  return a.createdMs - b.createdMs || compareText(a.id, b.id);
}

function compareCounts(a: UsagePosition, b: UsagePosition): number {
  return a.month - b.month || compareText(a.id, b.id);
}
