import { expect, test } from 'bun:test';
import { offsetTarget } from '../../src/operations/target.ts';

test('targets of offsets are cached, except for those with seconds, which would be too many', () => {
  expect(offsetTarget(19_800)).toBe(offsetTarget(19_800));
  expect(offsetTarget(19_801)).not.toBe(offsetTarget(19_801));
  expect(offsetTarget(19_801).zoneText).toBe('UTC+05:30:01');
});
