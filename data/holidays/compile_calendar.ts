import type Holidays from 'date-holidays';
import { civilDateOf, dayNumberOf, weekdayOf } from '../../src/common/civil.ts';
import type { DayList } from '../../src/holidays/holiday_pack.ts';
import { type LibraryCalendar, openLibraryCalendar, publicDaysOf } from './library.ts';
import type { CompensateCorrection, CorrectedCalendar, Correction } from './parse_corrections.ts';
import { weekendOf } from './weekends.ts';

/** The years that a table is made for, both included. */
export interface Years {
  readonly firstYear: number;
  readonly lastYear: number;
}

interface TableDay {
  readonly dayNumber: number;
  readonly name: string;
  readonly source: string;
}

/** A calendar while corrections are laid over it. */
interface Draft {
  holidays: TableDay[];
  workdays: TableDay[];
}

/**
 * The holidays and worked days of a calendar: what the library says, corrected. Throws an `Error` for a correction of
 * the calendar itself that changes nothing, as it will once the library has learnt it; below the calendar that a
 * correction is written for (a country's, in one of its states) it may well have nothing to do.
 */
export function compileCalendar(
  { path }: LibraryCalendar,
  corrected: readonly CorrectedCalendar[],
  librarySource: string,
  { firstYear, lastYear }: Years,
): DayList[] {
  const code = path.join('-').toUpperCase();
  const relevant = corrected.filter(calendar => `${code}-`.startsWith(`${calendar.code}-`));
  const corrections = relevant.flatMap(calendar =>
    calendar.corrections.map(correction => ({ ...correction, mustMatter: calendar.code === code })),
  );

  const library = openLibraryCalendar(path);
  const sourceOfRule = new Map<string, string>();
  for (const correction of corrections) correctRules(library, correction, sourceOfRule);

  // A year more on both sides: feasts go on into January, and a New Year's Day can be made up for in December.
  const years = Array.from({ length: lastYear - firstYear + 3 }, (_, index) => firstYear - 1 + index);
  const draft: Draft = {
    holidays: years
      .flatMap(year => publicDaysOf(library, year))
      .map(({ dayNumber, name, rule }) => ({
        dayNumber,
        name,
        source: sourceOfRule.get(rule) ?? librarySource,
      })),
    workdays: [],
  };
  const weekend = weekendOf(path[0]);
  const span = { firstYear: firstYear - 1, lastYear: lastYear + 1 };
  for (const correction of corrections) correctDays(draft, correction, weekend, span);
  compensate(draft, corrections.filter(isCompensate), weekend);
  return toLists(draft, { firstYear, lastYear });
}

type Applied = Correction & { readonly mustMatter: boolean };

function correctRules(library: Holidays, correction: Applied, sourceOfRule: Map<string, string>): void {
  if (correction.kind === 'remove rule') {
    if (!library.unsetRule(correction.rule) && correction.mustMatter) throw withoutEffect(correction);
  }
  if (correction.kind === 'add rule') {
    const { rule, name, source } = correction;
    const isSubstitute = /^substitutes | and if /.test(rule);
    if (!library.setHoliday(rule, { name: { en: name }, type: 'public', substitute: isSubstitute })) {
      throw new Error(`corrections.txt:${correction.line}: date-holidays does not understand '${rule}'`);
    }
    sourceOfRule.set(rule, source);
  }
}

function correctDays(draft: Draft, correction: Applied, weekend: readonly number[], span: Years): void {
  if (!('dayNumbers' in correction)) return;
  const days = correction.dayNumbers.filter(day => isWithin(day, span));
  const idle = idleDay(draft, correction.kind, days, weekend);
  if (idle !== undefined && correction.mustMatter) throw withoutEffect(correction, idle);
  if (correction.kind === 'remove') {
    draft.holidays = draft.holidays.filter(day => !days.includes(day.dayNumber));
    return;
  }
  const { name, source } = correction;
  const list = correction.kind === 'holiday' ? draft.holidays : draft.workdays;
  for (const dayNumber of days) list.push({ dayNumber, name, source });
}

