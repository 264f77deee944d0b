import { expect, test } from 'bun:test';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { listWorkDays, WorkDayListing } from '../../src/operations/work_days.ts';
import { fc } from '../support/property.ts';

const calendars = new HolidayCalendars(readHolidayPack());
const FIRST_DAY = Date.UTC(1970, 0, 1) / 864e5;
const LAST_DAY = Date.UTC(2100, 11, 31) / 864e5;

test('the JSON of a listing, written by month, equals that of its days', () => {
  const codes = fc.subarray(['DE', 'CN', 'JP', 'IL', 'SA', 'TW', 'IN', 'US'], { maxLength: 4 });
  const language = fc.constantFrom(null, 'en');
  fc.assert(
    fc.property(codes, language, fc.nat(LAST_DAY), fc.nat(800), (codes, language, day, length) => {
      const range = { firstDay: Math.max(FIRST_DAY, day - length), lastDay: day };
      const used = {
        calendars: codes.map(code => calendars.calendar(code, null)),
        requiresCoverage: false,
      };
      const listing = new WorkDayListing(range, used, language);
      const months = listing.months.map(month => listing.monthJson(month));
      const { days, months: totals, from, to } = listWorkDays(range, used, language);
      expect(`[${months.map(({ days }) => days).join()}]`).toBe(JSON.stringify(days));
      expect(months.map(each => each.totals)).toEqual(totals);
      expect([days.length, days[0]!.date, days.at(-1)!.date]).toEqual([
        range.lastDay - range.firstDay + 1,
        from,
        to,
      ]);
    }),
    { numRuns: 200 },
  );
});
