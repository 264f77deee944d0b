import { expect, test } from 'bun:test';
import { calendarDate } from '../../src/operations/calendar.ts';
import { zoneTarget } from '../../src/operations/target.ts';
import { ENGLISH_NAMES } from '../../src/text/languages.ts';
import { fc } from '../support/property.ts';
import { zoneOf } from '../support/zones.ts';

const ZONES = ['Asia/Tokyo', 'America/New_York', 'Pacific/Apia'].map(name => zoneTarget(zoneOf(name)));
const instants = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: 1_760_000_000_000, max: 1_761_000_000_000 }), // some of the same day
);

test('a date in English is the same from the cache', () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(...ZONES), fc.boolean(), (epochMs, zone, withWeek) => {
      // Names that are given, though English, are not those of the cache.
      const uncached = calendarDate(epochMs, zone, withWeek, ENGLISH_NAMES);
      expect(calendarDate(epochMs, zone, withWeek, null)).toBe(uncached);
      expect(calendarDate(epochMs, zone, withWeek, null)).toBe(uncached);
    }),
  );
});
