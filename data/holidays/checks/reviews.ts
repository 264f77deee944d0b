import { dayNumberOf, daysInMonth, weekdayOf } from '../../../src/common/civil.ts';
import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import { easterSunday, isoDateOf, orthodoxEasterSunday, yearOf } from '../dates.ts';
import { decisionLines } from '../decisions/decision_file.ts';
import type { CompiledCalendar, Review, ReviewedDays, SourceDay } from '../types.ts';

/** Parses `reviews.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseReviews(text?: string): ReadonlyMap<string, Review> {
  const reviews = new Map<string, Review & { lists: ReviewedDays[] }>();
  for (const { code, text: content, isHeading, fault } of decisionLines('reviews.txt', text)) {
    if (isHeading) continue;
    const [, month, cited] = /^(\d{4}-\d\d) (.*https?:\/\/.*)$/.exec(content) ?? [];
    const list = parseList(content);
    const review = reviews.get(code);
    if (code !== '' && month !== undefined && review === undefined) {
      reviews.set(code, { code, month, text: cited!, lists: [] });
    } else if (list !== null && review !== undefined) review.lists.push(list);
    else throw fault(`cannot parse '${content}'`);
  }
  return reviews;
}

function isDay(text: string): boolean {
  return DAY.test(text) || CODE.test(text) || text === SUNDAYS;
}

function parseList(content: string): ReviewedDays | null {
  const [, first, last = first, all, days] = /^(\d{4})(?:-(\d{4}))?( all)?: (.+)$/.exec(content) ?? [];
  if (first === undefined || !days!.split(' ').every(isDay)) return null;
  return {
    firstYear: Number(first),
    lastYear: Number(last),
    isComplete: all !== undefined,
    days: days!.split(' '),
  };
}

const DAY =
  /^(?:(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?<way>[<>])=)?(?:(?<month>\d\d)-(?<date>\d\d)|(?<easter>[EO])(?<offset>[+-]\d+))$/;
const CODE = /^[A-Z]{2}$/;
const SUNDAYS = 'Sundays';
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The contradictions between a compiled calendar and its text, as messages. */
export function reviewFaults(calendar: CompiledCalendar, calendars: readonly CompiledCalendar[]): string[] {
  const lists = calendar.review?.lists ?? [];
  return lists.flatMap(list =>
    Array.from({ length: list.lastYear - list.firstYear + 1 }, (_, index) =>
      faultsOfYear(calendar, list, list.firstYear + index, calendars),
    ).flat(),
  );
}

function faultsOfYear(
  { code, days, workWeek }: CompiledCalendar,
  { days: texts, isComplete }: ReviewedDays,
  year: number,
  calendars: readonly CompiledCalendar[],
): string[] {
  const table = days.holidays.filter(day => yearOf(day.dayNumber) === year);
  const off = new Set(table.map(day => day.dayNumber));
  const inText = new Set(texts.filter(text => DAY.test(text)).map(text => dayOf(text, year)));
  const isOther = (dayNumber: number) =>
    (texts.includes(SUNDAYS) && weekdayOf(dayNumber) === 0) ||
    calendars.some(other => texts.includes(other.code) && hasDay(other, dayNumber));
  // Statutes describe substitutes and lunar feasts in words, and have no one-off days.
  const isExpected = ({ isSubstitute, status, dayNumber }: SourceDay) =>
    isComplete ? isOnWeekend(workWeek, dayNumber) : isSubstitute || status !== 'statutory';
  const more = table.filter(day => !isExpected(day) && !inText.has(day.dayNumber) && !isOther(day.dayNumber));
  return [
    ...[...inText]
      .filter(day => !off.has(day) && !(isComplete && isOnWeekend(workWeek, day)))
      .map(day => `${code}: ${isoDateOf(day)} is in the text of reviews.txt, and not in the table`),
    ...more.map(
      ({ dayNumber, name }) => `${code}: ${isoDateOf(dayNumber)} ${name} is not in the text of reviews.txt`,
    ),
  ];
}

function hasDay({ days }: CompiledCalendar, dayNumber: number): boolean {
  return days.holidays.some(day => day.dayNumber === dayNumber);
}

/** The day of a text entry in a year: `12-25`, `E-2`, `Mon>=01-15`. */
export function dayOf(text: string, year: number): number {
  const { weekday, way, month, date, easter, offset } = DAY.exec(text)!.groups!;
  const base =
    easter === undefined
      ? dateNumber(year, Number(month), Number(date))
      : (easter === 'E' ? easterSunday(year) : orthodoxEasterSunday(year)) + Number(offset);
  if (weekday === undefined) return base;
  const ahead = (WEEKDAYS.indexOf(weekday) - weekdayOf(base) + 7) % 7;
  return way === '>' ? base + ahead : base - ((7 - ahead) % 7);
}

function dateNumber(year: number, month: number, date: number): number {
  if (month < 1 || month > 12 || date < 1 || date > daysInMonth(year, month)) {
    throw new Error(`reviews.txt: no date ${year}-${month}-${date}`);
  }
  return dayNumberOf(year, month, date);
}
