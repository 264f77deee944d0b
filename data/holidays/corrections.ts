import { isOnWeekend } from '../../src/holidays/business_days.ts';
import type { WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { lineageOf } from './codes.ts';
import { compensationsFor } from './compensation.ts';
import { isoDateOf, isWithin } from './dates.ts';
import type {
  BorrowedHoliday,
  Cited,
  CompensatedHolidays,
  CorrectedDates,
  Correction,
  DecidedCalendar,
} from './decisions/calendars.ts';
import { daysOfRule } from './rules/added_rules.ts';
import type { Draft, SourceDay } from './source_days.ts';

/** The holidays that python-holidays has for a country, from which others borrow. */
type HolidaysByCountry = (country: string) => readonly SourceDay[];

/**
 * Applies the corrections of a calendar, after those of the calendars above it; days off for other holidays are added last. Throws
 * an `Error` with the number of a line of the calendar's own that changes nothing, as will happen once the sources include it;
 * in the calendars below it a correction may have no effect.
 */
export function correct(
  code: string,
  draft: Draft,
  decisions: ReadonlyMap<string, DecidedCalendar>,
  workWeek: readonly WorkWeekPeriod[],
  holidaysOf: HolidaysByCountry,
): Draft {
  const rules: Cited<CompensatedHolidays>[] = [];
  let corrected = draft;
  for (const above of lineageOf(code).reverse()) {
    for (const correction of decisions.get(above)?.corrections ?? []) {
      if (correction.kind === 'compensate') {
        rules.push(correction);
        continue;
      }
      const before = corrected;
      corrected = apply(correction, before, holidaysOf);
      if (above === code) requireEffect(correction, before, corrected, workWeek);
    }
  }
  const compensations = compensationsFor(corrected.holidays, rules, workWeek);
  const used = new Set(compensations.map(({ rule }) => rule));
  const own: readonly Correction[] = decisions.get(code)?.corrections ?? [];
  const idle = rules.find(rule => own.includes(rule) && !used.has(rule));
  if (idle !== undefined) throw withoutEffect(idle);
  const daysOff = compensations.map(({ day }) => day);
  return withHolidays(corrected, daysOff);
}

type AppliedAtOnce = Exclude<Correction, { readonly kind: 'compensate' }>;

function apply(correction: AppliedAtOnce, draft: Draft, holidaysOf: HolidaysByCountry): Draft {
  const { holidays, workdays } = draft;
  switch (correction.kind) {
    case 'add rule':
      return withMissing(draft, daysOfRule(correction));
    case 'borrow':
      return withMissing(draft, borrowedDays(correction, holidaysOf(correction.code)));
    case 'drop': {
      const isOther = (day: SourceDay) =>
        day.name !== correction.name || !isWithin(day.dayNumber, correction);
      return { ...draft, holidays: holidays.filter(isOther) };
    }
    case 'remove': {
      const isOther = (day: SourceDay) => !correction.dayNumbers.includes(day.dayNumber);
      return { ...draft, holidays: holidays.filter(isOther) };
    }
    case 'holiday':
      return withHolidays(draft, announcedDays(correction));
    case 'workday':
      return { ...draft, workdays: [...workdays, ...announcedDays(correction)] };
  }
}

function withHolidays(draft: Draft, added: readonly SourceDay[]): Draft {
  return { ...draft, holidays: [...draft.holidays, ...added] };
}

/** The draft with those of the days that it does not have under the same name. */
export function withMissing(draft: Draft, days: readonly SourceDay[]): Draft {
  const present = new Set(draft.holidays.map(({ dayNumber, name }) => `${dayNumber} ${name}`));
  return withHolidays(
    draft,
    days.filter(({ dayNumber, name }) => !present.has(`${dayNumber} ${name}`)),
  );
}

function borrowedDays(
  { holiday, name, source, fault }: Cited<BorrowedHoliday>,
  days: readonly SourceDay[],
): SourceDay[] {
  const borrowed = days.filter(day => day.name === holiday);
  if (borrowed.length === 0) throw fault(`there is no '${holiday}'`);
  return borrowed.map(day => ({ ...day, name, nameEn: holiday, status: 'estimated', source }));
}

function announcedDays({ dayNumbers, name, source }: Cited<CorrectedDates>): SourceDay[] {
  const day = { name, nameEn: null, status: 'announced', isSubstitute: false, source } as const;
  return dayNumbers.map(dayNumber => ({ dayNumber, ...day }));
}

function requireEffect(
  correction: AppliedAtOnce,
  before: Draft,
  after: Draft,
  workWeek: readonly WorkWeekPeriod[],
): void {
  if ('dayNumbers' in correction) {
    const idle = idleDay(correction, before, workWeek);
    if (idle !== undefined) throw withoutEffect(correction, ` for ${isoDateOf(idle)}`);
  } else if (after.holidays.length === before.holidays.length) throw withoutEffect(correction);
}

/** A date that is corrected to what it is: an added holiday or worked day that there is already, or a removed one that there is not. */
function idleDay(
  { kind, dayNumbers }: CorrectedDates,
  { holidays, workdays }: Draft,
  workWeek: readonly WorkWeekPeriod[],
): number | undefined {
  const isHoliday = (day: number) => holidays.some(({ dayNumber }) => dayNumber === day);
  const isWorked = (day: number) => workdays.some(({ dayNumber }) => dayNumber === day);
  switch (kind) {
    case 'remove':
      return dayNumbers.some(isHoliday) ? undefined : dayNumbers[0];
    case 'holiday':
      return dayNumbers.find(isHoliday);
    case 'workday':
      return dayNumbers.find(day => isWorked(day) || !(isHoliday(day) || isOnWeekend(workWeek, day)));
  }
}

function withoutEffect({ fault }: Correction, detail = ''): Error {
  return fault(`this changes nothing${detail}`);
}
