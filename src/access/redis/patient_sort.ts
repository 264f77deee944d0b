import { nextTurn } from '../../common/promises.ts';
import { firstWhere } from '../../common/sorted_list.ts';

/** The order of two items: negative, 0 or positive. */
type Compare<Item> = (a: Item, b: Item) => number;

/** The number of steps before other work gets a turn: a fraction of a millisecond. */
const STEPS_AT_ONCE = 1000;
/** The number of items sorted at once, also a fraction of a millisecond. */
const ITEMS_AT_ONCE = 250;

/** A sorted copy of a list; other work continues meanwhile. */
export async function sortPatiently<Item>(
  list: readonly Item[],
  compare: Compare<Item>,
): Promise<readonly Item[]> {
  let parts: (readonly Item[])[] = [];
  for (let start = 0; start < list.length; start += ITEMS_AT_ONCE) {
    parts.push(list.slice(start, start + ITEMS_AT_ONCE).sort(compare));
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
    if (merged.length % STEPS_AT_ONCE === 0) await nextTurn();
  }
  return merged;
}

/** The index of the first item of a sorted list that comes after a position. */
export function indexAfter<Item extends Position, Position>(
  list: readonly Item[],
  position: Position,
  compare: Compare<Position>,
): number {
  return firstWhere(0, list.length, index => compare(list[index]!, position) > 0);
}
