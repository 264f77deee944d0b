import { dayNumberOfIso } from '../dates.ts';
import type {
  Change,
  CompensatedHolidays,
  CorrectedDates,
  Correction,
  DecidedCalendar,
  Years,
} from '../types.ts';
import { parseDecisionFile } from './decision_file.ts';

/** Parses `calendars.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseDecisions(text?: string): DecidedCalendar[] {
  const calendars: (DecidedCalendar & { corrections: Correction[] })[] = [];
  let source = '';
  parseDecisionFile('calendars.txt', text, ({ code, text: content, isHeading, fault }) => {
    const calendar = calendars.at(-1);
    if (isHeading) {
      calendars.push({ code, corrections: [] });
      source = '';
    } else if (calendar === undefined) throw new Error('no [calendar] above this line');
    else if (content.startsWith('source ')) source = content.slice('source '.length);
    else {
      const statement = parseStatement(content);
      if (statement !== null) decide(calendar, statement);
      else if (source === '') throw new Error('no source above this line');
      else
        for (const parsed of parseCorrections(content))
          calendar.corrections.push({ ...parsed, source, fault });
    }
  });
  return calendars;
}

function decide(calendar: DecidedCalendar, statement: Partial<DecidedCalendar>): void {
  if (Object.keys(statement).some(property => property in calendar)) throw new Error('this is decided twice');
  Object.assign(calendar, statement);
}

/** Parses a line about the calendar as a whole; null for other lines. */
function parseStatement(content: string): Partial<DecidedCalendar> | null {
  const [, keyword, rest = ''] = /^(\S+)(?: (.+))?$/.exec(content) ?? [];
  switch (keyword) {
    case 'announced-through':
      return { announcedThrough: parseYear(rest) };
    case 'announced-by':
      if (rest === '') throw new Error(`'${content}' does not say by whom`);
      return { announcedBy: rest };
    case 'parts-unfollowed':
    case 'common-of-subdivisions':
      if (rest !== '') throw new Error(`'${keyword}' is followed by '${rest}'`);
      return keyword === 'parts-unfollowed' ? { arePartsUnfollowed: true } : { isCommonOfSubdivisions: true };
    case 'coverage':
      return { coverage: parseYears(rest) };
    case 'date-holidays':
      return { fromDateHolidays: parseYears(rest) };
    default:
      return null;
  }
}

function parseYear(text: string): number {
  if (!/^\d{4}$/.test(text)) throw new Error(`'${text}' is not a year`);
  return Number(text);
}

/** `2027-2100` */
function parseYears(text: string): Years {
  const [, firstYear, lastYear] = /^(\d{4})-(\d{4})$/.exec(text)?.map(Number) ?? [];
  if (!(firstYear! <= lastYear!)) throw new Error(`'${text}' is not a range of years`);
  return { firstYear: firstYear!, lastYear: lastYear! };
}

function parseCorrections(content: string): readonly Change[] {
  const days = parseDays(content);
  if (days !== null) return days;
  const change = parseRule(content) ?? parseCompensate(content);
  if (change === null) throw new Error(`cannot parse '${content}'`);
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

/** `rule add 05-02 since 2025 = 劳动节` in the grammar of date-holidays, `drop 1970-1989 Tag der Deutschen Einheit` */
function parseRule(content: string): Change | null {
  const [, rule, added] = /^rule add (.+) = (.+)$/.exec(content) ?? [];
  if (rule !== undefined && !/ since \d{4}\b/.test(rule)) throw new Error(`'${rule}' has no first year`);
  if (rule !== undefined) return { kind: 'add rule', rule, name: added! };
  const [, code, holiday, borrowed] = /^borrow ([A-Z]{2}) (.+) = (.+)$/.exec(content) ?? [];
  if (code !== undefined) return { kind: 'borrow', code, holiday: holiday!, name: borrowed! };
  const [, years, dropped] = /^drop (\d{4}-\d{4}) (.+)$/.exec(content) ?? [];
  return years === undefined ? null : { kind: 'drop', ...parseYears(years), name: dropped! };
}

/** `compensate weekend 2027-2100 next "（补假）"`, `compensate shared 2012-2100 nearest " (x)" for 兒童節 | 春節` */
function parseCompensate(content: string): CompensatedHolidays | null {
  const [, when, years, direction, suffix, names] =
    /^compensate (weekend|shared) (\d{4}-\d{4}) (next|nearest) "([^"]*)"(?: for (.+))?$/.exec(content) ?? [];
  if (when === undefined) return null;
  return {
    kind: 'compensate',
    when: when as CompensatedHolidays['when'],
    ...parseYears(years!),
    direction: direction as CompensatedHolidays['direction'],
    suffix: suffix!,
    names: names?.split(' | ') ?? [],
  };
}
