import Holidays from 'date-holidays';
import { data } from 'date-holidays/data';
import { dayNumberOf, weekdayOf } from '../../src/common/civil.ts';
import type { Coverage, DayList, WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { publicDaysOf, TABLE_YEARS } from './date_holidays.ts';
import type { CompensateCorrection, Correction, DecidedCalendar, Years } from './decisions.ts';
import { carryHinduDaysOn } from './hindu_days.ts';
import { carryIslamicDaysOn, LAST_ISLAMIC_TABLE_YEAR } from './islamic_days.ts';
import type { Review } from './reviews.ts';
import type { SourceCalendar, SourceDay } from './source_calendar.ts';
import { isWeekend } from './work_weeks.ts';

/** The input of a calendar's compilation. */
export interface CalendarSources {
  readonly code: string;
  readonly pythonHolidays: SourceCalendar | undefined;
  readonly dateHolidays: SourceCalendar | undefined;
  /** The parent calendar, already compiled without corrections, and the days date-holidays has for it. */
  readonly parent: { readonly draft: Draft; readonly dateHolidays: SourceCalendar | undefined } | undefined;
}

/** A calendar during compilation. */
export interface Draft {
  readonly holidays: readonly SourceDay[];
  readonly workdays: readonly SourceDay[];
  /** The years in which its rules are complete according to the sources. */
  readonly years: Years;
}

/** The days of a calendar before our corrections: from the leading source, or from the parent calendar. */
export function draftOf(sources: CalendarSources, decision: DecidedCalendar | undefined): Draft {
  const { code, pythonHolidays, dateHolidays, parent } = sources;
  if (pythonHolidays === undefined && parent !== undefined) {
    return withDifferences(parent.draft, dateHolidays!, parent.dateHolidays);
  }
  if (pythonHolidays === undefined) return draftOfDateHolidays(dateHolidays!);
  const islamic = carryIslamicDaysOn(carryHinduDaysOn(code, pythonHolidays.holidays));
  const library = (dateHolidays ?? parent?.dateHolidays)?.holidays ?? [];
  const years = {
    firstYear: Math.max(pythonHolidays.firstYear, TABLE_YEARS.firstYear),
    lastYear: Math.min(islamic.lastYear, pythonHolidays.lastYear),
  };
  const isOfLibrary = (day: SourceDay) =>
    decision?.fromDateHolidays !== undefined && isWithin(day.dayNumber, decision.fromDateHolidays);
  const isOfPython = ({ dayNumber }: SourceDay) =>
    isWithin(dayNumber, { firstYear: years.firstYear, lastYear: TABLE_YEARS.lastYear + 1 });
  return {
    holidays: [
      ...islamic.holidays.filter(day => isOfPython(day) && !isOfLibrary(day)),
      ...library.filter(isOfLibrary),
      ...library
        .filter(day => !isOfPython(day) && !isOfLibrary(day))
        .map(day => ({ ...day, status: 'estimated' as const })),
    ],
    workdays: pythonHolidays.workdays,
    years,
  };
}

/** The draft with the source of announced days named by a decision. */
export function withAnnouncer(draft: Draft, announcedBy: string | undefined): Draft {
  if (announcedBy === undefined) return draft;
  const named = (day: SourceDay) => (day.status === 'announced' ? { ...day, source: announcedBy } : day);
  return { ...draft, holidays: draft.holidays.map(named), workdays: draft.workdays.map(named) };
}

function draftOfDateHolidays({ holidays }: SourceCalendar): Draft {
  return { holidays, workdays: [], years: TABLE_YEARS };
}

/** A subdivision that only date-holidays has: its additions to and omissions from the whole country. */
function withDifferences(parent: Draft, part: SourceCalendar, whole: SourceCalendar | undefined): Draft {
  const inWhole = new Set(whole?.holidays.map(day => day.dayNumber));
  const inPart = new Set(part.holidays.map(day => day.dayNumber));
  return {
    ...parent,
    holidays: [
      ...parent.holidays.filter(({ dayNumber }) => inPart.has(dayNumber) || !inWhole.has(dayNumber)),
      ...part.holidays.filter(({ dayNumber }) => !inWhole.has(dayNumber)),
    ],
  };
}

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
  const corrections = decisions
    .filter(calendar => `${code}-`.startsWith(`${calendar.code}-`))
    .flatMap(calendar =>
      calendar.corrections.map(correction => ({ ...correction, mustMatter: calendar.code === code })),
    );
  const corrected: MutableDraft = { holidays: [...draft.holidays], workdays: [...draft.workdays] };
  for (const correction of corrections) correctDays(corrected, correction, workWeek, holidaysOf);
  compensate(corrected, corrections.filter(isCompensate), workWeek);
  return { ...draft, ...corrected };
}

interface MutableDraft {
  holidays: SourceDay[];
  workdays: SourceDay[];
}

type Applied = Correction & { readonly mustMatter: boolean };

