import { expect, test } from 'bun:test';
import { type Account, openAccount } from '../../src/access/account.ts';
import { type Limits, limitsOf } from '../../src/access/limits.ts';
import { Meter } from '../../src/access/meter.ts';
import { monthOf } from '../../src/access/month.ts';
import type { Plan } from '../../src/access/plan.ts';
import { MemoryLedger, type UsageLedger } from '../../src/access/usage_ledger.ts';
import { fc } from '../property.ts';

const ALONE = { index: 0, count: 1 };
const TURN_MS = Date.UTC(2026, 11);

function limits(plan: Partial<Plan>): Limits {
  return limitsOf({ name: 'test', rate: undefined, monthlyQuota: undefined, ...plan }, ALONE);
}

function writeAll(meter: Meter, ledger: UsageLedger): void {
  const counts = [...meter.drainIdle(), ...meter.drain(Number.POSITIVE_INFINITY)];
  meter.learn(counts, ledger.settle(counts.map(({ entry }) => entry)));
}

test('a monthly quota lets exactly so many requests through, and anew at the first instant of the next month', () => {
  const ledger = new MemoryLedger();
  const meter = new Meter(ledger);
  const account = openAccount('a');
  const quota = limits({ monthlyQuota: 100 });
  const granted = (nowMs: number) => {
    const { verdict, month, used } = meter.take(account, quota, nowMs);
    expect(month).toEqual(monthOf(nowMs));
    expect(used).toBeLessThanOrEqual(100);
    return verdict === 'granted';
  };
  const instants = Array.from({ length: 4000 }, (_, i) => TURN_MS - 2000 + i);
  const before = instants.filter(nowMs => nowMs < TURN_MS && granted(nowMs));
  const after = instants.filter(nowMs => nowMs >= TURN_MS && granted(nowMs));
  expect(before).toEqual(instants.slice(0, 100));
  expect(after).toEqual(instants.slice(2000, 2100));
  writeAll(meter, ledger);
  expect(ledger.used('a', monthOf(TURN_MS).index)).toBe(100);
});

test('counts of the old month that were not yet written at its turn are written to the old month', () => {
  const written: [number, number][] = [];
  const ledger = new MemoryLedger();
  const noting: UsageLedger = {
    shared: false,
    used: (id, month) => ledger.used(id, month),
    settle: entries => {
      for (const { month, count } of entries) written.push([month, count]);
      return ledger.settle(entries);
    },
  };
  const meter = new Meter(noting);
  const account = openAccount('a');
  const month = monthOf(TURN_MS).index;
  for (let i = 0; i < 7; i++) meter.take(account, limits({}), TURN_MS - 1);
  for (let i = 0; i < 3; i++) meter.take(account, limits({}), TURN_MS);
  meter.refund(account, month - 1);
  writeAll(meter, noting);
  expect(written.sort()).toEqual([
    [month - 1, 6],
    [month, 3],
  ]);
});

test('a request beyond the quota takes nothing from the bucket, and one beyond the rate nothing from the quota', () => {
  const meter = new Meter(new MemoryLedger());
  const account = openAccount('a');
  const both = limits({ rate: { perSecond: 1, burst: 3 }, monthlyQuota: 2 });
  const verdicts = () => meter.take(account, both, TURN_MS).verdict;
  expect([verdicts(), verdicts(), verdicts(), verdicts()]).toEqual(['granted', 'granted', 'quota', 'quota']);
  expect(meter.take(account, both, TURN_MS)).toMatchObject({ rateLeft: 1, used: 2 });
  const rate = limits({ rate: { perSecond: 1, burst: 1 }, monthlyQuota: 10 });
  const other = openAccount('b');
  expect(meter.take(other, rate, TURN_MS)).toMatchObject({
    verdict: 'granted',
    used: 1,
    rateLeft: 0,
    rateWaitMs: 1000,
  });
  expect(meter.take(other, rate, TURN_MS)).toMatchObject({ verdict: 'rate', used: 1 });
});

