import { expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/service_error.ts';
import { StillLoading } from '../../src/common/still_loading.ts';
import { LazyData } from '../../src/places/lazy_data.ts';

/** What a call throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

test('data is read once, at its first use, however many ask for it meanwhile', async () => {
  let reads = 0;
  const data = new LazyData('boundaries', '2026d', async () => ++reads);
  expect([data.state.kind, reads]).toEqual(['unread', 0]);
  const waits = [1, 2, 3].map(() => (thrownBy(() => data.get()) as StillLoading).loaded);
  expect(data.state.kind).toBe('loading');
  await Promise.all(waits);
  await data.load();
  expect([data.state.kind, reads, data.get()]).toEqual(['ready', 1, 1]);
});

test('data that cannot be read is not ready, and says why to reports alone', async () => {
  const data = new LazyData('boundaries', '2026d', () => Promise.reject(new Error('it is damaged')));
  expect(thrownBy(() => data.get())).toBeInstanceOf(StillLoading);
  await data.load();
  const error = thrownBy(() => data.get()) as ServiceError;
  expect(error).toBeInstanceOf(ServiceError);
  expect(error.code).toBe('DEPENDENCY_NOT_READY');
  expect(error.message).not.toContain('damaged');
  expect(data.state).toEqual({ kind: 'broken', problem: 'it is damaged' });
});

test('data that is there already is ready at once', async () => {
  const data = LazyData.of('ip', 'Test', 7);
  expect([data.state.kind, data.get()]).toEqual(['ready', 7]);
  await data.load();
  expect(data.get()).toBe(7);
});
