import { nextTurn } from '../../common/promises.ts';

/** The order of two items: negative, 0 or positive. */
type Compare<Item> = (a: Item, b: Item) => number;

/** How many items are sorted, and how many are merged, before other work gets a turn: a fraction of a millisecond. */
const SORTED_AT_ONCE = 250;
const MERGED_AT_ONCE = 1000;

/** A sorted copy of a list, made in slices between which other work continues. */
export async function sortInSlices<Item>(
  list: readonly Item[],
  compare: Compare<Item>,
): Promise<readonly Item[]> {
  let parts: (readonly Item[])[] = [];
  for (let start = 0; start < list.length; start += SORTED_AT_ONCE) {
    parts.push(list.slice(start, start + SORTED_AT_ONCE).sort(compare));
    await nextTurn();
  }
  while (parts.length > 1) {
    const pairs: (readonly Item[])[] = [];
    for (let i = 0; i < parts.length; i += 2)
      pairs.push(await mergeTwo(parts[i]!, parts[i + 1] ?? [], compare));
    parts = pairs;
  }
  return parts[0] ?? [];
}

async function mergeTwo<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: Compare<Item>,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    const takesFirst = j === second.length || (i < first.length && compare(first[i]!, second[j]!) <= 0);
    merged.push(takesFirst ? first[i++]! : second[j++]!);
    if (merged.length % MERGED_AT_ONCE === 0) await nextTurn();
  }
  return merged;
}
