import { expect, test } from 'bun:test';
import { counted, editDistance, nearest } from '../../src/common/words.ts';
import { fc } from '../support/property.ts';

test('one is singular, every other count plural', () => {
  expect([0, 1, 2].map(count => counted(count, 'day'))).toEqual(['0 days', '1 day', '2 days']);
});

test('a name that differs in at most a third of its letters is near, in any letter case', () => {
  expect(nearest('LISTNE', ['listen', 'open'], 3)).toEqual(['listen']);
  expect(nearest('listxy', ['listen'], 3)).toEqual(['listen']);
  expect(nearest('lisxyz', ['listen'], 3)).toEqual([]);
});

test('one edit is near even in the shortest names', () => {
  expect(nearest('ax', ['a', 'b', 'ay'], 3)).toEqual(['a', 'ay']);
});

test('the nearest come first, up to the requested number', () => {
  const names = ['plans-abc', 'plans-ab', 'plans-a'];
  expect(nearest('plans-a', names, 2)).toEqual(['plans-a', 'plans-ab']);
});

/** The distance by its definition, without optimizations. */
function wholeTable(from: string, to: string): number {
  const table = Array.from({ length: from.length + 1 }, (_, row) =>
    Array.from({ length: to.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  for (let row = 1; row <= from.length; row++) {
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      const choices = [
        table[row - 1]![column]! + 1,
        table[row]![column - 1]! + 1,
        table[row - 1]![column - 1]! + change,
      ];
      const isSwap =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) choices.push(table[row - 2]![column - 2]! + 1);
      table[row]![column] = Math.min(...choices);
    }
  }
  return table[from.length]![to.length]!;
}

test('up to the limit, the distance equals that from the full table', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, fc.nat(6), (from, to, limit) => {
      expect(editDistance(from, to, limit)).toBe(Math.min(wholeTable(from, to), limit + 1));
    }),
    { numRuns: 5000 },
  );
});

test('swapped neighbours are one edit', () => {
  expect(editDistance('Pairs', 'Paris', 3)).toBe(1);
  expect(editDistance('', '', 0)).toBe(0);
  expect(editDistance('', 'ab', 1)).toBe(2);
});
