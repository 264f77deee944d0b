import { weekdayOf } from '../../src/common/civil.ts';
import { isOnWeekend } from '../../src/holidays/business_days.ts';
import type { WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { isWithin } from './dates.ts';
import type { Cited, CompensatedHolidays } from './decisions/calendars.ts';
import type { SourceDay } from './source_days.ts';

type Rule = Cited<CompensatedHolidays>;

/** A working day off instead of a holiday, by a rule. */
export interface Compensation {
  readonly rule: Rule;
  readonly day: SourceDay;
}

/**
 * The working days off for holidays on a weekend or on the same day as another, by the first rule that matches the holiday. They
 * are found in date order, so that a later one does not take the day of an earlier one.
 */
export function compensationsFor(
  holidays: readonly SourceDay[],
  rules: readonly Rule[],
  workWeek: readonly WorkWeekPeriod[],
): Compensation[] {
  if (rules.length === 0) return [];
  const isWeekend = (day: number) => isOnWeekend(workWeek, day);
  const byDay = Map.groupBy(holidays, ({ dayNumber }) => dayNumber);
  const taken = new Set(byDay.keys());
  const inOrder = holidays.toSorted((a, b) => a.dayNumber - b.dayNumber);
  return inOrder.flatMap(({ dayNumber, name }): Compensation[] => {
    const isShared = byDay.get(dayNumber)!.some(other => other.name !== name);
    const rule = rules.find(
      ({ when, names, ...years }) =>
        isWithin(dayNumber, years) &&
        (when === 'shared' ? isShared : isWeekend(dayNumber)) &&
        (names.includes(name) || names.length === 0),
    );
    if (rule === undefined) return [];
    const step = stepOf(rule, weekdayOf(dayNumber), !isWeekend(dayNumber - 1));
    let day = dayNumber + step;
    while (taken.has(day) || isWeekend(day)) day += step;
    taken.add(day);
    const shared = { nameEn: null, status: 'estimated', isSubstitute: true, source: rule.source } as const;
    return [{ rule, day: { dayNumber: day, name: name + rule.suffix, ...shared } }];
  });
}

/**
 * The direction in which to search for the working day. `nearest` is before a weekend's first day and after its last; and
 * Taiwan's rule if two holidays share a day: the day before, but after a Thursday, and after a Monday too.
 */
function stepOf({ direction, when }: Rule, weekday: number, isAfterWorkday: boolean): -1 | 1 {
  if (direction === 'next') return 1;
  if (when === 'weekend') return isAfterWorkday ? -1 : 1;
  return weekday === 1 || weekday === 4 ? 1 : -1;
}
