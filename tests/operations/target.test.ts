import { expect, test } from 'bun:test';
import { offsetTarget } from '../../src/operations/target.ts';

test('the target of an offset is the same each time, but for those with seconds, which would be too many to keep', () => {
  expect(offsetTarget(19_800)).toBe(offsetTarget(19_800));
  expect(offsetTarget(19_801)).not.toBe(offsetTarget(19_801));
  expect(offsetTarget(19_801).zoneText).toBe('UTC+05:30:01');
});
