import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import type { CompiledCalendar } from '../calendars.ts';
import { countryOf } from '../codes.ts';
import { isWithin } from '../dates.ts';
import type { SourceDay } from '../source_days.ts';

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
 *   `evidence.txt` has the law's rules.
 * - `announced`: a one-off day, such as an election, a funeral or a bridge. date-holidays has none on principle.
 * - `rule`: a holiday that only one source has, by a rule; see `differences.ts`.
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

/**
 * Compares the sources for each calendar in both, from the first year of python-holidays on. Countries come before their
 * subdivisions.
 */
export function compareSources(calendars: readonly CompiledCalendar[]): Comparison[] {
  const comparisons = new Map<string, Comparison>();
  for (const calendar of calendars) {
    if (calendar.pythonHolidays === undefined || calendar.dateHolidays === undefined) continue;
    const ofCountry = comparisons.get(countryOf(calendar.code))?.differences ?? [];
    comparisons.set(calendar.code, compareCalendar(calendar, ofCountry));
  }
  return [...comparisons.values()];
}

function compareCalendar(calendar: CompiledCalendar, ofCountry: readonly Difference[]): Comparison {
  const python = comparedDays(calendar, calendar.pythonHolidays!.holidays);
  const library = comparedDays(calendar, calendar.dateHolidays!.holidays);
  const [inPython, inLibrary] = [dayNumbersOf(python), dayNumbersOf(library)];
  const sighted = sightedDays(python);
  const differencesOf = (source: Source, days: readonly SourceDay[], others: ReadonlySet<number>) => {
    const inherited = new Set(
      ofCountry.flatMap(difference => (difference.source === source ? difference.dayNumbers : [])),
    );
    const classOf = ({ dayNumber, isSubstitute, status }: SourceDay): DifferenceClass => {
      if (inherited.has(dayNumber)) return 'inherited';
      if (isOnWeekend(calendar.workWeek, dayNumber)) return 'weekend';
      if (sighted.has(dayNumber)) return 'sighted';
      if (isSubstitute) return 'substitute';
      return status === 'announced' ? 'announced' : 'rule';
    };
    const lone = days.filter(({ dayNumber }) => !others.has(dayNumber));
    return [...Map.groupBy(lone, day => `${classOf(day)} ${day.name}`).values()].map(group => ({
      code: calendar.code,
      source,
      name: group[0]!.name,
      class: classOf(group[0]!),
      dayNumbers: group.map(({ dayNumber }) => dayNumber),
    }));
  };
  return {
    calendar,
    daysCompared: inPython.union(inLibrary).size,
    differences: [
      ...differencesOf('python-holidays', python, inLibrary),
      ...differencesOf('date-holidays', library, inPython),
    ],
  };
}

function comparedDays({ pythonHolidays }: CompiledCalendar, days: readonly SourceDay[]): SourceDay[] {
  const years = {
    firstYear: Math.max(COMPARED_YEARS.firstYear, pythonHolidays!.firstYear),
    lastYear: Math.min(COMPARED_YEARS.lastYear, pythonHolidays!.lastYear),
  };
  return days.filter(({ dayNumber }) => isWithin(dayNumber, years));
}

function dayNumbersOf(days: readonly SourceDay[]): Set<number> {
  return new Set(days.map(({ dayNumber }) => dayNumber));
}

/** The days around those of holidays that are estimated in some year. */
function sightedDays(python: readonly SourceDay[]): Set<number> {
  const names = new Set(python.filter(({ status }) => status === 'estimated').map(({ name }) => name));
  return new Set(
    python
      .filter(({ name }) => names.has(name))
      .flatMap(({ dayNumber }) => SIGHTING_SHIFTS.map(days => dayNumber + days)),
  );
}

/** The days from a computed day to the observed one. */
const SIGHTING_SHIFTS = [-3, -2, -1, 0, 1, 2, 3];

/** The number of days in a class. */
export function daysOfClass(differences: readonly Difference[], kind: DifferenceClass): number {
  return differences
    .filter(difference => difference.class === kind)
    .reduce((sum, { dayNumbers }) => sum + dayNumbers.length, 0);
}
