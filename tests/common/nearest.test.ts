import { expect, test } from 'bun:test';
import { nearest } from '../../src/common/words.ts';

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
