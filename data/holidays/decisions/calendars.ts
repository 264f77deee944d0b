import { dayNumberOfIso, type Years } from '../dates.ts';
import { cannotParse, type Fault, parseDecisionFile } from './decision_file.ts';

/** What `calendars.txt` decides for one calendar; corrections also apply to all calendars below it. */
export interface DecidedCalendar {
  /** Who announces one-off and worked days, if the sources' lists were compared with the announcements. */
  readonly announcedBy?: string;
  /** Years that come from date-holidays although python-holidays has the calendar. */
  readonly fromDateHolidays?: Years;
  /** Only days off in all subdivisions are days off. */
  readonly isCommonOfSubdivisions?: boolean;
  /** Bounds of the years in which the rules are complete, if narrower than those of the source. */
  readonly coverage?: Years;
  readonly corrections: readonly Correction[];
}

/** What a correction does. */
export type Change = AddedRule | BorrowedHoliday | DroppedHoliday | CorrectedDates | CompensatedHolidays;

/** A change by one line of the file: its authority, and an error that names the line. */
export type Cited<Kind extends Change> = Kind & { readonly source: string; readonly fault: Fault };
export type Correction = Cited<Change>;

/** A holiday by a rule in the grammar of date-holidays. */
export interface AddedRule {
  readonly kind: 'add rule';
  readonly rule: string;
  readonly name: string;
}

/** The days of another country's holiday as estimates, if both follow one calendar of feasts. */
export interface BorrowedHoliday {
  readonly kind: 'borrow';
  readonly code: string;
  readonly holiday: string;
  readonly name: string;
}

/** A holiday that does not exist in the years from `firstYear` to `lastYear`. */
export interface DroppedHoliday extends Years {
  readonly kind: 'drop';
  readonly name: string;
}

/** Holidays or worked days to add, or a day or range without holidays. */
export interface CorrectedDates {
  readonly kind: 'holiday' | 'workday' | 'remove';
  readonly dayNumbers: readonly number[];
  /** Empty if they are removed. */
  readonly name: string;
}

/** Holidays that give the next free working day off if they share their day with another, in the years from `firstYear` to `lastYear`. */
export interface CompensatedHolidays extends Years {
  readonly kind: 'compensate';
  /** The suffix of the name of the day off. */
  readonly suffix: string;
  /** The first line with a holiday's name applies. */
  readonly names: readonly string[];
}

/** A calendar while its section is parsed. */
interface Section extends DecidedCalendar {
  readonly corrections: Correction[];
  /** The last `source` line; empty before the first. */
  source: string;
}

/** Parses `calendars.txt`, which describes itself, by code. Throws an `Error` with the number of a line that it rejects. */
export function parseCalendars(text?: string): ReadonlyMap<string, DecidedCalendar> {
  return parseDecisionFile(
    'calendars.txt',
    text,
    (): Section => ({ corrections: [], source: '' }),
    parseLine,
  );
}

function parseLine(section: Section, line: string, fault: Fault): void {
  if (line.startsWith('source ')) {
    section.source = line.slice('source '.length);
    return;
  }
  const decision = parseDecision(line);
  if (decision === null) {
    const { source } = section;
    if (source === '') throw new Error('no source above this line');
    section.corrections.push(...parseChanges(line).map(change => ({ ...change, source, fault })));
  } else if (Object.keys(decision).some(property => property in section)) {
    throw new Error('this is decided twice');
  } else Object.assign(section, decision);
}

/** Parses a line about the calendar as a whole; null for other lines. */
function parseDecision(content: string): Partial<DecidedCalendar> | null {
  const [, keyword, rest = ''] = /^(\S+)(?: (.+))?$/.exec(content) ?? [];
  switch (keyword) {
    case 'announced-by':
      if (rest === '') throw new Error(`'${content}' does not say by whom`);
      return { announcedBy: rest };
    case 'common-of-subdivisions':
      if (rest !== '') throw new Error(`'${keyword}' is followed by '${rest}'`);
      return { isCommonOfSubdivisions: true };
    case 'coverage':
      return { coverage: parseYears(rest) };
    case 'date-holidays':
      return { fromDateHolidays: parseYears(rest) };
    default:
      return null;
  }
}

function parseYears(text: string): Years {
  const [, firstYear, lastYear] = /^(\d{4})-(\d{4})$/.exec(text)?.map(Number) ?? [];
  if (!(firstYear! <= lastYear!)) throw new Error(`'${text}' is not a range of years`);
  return { firstYear: firstYear!, lastYear: lastYear! };
}

function parseChanges(content: string): readonly Change[] {
  const days = parseDays(content);
  if (days !== null) return days;
  const change = parseRule(content) ?? parseBorrow(content) ?? parseDrop(content) ?? parseCompensate(content);
  if (change === null) throw cannotParse(content);
  return [change];
}

/** `2026 holiday 02-16..02-20 02-23 春节; 04-06 清明节`, `2026 workday 02-14 02-28 调休`, `2026 remove 06-01` */
function parseDays(content: string): CorrectedDates[] | null {
  const match = /^(\d{4}) (holiday|workday|remove) (.+)$/.exec(content);
  if (match === null) return null;
  const year = Number(match[1]);
  const kind = match[2] as CorrectedDates['kind'];
  return match[3]!.split('; ').flatMap((group): CorrectedDates[] => {
    const [, list, name = ''] = /^([\d .-]*\d)(?: (\D.*))?$/.exec(group) ?? [];
    if (list === undefined || (kind === 'remove' && name !== '')) {
      throw new Error(`'${group}' is not a list of dates`);
    }
    const dates = list.split(' ').map(text => daysOf(year, text));
    if (kind === 'remove') return dates.map(dayNumbers => ({ kind, dayNumbers, name }));
    if (name === '') throw new Error(`'${group}' has no name`);
    return [{ kind, dayNumbers: dates.flat(), name }];
  });
}

function daysOf(year: number, dates: string): number[] {
  const [first, last = first] = dates.split('..').map(date => dayNumberOfIso(`${year}-${date}`));
  if (last! < first!) throw new Error(`'${dates}' ends before it begins`);
  return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index);
}

/** `rule add 05-02 since 2025 = 劳动节` in the grammar of date-holidays */
function parseRule(content: string): AddedRule | null {
  const [, rule, name] = /^rule add (.+) = (.+)$/.exec(content) ?? [];
  if (rule === undefined) return null;
  if (!/ since \d{4}\b/.test(rule)) throw new Error(`'${rule}' has no first year`);
  return { kind: 'add rule', rule, name: name! };
}

/** `borrow IN Diwali = Deepavali` */
function parseBorrow(content: string): BorrowedHoliday | null {
  const [, code, holiday, name] = /^borrow ([A-Z]{2}) (.+) = (.+)$/.exec(content) ?? [];
  return code === undefined ? null : { kind: 'borrow', code, holiday: holiday!, name: name! };
}

/** `drop 1970-1989 Tag der Deutschen Einheit` */
function parseDrop(content: string): DroppedHoliday | null {
  const [, years, name] = /^drop (\d{4}-\d{4}) (.+)$/.exec(content) ?? [];
  return years === undefined ? null : { kind: 'drop', ...parseYears(years), name: name! };
}

/** `compensate 2027-2100 "（补假）" for 中秋节 | 春节` */
function parseCompensate(content: string): CompensatedHolidays | null {
  const [, years, suffix, names] = /^compensate (\d{4}-\d{4}) "([^"]*)" for (.+)$/.exec(content) ?? [];
  if (years === undefined) return null;
  return { kind: 'compensate', ...parseYears(years), suffix: suffix!, names: names!.split(' | ') };
}
