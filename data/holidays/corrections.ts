import Holidays from 'date-holidays';
import { data } from 'date-holidays/data';
import { weekdayOf } from '../../src/common/civil.ts';
import { isOnWeekend } from '../../src/holidays/business_days.ts';
import type { DayStatus, WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { isoDateOf, isWithin, lineageOf, TABLE_YEARS, yearsIn } from './dates.ts';
import { CHINESE_UTC_OFFSET, dayOfLongitude, lunisolarDay, WINTER_SOLSTICE } from './rules/lunisolar.ts';
import { publicDaysOf } from './sources/library_days.ts';
import type { Correction, DecidedCalendar, Draft, SourceDay } from './types.ts';

/** The corrections of some kinds. */
type Of<Kind extends Correction['kind']> = Correction & { readonly kind: Kind };
type CorrectedDates = Of<'holiday' | 'workday' | 'remove'>;

/**
 * Applies corrections to a calendar. Throws an `Error` for one of the calendar's own that changes nothing, as will happen
 * once the sources include it; in the calendars below it a correction may have no effect.
 */
export function correct(
  code: string,
  draft: Draft,
  decisions: readonly DecidedCalendar[],
  workWeek: readonly WorkWeekPeriod[],
  holidaysOf: (code: string) => readonly SourceDay[] = () => [],
): Draft {
  const days = { holidays: [...draft.holidays], workdays: [...draft.workdays] };
  const compensations: Of<'compensate'>[] = [];
  for (const calendar of decisions.filter(other => lineageOf(code).includes(other.code))) {
    const mustMatter = calendar.code === code;
    for (const correction of calendar.corrections) {
      switch (correction.kind) {
        case 'compensate':
          compensations.push(correction);
          break;
        case 'borrow':
          days.holidays.push(...borrowedDays(correction, holidaysOf(correction.code)));
          break;
        case 'add rule': {
          const added = daysOfRule(correction).filter(day => !hasDay(days.holidays, day));
          if (mustMatter && added.length === 0) throw withoutEffect(correction);
          days.holidays.push(...added);
          break;
        }
        case 'drop': {
          const isDropped = (day: SourceDay) =>
            day.name === correction.name && isWithin(day.dayNumber, correction);
          if (mustMatter && !days.holidays.some(isDropped)) throw withoutEffect(correction);
          days.holidays = days.holidays.filter(day => !isDropped(day));
          break;
        }
        default:
          if (mustMatter) requireEffect(correction, days.holidays, workWeek);
          correctDates(days, correction);
      }
    }
  }
  const used = new Set<Of<'compensate'>>();
  days.holidays.push(...substitutes(days.holidays, compensations, workWeek, used));
  const own = decisions.find(calendar => calendar.code === code)?.corrections ?? [];
  const idle = compensations.find(rule => own.includes(rule) && !used.has(rule));
  if (idle !== undefined) throw withoutEffect(idle);
  return { ...draft, ...days };
}

function borrowedDays(
  { holiday, name, source, fault }: Of<'borrow'>,
  days: readonly SourceDay[],
): SourceDay[] {
  const borrowed = days.filter(day => day.name === holiday);
  if (borrowed.length === 0) throw fault(`there is no '${holiday}'`);
  return borrowed.map(day => ({ ...day, name, nameEn: holiday, status: 'estimated', source }));
}

function hasDay(days: readonly SourceDay[], { dayNumber, name }: SourceDay): boolean {
  return days.some(day => day.dayNumber === dayNumber && day.name === name);
}

function correctDates(
  days: { holidays: SourceDay[]; workdays: SourceDay[] },
  { dayNumbers, kind, name, source }: CorrectedDates,
): void {
  if (kind === 'remove') {
    days.holidays = days.holidays.filter(day => !dayNumbers.includes(day.dayNumber));
    return;
  }
  const list = kind === 'holiday' ? days.holidays : days.workdays;
  list.push(...dayNumbers.map(dayNumber => newDay(dayNumber, name, 'announced', false, source)));
}

function newDay(dayNumber: number, name: string, status: DayStatus, isSubstitute: boolean, source: string) {
  return { dayNumber, name, nameEn: null, status, isSubstitute, source };
}

/** A day off that is added must be worked, one that is removed off, and a worked day a holiday or on a weekend. */
function requireEffect(
  correction: CorrectedDates,
  holidays: readonly SourceDay[],
  workWeek: readonly WorkWeekPeriod[],
): void {
  const { dayNumbers, kind } = correction;
  const isHoliday = (day: number) => holidays.some(holiday => holiday.dayNumber === day);
  const idle = {
    remove: () => (dayNumbers.some(isHoliday) ? undefined : dayNumbers[0]),
    holiday: () => dayNumbers.find(isHoliday),
    workday: () => dayNumbers.find(day => !isHoliday(day) && !isOnWeekend(workWeek, day)),
  }[kind]();
  if (idle !== undefined) throw withoutEffect(correction, ` for ${isoDateOf(idle)}`);
}

function withoutEffect({ fault }: Correction, detail = ''): Error {
  return fault(`this changes nothing${detail}`);
}

/** The days of a rule in all years, cached since a lunar rule takes seconds and applies to all calendars of a country. */
function daysOfRule(correction: Of<'add rule'>): readonly SourceDay[] {
  const days = DAYS_OF_RULES.get(correction) ?? computeRule(correction);
  DAYS_OF_RULES.set(correction, days);
  return days;
}

const DAYS_OF_RULES = new WeakMap<Of<'add rule'>, readonly SourceDay[]>();

function computeRule({ rule, name, source, fault }: Of<'add rule'>): SourceDay[] {
  const isSubstitute = rule.startsWith('substitutes ');
  const dayNumbers = chineseDays(rule) ?? libraryDays(rule, name, isSubstitute);
  if (dayNumbers === null) throw fault(`date-holidays does not understand '${rule}'`);
  return dayNumbers.map(dayNumber => newDay(dayNumber, name, 'statutory', isSubstitute, source));
}

const YEARS_OF_TABLE = yearsIn(TABLE_YEARS);

function libraryDays(rule: string, name: string, isSubstitute: boolean): number[] | null {
  const library = new Holidays('XX', { data: EMPTY_PLACE, timezone: 'UTC' } as object);
  const isUnderstood = library.setHoliday(rule, {
    name: { en: name },
    type: 'public',
    substitute: isSubstitute,
  });
  if (!isUnderstood) return null;
  return YEARS_OF_TABLE.flatMap(year => publicDaysOf(library, year).map(({ dayNumber }) => dayNumber));
}

/**
 * The days of a rule of the Chinese calendar (`05-0-05`, or `22-01 solarterm` for the winter solstice), for which date-holidays
 * takes a tenth of a second a year and is wrong before some leap months; null for other rules.
 */
function chineseDays(rule: string): number[] | null {
  const [, term, month, day, first, end = '9999'] =
    /^chinese (?:(22-01 solarterm)|(\d\d)-0-(\d\d)) since (\d{4})(?: and prior to (\d{4}))?$/.exec(rule) ??
    [];
  if (first === undefined) return null;
  const years = YEARS_OF_TABLE.filter(year => year >= Number(first) && year < Number(end));
  return years.map(year =>
    term === undefined
      ? lunisolarDay(year, Number(month), Number(day), CHINESE_UTC_OFFSET)
      : dayOfLongitude(WINTER_SOLSTICE, year, 12, CHINESE_UTC_OFFSET),
  );
}

/** A place without holidays of its own, used to compute rules. */
const EMPTY_PLACE = {
  ...data,
  holidays: { XX: { names: { en: 'Nowhere' }, langs: ['en'], zones: ['UTC'], days: {} } },
};

/** The working days off for holidays on a weekend or on the same day as another, found in date order; notes the rules `used`. */
function substitutes(
  holidays: readonly SourceDay[],
  rules: readonly Of<'compensate'>[],
  workWeek: readonly WorkWeekPeriod[],
  used: Set<Of<'compensate'>>,
): SourceDay[] {
  if (rules.length === 0) return [];
  const taken = new Set(holidays.map(day => day.dayNumber));
  const isOff = (day: number) => isOnWeekend(workWeek, day);
  const inOrder = holidays.toSorted((a, b) => a.dayNumber - b.dayNumber);
  return inOrder.flatMap(({ dayNumber, name }): SourceDay[] => {
    const isShared = inOrder.some(other => other.dayNumber === dayNumber && other.name !== name);
    const rule = rules.find(
      ({ when, names, ...years }) =>
        isWithin(dayNumber, years) &&
        (when === 'shared' ? isShared : isOff(dayNumber)) &&
        (names.includes(name) || names.length === 0),
    );
    if (rule === undefined) return [];
    used.add(rule);
    const step = stepOf(rule, weekdayOf(dayNumber), !isOff(dayNumber - 1));
    let day = dayNumber + step;
    while (taken.has(day) || isOff(day)) day += step;
    taken.add(day);
    return [newDay(day, name + rule.suffix, 'estimated', true, rule.source)];
  });
}

/**
 * The direction in which to search for the working day. `nearest` is before a weekend's first day and after its last; and
 * Taiwan's rule if two holidays share a day: the day before, but after a Thursday, and after a Monday too.
 */
function stepOf({ direction, when }: Of<'compensate'>, weekday: number, isAfterWorkday: boolean): -1 | 1 {
  if (direction === 'next') return 1;
  if (when === 'weekend') return isAfterWorkday ? -1 : 1;
  return weekday === 1 || weekday === 4 ? 1 : -1;
}
