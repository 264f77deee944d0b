import { expect, test } from 'bun:test';
import { counted } from '../../src/common/words.ts';

test('one is singular, every other count plural', () => {
  expect([0, 1, 2].map(count => counted(count, 'day'))).toEqual(['0 days', '1 day', '2 days']);
});
