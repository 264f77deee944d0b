import type { CompiledCalendar } from '../calendars.ts';
import { countryOf } from '../codes.ts';
import { isWithin, SNAPSHOT_YEAR, yearOf } from '../dates.ts';
import type { ValuesByName } from '../decisions/decision_file.ts';
import { parseDifferences } from '../decisions/differences.ts';
import { type Comparison, compareSources, type Difference } from './comparison.ts';

/** What decides a difference by a rule: a named text; history, see `isOfHistory`; or the leading source alone. */
export type Decision = 'text' | 'history' | 'lead';

/** A difference by a rule, and what decides it; null for one that is still to be decided. */
export interface DecidedDifference extends Difference {
  readonly decision: Decision | null;
}

/** The differences of calendars by a rule, with what decides each. */
export function decidedDifferences(
  comparisons: readonly Comparison[],
  reasons = parseDifferences(),
): DecidedDifference[] {
  return comparisons.flatMap(({ calendar, differences }) =>
    differences
      .filter(difference => difference.class === 'rule')
      .map(difference => ({ ...difference, decision: decisionOn(difference, calendar, reasons) })),
  );
}

function decisionOn(
  difference: Difference,
  calendar: CompiledCalendar,
  reasons: ValuesByName,
): Decision | null {
  const reason = reasons.get(difference.code)?.get(difference.name);
  if ((reason !== undefined && reason !== 'lead') || isReviewed(calendar, difference)) return 'text';
  if (isOfHistory(calendar, difference)) return 'history';
  return reason === 'lead' ? 'lead' : null;
}

/**
 * Whether a difference is only in past years, because a law began or ended: later both sources have the holiday, or
 * python-holidays no longer has it. date-holidays applies today's law to all years, and has no former holidays.
 */
function isOfHistory(
  { pythonHolidays, dateHolidays }: CompiledCalendar,
  { source, name, dayNumbers }: Difference,
): boolean {
  const [own, other] =
    source === 'python-holidays' ? [pythonHolidays!, dateHolidays!] : [dateHolidays!, pythonHolidays!];
  const lastYear = yearOf(Math.max(...dayNumbers));
  if (lastYear > SNAPSHOT_YEAR) return false;
  const named = own.holidays.filter(day => day.name === name).map(({ dayNumber }) => dayNumber);
  const hasEnded = named.every(day => yearOf(day) <= SNAPSHOT_YEAR);
  const later = named.filter(day => isWithin(day, { firstYear: lastYear + 1, lastYear: lastYear + 5 }));
  const others = new Set(other.holidays.map(({ dayNumber }) => dayNumber));
  const isSharedLater = later.length >= 3 && later.every(day => others.has(day));
  return isSharedLater || (source === 'python-holidays' && hasEnded);
}

/** Whether the text a calendar was compared with covers all years of a difference. */
function isReviewed({ evidence }: CompiledCalendar, { dayNumbers }: Difference): boolean {
  const years = [
    ...(evidence?.recurring ?? []),
    ...(evidence?.lists ?? []).map(({ year }) => ({ firstYear: year, lastYear: year })),
  ];
  return dayNumbers.every(day => years.some(each => isWithin(day, each)));
}

/** Undecided differences, and decisions without a difference, as messages. */
export function differenceFaults(calendars: readonly CompiledCalendar[], only: string | null): string[] {
  const reasons = new Map(
    [...parseDifferences()].filter(([code]) => only === null || countryOf(code) === only),
  );
  const differences = decidedDifferences(compareSources(calendars), reasons);
  const found = new Set(differences.map(({ code, name }) => `[${code}] ${name}`));
  const known = [...reasons].flatMap(([code, names]) => [...names.keys()].map(name => `[${code}] ${name}`));
  return [
    ...differences
      .filter(({ decision }) => decision === null)
      .map(
        difference =>
          `differences.txt does not decide ${describe(difference)}: add 'NAME = TEXT' or 'NAME = lead'`,
      ),
    ...known
      .filter(key => !found.has(key))
      .map(key => `differences.txt decides ${key}, which does not differ`),
  ];
}

/** `[PT] Corpo de Deus, only in date-holidays, 2013-2015` */
export function describe({ code, source, name, dayNumbers }: Difference): string {
  return `[${code}] ${name}, only in ${source}, ${yearRanges(dayNumbers)}`;
}

/** `2010-2015 2017`: the years of days, for messages and reports. */
function yearRanges(dayNumbers: readonly number[]): string {
  const years = [...new Set(dayNumbers.map(day => yearOf(day)))].sort((a, b) => a - b);
  const starts = years.filter(year => !years.includes(year - 1));
  return starts
    .map(start => {
      let end = start;
      while (years.includes(end + 1)) end++;
      return end === start ? String(start) : `${start}-${end}`;
    })
    .join(' ');
}
