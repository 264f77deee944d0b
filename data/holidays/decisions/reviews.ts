import { weekdayOf } from '../../../src/common/civil.ts';
import { dayNumberOfIso, type Years, yearsIn } from '../dates.ts';
import { easterSunday, orthodoxEasterSunday } from '../rules/easter.ts';
import { cannotParse, parseDecisionFile, WEEKDAYS } from './decision_file.ts';

/** The official texts a calendar was compared with. */
export interface Review {
  /** The month of the review, `2026-11`. */
  readonly month: string;
  /** The texts, with an address. */
  readonly text: string;
  readonly lists: readonly ReviewedDays[];
}

/** The days in an official text, which hold for a range of years. */
export interface ReviewedDays extends Years {
  /** Whether the text lists all days off, including substitutes and one-off days, as annual lists do. */
  readonly isComplete: boolean;
  readonly days: readonly DayOfYear[];
  /** Countries whose days are in the text too, without a list of them. */
  readonly countries: readonly string[];
  readonly hasSundays: boolean;
}

/** Returns a day number by the year. Throws an `Error` if the year has no such date, as for February 29. */
export type DayOfYear = (year: number) => number;

/** Parses `reviews.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseReviews(text?: string): ReadonlyMap<string, Review> {
  const sections = parseDecisionFile(
    'reviews.txt',
    text,
    (): { title?: Omit<Review, 'lists'>; readonly lists: ReviewedDays[] } => ({ lists: [] }),
    (section, line) => {
      if (section.title === undefined) section.title = parseTitle(line);
      else section.lists.push(parseList(line));
    },
  );
  return new Map(
    [...sections].flatMap(([code, { title, lists }]): [string, Review][] =>
      title === undefined ? [] : [[code, { ...title, lists }]],
    ),
  );
}

/** `2026-11 TEXT https://…` */
function parseTitle(line: string): Omit<Review, 'lists'> {
  const [, month, text] = /^(\d{4}-(?:0[1-9]|1[0-2])) (.*https?:\/\/.*)$/.exec(line) ?? [];
  if (month === undefined) throw cannotParse(line);
  return { month, text: text! };
}

/** `2021-2100: 12-25 E-2 US Sundays`, `2026 all: 12-25` */
function parseList(line: string): ReviewedDays {
  const [, first, last = first, all, list] = /^(\d{4})(?:-(\d{4}))?( all)?: (.+)$/.exec(line) ?? [];
  if (first === undefined || first > last!) throw cannotParse(line);
  const years = { firstYear: Number(first), lastYear: Number(last) };
  const entries = list!.split(' ');
  const countries = entries.filter(entry => /^[A-Z]{2}$/.test(entry));
  const days = entries
    .filter(entry => entry !== SUNDAYS && !countries.includes(entry))
    .map(entry => parseDayOfYear(entry));
  for (const year of yearsIn(years)) for (const dayOf of days) dayOf(year); // throws for a date that does not exist
  return { ...years, isComplete: all !== undefined, days, countries, hasSundays: entries.includes(SUNDAYS) };
}

const SUNDAYS = 'Sundays';

const DAY =
  /^(?:(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?<way>[<>])=)?(?:(?<date>\d\d-\d\d)|(?<easter>[EO])(?<offset>[+-]\d+))$/;

/** `12-25`, `E-2`, `O+1`, `Mon>=01-15`, `Mon<=05-31` */
export function parseDayOfYear(text: string): DayOfYear {
  const groups = DAY.exec(text)?.groups;
  if (groups === undefined) throw cannotParse(text);
  const { weekday, way, date, easter, offset } = groups;
  const sundayOf = easter === 'E' ? easterSunday : orthodoxEasterSunday;
  const baseOf: DayOfYear = date
    ? year => dayNumberOfIso(`${year}-${date}`)
    : year => sundayOf(year) + Number(offset);
  if (weekday === undefined) return baseOf;
  return year => {
    const base = baseOf(year);
    const ahead = (WEEKDAYS.indexOf(weekday) - weekdayOf(base) + 7) % 7;
    return way === '>' ? base + ahead : base - ((7 - ahead) % 7);
  };
}
