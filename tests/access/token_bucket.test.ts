import { expect, test } from 'bun:test';
import {
  type BucketRule,
  bucketRule,
  consume,
  fullBucket,
  msToNext,
  refill,
  requestsLeft,
} from '../../src/access/token_bucket.ts';
import { fc } from '../support/property.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 10, 30, 23, 30);

/** How many of the requests at these instants a rule grants. */
function granted(rule: BucketRule, instants: Iterable<number>, bucket = fullBucket()): number {
  let count = 0;
  for (const epochMs of instants) {
    refill(bucket, rule, epochMs);
    if (consume(bucket, rule)) count += 1;
  }
  return count;
}

function* everyMs(fromMs: number, durationMs: number, stepMs = 1): Iterable<number> {
  for (let at = fromMs; at <= fromMs + durationMs; at += stepMs) yield at;
}

test.each([
  [1, 1],
  [3, 2],
  [7, 7],
  [10, 25],
  [33.333, 40],
  [0.001, 2],
  [0.7, 3],
  [500.001, 40],
])('%p requests a second with a burst of %p grant rate × 3600 + burst in an hour', (perSecond, burst) => {
  const count = granted(bucketRule(perSecond, burst), everyMs(START_MS, HOUR_MS));
  expect(count).toBe(burst + Math.floor((Math.round(perSecond * 1000) * 3600) / 1000));
});

test('a bucket of one grants a request as soon as it is due, to the millisecond', () => {
  // It cannot save fractions: at 3 a second every request waits 333⅓ ms, which a millisecond clock sees after 334.
  expect(granted(bucketRule(3, 1), everyMs(START_MS, HOUR_MS))).toBe(1 + Math.floor(HOUR_MS / 334));
});

test('irregular requests are granted as by exact arithmetic', () => {
  const request = fc.record({
    afterMs: fc.integer({ min: 0, max: 5000 }),
    tries: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50_000 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(request, { maxLength: 60 }),
      (milliRate, burst, requests) => {
        const rule = bucketRule(milliRate / 1000, burst);
        const bucket = fullBucket();
        // The same bucket with unbounded integers, in millionths of a request.
        let exact = BigInt(burst) * 1_000_000n;
        let nowMs = START_MS;
        for (const { afterMs, tries } of requests) {
          nowMs += afterMs;
          exact += BigInt(afterMs) * BigInt(milliRate);
          if (exact > BigInt(burst) * 1_000_000n) exact = BigInt(burst) * 1_000_000n;
          for (let i = 0; i < tries; i++) {
            refill(bucket, rule, nowMs);
            expect(requestsLeft(bucket, rule)).toBe(Number(exact / 1_000_000n));
            const fits = exact >= 1_000_000n;
            expect(consume(bucket, rule)).toBe(fits);
            if (fits) exact -= 1_000_000n;
          }
        }
      },
    ),
  );
});

test('the wait time of a rejection is the shortest that suffices', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.integer({ min: 1, max: 9 }),
      (milliRate, burst) => {
        const rule = bucketRule(milliRate / 1000, burst);
        const bucket = fullBucket();
        granted(rule, Array(burst).fill(START_MS), bucket);
        const waitMs = msToNext(bucket, rule);
        const again = (afterMs: number) => granted(rule, [START_MS + afterMs], { ...bucket });
        expect(again(waitMs)).toBe(1);
        expect(again(waitMs - 1)).toBe(0);
      },
    ),
  );
});

test('a clock set back grants nothing extra and blocks nobody', () => {
  const rule = bucketRule(1, 2);
  const bucket = fullBucket();
  expect(granted(rule, [START_MS, START_MS, START_MS], bucket)).toBe(2);
  expect(granted(rule, [START_MS - HOUR_MS], bucket)).toBe(0);
  expect(granted(rule, [START_MS - HOUR_MS + 1000], bucket)).toBe(1);
});

test('worker shares add up to exactly the whole, but each holds at least one request', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      (count, burst, milliRate) => {
        const whole = bucketRule(milliRate / 1000, burst);
        const shares = Array.from({ length: count }, (_, index) =>
          bucketRule(milliRate / 1000, burst, { index, count }),
        );
        const bursts = shares.map(({ capacity, perRequest }) => capacity / perRequest);
        expect(bursts.reduce((sum, one) => sum + one, 0)).toBe(Math.max(burst, count));
        expect(Math.min(...bursts)).toBeGreaterThanOrEqual(1);
        for (const { perMs, perRequest } of shares) {
          expect(perRequest * whole.perMs).toBe(whole.perRequest * perMs * count);
        }
      },
    ),
  );
});

test('four workers together never grant more than one bucket, in any window of an hour', () => {
  const [perSecond, burst, count] = [10, 10, 4];
  const shares = Array.from({ length: count }, (_, index) => bucketRule(perSecond, burst, { index, count }));
  const buckets = shares.map(() => fullBucket());
  const grantedMs: number[] = [];
  for (const nowMs of everyMs(START_MS, HOUR_MS, 8)) {
    for (const [i, rule] of shares.entries()) {
      refill(buckets[i]!, rule, nowMs);
      if (consume(buckets[i]!, rule)) grantedMs.push(nowMs);
    }
  }
  // From grant i to grant j there are j - i + 1 grants: at most the burst plus the refill in between.
  const credit = grantedMs.map((atMs, i) => i - ((atMs - START_MS) * perSecond) / 1000);
  let least = Number.POSITIVE_INFINITY;
  for (const value of credit) {
    least = Math.min(least, value);
    expect(value - least + 1).toBeLessThanOrEqual(burst + 1e-6);
  }
  expect(grantedMs.length).toBe(perSecond * 3600 + burst);
});