function correctDays(
  draft: MutableDraft,
  correction: Applied,
  workWeek: readonly WorkWeekPeriod[],
  holidaysOf: (code: string) => readonly SourceDay[],
): void {
  switch (correction.kind) {
    case 'compensate':
      return;
    case 'borrow':
      draft.holidays.push(...borrowedDays(correction, holidaysOf(correction.code)));
      return;
    case 'add rule':
      draft.holidays.push(...daysOfRule(correction).filter(day => !hasDay(draft.holidays, day)));
      return;
    case 'drop': {
      const left = draft.holidays.filter(
        day => day.name !== correction.name || !isWithin(day.dayNumber, correction),
      );
      if (left.length === draft.holidays.length && correction.mustMatter) throw withoutEffect(correction);
      draft.holidays = left;
      return;
    }
    default:
      correctDates(draft, correction, workWeek);
  }
}

function borrowedDays(
  { holiday, name, source, line }: Correction & { readonly kind: 'borrow' },
  days: readonly SourceDay[],
): SourceDay[] {
  const borrowed = days.filter(day => day.name === holiday);
  if (borrowed.length === 0) throw new Error(`calendars.txt:${line}: there is no '${holiday}'`);
  return borrowed.map(day => ({ ...day, name, nameEn: holiday, status: 'estimated', source }));
}

function hasDay(days: readonly SourceDay[], { dayNumber, name }: SourceDay): boolean {
  return days.some(day => day.dayNumber === dayNumber && day.name === name);
}

function correctDates(
  draft: MutableDraft,
  correction: Applied & { readonly kind: 'holiday' | 'workday' | 'remove' },
  workWeek: readonly WorkWeekPeriod[],
): void {
  const { dayNumbers, kind, source } = correction;
  const isHoliday = (day: number) => draft.holidays.some(holiday => holiday.dayNumber === day);
  if (correction.mustMatter) {
    const idle = {
      remove: () => (dayNumbers.some(isHoliday) ? undefined : dayNumbers[0]),
      holiday: () => dayNumbers.find(isHoliday),
      workday: () => dayNumbers.find(day => !isHoliday(day) && !isWeekend(day, workWeek)),
    }[kind]();
    if (idle !== undefined) throw withoutEffect(correction, idle);
  }
  if (kind === 'remove') {
    draft.holidays = draft.holidays.filter(day => !dayNumbers.includes(day.dayNumber));
    return;
  }
  const list = kind === 'holiday' ? draft.holidays : draft.workdays;
  for (const dayNumber of dayNumbers) {
    list.push({
      dayNumber,
      name: correction.name,
      nameEn: null,
      status: 'announced',
      isSubstitute: false,
      source,
    });
  }
}

function withoutEffect({ line }: Correction, dayNumber?: number): Error {
  const date =
    dayNumber === undefined ? '' : ` for ${new Date(dayNumber * 86_400_000).toISOString().slice(0, 10)}`;
  return new Error(`calendars.txt:${line}: this changes nothing${date}`);
}

/** The days of a rule in date-holidays' grammar, for all years. */
function daysOfRule({ rule, name, source, line }: Correction & { readonly kind: 'add rule' }): SourceDay[] {
  const isSubstitute = rule.startsWith('substitutes ');
  const library = new Holidays('XX', { data: EMPTY_PLACE, timezone: 'UTC' } as object);
  if (!library.setHoliday(rule, { name: { en: name }, type: 'public', substitute: isSubstitute })) {
    throw new Error(`calendars.txt:${line}: date-holidays does not understand '${rule}'`);
  }
  const { firstYear, lastYear } = TABLE_YEARS;
  const days = Array.from({ length: lastYear - firstYear + 1 }, (_, index) =>
    publicDaysOf(library, firstYear + index),
  );
  return days.flat().map(({ dayNumber }) => ({
    dayNumber,
    name,
    nameEn: null,
    status: 'statutory',
    isSubstitute,
    source,
  }));
}

/** A place without holidays of its own, used to compute rules. */
const EMPTY_PLACE = {
  ...data,
  holidays: { XX: { names: { en: 'Nowhere' }, langs: ['en'], zones: ['UTC'], days: {} } },
};

function isCompensate(correction: Applied): correction is Applied & CompensateCorrection {
  return correction.kind === 'compensate';
}

/** Adds a working day off for holidays on a weekend or on the same day as another, in date order. */
function compensate(
  draft: MutableDraft,
  rules: readonly (Correction & CompensateCorrection)[],
  workWeek: readonly WorkWeekPeriod[],
): void {
  if (rules.length === 0) return;
  const taken = new Set(draft.holidays.map(day => day.dayNumber));
  const isOff = (day: number) => isWeekend(day, workWeek);
  const inOrder = [...draft.holidays].sort((a, b) => a.dayNumber - b.dayNumber);
  for (const { dayNumber, name } of inOrder) {
    const isShared = inOrder.some(other => other.dayNumber === dayNumber && other.name !== name);
    const rule = rules.find(
      ({ when, names, ...years }) =>
        isWithin(dayNumber, years) &&
        (when === 'shared' ? isShared : isOff(dayNumber)) &&
        (names.includes(name) || names.length === 0),
    );
    if (rule === undefined) continue;
    const step = stepOf(rule, weekdayOf(dayNumber), !isOff(dayNumber - 1));
    let day = dayNumber + step;
    while (taken.has(day) || isOff(day)) day += step;
    taken.add(day);
    draft.holidays.push({
      dayNumber: day,
      name: name + rule.suffix,
      nameEn: null,
      status: 'estimated',
      isSubstitute: true,
      source: rule.source,
    });
  }
}