/** A day for which a correction changes nothing; of a range that is removed one holiday is enough. */
function idleDay(
  { holidays }: Draft,
  kind: 'holiday' | 'workday' | 'remove',
  days: readonly number[],
  weekend: readonly number[],
): number | undefined {
  const isHoliday = (day: number) => holidays.some(holiday => holiday.dayNumber === day);
  switch (kind) {
    case 'remove':
      return days.some(isHoliday) ? undefined : days[0];
    case 'holiday':
      return days.find(isHoliday);
    case 'workday':
      return days.find(day => !isHoliday(day) && !weekend.includes(isoWeekday(day)));
  }
}

function withoutEffect({ line }: Correction, dayNumber?: number): Error {
  const { year, month, day } = civilDateOf(dayNumber ?? 0);
  const date = dayNumber === undefined ? '' : ` for ${year}-${month}-${day}`;
  return new Error(`corrections.txt:${line}: this changes nothing${date}`);
}

function isCompensate(correction: Applied): correction is Applied & CompensateCorrection {
  return correction.kind === 'compensate';
}

/** Gives a working day off for holidays that fall on a weekend or on one another, in the order of the days. */
function compensate(
  draft: Draft,
  rules: readonly (Correction & CompensateCorrection)[],
  weekend: readonly number[],
): void {
  if (rules.length === 0) return;
  const taken = new Set(draft.holidays.map(day => day.dayNumber));
  const isWeekend = (day: number) => weekend.includes(isoWeekday(day));
  const inOrder = [...draft.holidays].sort((a, b) => a.dayNumber - b.dayNumber);
  for (const { dayNumber, name } of inOrder) {
    const isShared = inOrder.some(other => other.dayNumber === dayNumber && other.name !== name);
    const rule = rules.find(
      ({ when, names, ...years }) =>
        isWithin(dayNumber, years) &&
        (when === 'shared' ? isShared : isWeekend(dayNumber)) &&
        (names.includes(name) || names.length === 0),
    );
    if (rule === undefined) continue;
    const step = stepOf(rule, isoWeekday(dayNumber), !isWeekend(dayNumber - 1));
    let day = dayNumber + step;
    while (taken.has(day) || isWeekend(day)) day += step;
    taken.add(day);
    draft.holidays.push({ dayNumber: day, name: name + rule.suffix, source: rule.source });
  }
}

/**
 * Which way to look for the working day. `nearest` is before a weekend's first day and after its last; and Taiwan's
 * rule where two holidays share a day: the day before, but behind a Thursday, and behind a Monday too.
 */
function stepOf({ direction, when }: CompensateCorrection, weekday: number, isAfterWorkday: boolean): -1 | 1 {
  if (direction === 'next') return 1;
  if (when === 'weekend') return isAfterWorkday ? -1 : 1;
  return weekday === 1 || weekday === 4 ? 1 : -1;
}

function isWithin(dayNumber: number, { firstYear, lastYear }: Years): boolean {
  return dayNumber >= dayNumberOf(firstYear, 1, 1) && dayNumber < dayNumberOf(lastYear + 1, 1, 1);
}

function isoWeekday(dayNumber: number): number {
  return weekdayOf(dayNumber) || 7;
}

/** Gathers the days of each name. */
function toLists({ holidays, workdays }: Draft, years: Years): DayList[] {
  const lists = new Map<string, DayList & { dayNumbers: number[] }>();
  for (const [days, isWorkday] of [[holidays, false] as const, [workdays, true] as const]) {
    for (const { dayNumber, name, source } of days) {
      if (!isWithin(dayNumber, years)) continue;
      const key = JSON.stringify([isWorkday, source, name]);
      const list = lists.get(key) ?? { name, source, isWorkday, dayNumbers: [] };
      lists.set(key, list);
      if (!list.dayNumbers.includes(dayNumber)) list.dayNumbers.push(dayNumber);
    }
  }
  return [...lists.values()].map(list => ({ ...list, dayNumbers: list.dayNumbers.sort((a, b) => a - b) }));
}
