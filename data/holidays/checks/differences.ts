import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import { countryOf, isWithin, SNAPSHOT_YEAR, yearOf } from '../dates.ts';
import { readReasons } from '../decisions/differences.ts';
import type { CompiledCalendar, SourceDay } from '../types.ts';

/** The years for which the sources are compared. */
export const COMPARED_YEARS = { firstYear: 2010, lastYear: 2035 };

/**
 * The class of a difference, from the most to the least harmless. All but the last are decided as a class:
 *
 * - `inherited`: the country differs in the same way; decided there.
 * - `weekend`: one source lists a holiday on a weekend, or drops it where a substitute is given. No working day depends on it: the
 *   table has what the leading source lists.
 * - `sighted`: a day that a sighting of the moon or a yearly list decides, within three days in both sources. Past days are those of
 *   the leading source, which has the announced ones; computed ones are of the Umm al-Qura calendar or of that source, and `estimated`.
 * - `substitute`: a working day off for a holiday on a weekend. date-holidays lacks most rules or applies today's to all years;
 *   `substitution.txt` declares those for fixed dates.
 * - `announced`: a one-off day, such as an election, a funeral or a bridge. date-holidays has none on principle.
 * - `rule`: a holiday that only one source has, by a rule. `isOfHistory` decides past ones, `differences.txt` each of the others.
 */
export const DIFFERENCE_CLASSES = [
  'inherited',
  'weekend',
  'sighted',
  'substitute',
  'announced',
  'rule',
] as const;
export type DifferenceClass = (typeof DIFFERENCE_CLASSES)[number];
export type Source = 'date-holidays' | 'python-holidays';

/** Days with one name that only one of the sources has. */
export interface Difference {
  readonly code: string;
  /** The source with the days. */
  readonly source: Source;
  readonly name: string;
  readonly class: DifferenceClass;
  readonly dayNumbers: readonly number[];
}

/** The comparison of a calendar in both sources. */
export interface Comparison {
  readonly calendar: CompiledCalendar;
  /** Days in at least one source. */
  readonly daysCompared: number;
  readonly differences: readonly Difference[];
}

/** Compares the sources for each calendar in both, from the first year of python-holidays on. */
export function compareSources(calendars: readonly CompiledCalendar[]): Comparison[] {
  const differing = new Map<string, ReadonlySet<string>>();
  return calendars
    .filter(({ pythonHolidays, dateHolidays }) => pythonHolidays !== undefined && dateHolidays !== undefined)
    .map(calendar => {
      const comparison = compareCalendar(calendar, differing.get(countryOf(calendar.code)) ?? new Set());
      const days = comparison.differences.flatMap(({ source, dayNumbers }) =>
        dayNumbers.map(day => `${source} ${day}`),
      );
      differing.set(calendar.code, new Set(days));
      return comparison;
    });
}

function compareCalendar(calendar: CompiledCalendar, ofCountry: ReadonlySet<string>): Comparison {
  const python = calendar.pythonHolidays!;
  const firstYear = Math.max(COMPARED_YEARS.firstYear, python.firstYear);
  const years = { firstYear, lastYear: Math.min(COMPARED_YEARS.lastYear, python.lastYear) };
  const within = (days: readonly SourceDay[]) => days.filter(({ dayNumber }) => isWithin(dayNumber, years));
  const days = {
    'python-holidays': within(python.holidays),
    'date-holidays': within(calendar.dateHolidays!.holidays),
  };
  const numbers = (source: Source) => new Set(days[source].map(day => day.dayNumber));
  const [ofPython, ofLibrary] = [numbers('python-holidays'), numbers('date-holidays')];
  const classify = classifier(calendar, days['python-holidays'], ofCountry);
  const groups = new Map<string, Difference & { dayNumbers: number[] }>();
  for (const [source, others] of [
    ['python-holidays', ofLibrary],
    ['date-holidays', ofPython],
  ] as const) {
    for (const day of days[source].filter(({ dayNumber }) => !others.has(dayNumber))) {
      const kind = classify(source, day);
      const key = `${source} ${kind} ${day.name}`;
      const { code } = calendar;
      const group = groups.get(key) ?? { code, source, name: day.name, class: kind, dayNumbers: [] };
      groups.set(key, group);
      group.dayNumbers.push(day.dayNumber);
    }
  }
  return { calendar, daysCompared: ofPython.union(ofLibrary).size, differences: [...groups.values()] };
}

/** The days from a computed day to the observed one. */
const SIGHTING_SHIFTS = [-3, -2, -1, 0, 1, 2, 3];

function classifier(
  { workWeek }: CompiledCalendar,
  python: readonly SourceDay[],
  ofCountry: ReadonlySet<string>,
): (source: Source, day: SourceDay) => DifferenceClass {
  const sightedNames = new Set(python.filter(({ status }) => status === 'estimated').map(({ name }) => name));
  const near = new Set(
    python
      .filter(({ name }) => sightedNames.has(name))
      .flatMap(({ dayNumber }) => SIGHTING_SHIFTS.map(days => dayNumber + days)),
  );
  return (source, { dayNumber, isSubstitute, status }) => {
    if (ofCountry.has(`${source} ${dayNumber}`)) return 'inherited';
    if (isOnWeekend(workWeek, dayNumber)) return 'weekend';
    if (near.has(dayNumber)) return 'sighted';
    if (isSubstitute) return 'substitute';
    return status === 'announced' ? 'announced' : 'rule';
  };
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

/** The number of days in a class. */
export function daysOfClass(differences: readonly Difference[], kind: DifferenceClass): number {
  return differences
    .filter(difference => difference.class === kind)
    .reduce((sum, { dayNumbers }) => sum + dayNumbers.length, 0);
}

/** What decides a difference by a rule: a named text, that it is of history, see `isOfHistory`, or the leading source alone. */
export type Decision = 'text' | 'history' | 'lead';

/** A difference by a rule, and what decides it; null for one that is still to be decided. */
export interface DecidedDifference extends Difference {
  readonly decision: Decision | null;
}

/** The differences of calendars by a rule, with what decides each. */
export function decidedDifferences(
  comparisons: readonly Comparison[],
  reasons = readReasons(),
): DecidedDifference[] {
  return comparisons.flatMap(({ calendar, differences }) =>
    differences
      .filter(difference => difference.class === 'rule')
      .map(difference => {
        const reason = reasons.get(difference.code)?.get(difference.name);
        const isText = (reason ?? 'lead') !== 'lead' || isReviewed(calendar, difference);
        const others = isOfHistory(calendar, difference) ? 'history' : reason === 'lead' ? 'lead' : null;
        return { ...difference, decision: isText ? 'text' : others };
      }),
  );
}

/** Whether the text a calendar was compared with covers a year of a difference. */
function isReviewed({ review }: CompiledCalendar, { dayNumbers }: Difference): boolean {
  return (review?.lists ?? []).some(list => dayNumbers.some(day => isWithin(day, list)));
}

/** Undecided differences, and decisions without a difference, as messages. */
export function differenceFaults(calendars: readonly CompiledCalendar[]): string[] {
  const reasons = readReasons();
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
