import { expect, test } from 'bun:test';
import { createApp } from '../../src/http/app.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { ask, testPlaces, testServices } from './service.ts';

const OFF = { isSynchronized: false, maxErrorSeconds: 16 };

/** The status of `/readyz`, and its line about one thing. */
async function readiness(about: string, ...changes: Parameters<typeof testServices>): Promise<string> {
  const { status, body } = await ask('/readyz', {}, createApp(testServices(...changes)));
  return `${status} ${(body as string).split('\n').find(line => line.startsWith(`${about} `))}`;
}

test('a clock that nobody keeps right is a warning, and a failure where that was asked for', async () => {
  const right = { isSynchronized: true, maxErrorSeconds: 0.01 };
  expect(await readiness('clock', { hostClock: () => OFF })).toStartWith('200 clock warning');
  expect(await readiness('clock', { hostClock: () => OFF, requireClockSync: true })).toStartWith(
    '503 clock broken',
  );
  expect(await readiness('clock', { hostClock: () => right, requireClockSync: true })).toStartWith(
    '200 clock ok',
  );
  expect(
    (await ask('/healthz', {}, createApp(testServices({ hostClock: () => OFF, requireClockSync: true }))))
      .status,
  ).toBe(200);
});

test('data is ready before its first use, and a failure once it is found broken', async () => {
  const boundaries = new LazyData('boundaries', '2026x', () => Promise.reject(new Error('cut short')));
  const places = testPlaces({ boundaries: boundaries as never });
  expect(await readiness('boundaries', { places })).toBe(
    '200 boundaries ok 2026x, to be read and checked at first use',
  );
  await boundaries.load();
  expect(await readiness('boundaries', { places })).toBe('503 boundaries broken 2026x: cut short');
});
