import { expect, test } from 'bun:test';
import { type Account, Limiter, type Limits, limitsOf, newAccount } from '../../src/access/limiter.ts';
import type { Plan } from '../../src/access/plan.ts';
import {
  type BucketRule,
  bucketRule,
  consume,
  fullBucket,
  msToNext,
  refill,
  requestsLeft,
} from '../../src/access/token_bucket.ts';
import { MemoryLedger, monthAt, monthOf, type UsageLedger } from '../../src/access/usage.ts';
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
  const [afterMs, tries] = [fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 5 })];
  const request = fc.record({ afterMs, tries });
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

const ALONE = { index: 0, count: 1 };
const TURN_MS = Date.UTC(2026, 11);

function limits(plan: Partial<Plan>): Limits {
  return limitsOf({ name: 'test', rate: undefined, monthlyQuota: undefined, ...plan }, ALONE);
}

/** A ledger that cannot be written. */
const FULL: UsageLedger = {
  isShared: false,
  used: () => 0,
  record() {
    throw new Error('disk full');
  },
};

function writeAll(limiter: Limiter, ledger: UsageLedger): void {
  const counts = [...limiter.takeIdle(), ...limiter.takePending(Number.POSITIVE_INFINITY)];
  limiter.reconcile(counts, limiter.writeTo(ledger, counts));
}

test('a monthly quota grants exactly that many requests, and is renewed at the first instant of the next month', () => {
  const ledger = new MemoryLedger();
  const limiter = new Limiter(ledger);
  const account = newAccount('a');
  const quota = limits({ monthlyQuota: 100 });
  const granted = (nowMs: number) => {
    const { verdict, month, used } = limiter.consume(account, quota, nowMs);
    expect(month).toEqual(monthOf(nowMs));
    expect(used).toBeLessThanOrEqual(100);
    return verdict === 'granted';
  };
  const instants = Array.from({ length: 4000 }, (_, i) => TURN_MS - 2000 + i);
  const before = instants.filter(nowMs => nowMs < TURN_MS && granted(nowMs));
  const after = instants.filter(nowMs => nowMs >= TURN_MS && granted(nowMs));
  expect(before).toEqual(instants.slice(0, 100));
  expect(after).toEqual(instants.slice(2000, 2100));
  writeAll(limiter, ledger);
  expect(ledger.used('a', monthOf(TURN_MS).index)).toBe(100);
});

test('counts not yet written at the end of their month are written to that month', () => {
  const written: [number, number][] = [];
  const ledger = new MemoryLedger();
  const noting: UsageLedger = {
    isShared: false,
    used: (id, month) => ledger.used(id, month),
    record: entries => {
      for (const { month, count } of entries) written.push([month, count]);
      return ledger.record(entries);
    },
  };
  const limiter = new Limiter(noting);
  const account = newAccount('a');
  const month = monthOf(TURN_MS).index;
  for (let i = 0; i < 7; i++) limiter.consume(account, limits({}), TURN_MS - 1);
  for (let i = 0; i < 3; i++) limiter.consume(account, limits({}), TURN_MS);
  limiter.refund(account, month - 1);
  writeAll(limiter, noting);
  expect(written.sort()).toEqual([
    [month - 1, 6],
    [month, 3],
  ]);
});

test('a request beyond the quota costs no rate tokens, and one beyond the rate no quota', () => {
  const limiter = new Limiter(new MemoryLedger());
  const account = newAccount('a');
  const both = limits({ rate: { perSecond: 1, burst: 3 }, monthlyQuota: 2 });
  const verdicts = () => limiter.consume(account, both, TURN_MS).verdict;
  expect([verdicts(), verdicts(), verdicts(), verdicts()]).toEqual(['granted', 'granted', 'quota', 'quota']);
  expect(limiter.consume(account, both, TURN_MS)).toMatchObject({ rateLeft: 1, used: 2 });
  const rate = limits({ rate: { perSecond: 1, burst: 1 }, monthlyQuota: 10 });
  const other = newAccount('b');
  const first = { verdict: 'granted', used: 1, rateLeft: 0, rateWaitMs: 1000 };
  expect(limiter.consume(other, rate, TURN_MS)).toMatchObject(first);
  expect(limiter.consume(other, rate, TURN_MS)).toMatchObject({ verdict: 'rate', used: 1 });
});

test('a refund makes a request of the quota available again', () => {
  const limiter = new Limiter(new MemoryLedger());
  const account = newAccount('a');
  const one = limits({ monthlyQuota: 1 });
  const first = limiter.consume(account, one, TURN_MS);
  expect(limiter.consume(account, one, TURN_MS).verdict).toBe('quota');
  limiter.refund(account, first.month.index);
  expect(limiter.consume(account, one, TURN_MS).verdict).toBe('granted');
});

test('a clock set back to the previous month does not renew its quota', () => {
  const ledger = new MemoryLedger();
  const limiter = new Limiter(ledger);
  const account = newAccount('a');
  const quota = limits({ monthlyQuota: 5 });
  const take = (nowMs: number) => limiter.consume(account, quota, nowMs).verdict;
  for (let i = 0; i < 5; i++) expect(take(TURN_MS - 1)).toBe('granted');
  expect(take(TURN_MS)).toBe('granted');
  expect(take(TURN_MS - 1)).toBe('quota');
  expect(take(TURN_MS)).toBe('granted');
  expect(limiter.consume(account, quota, TURN_MS).used).toBe(3);
});

