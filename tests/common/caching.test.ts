import { expect, test } from 'bun:test';
import { BoundedCache } from '../../src/common/caching.ts';

test('a cache never holds more than twice its limit', () => {
  const cache = new BoundedCache<number, string>(10);
  for (let key = 0; key < 1000; key++) {
    cache.set(key, `${key}`);
    expect(cache.size).toBeLessThan(20);
  }
});

test('an entry that is read repeatedly is not evicted', () => {
  const cache = new BoundedCache<number, string>(10);
  cache.set(-1, 'kept');
  for (let key = 0; key < 1000; key++) {
    cache.set(key, `${key}`);
    expect(cache.get(-1)).toBe('kept');
  }
  expect(cache.get(0)).toBeUndefined();
});

test('an entry found among the older ones is stored once', () => {
  const cache = new BoundedCache<string, number>(3);
  for (const key of ['a', 'b', 'c']) cache.set(key, 1);
  expect(cache.get('a')).toBe(1);
  expect(cache.size).toBe(3);
});
