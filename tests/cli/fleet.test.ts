import { expect, test } from 'bun:test';
import { disagreements, type Machine } from '../../src/cli/commands/fleet.ts';

const PRESENT = { api_keys: '7', plans: '3' };

function machine(name: string, changes: Partial<Machine> = {}): Machine {
  return {
    machine: name,
    host: 'host',
    version: '1.0.0 (abc)',
    pid: 1,
    started: '2026-11-23T00:00:00.000Z',
    workers: 1,
    data: { tzdata: '2026f', holidays: 'h' },
    ...PRESENT,
    signs_with: `ed25519-${name}`,
    public_keys: 'all',
    clock_ahead_ms: 3,
    ...changes,
  };
}

test('machines agree if they have their own keys, and clocks less than a second apart', () => {
  expect(disagreements([], PRESENT)).toEqual([]);
  const skewed = machine('b', { clock_ahead_ms: -1000, pid: 2, workers: 4, host: 'other' });
  expect(disagreements([machine('a'), skewed], PRESENT)).toEqual([]);
});

test.each([
  [{ version: '1.0.1 (def)' }, 'version', ['1.0.0 (abc)', '1.0.1 (def)']],
  [{ data: { tzdata: '2026e', holidays: 'h' } }, 'tzdata', ['2026f', '2026e']],
  [{ data: { tzdata: '2026f', holidays: 'h', 'ip file': 'd' } }, 'ip file', ['none', 'd']],
  [{ public_keys: 'some' }, 'public keys', ['all', 'some']],
] as const)('%p differs from the other machine', (changes, what, values) => {
  expect(disagreements([machine('a'), machine('b', changes)], PRESENT)).toEqual([
    {
      what,
      values: [
        { value: values[0], machines: ['host/a'] },
        { value: values[1], machines: ['host/b'] },
      ],
    },
  ]);
});

test.each([
  [{ api_keys: '6' }, 'API keys', 'of 6'],
  [{ plans: '' }, 'plans', 'of never'],
  [{ clock_ahead_ms: 60_000 }, 'clock', '60.0 s ahead'],
  [{ clock_ahead_ms: -1001 }, 'clock', '1.0 s behind'],
] as const)('%p differs from Redis, on a single machine too', (changes, what, value) => {
  expect(disagreements([machine('a', changes)], PRESENT)).toEqual([
    { what, values: [{ value, machines: ['host/a'] }] },
  ]);
});
