import { civilDateOf } from '../../src/common/civil.ts';
import type { Coverage } from '../../src/holidays/holiday_pack.ts';
import type { CompiledCalendar } from './compile_calendars.ts';
import { lunarNames } from './lunar_rules.ts';
import { isLabelledSubstitute } from './python_holidays.ts';
import type { SourceDay } from './source_calendar.ts';

/** Before the year of the snapshot the sources have what was announced, also where they do not say so. */
const LAST_LISTED_YEAR = 2025;

/** Where a law or a calendar that can be computed gives the dates, so that no list of a year decides them. */
const COMPUTED_BY_LAW = ['CN', 'HK', 'IL', 'KP', 'KR', 'MO', 'NZ', 'TW', 'VN'];

/**
 * Holidays that a list of each year decides though their dates do not show it, by parts of their names: those
 * that a community of Spain can exchange (Real Decreto 2001/1983, art. 45), and the eve of Melbourne's final.
 */
const LISTED_EACH_YEAR: Readonly<Record<string, readonly string[]>> = {
  'AU-VIC': ['Grand Final Day'],
  ES: ['Jueves Santo', 'Lunes de Pascua', 'Lunes siguiente a', 'San José', 'San Juan', 'Santiago Apóstol'],
};

/** Whether what is announced or sighted in the year of a day is not in the table. */
function isOpen({ dayNumber }: SourceDay, { announcedThrough }: Coverage): boolean {
  return civilDateOf(dayNumber).year > (announcedThrough ?? LAST_LISTED_YEAR);
}

/** The names of holidays that a sighting, or the list of a year, decides, and of the days around them. */
function decidedNames(code: string, holidays: readonly SourceDay[], { from }: Coverage): Set<string> {
  if (COMPUTED_BY_LAW.includes(code.slice(0, 2))) return new Set();
  // Before the coverage, all days of date-holidays are estimates.
  const estimated = holidays.filter(
    ({ status, isSubstitute, dayNumber }) =>
      status === 'estimated' && !isSubstitute && civilDateOf(dayNumber).year >= from,
  );
  const decided = [
    ...lunarNames(holidays).union(new Set(estimated.map(({ name }) => name))),
    ...(LISTED_EACH_YEAR[code] ?? LISTED_EACH_YEAR[code.slice(0, 2)] ?? []),
  ];
  // `Day after Eid al-Fitr`, and substitutes, which have the name of the holiday within their own.
  return new Set(holidays.map(({ name }) => name).filter(name => decided.some(part => name.includes(part))));
}

/** Holidays with the status `estimated` where an announcement, or a sighting of the moon, is still to come. */
export function withEstimates(code: string, holidays: readonly SourceDay[], coverage: Coverage): SourceDay[] {
  const decided = decidedNames(code, holidays, coverage);
  const follows = ({ name, status }: SourceDay) => status === 'announced' || decided.has(name);
  return holidays.map(day => (isOpen(day, coverage) && follows(day) ? { ...day, status: 'estimated' } : day));
}

/**
 * What the status of days must not be, in words: announced after the last year whose announcements are in the table;
 * by law there, though it is an estimate in other years; and a substitute by its name alone.
 */
export function statusFaults({ code, days, coverage }: CompiledCalendar): string[] {
  const decided = decidedNames(code, days.holidays, coverage);
  return days.holidays.flatMap(day => {
    const { dayNumber, name, status, isSubstitute } = day;
    const text = `${code}: ${new Date(dayNumber * 86_400_000).toISOString().slice(0, 10)} ${name}`;
    const after = isOpen(day, coverage);
    return [
      ...(after && status === 'announced' ? [`${text} is announced in a year that is not followed`] : []),
      ...(after && status === 'statutory' && decided.has(name)
        ? [`${text} is statutory, and estimated in other years`]
        : []),
      ...(!isSubstitute && isLabelledSubstitute(name) ? [`${text} is a substitute by its name`] : []),
    ];
  });
}
