/**
 * Exhaustive comparisons: `make test` runs a seeded sample of each, `make proof` all of them, with figures.
 * A failure prints the seed of its sample; `FC_SEED` repeats it.
 */
import { expect } from 'bun:test';
import { randomNumbers } from './property.ts';

/** Whether comparisons run in full. */
export const IS_PROOF = process.env['MERIDIAN_PROOF'] === '1';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** The random numbers in [0, 1) for samples, from the start of the sequence: different in each test run. */
export function sampleNumbers(): () => number {
  return randomNumbers(SEED);
}

/** All items in a proof, otherwise at most `count` random ones, in their original order. */
export function sample<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (IS_PROOF || items.length <= count) return items;
  const random = sampleNumbers();
  const drawn = items
    .map((item, index) => ({ item, index, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count);
  return drawn.sort((a, b) => a.index - b.index).map(({ item }) => item);
}

/** How many samples to draw from an unbounded set: `count`, or `proofCount` in a proof. */
export function runs(count: number, proofCount: number): number {
  return IS_PROOF ? proofCount : count;
}

/** Fails if there are differences, or fewer than `atLeast` comparisons in a proof; a proof prints the figures. */
export function expectNoDifferences(
  name: string,
  comparisons: number,
  differences: readonly string[],
  atLeast = 1,
): void {
  if (IS_PROOF) console.log(`proof: ${name}: ${comparisons} comparisons, ${differences.length} differences`);
  expect(
    differences.slice(0, 20),
    `${name}: ${differences.length} differences; repeat with FC_SEED=${SEED}`,
  ).toEqual([]);
  expect(comparisons).toBeGreaterThanOrEqual(IS_PROOF ? atLeast : 1);
}
