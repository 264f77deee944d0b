import { expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import { LazyData } from '../../src/places/lazy_data.ts';

/** The error that a call throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

test('data is loaded once, on first use, with any number of concurrent uses', async () => {
  let reads = 0;
  const data = new LazyData('boundaries', '2026d', async () => ++reads);
  expect([data.state.kind, reads]).toEqual(['unread', 0]);
  expect(thrownBy(() => data.get())).toBeInstanceOf(Error);
  const waits = [1, 2, 3].map(() => data.load());
  expect([data.state.kind, data.isLoaded]).toEqual(['loading', false]);
  await Promise.all(waits);
  await data.load();
  expect([data.state.kind, data.isLoaded, reads, data.get()]).toEqual(['ready', true, 1, 1]);
  expect(data.load()).toBe(data.load());
});

test('data that cannot be loaded is not ready, and only reports give the reason', async () => {
  const data = new LazyData('boundaries', '2026d', () => Promise.reject(new Error('it is damaged')));
  await data.load();
  const error = thrownBy(() => data.get()) as ServiceError;
  expect(error).toBeInstanceOf(ServiceError);
  expect(error.code).toBe('DEPENDENCY_NOT_READY');
  expect(error.message).not.toContain('damaged');
  expect(data.state).toEqual({ kind: 'broken', problem: 'it is damaged' });
  expect(data.isLoaded).toBe(true);
});

test('data in memory is ready at once', async () => {
  const data = LazyData.of('ip', 'Test', 7);
  expect([data.state.kind, data.isLoaded, data.get()]).toEqual(['ready', true, 7]);
  await data.load();
  expect(data.get()).toBe(7);
});
