import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { dayNumberOf, weekdayOf } from '../../src/common/civil.ts';
import { DaySet } from '../../src/common/day_set.ts';
import { ServiceError } from '../../src/common/errors.ts';
import {
  addBusinessDays,
  BusinessDays,
  businessDaysOf,
  type CalendarList,
  countBusinessDays,
  ROLLS,
  type Roll,
} from '../../src/holidays/business_days.ts';
import { expectNoDifferences, runs, sampleNumbers } from '../support/proof.ts';
import { fc } from '../support/property.ts';

const BOUNDS = { firstDay: dayNumberOf(1970, 1, 1), endDay: dayNumberOf(2101, 1, 1) };
const WEEKENDS = [[6, 7], [5, 6], [7], [5], [], [1, 2, 3, 4, 5, 7]];
const dayInBounds = fc.integer({ min: BOUNDS.firstDay, max: BOUNDS.endDay - 1 });
const someDays = fc.array(dayInBounds, { maxLength: 400 });
const weekends = fc.constantFrom<number[][]>([6, 7], [5, 6], [7], [5], [4, 5]);

function calendarOf(
  weekend: readonly number[],
  holidays: readonly number[],
  workdays: readonly number[] = [],
) {
  const rules = { holidays: new DaySet(BOUNDS, holidays), workdays: new DaySet(BOUNDS, workdays) };
  return { businessDays: BusinessDays.of({ ...rules, workWeek: [{ firstDay: 0, weekend }] }) };
}

const hasNumPy = spawnSync('python3', ['-c', 'import numpy']).status === 0;

/** The results of a Python expression over cases `c`, whose weekends and holidays are `rules`. */
function numpy<Result>(
  expression: string,
  cases: readonly { readonly weekend: readonly number[]; readonly holidays: readonly number[] }[],
): Result[] {
  const program = `
import json, sys, numpy
days = lambda numbers: numpy.array(numbers, dtype='datetime64[D]')
def result(c):
    rules = dict(weekmask=[weekday not in c['weekend'] for weekday in range(1, 8)], holidays=days(c['holidays']))
    return ${expression}
print(json.dumps([result(c) for c in json.load(sys.stdin)]))`;
  const { stdout, stderr } = spawnSync('python3', ['-c', program], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
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
      expect(countBusinessDays([calendarOf(weekend, holidays, workdays)], from, until)).toBe(walked);
    }),
    { numRuns: 200 },
  );
});

test('the examples of NumPy’s busday_count hold', () => {
  // https://numpy.org/doc/stable/reference/generated/numpy.busday_count.html
  expect(countBusinessDays([], dayNumberOf(2011, 1, 1), dayNumberOf(2011, 2, 1))).toBe(21);
  expect(countBusinessDays([], dayNumberOf(2011, 1, 1), dayNumberOf(2012, 1, 1))).toBe(260);
  const saturdaysOnly = calendarOf([1, 2, 3, 4, 5, 7], []);
  expect(countBusinessDays([saturdaysOnly], dayNumberOf(2011, 1, 1), dayNumberOf(2012, 1, 1))).toBe(53);
});

