import { weekdayOf } from '../../../src/common/civil.ts';
import { dayNumberOfIso, type Years, yearsIn } from '../dates.ts';
import { easterSunday, orthodoxEasterSunday } from '../rules/easter.ts';
import { cannotParse, type Fault, parseDecisionFile, WEEKDAYS } from './decision_file.ts';

/** What official texts say of a calendar. */
export interface Evidence {
  /** The laws that were read; the first month is that of the reading. */
  readonly laws: readonly CitedText[];
  /** The recurring days that they name. */
  readonly recurring: readonly RecurringDays[];
  readonly substitution: readonly Substitution[];
  /** Why some days are decided year by year, other than those that names.txt calls `yearly`; null if none are. */
  readonly decidedYearly: string | null;
  readonly lists: readonly OfficialList[];
  /** Years whose one-off and sighted days are all in the table. */
  readonly complete: readonly Years[];
  /** Why the table differs from the lists on single days. */
  readonly exceptions: readonly Exception[];
}

export interface CitedText {
  /** The month of the reading, `2026-11`. */
  readonly month: string;
  /** The text, with an address. */
  readonly text: string;
}

/** The recurring days in a law, which hold for a range of years. */
export interface RecurringDays extends Years {
  readonly days: readonly DayOfYear[];
  /** Days of each year by their names in the table, whose dates follow from the moon or an equinox. */
  readonly names: readonly string[];
  /** Those of some years, as for elections. */
  readonly rareNames: readonly string[];
  /** Countries whose days are in the text too, without a list of them. */
  readonly countries: readonly string[];
  readonly hasSundays: boolean;
}

/** All days off of a year in an official list, substitutes and one-off days too, as day numbers. */
export interface OfficialList {
  readonly title: CitedText;
  readonly year: number;
  readonly off: readonly number[];
  /** The days that are worked though on a weekend; null if the list does not say. */
  readonly worked: readonly number[] | null;
}

export interface Exception {
  readonly dayNumber: number;
  readonly fault: Fault;
}

/** What a law gives for holidays on weekends and, with `shared`, for those on the same day as another. */
export interface Substitution extends Years {
  readonly rule: SubstitutionRule;
  /** The rules for single holidays, by day or by their names in the table. */
  readonly exceptions: readonly {
    readonly day: DayOfYear | ReadonlySet<string>;
    readonly rule: SubstitutionRule;
  }[];
}

/** By weekday, from 0 for Sunday: the number of days to the substitute, or the nearest free working day after. */
export interface SubstitutionRule {
  readonly byWeekday: ReadonlyMap<number, number | 'after'>;
  readonly shared: boolean;
}

/** Returns a day number by the year. Throws an `Error` if the year has no such date, as for February 29. */
export type DayOfYear = (year: number) => number;

/** The evidence of a section while it is read. */
class Section {
  readonly laws: CitedText[] = [];
  readonly recurring: RecurringDays[] = [];
  readonly substitution: Substitution[] = [];
  decidedYearly: string | null = null;
  readonly lists: OfficialList[] = [];
  readonly complete: Years[] = [];
  readonly exceptions: Exception[] = [];
  /** The months and titles of all laws and lists. */
  readonly titles: string[] = [];
  /** The law or list of the lines that follow. */
  title: (CitedText & { readonly isList: boolean }) | null = null;
  /** The calendar with the same evidence. */
  same: string | null = null;
}

/** Parses `evidence.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseEvidence(text?: string): ReadonlyMap<string, Evidence> {
  const sections = parseDecisionFile('evidence.txt', text, () => new Section(), parseLine);
  return new Map(
    [...sections].map(([code, section]) => {
      const repeated = repetitionIn(section);
      if (repeated !== undefined) throw new Error(`evidence.txt: [${code}] has ${repeated}`);
      if (section.same === null) return [code, section];
      const other = sections.get(section.same);
      if (other === undefined || other.same !== null)
        throw new Error(
          `evidence.txt: [${code}] is the same as [${section.same}], which has no evidence itself`,
        );
      return [code, other];
    }),
  );
}

/** What a section says twice, so that one of the lines would say nothing. */
function repetitionIn({
  same,
  laws,
  recurring,
  substitution,
  decidedYearly,
  lists,
  complete,
  titles,
}: Section) {
  const isEmpty = laws.length + lists.length + complete.length === 0 && decidedYearly === null;
  if (same !== null && !isEmpty) return `lines of its own beside 'same as ${same}'`;
  const listed = [...lists.map(({ year }) => year), ...complete.flatMap(yearsIn)];
  const twice =
    repeatedIn(titles) ??
    repeatedIn(listed) ??
    repeatedIn(recurring.flatMap(yearsIn)) ??
    repeatedIn(substitution.flatMap(yearsIn));
  return twice && `'${twice}' twice`;
}

