import { expect, test } from 'bun:test';
import { type Account, Limiter, type Limits, limitsOf, newAccount } from '../../src/access/limiter.ts';
import type { Plan } from '../../src/access/plan.ts';
import { MemoryLedger, monthOf, type UsageLedger } from '../../src/access/usage.ts';
import { fc } from '../support/property.ts';

const ALONE = { index: 0, count: 1 };
const TURN_MS = Date.UTC(2026, 11);

function limits(plan: Partial<Plan>): Limits {
  return limitsOf({ name: 'test', rate: undefined, monthlyQuota: undefined, ...plan }, ALONE);
}

function writeAll(limiter: Limiter, ledger: UsageLedger): void {
  const counts = [...limiter.takeIdle(), ...limiter.takePending(Number.POSITIVE_INFINITY)];
  limiter.reconcile(counts, ledger.record(counts.map(({ entry }) => entry)));
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
  expect(limiter.consume(other, rate, TURN_MS)).toMatchObject({
    verdict: 'granted',
    used: 1,
    rateLeft: 0,
    rateWaitMs: 1000,
  });
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
  const ledger: UsageLedger = {
    isShared: true,
    used: () => 0,
    record: () => {
      throw new Error('disk full');
    },
  };
  const limiter = new Limiter(ledger);
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
            limiter.requeue(limiter.takePending(2));
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
