import { readFileSync } from 'node:fs';
import { dayNumberOf, daysInMonth } from '../../src/common/civil.ts';

/** The decisions for one calendar; corrections also apply to all calendars below it. */
export interface DecidedCalendar {
  /** `CN`, `IN-MH` */
  readonly code: string;
  /** The last year whose official one-off days are in the table; undefined if the sources have it. */
  readonly announcedThrough: number | undefined;
  /** No source has the announcements of subdivisions: a subdivision is followed if its own decision says so. */
  readonly arePartsUnfollowed: boolean;
  /** Who announces one-off and worked days, if the sources' lists were compared with the announcements. */
  readonly announcedBy: string | undefined;
  /** Years that come from date-holidays although python-holidays has the calendar. */
  readonly fromDateHolidays: Years | undefined;
  /** Only days off in all subdivisions are days off. */
  readonly isCommonOfSubdivisions: boolean;
  /** Bounds of the years in which the rules are complete, if narrower than those of the source. */
  readonly coverage: Years | undefined;
  readonly corrections: readonly Correction[];
}

/** Years, both included. */
export interface Years {
  readonly firstYear: number;
  readonly lastYear: number;
}

/** One line of the corrections; `source` is its authority. */
export type Correction = { readonly source: string; readonly line: number } & (
  | { readonly kind: 'add rule'; readonly rule: string; readonly name: string }
  /** Adds the days of another country's holiday as estimates, if both follow one calendar of feasts. */
  | { readonly kind: 'borrow'; readonly code: string; readonly holiday: string; readonly name: string }
  /** Removes a holiday by name, in some years. */
  | ({ readonly kind: 'drop'; readonly name: string } & Years)
  | { readonly kind: 'holiday' | 'workday'; readonly dayNumbers: readonly number[]; readonly name: string }
  /** One day, or all holidays of a range. */
  | { readonly kind: 'remove'; readonly dayNumbers: readonly number[] }
  | CompensateCorrection
);

/** Holidays in the years from `firstYear` to `lastYear` for which a working day is off instead. */
export interface CompensateCorrection extends Years {
  readonly kind: 'compensate';
  /** Holidays on a weekend, or holidays that share their day with another one. */
  readonly when: 'weekend' | 'shared';
  /** The first working day after it; or the one before a Saturday and after a Sunday, see `stepOf`. */
  readonly direction: 'next' | 'nearest';
  /** The suffix of the name of the day off. */
  readonly suffix: string;
  /** Only holidays with these names; empty for all. The first line that matches a holiday applies. */
  readonly names: readonly string[];
}

/** Our decisions in source form. */
export function readDecisions(): string {
  return readFileSync(new URL('decisions/calendars.txt', import.meta.url), 'utf8');
}

type Draft = { -readonly [Key in keyof DecidedCalendar]: DecidedCalendar[Key] } & {
  corrections: Correction[];
};

/** Parses `calendars.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseDecisions(text: string): DecidedCalendar[] {
  const calendars: Draft[] = [];
  let source = '';
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1;
    if (/^(#|$)/.test(content)) continue;
    const [, heading] = /^\[([A-Z]{2}(?:-[A-Z0-9]+)*)\]$/.exec(content) ?? [];
    const calendar = calendars.at(-1);
    if (heading !== undefined) {
      calendars.push(emptyDecision(heading));
      source = '';
    } else if (calendar === undefined) {
      throw new Error(`calendars.txt:${line}: no [calendar] above this line`);
    } else if (content.startsWith('source ')) {
      source = content.slice('source '.length);
    } else if (!parseStatement(content, calendar)) {
      if (source === '') throw new Error(`calendars.txt:${line}: no source above this line`);
      for (const correction of parseLine(content, line))
        calendar.corrections.push({ ...correction, source, line });
    }
  }
  return calendars;
}

function emptyDecision(code: string): Draft {
  return {
    code,
    announcedThrough: undefined,
    arePartsUnfollowed: false,
    announcedBy: undefined,
    fromDateHolidays: undefined,
    isCommonOfSubdivisions: false,
    coverage: undefined,
    corrections: [],
  };
}

/** Parses lines about the calendar as a whole; false for other lines. */
function parseStatement(content: string, calendar: Draft): boolean {
  const [, keyword, rest = ''] =
    /^(announced-through|announced-by|date-holidays|coverage|common-of-subdivisions|parts-unfollowed)(?: (.+))?$/.exec(
      content,
    ) ?? [];
  switch (keyword) {
    case undefined:
      return false;
    case 'announced-through':
      calendar.announcedThrough = Number(rest);
      return true;
    case 'announced-by':
      calendar.announcedBy = rest;
      return true;
    case 'parts-unfollowed':
      calendar.arePartsUnfollowed = true;
      return true;
    case 'common-of-subdivisions':
      calendar.isCommonOfSubdivisions = true;
      return true;
    default:
      calendar[keyword === 'coverage' ? 'coverage' : 'fromDateHolidays'] = yearsOf(rest);
      return true;
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

function parseLine(content: string, line: number): Parsed[] {
  try {
    const parsed = parseDays(content) ?? parseRule(content) ?? parseCompensate(content);
    if (parsed !== null) return parsed;
  } catch (error) {
    throw new Error(`calendars.txt:${line}: ${(error as Error).message}`);
  }
  throw new Error(`calendars.txt:${line}: cannot read '${content}'`);
}

/** `2026 holiday 02-16..02-20 02-23 春节; 04-06 清明节`, `2026 workday 02-14 02-28 调休`, `2026 remove 06-01` */
function parseDays(content: string): Parsed[] | null {
  const match = /^(\d{4}) (holiday|workday|remove) (.+)$/.exec(content);
  if (match === null) return null;
  const year = Number(match[1]);
  const kind = match[2] as 'holiday' | 'workday' | 'remove';
  return match[3]!.split('; ').flatMap((group): Parsed[] => {
    const [, list, name] = /^([\d .-]*\d)(?: (\D.*))?$/.exec(group) ?? [];
    if (list === undefined || (kind === 'remove' && name !== undefined)) {
      throw new Error(`'${group}' is no list of dates`);
    }
    const dates = list.split(' ').map(text => daysOf(year, text));
    if (kind === 'remove') return dates.map(dayNumbers => ({ kind, dayNumbers }));
    if (name === undefined) throw new Error(`'${group}' has no name`);
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
function parseCompensate(content: string): Parsed[] | null {
  const match = /^compensate (weekend|shared) (\d{4})-(\d{4}) (next|nearest) "([^"]*)"(?: for (.+))?$/.exec(
    content,
  );
  if (match === null) return null;
  const [, when, firstYear, lastYear, direction, suffix, names] = match;
  return [
    {
      kind: 'compensate',
      when: when as CompensateCorrection['when'],
      firstYear: Number(firstYear),
      lastYear: Number(lastYear),
      direction: direction as CompensateCorrection['direction'],
      suffix: suffix!,
      names: names?.split(' | ') ?? [],
    },
  ];
}