function repeatedIn<Value>(values: readonly Value[]): Value | undefined {
  return values.find((value, index) => values.indexOf(value) < index);
}

function parseLine(section: Section, line: string, fault: Fault): void {
  const [, keyword, rest] = /^(\S+) (.+)$/.exec(line) ?? [];
  if (rest === undefined) throw cannotParse(line);
  switch (keyword) {
    case 'law':
    case 'list':
      section.title = { ...parseCitation(rest), isList: keyword === 'list' };
      section.titles.push(rest);
      if (keyword === 'law') section.laws.push(section.title);
      return;
    case 'same': {
      const [, code] = /^as ([A-Z]{2}(?:-[A-Z0-9]+)*)$/.exec(rest) ?? [];
      if (code === undefined) throw cannotParse(line);
      section.same = code;
      return;
    }
    case 'yearly:':
      if (section.decidedYearly !== null) throw new Error('this is decided twice');
      section.decidedYearly = rest;
      return;
    case 'complete': {
      const [, years, text] = /^([\d-]+) (.*https?:\/\/.*)$/.exec(rest) ?? [];
      if (text === undefined) throw cannotParse(line);
      section.complete.push(parseYears(years!));
      return;
    }
    case 'except': {
      const [, dates] = /^((?:\d{4}-\d\d-\d\d )+).{8,}$/.exec(rest) ?? [];
      if (dates === undefined) throw cannotParse(line);
      const dayNumbers = dates.trim().split(' ').map(dayNumberOfIso);
      section.exceptions.push(...dayNumbers.map(dayNumber => ({ dayNumber, fault })));
      return;
    }
    case 'substitutes': {
      const [, years, rules] = /^(\d{4}(?:-\d{4})?): (.+)$/.exec(rest) ?? [];
      if (rules === undefined || section.title?.isList !== false) throw cannotParse(line);
      section.substitution.push({ ...parseYears(years!), ...parseSubstitution(rules) });
      return;
    }
    default: {
      const [, years] = /^(\d{4}(?:-\d{4})?):$/.exec(keyword!) ?? [];
      if (years === undefined) throw cannotParse(line);
      if (section.title === null) throw new Error('no law or list above this line');
      if (section.title.isList) section.lists.push(parseList(section.title, years, rest));
      else section.recurring.push(parseRecurring(parseYears(years), rest));
    }
  }
}

/** `2026-11 TEXT https://…` */
function parseCitation(text: string): CitedText {
  const [, month, cited] = /^(\d{4}-(?:0[1-9]|1[0-2])) (.*https?:\/\/.*)$/.exec(text) ?? [];
  if (month === undefined) throw cannotParse(text);
  return { month, text: cited! };
}

function parseYears(text: string): Years {
  const [, first, last = first] = /^(\d{4})(?:-(\d{4}))?$/.exec(text) ?? [];
  if (first === undefined || first > last!) throw cannotParse(text);
  return { firstYear: Number(first), lastYear: Number(last) };
}

/** `12-25 E-2 US Sundays and 추석 | 대통령 선거일?` */
function parseRecurring(years: Years, text: string): RecurringDays {
  const [dates, named] = text.split(/ and (.+)$/);
  const entries = dates!.split(' ');
  const countries = entries.filter(entry => /^[A-Z]{2}$/.test(entry));
  const days = entries
    .filter(entry => entry !== SUNDAYS && !countries.includes(entry))
    .map(entry => parseDayOfYear(entry));
  for (const year of yearsIn(years)) for (const dayOf of days) dayOf(year); // throws for a date that does not exist
  return {
    ...years,
    days,
    names: namesOf(named, name => !name.endsWith('?')),
    rareNames: namesOf(named, name => name.endsWith('?')).map(name => name.slice(0, -1)),
    countries,
    hasSundays: entries.includes(SUNDAYS),
  };
}

