import { isDeepStrictEqual } from 'node:util';
import type { PlanEntry } from '../plan.ts';
import type { Awaitable, RemovedToken, StoredToken } from '../stored_token.ts';
import type { UsageBatch } from '../usage.ts';

/** An API key with all its data in a store. */
export type MovedKey =
  | { readonly id: string; readonly token: StoredToken; readonly removed: null }
  | { readonly id: string; readonly token: null; readonly removed: RemovedToken };

/** The number of attempts to move a key that is being changed. */
const MAX_ATTEMPTS = 10;

/** One end of a migration. */
export interface MigrationStore {
  readonly name: string;
  /** The interrupted migration that involves this store, if any. */
  migration(): Awaitable<string | null>;
  /** Null when the migration has finished. */
  setMigration(id: string | null): Awaitable<void>;
  keys(): Awaitable<readonly MovedKey[]>;
  /** A key in the form of {@link keys}; null if there is none. */
  key(id: string): Awaitable<MovedKey | null>;
  /** Adds a key unless there is one with its id. Returns whether it is there, possibly rotated or removed since. */
  putKey(key: MovedKey): Awaitable<boolean>;
  /** Replaces a key added before; returns false, changing nothing, if that has changed here. */
  replaceKey(former: MovedKey, key: MovedKey): Awaitable<boolean>;
  /** Removes a key that was moved from here; returns false, changing nothing, if it has changed meanwhile. */
  dropKey(key: MovedKey): Awaitable<boolean>;
  plans(): Awaitable<ReadonlyMap<string, PlanEntry>>;
  putPlan(name: string, entry: PlanEntry): Awaitable<void>;
  dropPlan(name: string): Awaitable<void>;
  /** Whether there is usage of any key. */
  hasUsage(): Awaitable<boolean>;
  /** Takes usage out in batches; a batch is returned again by later migrations until it is settled. */
  takeUsage(): AsyncIterable<UsageBatch>;
  /** The batches that were taken out before and not settled; the other store may have them. */
  unsettledUsage(): AsyncIterable<UsageBatch>;
  /** Adds a batch, unless it was added before. */
  addUsage(batch: UsageBatch): Awaitable<void>;
  /** Forgets a batch that the other store has added. */
  settleUsage(batch: UsageBatch): Awaitable<void>;
}

/** The result of a migration. */
export interface Migrated {
  readonly keys: number;
  readonly removedKeys: number;
  readonly plans: number;
  readonly requests: number;
  readonly months: number;
  /** Plans that differ in the target; they are unchanged in both. */
  readonly leftPlans: readonly string[];
  /** The ids of keys that differ in the target or are being changed; they are also unchanged in both. */
  readonly leftKeys: readonly string[];
  readonly wasResumed: boolean;
}

/**
 * Moves everything from one store to another. An interrupted migration is completed by running it again: nothing is removed
 * from the source before the target has it, and usage is added only once.
 * @throws {Error} with a one-line message if the target is not empty, unless `merge` is set or an interrupted migration filled it
 */
export async function migrate(
  source: MigrationStore,
  target: MigrationStore,
  newId: string,
  merge: boolean,
): Promise<Migrated> {
  const interrupted = await source.migration();
  const wasResumed = interrupted !== null && interrupted === (await target.migration());
  if (!wasResumed) {
    if (!merge) await requireEmpty(target);
    await source.setMigration(newId);
    await target.setMigration(newId);
  }
  const plans = await movePlans(source, target);
  const keys = await moveKeys(source, target);
  const usage = await moveUsage(source, target);
  await source.setMigration(null);
  await target.setMigration(null);
  return { ...keys, ...usage, plans: plans.moved, leftPlans: plans.left, wasResumed };
}

async function requireEmpty(target: MigrationStore): Promise<void> {
  const has = [
    ...((await target.keys()).length > 0 ? ['API keys'] : []),
    ...((await target.plans()).size > 0 ? ['plans'] : []),
    ...((await target.hasUsage()) ? ['usage'] : []),
  ];
  if (has.length > 0)
    throw new Error(`${target.name} already has ${has.join(' and ')}; --merge adds to them`);
}

async function movePlans(source: MigrationStore, target: MigrationStore) {
  const present = await target.plans();
  const left: string[] = [];
  let moved = 0;
  for (const [name, entry] of await source.plans()) {
    const found = present.get(name);
    if (found === undefined) await target.putPlan(name, entry);
    if (found === undefined || JSON.stringify(found) === JSON.stringify(entry)) {
      await source.dropPlan(name);
      moved += 1;
    } else left.push(name);
  }
  return { moved, left };
}

async function moveKeys(source: MigrationStore, target: MigrationStore) {
  const leftKeys: string[] = [];
  let [keys, removedKeys] = [0, 0];
  for (const key of await source.keys()) {
    const moved = await moveKey(source, target, key);
    if (moved === null) leftKeys.push(key.id);
    else if (moved.removed === null) keys += 1;
    else removedKeys += 1;
  }
  return { keys, removedKeys, leftKeys };
}

/** The moved key, with changes made to it meanwhile; null if it could not be moved. */
async function moveKey(
  source: MigrationStore,
  target: MigrationStore,
  key: MovedKey,
): Promise<MovedKey | null> {
  if (!(await target.putKey(key))) return null;
  let put = key;
  for (let attempt = 1; !(await source.dropKey(put)); attempt++) {
    const present = await source.key(key.id);
    if (present === null) return put;
    if (attempt === MAX_ATTEMPTS || !(await target.replaceKey(put, present))) return null;
    put = present;
  }
  return put;
}

async function moveUsage(source: MigrationStore, target: MigrationStore) {
  // The target may have begun to send usage to the source, in a migration or after an outage of Redis.
  for await (const batch of target.unsettledUsage()) {
    await source.addUsage(batch);
    await target.settleUsage(batch);
  }
  const months = new Set<number>();
  let requests = 0;
  for await (const batch of source.takeUsage()) {
    await target.addUsage(batch);
    await source.settleUsage(batch);
    for (const { month, count } of batch.counts) {
      months.add(month);
      requests += count;
    }
  }
  return { requests, months: months.size };
}

/** The properties of a key that must agree if it is in both stores. */
type Comparable = Omit<StoredToken, 'id' | 'createdMs' | 'lastUsedMs'>;

/** Whether a store's key is the same as the one being moved, or results from it by a rotation. */
export function isSameOrRotated(present: Comparable, key: Comparable): boolean {
  if (present.former !== null && isDeepStrictEqual(bytes(present.former.digest), bytes(key.digest)))
    return true;
  return isEqual(present, key);
}

/** Whether two keys of the same id have the same properties and secrets. */
export function isEqual(a: Comparable, b: Comparable): boolean {
  return isDeepStrictEqual(comparable(a), comparable(b));
}

function comparable({ name, role, plan, digest, suspendedMs, expiresMs, former }: Comparable) {
  const formerKey = former && { expiresMs: former.expiresMs, digest: bytes(former.digest) };
  return { name, role, plan, suspendedMs, expiresMs, digest: bytes(digest), former: formerKey };
}

/** A digest as a plain array of bytes, whichever class it is of. */
function bytes(digest: Uint8Array): Uint8Array {
  return new Uint8Array(digest);
}
