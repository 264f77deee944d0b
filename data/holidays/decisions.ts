import { dayNumberOf, daysInMonth } from '../../src/common/civil.ts';
import { type DecisionLine, decisionLines } from './decision_file.ts';
import type { CompensatedHolidays, CorrectedDates, Correction, DecidedCalendar, Years } from './types.ts';

/** Parses `calendars.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseDecisions(text?: string): DecidedCalendar[] {
  const calendars: (DecidedCalendar & { corrections: Correction[] })[] = [];
  let source = '';
  for (const line of decisionLines('decisions/calendars.txt', text)) {
    const calendar = calendars.at(-1);
    const statement = parseStatement(line.text);
    if (line.isHeading) {
      calendars.push({ code: line.code, corrections: [] });
      source = '';
    } else if (calendar === undefined) {
      throw line.fault('no [calendar] above this line');
    } else if (line.text.startsWith('source ')) {
      source = line.text.slice('source '.length);
    } else if (statement !== null) {
      Object.assign(calendar, statement);
    } else {
      if (source === '') throw line.fault('no source above this line');
      for (const correction of parseCorrections(line))
        calendar.corrections.push({ ...correction, source, line: line.number });
    }
  }
  return calendars;
}

/** Parses a line about the calendar as a whole; null for other lines. */
function parseStatement(content: string): Partial<DecidedCalendar> | null {
  const [keyword, ...rest] = content.split(' ');
  switch (keyword) {
    case 'announced-through':
      return { announcedThrough: Number(rest[0]) };
    case 'announced-by':
      return { announcedBy: rest.join(' ') };
    case 'parts-unfollowed':
      return { arePartsUnfollowed: true };
    case 'common-of-subdivisions':
      return { isCommonOfSubdivisions: true };
    case 'coverage':
      return { coverage: yearsOf(rest[0]!) };
    case 'date-holidays':
      return { fromDateHolidays: yearsOf(rest[0]!) };
    default:
      return null;
  }
}

/** `2027-2100` */
function yearsOf(text: string): Years {
  const [firstYear, lastYear] = text.split('-').map(Number) as [number, number];
  return { firstYear, lastYear };
}

/** A correction without its line and source; `Omit` would merge the kinds into one. */
type Parsed = Correction extends infer Kind
  ? Kind extends unknown
    ? Omit<Kind, 'source' | 'line'>
    : never
  : never;

function parseCorrections({ text, fault }: DecisionLine): Parsed[] {
  try {
    const parsed = parseDays(text) ?? parseRule(text) ?? parseCompensate(text);
    if (parsed !== null) return parsed;
  } catch (error) {
    throw fault((error as Error).message);
  }
  throw fault(`cannot read '${text}'`);
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
      throw new Error(`'${group}' is no list of dates`);
    }
    const dates = list.split(' ').map(text => daysOf(year, text));
    if (kind === 'remove') return dates.map(dayNumbers => ({ kind, dayNumbers, name }));
    if (name === '') throw new Error(`'${group}' has no name`);
    return [{ kind, dayNumbers: dates.flat(), name }];
  });
}

function daysOf(year: number, dates: string): number[] {
  const [first, last = first] = dates.split('..').map(date => dayOf(year, date));
  return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index);
}

function dayOf(year: number, date: string): number {
  const [month, day] = date.split('-').map(Number) as [number, number];
  if (!/^\d\d-\d\d$/.test(date) || day > daysInMonth(year, month)) throw new Error(`no date ${year}-${date}`);
  return dayNumberOf(year, month, day);
}

/** `rule add 05-02 since 2025 = 劳动节` in the grammar of date-holidays, `drop 1970-1989 Tag der Deutschen Einheit` */
function parseRule(content: string): Parsed[] | null {
  const [, rule, added] = /^rule add (.+) = (.+)$/.exec(content) ?? [];
  if (rule !== undefined && !/ since \d{4}\b/.test(rule)) throw new Error(`'${rule}' has no first year`);
  if (rule !== undefined) return [{ kind: 'add rule', rule, name: added! }];
  const [, code, holiday, borrowed] = /^borrow ([A-Z]{2}) (.+) = (.+)$/.exec(content) ?? [];
  if (code !== undefined) return [{ kind: 'borrow', code, holiday: holiday!, name: borrowed! }];
  const [, years, dropped] = /^drop (\d{4}-\d{4}) (.+)$/.exec(content) ?? [];
  return years === undefined ? null : [{ kind: 'drop', ...yearsOf(years), name: dropped! }];
}

/** `compensate weekend 2027-2100 next "（补假）"`, `compensate shared 2012-2100 nearest " (x)" for 兒童節 | 春節` */
function parseCompensate(content: string): CompensatedHolidays[] | null {
  const match = /^compensate (weekend|shared) (\d{4}-\d{4}) (next|nearest) "([^"]*)"(?: for (.+))?$/.exec(
    content,
  );
  if (match === null) return null;
  const [, when, years, direction, suffix, names] = match as unknown as string[];
  return [
    {
      kind: 'compensate',
      when: when as CompensatedHolidays['when'],
      ...yearsOf(years!),
      direction: direction as CompensatedHolidays['direction'],
      suffix: suffix!,
      names: names?.split(' | ') ?? [],
    },
  ];
}