function namesOf(list: string | undefined, isWanted: (name: string) => boolean): string[] {
  return list?.split(' | ').filter(isWanted) ?? [];
}

const SUNDAYS = 'Sundays';

/** `12-25 12-26 worked 10-11` */
function parseList(title: CitedText, year: string, text: string): OfficialList {
  if (year.length > 4) throw cannotParse(year);
  const [off = '', worked = null] = text.split(/(?:^| )worked (.+)$/);
  const daysOf = (list: string) => list.split(' ').map(day => parseDayOfYear(day)(Number(year)));
  return {
    title,
    year: Number(year),
    off: off === '' ? [] : daysOf(off),
    worked: worked === null ? null : worked === 'none' ? [] : daysOf(worked),
  };
}

/** `Sat+ Sun+; 12-26 Sun+2; E+0 none; "설날 | 추석" Sun+` */
function parseSubstitution(text: string): Omit<Substitution, keyof Years> {
  const [rule, ...exceptions] = text.split('; ');
  return {
    rule: parseRule(rule!),
    exceptions: exceptions.map(exception => {
      const [, named, date, own] = /^(?:"([^"]+)"|([^\s"]+)) (.+)$/.exec(exception) ?? [];
      if (own === undefined) throw cannotParse(exception);
      const day = named === undefined ? parseDayOfYear(date!) : new Set(named.split(' | '));
      return { day, rule: parseRule(own) };
    }),
  };
}

function parseRule(text: string): SubstitutionRule {
  const byWeekday = new Map<number, number | 'after'>();
  const parts = text === 'none' ? [] : text.split(' ');
  for (const part of parts) {
    const [, weekday, distance] = /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat)(\+|[+-]\d)$/.exec(part) ?? [];
    if (weekday === undefined && part !== SHARED) throw cannotParse(part);
    if (weekday === undefined) continue;
    byWeekday.set(WEEKDAYS.indexOf(weekday), distance === '+' ? 'after' : Number(distance));
  }
  return { byWeekday, shared: parts.includes(SHARED) };
}

/** A holiday on the same day as another gives the next free working day. */
const SHARED = 'shared+';

const DAY =
  /^(?:(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?<way>[<>])=)?(?:(?<date>\d\d-\d\d)|(?<easter>[EO])(?<offset>[+-]\d+))(?:\+(?<days>\d+))?(?:\((?<moves>[^)]+)\))?$/;

/**
 * `12-25`, `E-2`, `O+1`, `Mon>=01-15`, `Mon<=05-31`, `Thu>=11-22+1`: the day after a Thursday, `08-17(Tue-1,Wed-2)`: moved from
 * these weekdays
 */
export function parseDayOfYear(text: string): DayOfYear {
  const groups = DAY.exec(text)?.groups;
  if (groups === undefined) throw cannotParse(text);
  const { weekday, way, date, easter, offset, days = '0', moves } = groups;
  const sundayOf = easter === 'E' ? easterSunday : orthodoxEasterSunday;
  const baseOf: DayOfYear = date
    ? year => dayNumberOfIso(`${year}-${date}`)
    : year => sundayOf(year) + Number(offset);
  const dayOf: DayOfYear = year => {
    const base = baseOf(year);
    if (weekday === undefined) return base + Number(days);
    const ahead = (WEEKDAYS.indexOf(weekday) - weekdayOf(base) + 7) % 7;
    return (way === '>' ? base + ahead : base - ((7 - ahead) % 7)) + Number(days);
  };
  return moves === undefined ? dayOf : moved(dayOf, moves);
}

/** `Tue-1,Wed-2`: a day on a Tuesday is a day earlier, one on a Wednesday two days. */
function moved(dayOf: DayOfYear, moves: string): DayOfYear {
  const distances = new Map(
    moves.split(',').map(move => {
      const [, weekday, distance] = /^(Sun|Mon|Tue|Wed|Thu|Fri|Sat)([+-]\d)$/.exec(move) ?? [];
      if (weekday === undefined) throw cannotParse(move);
      return [WEEKDAYS.indexOf(weekday), Number(distance)];
    }),
  );
  return year => {
    const day = dayOf(year);
    return day + (distances.get(weekdayOf(day)) ?? 0);
  };
}