test('a clock set back does not keep a worker from leasing more of a quota', () => {
  let allowance = 0;
  const ledger: UsageLedger = {
    isShared: true,
    used: () => 0,
    record: entries => entries.map(() => ({ used: 0, allowance })),
  };
  const limiter = new Limiter(ledger);
  const account = newAccount('a');
  const consume = (nowMs: number) => limiter.consume(account, limits({ monthlyQuota: 10 }), nowMs).verdict;
  expect(consume(TURN_MS + 3_600_000)).toBe('quota');
  allowance = 1;
  expect(consume(TURN_MS + 3_600_000 + 249)).toBe('quota'); // before the retry interval has passed
  expect(consume(TURN_MS)).toBe('granted');
});

test('a worker whose ledger cannot be written grants requests up to the last known quota', () => {
  const limiter = new Limiter({ ...FULL, isShared: true });
  const account = newAccount('a');
  const verdicts = Array.from(
    { length: 31 },
    () => limiter.consume(account, limits({ monthlyQuota: 30 }), TURN_MS).verdict,
  );
  expect(verdicts.indexOf('quota')).toBe(30);
});

test('counts of a failed write are written by the next one; none is lost or counted twice', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          account: fc.integer({ min: 0, max: 3 }),
          act: fc.constantFrom('take', 'take', 'take', 'refund', 'write', 'fail', 'turn'),
        }),
        { maxLength: 120 },
      ),
      steps => {
        const totals = new Map<string, number>();
        const ledger: UsageLedger = {
          isShared: false,
          used: (id, month) => totals.get(`${id} ${month}`) ?? 0,
          record: entries =>
            entries.map(({ id, month, count }) => {
              const used = (totals.get(`${id} ${month}`) ?? 0) + count;
              totals.set(`${id} ${month}`, used);
              return { used, allowance: Number.POSITIVE_INFINITY };
            }),
        };
        const limiter = new Limiter(ledger);
        const accounts = ['a', 'b', 'c', 'd'].map(newAccount);
        const expected = new Map<string, number>();
        const add = (account: Account, month: number, count: number) => {
          const key = `${account.tally.id} ${month}`;
          expected.set(key, (expected.get(key) ?? 0) + count);
        };
        let nowMs = TURN_MS - 1;
        for (const { account: index, act } of steps) {
          const account = accounts[index]!;
          const month = monthOf(nowMs).index;
          if (act === 'take') {
            const { used } = limiter.consume(account, limits({}), nowMs);
            add(account, month, 1);
            expect(used).toBe(expected.get(`${account.tally.id} ${month}`)!);
          } else if (act === 'refund') {
            if (account.tally.month !== month) continue;
            limiter.refund(account, month);
            add(account, month, -1);
          } else if (act === 'write') {
            writeAll(limiter, ledger);
          } else if (act === 'fail') {
            const counts = limiter.takePending(2);
            if (counts.length > 0) expect(() => limiter.writeTo(FULL, counts)).toThrow('disk full');
          } else {
            nowMs = monthOf(nowMs).endMs;
          }
        }
        writeAll(limiter, ledger);
        for (const [key, count] of expected) expect(totals.get(key) ?? 0).toBe(count);
        expect(limiter.takePending(1)).toEqual([]);
      },
    ),
  );
});

test('several requests are granted all or none, and refunded together', () => {
  const limiter = new Limiter(new MemoryLedger());
  const account = newAccount('a');
  const both = limits({ rate: { perSecond: 1, burst: 10 }, monthlyQuota: 12 });
  const take = (requests: number) => limiter.consume(account, both, TURN_MS, requests);
  expect(take(11)).toMatchObject({ verdict: 'rate', used: 0, rateLeft: 10, rateWaitMs: 1000 });
  expect(take(13)).toMatchObject({ verdict: 'quota', used: 0, rateLeft: 10 });
  expect(take(8)).toMatchObject({ verdict: 'granted', used: 8, rateLeft: 2 });
  expect(take(4)).toMatchObject({ verdict: 'rate', used: 8, rateLeft: 2, rateWaitMs: 2000 });
  limiter.refund(account, monthOf(TURN_MS).index, 3);
  expect(take(2)).toMatchObject({ verdict: 'granted', used: 7, rateLeft: 0 });
});

test('a month begins and ends as with Date, and is labelled like its ISO date', () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2400, 0) }), epochMs => {
      const date = new Date(epochMs);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      expect(monthOf(epochMs)).toEqual({
        index: year * 12 + month,
        label: date.toISOString().slice(0, 7),
        startMs: Date.UTC(year, month),
        endMs: Date.UTC(year, month + 1),
      });
    }),
  );
});

test('the last millisecond belongs to the old month, the next to the new one', () => {
  const turn = Date.UTC(2027, 0);
  expect(monthOf(turn - 1).label).toBe('2026-12');
  expect(monthOf(turn).label).toBe('2027-01');
  expect(monthOf(turn - 1).endMs).toBe(turn);
  expect(monthAt(monthOf(turn).index).startMs).toBe(turn);
});
