import { expect, test } from 'bun:test';
import { monthAt, monthOf } from '../../src/access/usage.ts';
import { fc } from '../support/property.ts';

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
