import fc from 'fast-check';

/**
 * A reproducible source of numbers in [0, 1) for samples too large to be properties (mulberry32); `FC_SEED` selects
 * another sample.
 */
export function randomNumbers(seed = Number(process.env['FC_SEED'] ?? 20_261_121)): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * `FC_SEED` repeats a failed run; `FC_RUNS` makes each property run more often. Arrays and strings with a maximum length
 * reach it; fast-check's own default is about 10.
 */
fc.configureGlobal({
  numRuns: Number(process.env['FC_RUNS'] ?? 200),
  defaultSizeToMaxWhenMaxSpecified: true,
  ...(process.env['FC_SEED'] === undefined ? {} : { seed: Number(process.env['FC_SEED']) }),
});

export { fc };

/** Numbers in [0, 1). */
export type Random = () => number;

/** One of some items. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)]!;
}
