import { expect, test } from 'bun:test';
import type { AccessControl } from '../../src/access/access_control.ts';
import type { AccessTopic } from '../../src/access/problem_log.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { send, testPlaces, testServer } from '../support/service.ts';

const OFF = { isSynchronized: false, maxErrorSeconds: 16 };

/** The status of `/readyz`, and its line for one item. */
async function readiness(about: string, ...changes: Parameters<typeof testServer>): Promise<string> {
  const { status, body } = await send('/readyz', {}, createApp(testServer(...changes)));
  return `${status} ${(body as string).split('\n').find(line => line.startsWith(`${about} `))}`;
}

test('an unsynchronized clock is a warning, or a failure if so configured', async () => {
  const right = { isSynchronized: true, maxErrorSeconds: 0.01 };
  expect(await readiness('clock', { hostClock: () => OFF })).toStartWith('200 clock warning');
  expect(await readiness('clock', { hostClock: () => OFF, requireClockSync: true })).toStartWith(
    '503 clock broken',
  );
  expect(await readiness('clock', { hostClock: () => right, requireClockSync: true })).toStartWith(
    '200 clock ok',
  );
  expect(
    (await send('/healthz', {}, createApp(testServer({ hostClock: () => OFF, requireClockSync: true }))))
      .status,
  ).toBe(200);
});

test('data is ready before its first use, and a failure once found broken', async () => {
  const boundaries = new LazyData('boundaries', '2026x', () => Promise.reject(new Error('cut short')));
  const places = testPlaces({ boundaries: boundaries as never });
  expect(await readiness('boundaries', { places })).toBe('200 boundaries ok 2026x, loaded at first use');
  await boundaries.load();
  expect(await readiness('boundaries', { places })).toBe('503 boundaries broken 2026x: cut short');
});

test('problems with keys and usage are warnings as long as requests are served', async () => {
  let isOpen = false;
  const store = (sharedStore: AccessControl['sharedStore'], ...troubles: readonly AccessTopic[]) => {
    const problem = (topic: AccessTopic) => (troubles.includes(topic) ? 'trouble' : undefined);
    return readiness('store', {
      access: { isOpen, sharedStore, problem } as unknown as AccessControl,
    });
  };
  expect(await store('none')).toBe('200 store ok');
  expect(await store('up')).toBe('200 store ok');
  expect(await store('none', 'tokens')).toBe('200 store warning keys cannot be read');
  expect(await store('none', 'files')).toBe('200 store warning key or plan files cannot be read');
  expect(await store('none', 'plans')).toBe(
    '200 store warning keys are rejected, as their plan is not defined',
  );
  expect(await store('degraded', 'usage')).toBe(
    '200 store warning usage cannot be written, the shared store is unavailable',
  );
  expect(await store('down')).toBe('503 store broken the shared store is unavailable');
  isOpen = true;
  expect(await store('none')).toBe('200 store ok open to all');
  expect(await store('none', 'tokens')).toBe('200 store warning open to all, keys cannot be read');
  for (const away of ['degraded', 'down'] as const) {
    expect(await store(away)).toBe('200 store warning open to all, the shared store is unavailable');
  }
  expect(await readiness('store', { access: null })).toBe('200 store ok open to all');
});
