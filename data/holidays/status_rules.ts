import { civilDateOf } from '../../src/common/civil.ts';
import type { Coverage } from '../../src/holidays/holiday_pack.ts';
import type { CompiledCalendar } from './compile_calendars.ts';
import { lunarNames } from './lunar_rules.ts';
import { isLabelledSubstitute } from './python_holidays.ts';
import type { SourceDay } from './source_calendar.ts';

/** Before the year of the snapshot the sources have the announced days, even if not marked as such. */
const LAST_LISTED_YEAR = 2025;

/** Countries in which a law or a computable calendar determines the dates, not an annual list. */
const COMPUTED_BY_LAW = ['CN', 'HK', 'IL', 'KP', 'KR', 'MO', 'NZ', 'TW', 'VN'];

/**
 * Holidays set by an annual list although their dates do not show it, by parts of their names: those that a Spanish
 * community can exchange (Real Decreto 2001/1983, art. 45), and the eve of Melbourne's final.
 */
const LISTED_EACH_YEAR: Readonly<Record<string, readonly string[]>> = {
  'AU-VIC': ['Grand Final Day'],
  ES: ['Jueves Santo', 'Lunes de Pascua', 'Lunes siguiente a', 'San José', 'San Juan', 'Santiago Apóstol'],
};

/** Whether announcements or sightings in the year of a day are missing from the table. */
function isOpen({ dayNumber }: SourceDay, { announcedThrough }: Coverage): boolean {
  return civilDateOf(dayNumber).year > (announcedThrough ?? LAST_LISTED_YEAR);
}

/** The names of holidays set by a sighting or an annual list, and of the days around them. */
function decidedNames(code: string, holidays: readonly SourceDay[], { from }: Coverage): Set<string> {
  if (COMPUTED_BY_LAW.includes(code.slice(0, 2))) return new Set();
  // Before the coverage, all days from date-holidays are estimates.
  const estimated = holidays.filter(
    ({ status, isSubstitute, dayNumber }) =>
      status === 'estimated' && !isSubstitute && civilDateOf(dayNumber).year >= from,
  );
  const decided = [
    ...lunarNames(holidays).union(new Set(estimated.map(({ name }) => name))),
    ...(LISTED_EACH_YEAR[code] ?? LISTED_EACH_YEAR[code.slice(0, 2)] ?? []),
  ];
  // `Day after Eid al-Fitr`, and substitutes, whose names contain the holiday's.
  return new Set(holidays.map(({ name }) => name).filter(name => decided.some(part => name.includes(part))));
}

/** Sets the status `estimated` on holidays whose announcement, or moon sighting, is still to come. */
export function withEstimates(code: string, holidays: readonly SourceDay[], coverage: Coverage): SourceDay[] {
  const decided = decidedNames(code, holidays, coverage);
  const follows = ({ name, status }: SourceDay) => status === 'announced' || decided.has(name);
  return holidays.map(day => (isOpen(day, coverage) && follows(day) ? { ...day, status: 'estimated' } : day));
}

/**
 * Invalid statuses of days, as messages: announced after the last year whose announcements are in the table; statutory
 * there, although estimated in other years; and a substitute only by name.
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
