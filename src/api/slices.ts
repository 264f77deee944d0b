import { nextTurn } from '../common/promises.ts';

/** The length of a slice: even with a last step of a millisecond, it is below the 2 ms for which a request may block others. */
const SLICE_NS = 500_000;

/** Divides work with many steps into slices, between which other requests are served. */
export class Slices {
  #startNs = Bun.nanoseconds();

  /** Whether {@link next} is due. */
  get isOver(): boolean {
    return Bun.nanoseconds() - this.#startNs >= SLICE_NS;
  }

  /** Resolves when other requests have had a turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.#startNs = Bun.nanoseconds();
  }
}

/**
 * The results of a function for all items. Where `isSliceOver` says so after an item, `next` gives other requests a turn; otherwise
 * the results are no promise, which would lose pipelined requests.
 */
export function mapInSlices<Item, Result>(
  items: readonly Item[],
  resultOf: (item: Item) => Result,
  isSliceOver: (result: Result, count: number) => boolean,
  next: () => Promise<void> = nextTurn,
): Result[] | Promise<Result[]> {
  const results: Result[] = [];
  const mapRest = (): Result[] | Promise<Result[]> => {
    while (results.length < items.length) {
      const result = resultOf(items[results.length]!);
      results.push(result);
      if (isSliceOver(result, results.length)) return next().then(mapRest);
    }
    return results;
  };
  return mapRest();
}

/** The text of a slice: less than half a millisecond of work. Counted, not timed, so that a list is a promise always or never. */
const SLICE_CHARACTERS = 32_768;

/** The text of each item, at most `itemsPerSlice` of them before other requests get a turn. */
export function textsOf<Item, Text extends string>(
  items: readonly Item[],
  textOf: (item: Item) => Text,
  itemsPerSlice = Number.POSITIVE_INFINITY,
): Text[] | Promise<Text[]> {
  let characters = 0;
  return mapInSlices(items, textOf, (text, count) => {
    characters += text.length;
    const isOver = characters > SLICE_CHARACTERS || count % itemsPerSlice === 0;
    if (isOver) characters = 0;
    return isOver;
  });
}
