import { weekdayOf } from '../../../src/common/civil.ts';
import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import { SUBSTITUTE_REACH_DAYS } from '../../../src/holidays/holiday_calendars.ts';
import type { CompiledCalendar } from '../calendars.ts';
import { partOf } from '../codes.ts';
import { dateInYear, isWithin, SNAPSHOT_YEAR } from '../dates.ts';
import { WEEKDAYS } from '../decisions/decision_file.ts';
import type { CountryNames } from '../decisions/names.ts';
import { parseSubstitution } from '../decisions/substitution.ts';
import type { SourceDay } from '../source_days.ts';

/** Twenty-eight years have every date on every weekday, except around a century's missing leap day. */
const YEARS = { firstYear: SNAPSHOT_YEAR + 1, lastYear: SNAPSHOT_YEAR + 28 };
const NEARBY_YEARS = { firstYear: YEARS.firstYear - 1, lastYear: YEARS.lastYear + 1 };

/**
 * Rules that differ from those that `substitution.txt` declares, as messages, so that a rule lost by a source, or a new holiday
 * without one, does not go unnoticed.
 */
export function substitutionFaults(calendars: readonly CompiledCalendar[]): string[] {
  const declared = parseSubstitution();
  const countries = calendars.filter(({ code }) => partOf(code) === null);
  return countries.flatMap(country => countryFaults(country, declared.get(country.code) ?? new Map()));
}

function countryFaults(country: CompiledCalendar, declared: ReadonlyMap<string, string>): string[] {
  const place = `substitution.txt: [${country.code}]`;
  const found = new Map(fixedHolidays(country).map(([name, days]) => [name, ruleOf(country, name, days)]));
  return [
    ...[...found].flatMap(([name, rule]) => {
      const expected = declared.get(name);
      if (expected === rule) return [];
      const declaration = expected === undefined ? 'is not declared' : `is declared as '${expected}'`;
      return [`${place} ${name} has '${rule}', and ${declaration}`];
    }),
    ...[...declared.keys()]
      .filter(name => !found.has(name))
      .map(name => `${place} ${name} is declared, but is not a statutory holiday on a fixed date`),
  ];
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

/** The rule for a holiday with these days, in the grammar of `substitution.txt`. */
function ruleOf(country: CompiledCalendar, name: string, dayNumbers: readonly number[]): string {
  const substitutes = country.days.holidays.filter(
    day => day.isSubstitute && isWithin(day.dayNumber, NEARBY_YEARS),
  );
  const given = dayNumbers
    .filter(dayNumber => isOnWeekend(country.workWeek, dayNumber))
    .flatMap(dayNumber => {
      const distance = distanceToSubstitute(dayNumber, name, substitutes, country.names);
      return distance === undefined ? [] : [{ weekday: weekdayOf(dayNumber), distance }];
    });
  const parts = [...Map.groupBy(given, ({ weekday }) => weekday)]
    .sort(([a], [b]) => a - b)
    .map(([weekday, days]) => `${WEEKDAYS[weekday]}${signed(mostFrequent(days.map(day => day.distance)))}`);
  return parts.length === 0 ? 'none' : parts.join(' ');
}

/** The days from a holiday to its nearest substitute within reach; one for any holiday is after it. */
function distanceToSubstitute(
  dayNumber: number,
  name: string,
  substitutes: readonly SourceDay[],
  names: CountryNames,
): number | undefined {
  const distances = substitutes
    .map(day => ({ holiday: names.substitutes.get(day.name), distance: day.dayNumber - dayNumber }))
    .filter(({ holiday, distance }) => holiday === name || (holiday === null && distance > 0))
    .map(({ distance }) => distance)
    .filter(distance => Math.abs(distance) <= SUBSTITUTE_REACH_DAYS);
  return distances.sort((a, b) => Math.abs(a) - Math.abs(b))[0];
}

function mostFrequent(numbers: readonly number[]): number {
  return [...Map.groupBy(numbers, number => number)].sort(([, a], [, b]) => b.length - a.length)[0]![0];
}

function signed(distance: number): string {
  return distance < 0 ? String(distance) : `+${distance}`;
}
