import type { Coverage } from '../../src/holidays/holiday_pack.ts';
import { SNAPSHOT_YEAR, TABLE_YEARS, type Years, yearOf, yearsIn } from './dates.ts';
import type { DecidedCalendar } from './decisions/calendars.ts';
import type { Evidence } from './decisions/evidence.ts';
import { type CountryNames, kindOf } from './decisions/names.ts';
import type { Draft, SourceDay } from './source_days.ts';
import { PYTHON_HOLIDAYS_SOURCE } from './sources/python_holidays.ts';

/** The years in which a law says which days there will be: that of the data's release, and the three after it. */
export const YEARS_AHEAD: Years = { firstYear: SNAPSHOT_YEAR, lastYear: SNAPSHOT_YEAR + 3 };

/** The days of a calendar with their status, and its published years: by its evidence alone, but for those of the rules. */
export function withCoverage(
  draft: Draft,
  own: DecidedCalendar | undefined,
  ofCountry: DecidedCalendar | undefined,
  evidence: Evidence | undefined,
  names: CountryNames,
): { readonly days: Draft; readonly coverage: Coverage } {
  const complete = completeYears(evidence);
  const holidays = withStatus(draft.holidays, complete, names);
  const { firstYear, lastYear } = own?.coverage ?? ofCountry?.coverage ?? draft.years;
  const from = Math.max(firstYear, draft.years.firstYear);
  const rulesTo = Math.min(lastYear, draft.years.lastYear, lastCompleteYear(draft.holidays, names));
  const to = lastListedYear(evidence, rulesTo);
  const basis = basisOf(evidence, holidays, names);
  const years = basis === null ? [] : [...complete, ...(basis === 'law' ? yearsIn(YEARS_AHEAD) : [])];
  const certain = rangesOf(years.filter(year => year >= from && year <= to));
  return {
    days: { ...draft, holidays },
    coverage: {
      basis,
      expected: basis === 'list' && areDaysStated(evidence!) ? yearsAfter(certain, to) : null,
      certain,
      from,
      to,
      announcedThrough: announcedThrough(complete, holidays, { firstYear: from, lastYear: to }),
      reviewed: evidence === undefined ? null : monthOf(evidence),
    },
  };
}

/** The last year of the rules or, where official lists follow them without a gap, of the lists: a list has all days of a year. */
function lastListedYear(evidence: Evidence | undefined, rulesTo: number): number {
  const listed = new Set((evidence?.lists ?? []).map(({ year }) => year));
  let to = rulesTo;
  while (listed.has(to + 1)) to++;
  return to;
}

/** The years whose one-off and sighted days are in the table, by a cited text. */
function completeYears(evidence: Evidence | undefined): ReadonlySet<number> {
  return new Set([
    ...(evidence?.lists ?? []).map(({ year }) => year),
    ...(evidence?.complete ?? []).flatMap(years => yearsIn(years)),
  ]);
}

/** Whether each recurring day follows from a law that was read; null if nothing was. */
function basisOf(
  evidence: Evidence | undefined,
  holidays: readonly SourceDay[],
  names: CountryNames,
): Coverage['basis'] {
  if (evidence === undefined) return null;
  const isOpen = ({ dayNumber, name }: SourceDay) =>
    yearOf(dayNumber) > SNAPSHOT_YEAR && kindOf(name, names) === 'yearly';
  return areDaysStated(evidence) && !holidays.some(isOpen) ? 'law' : 'list';
}

/** Whether a law that was read has the days of the years ahead, but for sighted ones. */
function areDaysStated({ recurring, decidedYearly }: Evidence): boolean {
  const isStated = (year: number) =>
    recurring.some(({ firstYear, lastYear }) => firstYear <= year && year <= lastYear);
  return yearsIn(YEARS_AHEAD).every(isStated) && decidedYearly === null;
}

