import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { differenceInBusinessDays } from 'date-fns';
import fc from 'fast-check';
import { dayNumberOf, weekdayOf } from '../../src/common/civil.ts';
import { DaySet } from '../../src/common/day_set.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { BusinessDays, countBusinessDays } from '../../src/holidays/business_days.ts';
import type { HolidayCalendar } from '../../src/holidays/holiday_calendar.ts';
import { isoDate } from './iso_date.ts';

const BOUNDS = { firstDay: dayNumberOf(1970, 1, 1), endDay: dayNumberOf(2101, 1, 1) };
const dayInBounds = fc.integer({ min: BOUNDS.firstDay, max: BOUNDS.endDay - 1 });
const someDays = fc.array(dayInBounds, { maxLength: 400 });
const weekends = fc.constantFrom<number[][]>([6, 7], [5, 6], [7], [5], [4, 5]);

type Rules = Readonly<Record<'weekend' | 'holidays' | 'workdays', readonly number[]>>;

function calendarOf({ weekend, holidays, workdays }: Rules): Pick<HolidayCalendar, 'businessDays'> {
  const rules = { holidays: new DaySet(BOUNDS, holidays), workdays: new DaySet(BOUNDS, workdays) };
  return { businessDays: BusinessDays.of({ ...rules, workWeek: [{ firstDay: 0, weekend }] }) };
}

test('a count without a calendar equals a day-by-day count', () => {
  const anyDay = fc.integer({ min: -400_000, max: 400_000 });
  fc.assert(
    fc.property(anyDay, fc.integer({ min: -1500, max: 1500 }), (from, span) => {
      const [first, end] = [Math.min(from, from + span), Math.max(from, from + span)];
      let walked = 0;
      for (let day = first; day < end; day++) if (weekdayOf(day) % 6 !== 0) walked++;
      expect(countBusinessDays([], from, from + span)).toBe(walked);
    }),
    { numRuns: 2_000 },
  );
});

test('a count with a calendar equals a day-by-day count, up to its limits', () => {
  const spans = fc.oneof(
    fc.tuple(dayInBounds, dayInBounds),
    fc.constantFrom(
      [BOUNDS.firstDay, BOUNDS.endDay - 1] as const,
      [BOUNDS.endDay - 1, BOUNDS.firstDay] as const,
    ),
  );
  fc.assert(
    fc.property(weekends, someDays, someDays, spans, (weekend, holidays, workdays, [from, until]) => {
      const isWorkday = new Set(workdays);
      const isHoliday = new Set(holidays);
      let walked = 0;
      for (let day = Math.min(from, until); day < Math.max(from, until); day++) {
        const isOff = isHoliday.has(day) || weekend.includes(weekdayOf(day) || 7);
        if (isWorkday.has(day) || !isOff) walked++;
      }
      expect(countBusinessDays([calendarOf({ weekend, holidays, workdays })], from, until)).toBe(walked);
    }),
    { numRuns: 200 },
  );
});

test('a count without a calendar equals date-fns’s differenceInBusinessDays', () => {
  fc.assert(
    fc.property(dayInBounds, fc.nat({ max: 2_000 }), (from, span) => {
      const localDate = (day: number) => new Date(`${isoDate(day)}T00:00:00`);
      const [earlier, later] = [localDate(from), localDate(from + span)];
      fc.pre(Math.round((later.getTime() - earlier.getTime()) / 86_400_000) === span); // Apia had no 2011-12-30
      expect(countBusinessDays([], from, from + span)).toBe(differenceInBusinessDays(later, earlier));
    }),
    { numRuns: 500 },
  );
});

test('the examples of NumPy’s busday_count hold', () => {
  // https://numpy.org/doc/stable/reference/generated/numpy.busday_count.html
  expect(countBusinessDays([], dayNumberOf(2011, 1, 1), dayNumberOf(2011, 2, 1))).toBe(21);
  expect(countBusinessDays([], dayNumberOf(2011, 1, 1), dayNumberOf(2012, 1, 1))).toBe(260);
  const saturdaysOnly = calendarOf({ weekend: [1, 2, 3, 4, 5, 7], holidays: [], workdays: [] });
  expect(countBusinessDays([saturdaysOnly], dayNumberOf(2011, 1, 1), dayNumberOf(2012, 1, 1))).toBe(53);
});

const hasNumPy = spawnSync('python3', ['-c', 'import numpy']).status === 0;

test.skipIf(!hasNumPy)('counts equal NumPy’s busday_count (requires python3 with numpy)', () => {
  const cases = fc.sample(
    fc.record({ weekend: weekends, holidays: someDays, from: dayInBounds, until: dayInBounds }),
    200,
  );
  const PROGRAM = `
import json, sys, numpy
days = lambda numbers: numpy.array(numbers, dtype='datetime64[D]')
print(json.dumps([int(abs(numpy.busday_count(
    days(c['from']), days(c['until']),
    weekmask=[weekday not in c['weekend'] for weekday in range(1, 8)],
    holidays=days(c['holidays'])))) for c in json.load(sys.stdin)]))`;
  const ordered = cases.map(({ from, until, ...rest }) => ({
    from: Math.min(from, until),
    until: Math.max(from, until),
    ...rest,
  }));
  const numpy = spawnSync('python3', ['-c', PROGRAM], { input: JSON.stringify(ordered), encoding: 'utf8' });
  expect(numpy.stderr).toBe('');
  expect(
    cases.map(({ weekend, holidays, from, until }) =>
      countBusinessDays([calendarOf({ weekend, holidays, workdays: [] })], from, until),
    ),
  ).toEqual(JSON.parse(numpy.stdout));
});

test('a changing work week counts each day by its own weekend', () => {
  // The Emirates: Friday and Saturday until 2021, Saturday and Sunday from 2022.
  const businessDays = BusinessDays.of({
    workWeek: [
      { firstDay: 0, weekend: [5, 6] },
      { firstDay: dayNumberOf(2022, 1, 1), weekend: [6, 7] },
    ],
    holidays: new DaySet(BOUNDS),
    workdays: new DaySet(BOUNDS),
  });
  const isWorked = (year: number, month: number, day: number) =>
    countBusinessDays(
      [{ businessDays }],
      dayNumberOf(year, month, day),
      dayNumberOf(year, month, day + 1),
    ) === 1;
  expect([isWorked(2021, 12, 31), isWorked(2022, 1, 1), isWorked(2022, 1, 2), isWorked(2022, 1, 7)]).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(isWorked(2021, 12, 26)).toBe(true);
});

test('a day to itself has no business days, Monday to Wednesday two', () => {
  const monday = dayNumberOf(2026, 11, 23);
  expect(countBusinessDays([], monday, monday)).toBe(0);
  expect(countBusinessDays([], monday, monday + 2)).toBe(2);
  expect(countBusinessDays([], monday + 2, monday)).toBe(2);
});

test('a day outside the calendar’s years is rejected with the bounds', () => {
  const calendar = calendarOf({ weekend: [6, 7], holidays: [], workdays: [] });
  for (const [from, until] of [
    [BOUNDS.firstDay - 1, BOUNDS.firstDay],
    [BOUNDS.firstDay, BOUNDS.endDay],
    [BOUNDS.endDay, BOUNDS.endDay],
  ] as const) {
    expect(() => countBusinessDays([calendar], from, until)).toThrow(ServiceError);
    expect(() => countBusinessDays([calendar], from, until)).toThrow(/known for 1970 to 2100/);
    expect(() => countBusinessDays([calendar], until, from)).toThrow(/known for 1970 to 2100/);
  }
});
