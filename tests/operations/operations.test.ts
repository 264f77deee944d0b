import { expect, test } from 'bun:test';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { clockConfig } from '../../src/operations/clock.ts';
import { calendarDate, type DstStatus, dstStatus } from '../../src/operations/local_times.ts';
import { NO_TARGET, offsetTarget, type Target, zoneTarget } from '../../src/operations/target.ts';
import { listWorkDays, WorkDayListing } from '../../src/operations/work.ts';
import { ENGLISH_NAMES } from '../../src/text/languages.ts';
import { momentAt } from '../../src/text/time_payload.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { readTzif } from '../../src/zones/tzif.ts';
import { Zone } from '../../src/zones/zone.ts';
import { fc } from '../support/property.ts';
import { tzifFile, zoneOf } from '../support/zones.ts';

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

/** The next change of a clock in a place, drawn at an instant. */
function transitionAt(epochMs: number, target: Target) {
  const request = {
    style: 'analog-station',
    target,
    selector: { kind: 'none' },
    format: null,
    isPinned: false,
    publicUrl: '',
  } as const;
  return clockConfig(request, momentAt(epochMs, target)).transition;
}

/** A zone with only a yearly rule. */
function ruledBy(footer: string): Target {
  const load = () => new Timeline(readTzif(tzifFile({ version: 2, footer })));
  return zoneTarget(new Zone('Test/Rule', 'Test/Rule', [], load));
}

test('a clock knows the next change of its offset or abbreviation', () => {
  expect(transitionAt(Date.UTC(2026, 5), zoneTarget(zoneOf('Europe/Paris')))).toEqual({
    unix_ms: Date.UTC(2026, 9, 25, 1),
    offset_minutes: 60,
    offset_seconds: 3600,
    abbreviation: 'CET',
  });
});

test('changes of only the DST flag are skipped, and a rule with no others ends the search', () => {
  expect(transitionAt(0, ruledBy('AAA0AAA0,M3.2.0,M11.1.0'))).toBeNull();
  expect(transitionAt(0, ruledBy('AAA0BBB0,M3.2.0,M11.1.0'))).toMatchObject({ abbreviation: 'BBB' });
});

test('a change beyond the range of times is ignored', () => {
  expect(transitionAt(8.64e15, zoneTarget(zoneOf('Europe/Paris')))).toBeNull();
});

const PARIS = zoneTarget(zoneOf('Europe/Paris'));

function statusAt(epochMs: number, target: Target, withNext: boolean): DstStatus {
  return JSON.parse(dstStatus(epochMs, target, withNext));
}

/** The next change after an instant, as in responses. */
function nextAt(iso: string): string | null | undefined {
  return statusAt(Date.parse(iso), PARIS, true).next_transition;
}

test('the next change is returned until its very second, and the following one from then on', () => {
  expect(nextAt('2026-06-01T00:00:00Z')).toBe('2026-10-25T03:00:00+02:00');
  expect(nextAt('2026-10-25T00:59:59.999Z')).toBe('2026-10-25T03:00:00+02:00');
  expect(nextAt('2026-10-25T01:00:00Z')).toBe('2027-03-28T02:00:00+01:00');
  expect(nextAt('2026-06-01T00:00:00Z')).toBe('2026-10-25T03:00:00+02:00'); // a clock set back
});

test('a change beyond the range of times is ignored', () => {
  const atTheEnd = { next_transition: null };
  expect(statusAt(8.64e15, PARIS, true)).toMatchObject(atTheEnd);
  expect(nextAt('+275760-09-12T00:00:00Z')).toBeNull();
  expect(nextAt('+275760-01-01T00:00:00Z')).toBe('+275760-03-30T02:00:00+01:00');
});

test('there is no change without a zone, and none is returned unless requested', () => {
  expect(statusAt(0, NO_TARGET, true)).toEqual({ dst_active: false, next_transition: null });
  expect(statusAt(Date.UTC(2026, 6), PARIS, false)).toEqual({ dst_active: true });
});

test('targets of offsets are cached, except for those with seconds, which would be too many', () => {
  expect(offsetTarget(19_800)).toBe(offsetTarget(19_800));
  expect(offsetTarget(19_801)).not.toBe(offsetTarget(19_801));
  expect(offsetTarget(19_801).zoneText).toBe('UTC+05:30:01');
});

const calendars = new HolidayCalendars(readHolidayPack());
const FIRST_DAY = Date.UTC(1970, 0, 1) / 864e5;
const LAST_DAY = Date.UTC(2100, 11, 31) / 864e5;

test('a listing by month has each day of its range once', () => {
  const codes = fc.subarray(['DE', 'CN', 'JP', 'IL', 'SA', 'TW', 'IN', 'US'], { maxLength: 4 });
  const language = fc.constantFrom(null, 'en');
  fc.assert(
    fc.property(codes, language, fc.nat(LAST_DAY), fc.nat(800), (codes, language, day, length) => {
      const range = { firstDay: Math.max(FIRST_DAY, day - length), lastDay: day };
      const used = { calendars: codes.map(code => calendars.calendar(code, null)), requiresCoverage: false };
      const listing = new WorkDayListing(range, used, language);
      const months = listing.months.map(month => listing.month(month));
      const { days, months: totals, from, to } = listWorkDays(range, used, language);
      expect(months.flatMap(month => month.days)).toEqual(days);
      expect(months.map(month => month.totals)).toEqual(totals);
      expect([days.length, days[0]!.date, days.at(-1)!.date]).toEqual([
        range.lastDay - range.firstDay + 1,
        from,
        to,
      ]);
    }),
    { numRuns: 200 },
  );
});
