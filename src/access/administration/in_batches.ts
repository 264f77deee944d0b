import type { Awaitable, ListPart } from '../stored_token.ts';

/** How many keys or counts are read at once: less than a millisecond's work. */
const BATCH = 100;

/** Reads a list from a position in batches; other work continues in between. Each item contains its position. */
export async function* inBatches<Position, Item extends Position>(
  read: (part: ListPart<Position>) => Awaitable<readonly Item[]>,
  start: Position | null = null,
): AsyncGenerator<readonly Item[], void> {
  let after = start;
  for (;;) {
    const items = await read({ after, limit: BATCH });
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    if (items.length < BATCH) return;
    after = last;
    await new Promise(setImmediate);
  }
}
