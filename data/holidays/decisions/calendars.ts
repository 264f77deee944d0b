import { dayNumberOf, daysInMonth } from '../../../src/common/civil.ts';
import type { CompensatedHolidays, CorrectedDates, Correction, DecidedCalendar, Years } from '../types.ts';
import { decisionLines } from './decision_file.ts';

/** Parses `calendars.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseDecisions(text?: string): DecidedCalendar[] {
  const calendars: (DecidedCalendar & { corrections: Correction[] })[] = [];
  let source = '';
  for (const { code, text: content, isHeading, fault } of decisionLines('calendars.txt', text)) {
    const calendar = calendars.at(-1);
    try {
      if (isHeading) {
        calendars.push({ code, corrections: [] });
        source = '';
      } else if (calendar === undefined) throw new Error('no [calendar] above this line');
      else if (content.startsWith('source ')) source = content.slice('source '.length);
      else {
        const statement = parseStatement(content);
        if (statement !== null) Object.assign(calendar, statement);
        else if (source === '') throw new Error('no source above this line');
        else
          for (const parsed of parseCorrections(content))
            calendar.corrections.push({ ...parsed, source, fault });
      }
    } catch (error) {
      throw fault((error as Error).message);
    }
  }
  return calendars;
}

/** Parses a line about the calendar as a whole; null for other lines. */
function parseStatement(content: string): Partial<DecidedCalendar> | null {
  const [keyword, ...rest] = content.split(' ');
  switch (keyword) {
    case 'announced-through':
      return { announcedThrough: yearOf(rest[0]!) };
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

function yearOf(text: string): number {
  if (!/^\d{4}$/.test(text)) throw new Error(`'${text}' is no year`);
  return Number(text);
}

/** `2027-2100` */
function yearsOf(text: string): Years {
  const [, firstYear, lastYear] = /^(\d{4})-(\d{4})$/.exec(text)?.map(Number) ?? [];
  if (!(firstYear! <= lastYear!)) throw new Error(`'${text}' is no range of years`);
  return { firstYear: firstYear!, lastYear: lastYear! };
}

/** A correction without its fault and source; `Omit` would merge the kinds into one. */
type Parsed = Correction extends infer Kind
  ? Kind extends unknown
    ? Omit<Kind, 'source' | 'fault'>
    : never
  : never;

function parseCorrections(content: string): Parsed[] {
  const parsed = parseDays(content) ?? parseRule(content) ?? parseCompensate(content);
  if (parsed === null) throw new Error(`cannot read '${content}'`);
  return parsed;
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
  if (last! < first!) throw new Error(`'${dates}' ends before it begins`);
  return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index);
}

function dayOf(year: number, date: string): number {
  const [month, day] = date.split('-').map(Number) as [number, number];
  const isDate = /^(0[1-9]|1[0-2])-\d\d$/.test(date) && day >= 1 && day <= daysInMonth(year, month);
  if (!isDate) throw new Error(`no date ${year}-${date}`);
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
