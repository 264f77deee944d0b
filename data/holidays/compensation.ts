import { isOnWeekend } from '../../src/holidays/business_days.ts';
import type { WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { isWithin } from './dates.ts';
import type { Cited, CompensatedHolidays } from './decisions/calendars.ts';
import type { SourceDay } from './source_days.ts';

type Rule = Cited<CompensatedHolidays>;

/** A working day off for a holiday, by a rule. */
export interface Compensation {
  readonly rule: Rule;
  readonly day: SourceDay;
}

/**
 * The working days off for holidays on the same day as another, by the first rule that matches the holiday. They are found in
 * date order, so that a later one does not take the day of an earlier one.
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
    if (byDay.get(dayNumber)!.every(other => other.name === name)) return [];
    const rule = rules.find(({ names, ...years }) => isWithin(dayNumber, years) && names.includes(name));
    if (rule === undefined) return [];
    let day = dayNumber + 1;
    while (taken.has(day) || isWeekend(day)) day++;
    taken.add(day);
    const shared = { nameEn: null, status: 'estimated', isSubstitute: true, source: rule.source } as const;
    return [{ rule, day: { dayNumber: day, name: name + rule.suffix, ...shared } }];
  });
}