/** The years ahead after the certain ones, and up to `to`; null if there are none. */
function yearsAfter(certain: Coverage['certain'], to: number): Coverage['expected'] {
  const from = Math.max(SNAPSHOT_YEAR, ...certain.map(range => range.to)) + 1;
  const last = Math.min(YEARS_AHEAD.lastYear, to);
  return from > last ? null : { from, to: last };
}

/** The last year of the unbroken run of complete years that reaches the present, or came last before it, without an estimated day. */
function announcedThrough(
  complete: ReadonlySet<number>,
  holidays: readonly SourceDay[],
  { firstYear, lastYear }: Years,
): number | null {
  const estimated = holidays
    .filter(({ status, dayNumber }) => status === 'estimated' && yearOf(dayNumber) >= firstYear)
    .map(({ dayNumber }) => yearOf(dayNumber));
  const firstEstimated = Math.min(lastYear + 1, ...estimated);
  const years = new Set([...complete].filter(year => year >= firstYear && year < firstEstimated));
  const past = [...years].filter(year => year <= SNAPSHOT_YEAR);
  if (past.length === 0) return null;
  let last = Math.max(...past);
  while (years.has(last + 1)) last++;
  return last;
}

/** The month of the latest reading. */
function monthOf({ laws, lists }: Evidence): string | null {
  return (
    [...laws, ...lists.map(({ title }) => title)]
      .map(({ month }) => month)
      .sort()
      .at(-1) ?? null
  );
}

/** Years as ranges: 2019, 2020 and 2026 are `[{ from: 2019, to: 2020 }, { from: 2026, to: 2026 }]`. */
function rangesOf(years: readonly number[]): Coverage['certain'] {
  const sorted = [...new Set(years)].sort((a, b) => a - b);
  const starts = sorted.filter(year => !sorted.includes(year - 1));
  const ends = sorted.filter(year => !sorted.includes(year + 1));
  return starts.map((from, index) => ({ from, to: ends[index]! }));
}

/**
 * The last year before a yearly holiday ends for good, which is where a table of the source ended: a holiday ended by law
 * is not followed by silence to 2100.
 */
function lastCompleteYear(holidays: readonly SourceDay[], names: CountryNames): number {
  const recurring = holidays.filter(
    ({ name, status, isSubstitute }) =>
      !isSubstitute && (status !== 'announced' || kindOf(name, names) !== 'once'),
  );
  const ends = [...Map.groupBy(recurring, ({ name }) => name).values()].flatMap(
    days => earlyEndOf(days, TABLE_YEARS.lastYear) ?? [],
  );
  return Math.min(TABLE_YEARS.lastYear, ...ends);
}

/**
 * The last year with days of a holiday, if that is before `lastYear`, and since the snapshot; undefined for a holiday that
 * goes on, or did not occur in each of the five years before it ended: such ends are coincidences of weekdays.
 */
export function earlyEndOf(days: readonly SourceDay[], lastYear: number): number | undefined {
  const years = new Set(days.map(({ dayNumber }) => yearOf(dayNumber)));
  const end = Math.max(...years);
  const isYearly = [0, 1, 2, 3, 4].every(ago => years.has(end - ago));
  // A holiday that only the last year lacks has not ended.
  return isYearly && end >= SNAPSHOT_YEAR && end < lastYear - 1 ? end : undefined;
}

/**
 * Days that a law names are `statutory`, also those in years that nobody has listed; one-off days, each of a cited source,
 * `announced`; days decided each year are so in the years that a text completes, and `estimated` in the others.
 */
function withStatus(
  holidays: readonly SourceDay[],
  complete: ReadonlySet<number>,
  names: CountryNames,
): SourceDay[] {
  return holidays.map(day => {
    const isSubstitute = day.isSubstitute || names.substitutes.has(day.name);
    if (kindOf(day.name, names) !== 'yearly') return { ...day, isSubstitute };
    const isCited = day.status === 'announced' && day.source !== PYTHON_HOLIDAYS_SOURCE;
    const isKnown = isCited || complete.has(yearOf(day.dayNumber));
    return { ...day, isSubstitute, status: isKnown ? 'announced' : 'estimated' };
  });
}
