import { expect, test } from 'bun:test';
import { dayNumberOf, weekdayOf } from '../../../src/common/civil.ts';
import { countBusinessDays } from '../../../src/holidays/business_days.ts';
import type { HolidayCalendar } from '../../../src/holidays/holiday_calendar.ts';
import { fc } from '../../support/property.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

/** Friday weekends, changed weekends, worked weekends, countries without a common calendar, and joint ones of two countries. */
const CALENDARS = [
  ...['US', 'DE-BY', 'JP', 'CN', 'TW', 'HU', 'SA', 'AE', 'BN', 'IR', 'NP', 'EG', 'MY-01'].map(code => [code]),
  ...[['GB'], ['ES'], ['MY'], ['US', 'GB-ENG'], ['AE', 'CN', 'DE'], ['IL', 'US'], ['BD', 'IN', 'JP', 'CH']],
];
const RANGES_EACH = 500;
const BOUNDS = { firstDay: dayNumberOf(1970, 1, 1), endDay: dayNumberOf(2101, 1, 1) };
const YEARS = Array.from({ length: 131 }, (_, index) => 1970 + index);

function calendarOf(code: string): HolidayCalendar {
  const [country, ...part] = code.split('-');
  return embeddedCalendars.calendar(country!, part.join('-') || null);
}

/** All days off in a calendar, from its listing: weekends and holidays, minus worked days. */
function daysOff({ workWeek, holidaysOf, workdaysOf }: HolidayCalendar): Set<number> {
  const off = new Set(YEARS.flatMap(year => holidaysOf(year).map(day => day.dayNumber)));
  for (let day = BOUNDS.firstDay; day < BOUNDS.endDay; day++) {
    const { weekend } = workWeek.findLast(({ firstDay }) => firstDay <= day)!;
    if (weekend.includes(weekdayOf(day) || 7)) off.add(day);
  }
  for (const year of YEARS) for (const { dayNumber } of workdaysOf(year)) off.delete(dayNumber);
  return off;
}

const day = fc.integer({ min: BOUNDS.firstDay, max: BOUNDS.endDay - 1 });
const cases = CALENDARS.map(codes => {
  const calendars = codes.map(calendarOf);
  const ranges = fc
    .sample(fc.tuple(day, day), RANGES_EACH)
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return {
    codes,
    off: calendars.map(daysOff).reduce((all, days) => all.union(days)),
    ranges,
    counts: ranges.map(([from, until]) => countBusinessDays(calendars, from, until)),
  };
});

test('10,000 counts over single and joined calendars equal day-by-day counts', () => {
  for (const { codes, off, ranges, counts } of cases) {
    const before = new Uint32Array(BOUNDS.endDay + 1);
    for (let date = BOUNDS.firstDay; date < BOUNDS.endDay; date++) {
      before[date + 1] = before[date]! + (off.has(date) ? 0 : 1);
    }
    const walked = ranges.map(([from, until]) => before[until]! - before[from]!);
    expect({ codes, counts }).toEqual({ codes, counts: walked });
  }
  expect(cases.reduce((sum, { ranges }) => sum + ranges.length, 0)).toBe(10_000);
});
