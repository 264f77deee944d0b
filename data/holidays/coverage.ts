import type { Coverage } from '../../src/holidays/holiday_pack.ts';
import { SNAPSHOT_YEAR, TABLE_YEARS, yearOf } from './dates.ts';
import type { DecidedCalendar } from './decisions/calendars.ts';
import { type CountryNames, kindOf } from './decisions/names.ts';
import type { Draft, SourceDay } from './source_days.ts';

/**
 * The published years of a calendar, by its own decision, else that of its country, else the sources. `reviewed` is the month of
 * its review, null if there is none.
 */
export function coverageOf(
  draft: Draft,
  own: DecidedCalendar | undefined,
  ofCountry: DecidedCalendar | undefined,
  reviewed: string | null,
): Coverage {
  const { firstYear, lastYear } = own?.coverage ?? ofCountry?.coverage ?? draft.years;
  const isFollowed = own === ofCountry || ofCountry?.arePartsUnfollowed !== true;
  const ofSources = isFollowed ? (ofCountry?.announcedThrough ?? lastFollowedYear(draft)) : null;
  return {
    from: Math.max(firstYear, draft.years.firstYear),
    to: Math.min(lastYear, draft.years.lastYear, lastCompleteYear(draft.holidays)),
    announcedThrough: own?.announcedThrough ?? ofSources,
    reviewed,
  };
}

/**
 * The last year whose announced and sighted days are included: the last one before the snapshot without an estimate; null if
 * that was more than `FOLLOWED_YEARS` before it.
 */
function lastFollowedYear({ holidays, years }: Draft): number | null {
  const estimates = holidays.filter(({ status }) => status === 'estimated');
  const estimatedYears = new Set(estimates.map(({ dayNumber }) => yearOf(dayNumber)));
  let year = SNAPSHOT_YEAR - 1;
  while (year >= years.firstYear && estimatedYears.has(year)) year--;
  return year < SNAPSHOT_YEAR - FOLLOWED_YEARS ? null : year;
}

const FOLLOWED_YEARS = 6;

/**
 * The last year before a yearly holiday ends for good, which is where a table of the source ended: a holiday ended by law
 * is not followed by silence to 2100.
 */
function lastCompleteYear(holidays: readonly SourceDay[]): number {
  const recurring = holidays.filter(({ status, isSubstitute }) => status !== 'announced' && !isSubstitute);
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
 * Whether announcements or sightings in the year of a day are missing from the table. Before the year of the snapshot the
 * sources have them, even if not marked as such.
 */
export function isOpen({ dayNumber }: SourceDay, { announcedThrough }: Coverage): boolean {
  return yearOf(dayNumber) > (announcedThrough ?? SNAPSHOT_YEAR - 1);
}

/** Marks substitutes, and as `estimated` holidays whose announcement or moon sighting is still to come. */
export function withStatus(
  holidays: readonly SourceDay[],
  coverage: Coverage,
  names: CountryNames,
): SourceDay[] {
  const isAwaited = (day: SourceDay) =>
    isOpen(day, coverage) && (day.status === 'announced' || kindOf(day.name, names) === 'yearly');
  return holidays.map(day => ({
    ...day,
    status: isAwaited(day) ? 'estimated' : day.status,
    isSubstitute: day.isSubstitute || names.substitutes.has(day.name),
  }));
}