test('a refund frees a request of the quota', () => {
  const meter = new Meter(new MemoryLedger());
  const account = openAccount('a');
  const one = limits({ monthlyQuota: 1 });
  const first = meter.take(account, one, TURN_MS);
  expect(meter.take(account, one, TURN_MS).verdict).toBe('quota');
  meter.refund(account, first.month.index);
  expect(meter.take(account, one, TURN_MS).verdict).toBe('granted');
});

test('a clock that goes back over the turn of the month does not open the quota again', () => {
  const ledger = new MemoryLedger();
  const meter = new Meter(ledger);
  const account = openAccount('a');
  const quota = limits({ monthlyQuota: 5 });
  const take = (nowMs: number) => meter.take(account, quota, nowMs).verdict;
  for (let i = 0; i < 5; i++) expect(take(TURN_MS - 1)).toBe('granted');
  expect(take(TURN_MS)).toBe('granted');
  expect(take(TURN_MS - 1)).toBe('quota');
  expect(take(TURN_MS)).toBe('granted');
  expect(meter.take(account, quota, TURN_MS).used).toBe(3);
});

test('a clock that goes back does not keep a worker from asking for more of a quota', () => {
  let allowance = 0;
  const ledger: UsageLedger = {
    shared: true,
    used: () => 0,
    settle: entries => entries.map(() => ({ used: 0, allowance })),
  };
  const meter = new Meter(ledger);
  const account = openAccount('a');
  const ask = (nowMs: number) => meter.take(account, limits({ monthlyQuota: 10 }), nowMs).verdict;
  expect(ask(TURN_MS + 3_600_000)).toBe('quota');
  allowance = 1;
  expect(ask(TURN_MS + 3_600_000 + 249)).toBe('quota'); // too early to ask again
  expect(ask(TURN_MS)).toBe('granted');
});

test('a worker whose ledger cannot be written serves requests up to the quota that it knows of', () => {
  const ledger: UsageLedger = {
    shared: true,
    used: () => 0,
    settle: () => {
      throw new Error('disk full');
    },
  };
  const meter = new Meter(ledger);
  const account = openAccount('a');
  const verdicts = Array.from(
    { length: 31 },
    () => meter.take(account, limits({ monthlyQuota: 30 }), TURN_MS).verdict,
  );
  expect(verdicts.indexOf('quota')).toBe(30);
});

test('what a failed write leaves behind is written by the next, and nothing is lost or counted twice', () => {
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
          shared: false,
          used: (id, month) => totals.get(`${id} ${month}`) ?? 0,
          settle: entries =>
            entries.map(({ id, month, count }) => {
              const used = (totals.get(`${id} ${month}`) ?? 0) + count;
              totals.set(`${id} ${month}`, used);
              return { used, allowance: Number.POSITIVE_INFINITY };
            }),
        };
        const meter = new Meter(ledger);
        const accounts = ['a', 'b', 'c', 'd'].map(openAccount);
        const expected = new Map<string, number>();
        const add = (account: Account, month: number, count: number) => {
          const key = `${account.id} ${month}`;
          expected.set(key, (expected.get(key) ?? 0) + count);
        };
        let nowMs = TURN_MS - 1;
        for (const { account: index, act } of steps) {
          const account = accounts[index]!;
          const month = monthOf(nowMs).index;
          if (act === 'take') {
            const { used } = meter.take(account, limits({}), nowMs);
            add(account, month, 1);
            expect(used).toBe(expected.get(`${account.id} ${month}`)!);
          } else if (act === 'refund') {
            if (account.month !== month) continue;
            meter.refund(account, month);
            add(account, month, -1);
          } else if (act === 'write') {
            writeAll(meter, ledger);
          } else if (act === 'fail') {
            meter.restore(meter.drain(2));
          } else {
            nowMs = monthOf(nowMs).endMs;
          }
        }
        writeAll(meter, ledger);
        for (const [key, count] of expected) expect(totals.get(key) ?? 0).toBe(count);
        expect(meter.drain(1)).toEqual([]);
      },
    ),
  );
});