test.skipIf(!hasNumPy)('counts equal NumPy’s busday_count (requires python3 with numpy)', () => {
  const cases = fc.sample(
    fc.record({ weekend: weekends, holidays: someDays, from: dayInBounds, until: dayInBounds }),
    200,
  );
  const ordered = cases.map(({ from, until, ...rest }) => ({
    from: Math.min(from, until),
    until: Math.max(from, until),
    ...rest,
  }));
  expect(
    cases.map(({ weekend, holidays, from, until }) =>
      countBusinessDays([calendarOf(weekend, holidays)], from, until),
    ),
  ).toEqual(numpy(`int(abs(numpy.busday_count(days(c['from']), days(c['until']), **rules)))`, ordered));
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
  const calendar = calendarOf([6, 7], []);
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

/** The same sum, or null if it is out of bounds. */
function sumOf(calendars: CalendarList, day: number, count: number, roll: Roll | null): number | null {
  try {
    return addBusinessDays(calendars, day, count, roll);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

const calendars = fc.array(
  fc.tuple(fc.constantFrom(...WEEKENDS), someDays, someDays).map(parts => calendarOf(...parts)),
  { maxLength: 3 },
);

describe('adding business days to a date', () => {
  test('equals counting day by day', () => {
    const count = fc.integer({ min: -900, max: 900 }).filter(count => count !== 0);
    fc.assert(
      fc.property(calendars, dayInBounds, count, (list, from, count) => {
        const step = Math.sign(count);
        const isInBounds = (day: number) => day >= BOUNDS.firstDay && day < BOUNDS.endDay;
        const isWorked = (day: number) =>
          list.length === 0
            ? weekdayOf(day) % 6 !== 0
            : list.every(({ businessDays }) => businessDays.isBusinessDay(day));
        let day = from;
        for (let left = Math.abs(count); left > 0 && (list.length === 0 || isInBounds(day)); ) {
          day += step;
          if (list.length > 0 && !isInBounds(day)) break;
          if (isWorked(day)) left--;
        }
        expect(sumOf(list, from, count, null)).toBe(list.length === 0 || isInBounds(day) ? day : null);
      }),
      { numRuns: 500 },
    );
  });

  test('works for the largest possible count', () => {
    const monday = dayNumberOf(2026, 11, 23);
    expect(addBusinessDays([], monday, 1_000_000, null)).toBe(monday + 1_400_000);
    expect(addBusinessDays([], monday, -1_000_000, null)).toBe(monday - 1_400_000);
    const calendar = calendarOf([6, 7], []);
    for (const count of [1_000_000, -1_000_000, 200_000_000, 34_179]) {
      expect(sumOf([calendar, calendar], monday, count, null)).toBeNull();
    }
  });

  test("is consistent with the calendar's count of business days", () => {
    fc.assert(
      fc.property(calendars, fc.integer({ min: -10, max: 50_000 }), (list, count) => {
        const days = businessDaysOf(list);
        const day = days.dayAt(count);
        if (day === null) return;
        expect([days.isBusinessDay(day), days.countBefore(day)]).toEqual([true, count]);
      }),
    );
  });

  test('ends at the first and the last day of the table', () => {
    const everyDay = [calendarOf([], [])];
    const days = BOUNDS.endDay - BOUNDS.firstDay;
    expect(sumOf(everyDay, BOUNDS.firstDay, days - 1, null)).toBe(BOUNDS.endDay - 1);
    expect(sumOf(everyDay, BOUNDS.firstDay, days, null)).toBeNull();
    expect(sumOf(everyDay, BOUNDS.endDay - 1, 1 - days, null)).toBe(BOUNDS.firstDay);
    expect(sumOf(everyDay, BOUNDS.endDay - 1, -days, null)).toBeNull();
    expect(sumOf([calendarOf([1, 2, 3, 4, 5, 6, 7], [])], 0, 1, 'following')).toBeNull();
  });

  test("reports the calendar's years if the result is outside", () => {
    const calendar = calendarOf([6, 7], []);
    expect(() => addBusinessDays([calendar], 0, -1, null)).toThrow(
      "Cannot add -1 business days with 'holiday_country': holidays are known for 1970 to 2100, and the sum is outside",
    );
    expect(() => addBusinessDays([calendar], -1, 1, null)).toThrow(/known for 1970 to 2100.*1969/);
  });
});

test('the examples of NumPy’s busday_offset hold', () => {
  // https://numpy.org/doc/stable/reference/generated/numpy.busday_offset.html
  const day = (year: number, month: number, day: number) => dayNumberOf(year, month, day);
  expect(addBusinessDays([], day(2011, 10, 1), 0, 'following')).toBe(day(2011, 10, 3));
  expect(addBusinessDays([], day(2012, 2, 29), 0, 'preceding')).toBe(day(2012, 2, 29));
  expect(addBusinessDays([], day(2011, 1, 19), 0, 'preceding')).toBe(day(2011, 1, 19));
  const sundaysOnly = [calendarOf([1, 2, 3, 4, 5, 6], [])];
  expect(addBusinessDays(sundaysOnly, day(2012, 5, 1), 1, 'following')).toBe(day(2012, 5, 13));
  expect(addBusinessDays([], day(2011, 3, 20), 0, 'following')).toBe(day(2011, 3, 21));
  expect(addBusinessDays([], day(2011, 3, 22), 0, 'following')).toBe(day(2011, 3, 22));
  expect(addBusinessDays([], day(2011, 3, 20), 1, 'following')).toBe(day(2011, 3, 22));
  expect(addBusinessDays([], day(2011, 3, 20), 1, 'preceding')).toBe(day(2011, 3, 21));
});

const NUMPY_ROLLS: Record<Roll, string> = {
  following: 'forward',
  preceding: 'backward',
  modified_following: 'modifiedfollowing',
  modified_preceding: 'modifiedpreceding',
};

test.skipIf(!hasNumPy)('sums with a roll equal NumPy’s busday_offset (requires python3 with numpy)', () => {
  const random = sampleNumbers();
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const anyDay = () => between(BOUNDS.firstDay, BOUNDS.endDay - 1);
  const list = <Item>(length: number, make: () => Item) => Array.from({ length }, make);
  // A third of the holidays cluster in one year, which also has the dates.
  const cases = list(runs(60, 600), () => {
    const year = anyDay();
    const nearby = () => Math.min(year + between(0, 400), BOUNDS.endDay - 1);
    return {
      roll: ROLLS[between(0, 3)]!,
      weekend: WEEKENDS[between(0, WEEKENDS.length - 1)]!,
      holidays: [...list(between(0, 200), anyDay), ...list(between(0, 250), nearby)],
      days: [...list(20, nearby), ...list(20, anyDay)],
      counts: [...list(30, () => between(-40, 40)), ...list(10, () => between(-9_000, 9_000))],
    };
  });
  const theirs = numpy<number[]>(
    `numpy.busday_offset(days(c['days']), c['counts'], roll=c['roll'], **rules).astype(int).tolist()`,
    cases.map(each => ({ ...each, roll: NUMPY_ROLLS[each.roll] })),
  );
  const differences = cases.flatMap(({ roll, weekend, holidays, days, counts }, index) => {
    const calendar = calendarOf(weekend, holidays);
    return days.flatMap((day, at) => {
      const ours = sumOf([calendar], day, counts[at]!, roll);
      const expected = theirs[index]![at]!;
      const isInBounds = expected >= BOUNDS.firstDay && expected < BOUNDS.endDay;
      return ours === (isInBounds ? expected : null)
        ? []
        : [`${day} ${counts[at]} ${roll} ${weekend}: ${ours}, not ${expected}`];
    });
  });
  expectNoDifferences('sums of NumPy', cases.length * 40, differences, 20_000);
});
