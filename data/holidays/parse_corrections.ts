import { dayNumberOf, daysInMonth } from '../../src/common/civil.ts';

/** Where date-holidays differs from what is official, for one calendar and all that lie below it. */
export interface CorrectedCalendar {
  /** `CN`, `IN-MH` */
  readonly code: string;
  /** The last year whose official one-off days are in these corrections. */
  readonly knownThrough: number | null;
  readonly corrections: readonly Correction[];
}

/** One line of the corrections; `source` is who says so. */
export type Correction = { readonly source: string; readonly line: number } & (
  | { readonly kind: 'add rule'; readonly rule: string; readonly name: string }
  | { readonly kind: 'remove rule'; readonly rule: string }
  | { readonly kind: 'holiday' | 'workday'; readonly dayNumbers: readonly number[]; readonly name: string }
  /** One day, or all holidays of a range. */
  | { readonly kind: 'remove'; readonly dayNumbers: readonly number[] }
  | CompensateCorrection
);

/** Holidays of the years from `firstYear` to `lastYear` for which there is a working day off instead. */
export interface CompensateCorrection {
  readonly kind: 'compensate';
  /** Those that fall on a weekend, or those that share their day with another one. */
  readonly when: 'weekend' | 'shared';
  readonly firstYear: number;
  readonly lastYear: number;
  /** The first working day after it; or the one before a Saturday and after a Sunday, see `stepOf`. */
  readonly direction: 'next' | 'nearest';
  /** What the name of the day off ends with. */
  readonly suffix: string;
  /** Only holidays of these names; empty for all. The first line that fits a holiday holds. */
  readonly names: readonly string[];
}

/** Reads `corrections.txt`, which describes itself. Throws an `Error` with the number of a line that is not understood. */
export function parseCorrections(text: string): CorrectedCalendar[] {
  const calendars: { code: string; knownThrough: number | null; corrections: Correction[] }[] = [];
  let source = '';
  for (const [index, content] of text.split('\n').entries()) {
    const line = index + 1;
    if (/^(#|$)/.test(content)) continue;
    const heading = /^\[([A-Z]{2}(?:-[A-Z0-9]+)*)\]$/.exec(content);
    const statement = /^(known-through|source) (.+)$/.exec(content);
    const calendar = calendars.at(-1);
    if (heading !== null) {
      calendars.push({ code: heading[1]!, knownThrough: null, corrections: [] });
      source = '';
    } else if (calendar === undefined) {
      throw new Error(`corrections.txt:${line}: this stands under no [calendar]`);
    } else if (statement?.[1] === 'known-through') {
      calendar.knownThrough = Number(statement[2]);
    } else if (statement !== null) {
      source = statement[2]!;
    } else if (source === '') {
      throw new Error(`corrections.txt:${line}: this has no source above it`);
    } else {
      for (const correction of parseLine(content, line))
        calendar.corrections.push({ ...correction, source, line });
    }
  }
  return calendars;
}

/** A correction before it knows its line and its source; `Omit` would merge the kinds into one. */
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
    throw new Error(`corrections.txt:${line}: ${(error as Error).message}`);
  }
  throw new Error(`corrections.txt:${line}: cannot read '${content}'`);
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

/** `rule add 05-02 since 2025 = 劳动节`, `rule remove 06-01` */
function parseRule(content: string): Parsed[] | null {
  const added = /^rule add (.+) = (.+)$/.exec(content);
  if (added !== null) return [{ kind: 'add rule', rule: added[1]!, name: added[2]! }];
  const removed = /^rule remove (.+)$/.exec(content);
  return removed === null ? null : [{ kind: 'remove rule', rule: removed[1]! }];
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
