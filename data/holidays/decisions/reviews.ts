import { weekdayOf } from '../../../src/common/civil.ts';
import { dayNumberOfIso, easterSunday, orthodoxEasterSunday, WEEKDAYS, yearsIn } from '../dates.ts';
import type { Review, ReviewedDays } from '../types.ts';
import { parseDecisionFile } from './decision_file.ts';

/** Parses `reviews.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseReviews(text?: string): ReadonlyMap<string, Review> {
  const reviews = new Map<string, Review & { lists: ReviewedDays[] }>();
  parseDecisionFile('reviews.txt', text, ({ code, text: content, isHeading }) => {
    if (isHeading) return;
    const [, month, cited] = /^(\d{4}-(?:0[1-9]|1[0-2])) (.*https?:\/\/.*)$/.exec(content) ?? [];
    const list = parseList(content);
    const review = reviews.get(code);
    if (code !== '' && month !== undefined && review === undefined) {
      reviews.set(code, { code, month, text: cited!, lists: [] });
    } else if (list !== null && review !== undefined) review.lists.push(list);
    else throw new Error(`cannot parse '${content}'`);
  });
  return reviews;
}

function isDay(text: string): boolean {
  return DAY.test(text) || CODE.test(text) || text === SUNDAYS;
}

function parseList(content: string): ReviewedDays | null {
  const [, first, last = first, all, days] = /^(\d{4})(?:-(\d{4}))?( all)?: (.+)$/.exec(content) ?? [];
  if (first === undefined || first > last! || !days!.split(' ').every(isDay)) return null;
  const years = { firstYear: Number(first), lastYear: Number(last) };
  const list = { ...years, isComplete: all !== undefined, days: days!.split(' ') };
  for (const year of yearsIn(years)) daysOfText(list, year); // throws for a date that does not exist
  return list;
}

const DAY =
  /^(?:(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?<way>[<>])=)?(?:(?<month>\d\d)-(?<date>\d\d)|(?<easter>[EO])(?<offset>[+-]\d+))$/;
const CODE = /^[A-Z]{2}$/;
/** Stands for all Sundays. */
export const SUNDAYS = 'Sundays';

/** The days of a text in a year, without those that codes and `Sundays` stand for. */
export function daysOfText({ days }: ReviewedDays, year: number): Set<number> {
  return new Set(days.filter(text => DAY.test(text)).map(text => dayOf(text, year)));
}

/** The day of a text entry in a year: `12-25`, `E-2`, `Mon>=01-15`. */
export function dayOf(text: string, year: number): number {
  const { weekday, way, month, date, easter, offset } = DAY.exec(text)!.groups!;
  const base =
    easter === undefined
      ? dayNumberOfIso(`${year}-${month}-${date}`)
      : (easter === 'E' ? easterSunday(year) : orthodoxEasterSunday(year)) + Number(offset);
  if (weekday === undefined) return base;
  const ahead = (WEEKDAYS.indexOf(weekday) - weekdayOf(base) + 7) % 7;
  return way === '>' ? base + ahead : base - ((7 - ahead) % 7);
}
