import { weekdayOf } from '../../../src/common/civil.ts';
import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import { SUBSTITUTE_REACH_DAYS } from '../../../src/holidays/holiday_calendars.ts';
import { countryOf, dateInYear, isWithin, SNAPSHOT_YEAR, WEEKDAYS } from '../dates.ts';
import { parseSubstitution } from '../decisions/substitution.ts';
import type { CompiledCalendar } from '../types.ts';

/** Twenty-eight years have every date on every weekday, except around a century's missing leap day. */
const YEARS = { firstYear: SNAPSHOT_YEAR + 1, lastYear: SNAPSHOT_YEAR + 28 };
const NEARBY_YEARS = { firstYear: YEARS.firstYear - 1, lastYear: YEARS.lastYear + 1 };

/**
 * Rules that differ from those that `substitution.txt` declares, as messages, so that a rule lost by a source, or a new holiday
 * without one, does not go unnoticed.
 */
export function substitutionFaults(calendars: readonly CompiledCalendar[]): string[] {
  const declared = parseSubstitution();
  const countries = calendars.filter(({ code }) => countryOf(code) === code);
  const faults = countries.flatMap(calendar => {
    const found = new Map(
      fixedHolidays(calendar).map(([name, days]) => [name, ruleOf(calendar, name, days)]),
    );
    const rules = declared.get(calendar.code) ?? new Map<string, string>();
    const place = `substitution.txt: [${calendar.code}]`;
    return [
      ...[...found]
        .filter(([name, rule]) => rules.get(name) !== rule)
        .map(
          ([name, rule]) =>
            `${place} ${name} has '${rule}', and ${rules.has(name) ? `is declared as '${rules.get(name)}'` : 'is not declared'}`,
        ),
      ...[...rules.keys()]
        .filter(name => !found.has(name))
        .map(name => `${place} ${name} is declared, but is not a statutory holiday on a fixed date`),
    ];
  });
  const codes = new Set(countries.map(({ code }) => code));
  const unknown = [...declared.keys()].filter(code => !codes.has(code));
  return [...faults, ...unknown.map(code => `substitution.txt: there is no country [${code}]`)];
}

/** Statutory holidays on the same date in nearly all years, by name. */
function fixedHolidays({ days }: CompiledCalendar): [string, readonly number[]][] {
  const statutory = days.holidays.filter(
    day => !day.isSubstitute && day.status === 'statutory' && isWithin(day.dayNumber, YEARS),
  );
  return [...Map.groupBy(statutory, ({ name }) => name)].flatMap(([name, holidays]): [string, number[]][] => {
    const dayNumbers = holidays.map(({ dayNumber }) => dayNumber);
    const dates = Map.groupBy(dayNumbers, dateInYear);
    const [date, onDate] = [...dates].sort(([, a], [, b]) => b.length - a.length)[0]!;
    return onDate.length >= YEARS.lastYear - YEARS.firstYear && date !== '2-29' ? [[name, onDate]] : [];
  });
}

function ruleOf(
  { days, workWeek, names }: CompiledCalendar,
  name: string,
  dayNumbers: readonly number[],
): string {
  const substitutes = days.holidays.filter(day => day.isSubstitute && isWithin(day.dayNumber, NEARBY_YEARS));
  const onWeekend = dayNumbers.filter(dayNumber => isOnWeekend(workWeek, dayNumber));
  const given = onWeekend.flatMap(dayNumber => {
    const [nearest] = substitutes
      .map(day => ({ name: day.name, distance: day.dayNumber - dayNumber }))
      .filter(day => {
        const holiday = names.substitutes.get(day.name);
        return holiday === name || (holiday === null && day.distance > 0);
      })
      .map(({ distance }) => distance)
      .filter(distance => Math.abs(distance) <= SUBSTITUTE_REACH_DAYS)
      .sort((a, b) => Math.abs(a) - Math.abs(b));
    return nearest === undefined ? [] : [{ weekday: weekdayOf(dayNumber), distance: nearest }];
  });
  const parts = [...Map.groupBy(given, ({ weekday }) => weekday)]
    .sort(([a], [b]) => a - b)
    .map(([weekday, days]) => `${WEEKDAYS[weekday]}${signed(mostFrequent(days.map(day => day.distance)))}`);
  return parts.length === 0 ? 'none' : parts.join(' ');
}

function mostFrequent(numbers: readonly number[]): number {
  return [...Map.groupBy(numbers, number => number)].sort(([, a], [, b]) => b.length - a.length)[0]![0];
}

function signed(distance: number): string {
  return distance < 0 ? String(distance) : `+${distance}`;
}