/**
 * The direction in which to search for the working day. `nearest` is before a weekend's first day and after its last; and
 * Taiwan's rule if two holidays share a day: the day before, but after a Thursday, and after a Monday too.
 */
function stepOf({ direction, when }: CompensateCorrection, weekday: number, isAfterWorkday: boolean): -1 | 1 {
  if (direction === 'next') return 1;
  if (when === 'weekend') return isAfterWorkday ? -1 : 1;
  return weekday === 1 || weekday === 4 ? 1 : -1;
}

/** Whether a day is within years. */
export function isWithin(dayNumber: number, { firstYear, lastYear }: Years): boolean {
  return dayNumber >= dayNumberOf(firstYear, 1, 1) && dayNumber < dayNumberOf(lastYear + 1, 1, 1);
}

/** Collects the days of each name within the years of the table. */
export function toLists({ holidays, workdays }: Draft, years: Years = TABLE_YEARS): DayList[] {
  const lists = new Map<string, DayList & { dayNumbers: number[] }>();
  for (const [days, isWorkday] of [[holidays, false] as const, [workdays, true] as const]) {
    for (const { dayNumber, ...kind } of days) {
      if (!isWithin(dayNumber, years)) continue;
      const key = JSON.stringify([isWorkday, Object.values(kind)]);
      const list = lists.get(key) ?? { ...kind, isWorkday, dayNumbers: [] };
      lists.set(key, list);
      list.dayNumbers.push(dayNumber);
    }
  }
  return [...lists.values()].map(list => ({
    ...list,
    dayNumbers: [...new Set(list.dayNumbers)].sort((a, b) => a - b),
  }));
}

/** The published years of a calendar; the first decision that specifies them counts. */
export function coverageOf(
  draft: Draft,
  [own, ofCountry]: readonly [own: DecidedCalendar | undefined, ofCountry: DecidedCalendar | undefined],
  review: Review | undefined,
): Coverage {
  const { firstYear, lastYear } = own?.coverage ?? ofCountry?.coverage ?? draft.years;
  const isFollowed = own === ofCountry || ofCountry?.arePartsUnfollowed !== true;
  const ofSources = isFollowed ? (ofCountry?.announcedThrough ?? announcedThrough(draft)) : null;
  return {
    from: Math.max(firstYear, draft.years.firstYear),
    to: Math.min(lastYear, draft.years.lastYear, lastCompleteYear(draft.holidays)),
    announcedThrough: own?.announcedThrough ?? ofSources,
    reviewed: review?.month ?? null,
  };
}

/** The year in which the snapshot of python-holidays was made, in July. */
const SNAPSHOT_YEAR = 2026;

/**
 * The last year whose announced and sighted days are included: the year before the first that has an estimate within
 * the last years, and at most the last complete year before the snapshot.
 */
function announcedThrough({ holidays, years }: Draft): number | null {
  const estimated = holidays.filter(
    ({ status, dayNumber }) =>
      status === 'estimated' && isWithin(dayNumber, { firstYear: years.firstYear, lastYear: 2100 }),
  );
  let year = SNAPSHOT_YEAR - 1;
  while (
    year >= years.firstYear &&
    estimated.some(({ dayNumber }) => isWithin(dayNumber, { firstYear: year, lastYear: year }))
  ) {
    year--;
  }
  return year < SNAPSHOT_YEAR - LONGEST_SILENCE ? null : year;
}

/** A calendar whose last sighted day is older is not considered followed. */
const LONGEST_SILENCE = 6;

/**
 * The last year before a yearly holiday ends for good, which is where a table of the source ended: a holiday ended by law
 * is not followed by silence to 2100. The ends in some years are coincidences of weekdays.
 */
function lastCompleteYear(holidays: readonly SourceDay[]): number {
  const years = new Map<string, Set<number>>();
  for (const { name, dayNumber, status, isSubstitute } of holidays) {
    if (status === 'announced' || isSubstitute) continue;
    const ofName = years.get(name) ?? new Set();
    years.set(name, ofName.add(new Date(dayNumber * 86_400_000).getUTCFullYear()));
  }
  const ends = [...years.values()]
    .map(ofName => ({ ofName, end: Math.max(...ofName) }))
    .filter(
      ({ ofName, end }) =>
        end >= SNAPSHOT_YEAR && end < TABLE_YEARS.lastYear - 1 && isYearlyBefore(ofName, end),
    );
  // The Islamic dates of the source end within 2077.
  return Math.min(
    TABLE_YEARS.lastYear,
    ...ends.map(({ end }) => (end === LAST_ISLAMIC_TABLE_YEAR + 1 ? LAST_ISLAMIC_TABLE_YEAR : end)),
  );
}

function isYearlyBefore(years: ReadonlySet<number>, end: number): boolean {
  return [1, 2, 3, 4].every(ago => years.has(end - ago));
}
