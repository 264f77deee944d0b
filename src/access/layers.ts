/** A machine's own keys and plans beneath those that it shares with others. */
import type { AccessLists } from './access_files.ts';
import {
  type Awaitable,
  compareCounts,
  compareEntries,
  compareKeys,
  isRemoved,
  type KeySource,
  type KeyStore,
  type ListPart,
  type SharedKey,
  type SharedSource,
  type Source,
} from './key_store.ts';
import type { Plan } from './plan.ts';
import type { MonthlyCount } from './usage.ts';

/** The keys of a shared store, plus those in this machine's store that the shared one never had; usage is added up. */
export function layeredStore(shared: KeyStore, own: KeyStore): KeyStore {
  async function notShared<Key extends { readonly id: string }>(keys: readonly Key[]): Promise<Key[]> {
    const known = await shared.find(keys.map(({ id }) => id));
    return keys.filter(({ id }) => !known.has(id));
  }

  async function inStoreOf(id: string, change: (store: KeyStore) => Awaitable<boolean>): Promise<boolean> {
    const known = (await shared.find([id])).get(id);
    if (known !== undefined && isRemoved(known)) return false;
    // Throws for a key that it has but cannot read.
    return (await change(shared)) || (known === undefined && (await change(own)));
  }

  return {
    async keys(part = {}) {
      const parts = [await shared.keys(part), await own.keys(part)] as const;
      const merged = [...parts[0], ...(await notShared(parts[1]))].sort(compareKeys);
      return await completed(merged, parts, part, compareKeys, rest => this.keys(rest));
    },
    find: async ids => new Map([...(await own.find(ids)), ...(await shared.find(ids))]),
    removed: async () => [...(await shared.removed()), ...(await notShared(await own.removed()))],
    add: (key, entry) => shared.add(key, entry),
    change: (id, changes, entry) => inStoreOf(id, store => store.change(id, changes, entry)),
    rotate: (id, digest, endMs, entry) => inStoreOf(id, store => store.rotate(id, digest, endMs, entry)),
    remove: (id, nowMs, entry) => inStoreOf(id, store => store.remove(id, nowMs, entry)),
    /** The own requests are those that have not been sent to the shared store yet. */
    async requests(ids, month) {
      const counts = [await shared.requests(ids, month), await own.requests(ids, month)] as const;
      return new Map(ids.map(id => [id, (counts[0].get(id) ?? 0) + (counts[1].get(id) ?? 0)]));
    },
    async usage(part = {}) {
      const parts = [await shared.usage(part), await own.usage(part)];
      const merged: MonthlyCount[] = [];
      for (const count of parts.flat().sort(compareCounts)) {
        const last = merged.at(-1);
        if (last !== undefined && compareCounts(last, count) === 0)
          merged[merged.length - 1] = { ...last, count: last.count + count.count };
        else merged.push(count);
      }
      return await completed(merged, parts, part, compareCounts, rest => this.usage(rest));
    },
    put: (contents, entries) => shared.put(contents, entries),
    async log(part) {
      const parts = [await shared.log(part), await own.log(part)] as const;
      const merged = parts.flat().sort(compareEntries);
      return await completed(merged, parts, part, compareEntries, rest => this.log(rest));
    },
  };
}

/**
 * A page of a list merged from pages of two parts. A part whose page is full may have more items, which follow the last one on its
 * page; so beyond the earliest such end the merged list is incomplete, and is cut off there. If nothing is left, since the
 * shared store had all of those keys, the page begins after that end instead: an empty page is the end of the list.
 */
async function completed<Position, Item extends Position, Part extends ListPart<Position>>(
  merged: readonly Item[],
  parts: readonly (readonly Item[])[],
  part: Part,
  compare: (a: Position, b: Position) => number,
  read: (rest: Part) => Awaitable<readonly Item[]>,
): Promise<readonly Item[]> {
  const { limit } = part;
  const ends = parts.filter(({ length }) => length === limit).map(items => items.at(-1)!);
  if (ends.length === 0) return merged.slice(0, limit);
  const end = ends.reduce((a, b) => (compare(a, b) < 0 ? a : b));
  const complete = merged.filter(item => compare(item, end) <= 0).slice(0, limit);
  return complete.length > 0 ? complete : await read({ ...part, after: end });
}

/** The keys that a server accepts; those that the shared store has or had, readable or not, are not taken from the own source. */
export function layeredKeys(shared: SharedSource<SharedKey>, own: KeySource): KeySource {
  const isShared = (id: string) => shared.read().has(id) || shared.unreadable.has(id);
  /** Null for a key that was removed or cannot be read. */
  const keyOf = (id: string) => {
    const key = shared.read().get(id);
    if (key === undefined || key.removedMs !== null) return null;
    const { removedMs: _, ...present } = key;
    return { ...present, lastUsedMs: null };
  };
  return {
    stamp: () => `${shared.isFilled === undefined ? '' : shared.stamp()} ${own.stamp()}`,
    read() {
      const { keys, hasEverHeld } = own.read();
      const ids = [...shared.read().keys()];
      const present = ids.map(keyOf).filter(key => key !== null);
      return {
        keys: [...present, ...keys.filter(({ id }) => !isShared(id))],
        hasEverHeld: hasEverHeld || shared.isFilled === true,
        mayLackKeys: shared.isFilled === undefined,
      };
    },
    changesSince(stamp) {
      const end = stamp.indexOf(' '); // a shared source's stamp has none
      if (end === 0 && shared.isFilled !== undefined) return undefined; // it was not read yet
      const changed = shared.changedSince(stamp.slice(0, end));
      const changes = own.changesSince(stamp.slice(end + 1));
      // The own source may have a key that is no longer shared.
      if (changes === undefined || !changed.every(isShared)) return undefined;
      const ownChanges = [...changes].filter(([id]) => !isShared(id));
      return new Map([...ownChanges, ...changed.map(id => [id, keyOf(id)] as const)]);
    },
  };
}

/** The plans in this machine's file and the shared plans, which override those of the same name in the file. */
export function layeredPlans(
  shared: SharedSource<Plan | null>,
  own: Source<AccessLists>,
): Source<AccessLists> {
  return {
    stamp: () => `${shared.stamp()} ${own.stamp()}`,
    read() {
      const lists = own.read();
      const defined = [...shared.read()].filter((entry): entry is [string, Plan] => entry[1] !== null);
      return { ...lists, plans: new Map([...lists.plans, ...defined]) };
    },
  };
}
