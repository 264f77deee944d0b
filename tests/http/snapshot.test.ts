import { expect, test } from 'bun:test';
import { perSnapshot, type Snapshot } from '../../src/http/snapshot.ts';
import { testServer } from '../support/service.ts';

const newSnapshot = (): Snapshot => ({ ...testServer().snapshot() });

test('a value is derived once from each snapshot', () => {
  const derived = perSnapshot(snapshot => ({ snapshot }));
  const other = perSnapshot(snapshot => ({ snapshot }));
  const [first, second] = [newSnapshot(), newSnapshot()];
  expect(derived(first)).toBe(derived(first));
  expect(derived(first).snapshot).toBe(first);
  expect(derived(second).snapshot).toBe(second);
  expect(derived(first).snapshot).toBe(first);
  expect(other(first)).not.toBe(derived(first));
});

test('a replaced snapshot is freed, although nothing was derived from its successor', async () => {
  const derivations = Array.from({ length: 20 }, () => perSnapshot(snapshot => ({ snapshot })));
  const replaced = derivations.map(derive => {
    const snapshot = newSnapshot();
    derive(snapshot);
    return new WeakRef(snapshot);
  });
  // A reference is dropped at the earliest at the end of a turn of the event loop, and the stack is scanned conservatively.
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(setImmediate);
    Bun.gc(true);
  }
  expect(replaced.filter(snapshot => snapshot.deref() !== undefined).length).toBeLessThan(5);
  expect(derivations.length).toBe(20);
});
