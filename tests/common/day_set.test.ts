import { expect, test } from 'bun:test';
import { DaySet } from '../../src/common/day_set.ts';
import { fc } from '../support/property.ts';

const BOUNDS = { firstDay: -40, endDay: 100 };
const days = fc.array(fc.integer({ min: -200, max: 200 }));

test('a set lists the days within bounds in ascending order', () => {
  fc.assert(
    fc.property(days, days, (added, deleted) => {
      const set = new DaySet(BOUNDS, added).without(new DaySet(BOUNDS, deleted));
      const expected = new Set(added.filter(day => day >= -40 && day < 100 && !deleted.includes(day)));
      expect(set.toArray()).toEqual([...expected].sort((a, b) => a - b));
      for (let day = -200; day <= 200; day++) expect(set.has(day)).toBe(expected.has(day));
    }),
  );
});

test('a union has the days of all its sets', () => {
  fc.assert(
    fc.property(fc.array(days), lists => {
      const union = DaySet.union(lists.map(list => new DaySet(BOUNDS, list)));
      expect(union.toArray()).toEqual(new DaySet(BOUNDS, lists.flat()).toArray());
    }),
  );
});
