import { expect, test } from 'bun:test';
import { isRotationDue, needsRepair } from '../../src/signing/key_set.ts';
import { sampleKey } from './sample_keys.ts';

const [younger, older] = [sampleKey(2), sampleKey(1)];
const retired = { ...older, privateKey: undefined };

test('a store is well where exactly one key has its private half', () => {
  expect(needsRepair([younger, retired])).toBe(false);
  expect(needsRepair([younger, older])).toBe(true);
  expect(needsRepair([retired])).toBe(true);
  expect(needsRepair([])).toBe(true);
});

test('a key is due at its age, and never before it was made', () => {
  const { createdMs } = younger;
  const isDueAfter = (ms: number) => isRotationDue([younger], 1000, createdMs + ms);
  expect([-1e12, 0, 999, 1000].map(isDueAfter)).toEqual([false, false, false, true]);
  expect(isRotationDue([younger], undefined, createdMs + 1e12)).toBe(false);
});
