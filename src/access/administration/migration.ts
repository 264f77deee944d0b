import type { PlanEntry } from '../plan.ts';
import type { RemovedToken, StoredToken } from '../stored_token.ts';

/** An API key with everything that a store has of it. */
export type MovedKey =
  | { readonly id: string; readonly token: StoredToken; readonly removed: null }
  | { readonly id: string; readonly token: null; readonly removed: RemovedToken };

/** Usage on its way from one store to another, under a receipt by which the other adds it once. */
export interface UsageBatch {
  readonly receipt: string;
  readonly counts: readonly LabelledCount[];
}

/** The requests of a key in a month, `2026-11`. */
export interface LabelledCount {
  readonly id: string;
  readonly month: string;
  readonly count: number;
}

type Awaitable<Value> = Value | Promise<Value>;

/** One end of a migration. */
export interface MigrationStore {
  readonly name: string;
  /** The migration that this store is an end of, if one was interrupted. */
  migration(): Awaitable<string | null>;
  /** Null at the end of it. */
  setMigration(id: string | null): Awaitable<void>;
  keys(): Awaitable<readonly MovedKey[]>;
  /** Adds a key, unless there is one of its id: that is left as it is. Returns whether it is there with the same secret. */
  putKey(key: MovedKey): Awaitable<boolean>;
  /** Removes a key that was moved from here; false if it has changed meanwhile, and stays. */
  dropKey(key: MovedKey): Awaitable<boolean>;
  plans(): Awaitable<ReadonlyMap<string, PlanEntry>>;
  putPlan(name: string, entry: PlanEntry): Awaitable<void>;
  dropPlan(name: string): Awaitable<void>;
  /** Whether there is usage of any key. */
  hasUsage(): Awaitable<boolean>;
  /** Takes usage out, batch by batch; a batch comes again in a later migration until it is settled. */
  takeUsage(): AsyncIterable<UsageBatch>;
  /** Adds a batch, unless it was added before. */
  addUsage(batch: UsageBatch): Awaitable<void>;
  /** Forgets a batch that the other store has added. */
  settleUsage(batch: UsageBatch): Awaitable<void>;
}

/** What a migration has moved. */
export interface Migrated {
  readonly keys: number;
  readonly removedKeys: number;
  readonly plans: number;
  readonly requests: number;
  readonly months: number;
  /** What the target had already, which was left as it was in both. */
  readonly left: readonly string[];
  readonly wasResumed: boolean;
}

/**
 * Moves everything from one store to another. An interrupted migration is completed by running it again: nothing is removed
 * from the source before the target has it, and usage is added once.
 * @throws {Error} with one line if the target is not empty, unless `merge` is set or an interrupted migration filled it
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
  return { ...keys, ...usage, plans: plans.moved, left: [...plans.left, ...keys.left], wasResumed };
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
    } else left.push(`plan '${name}'`);
  }
  return { moved, left };
}

async function moveKeys(source: MigrationStore, target: MigrationStore) {
  const left: string[] = [];
  let [keys, removedKeys] = [0, 0];
  for (const key of await source.keys()) {
    if (!(await target.putKey(key))) {
      left.push(`API key ${key.id}`);
    } else if (!(await source.dropKey(key))) {
      left.push(`API key ${key.id}, which was changed meanwhile`);
    } else if (key.removed === null) keys += 1;
    else removedKeys += 1;
  }
  return { keys, removedKeys, left };
}

async function moveUsage(source: MigrationStore, target: MigrationStore) {
  const months = new Set<string>();
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

/** Whether a digest is the present one of a key, or that before its last rotation. */
export function isOneOf(
  digest: Uint8Array,
  present: Uint8Array,
  former: Uint8Array | null | undefined,
): boolean {
  return Buffer.from(present).equals(digest) || (former != null && Buffer.from(former).equals(digest));
}
