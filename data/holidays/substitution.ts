/**
 * The substitutes for holidays on fixed dates that fall on a weekend: `bun data/holidays/substitution.ts` writes
 * `substitution.txt` from the compiled calendars. The compiler stops if the two differ, so that a rule lost by a source, or
 * a new holiday without one, does not go unnoticed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { civilDateOf, weekdayOf } from '../../src/common/civil.ts';
import { isWithin } from './compile_calendar.ts';
import { type CompiledCalendar, compileCalendars } from './compile_calendars.ts';
import { isWeekend } from './work_weeks.ts';

const FILE = new URL('decisions/substitution.txt', import.meta.url);

/** Twenty-eight years have every date on every weekday, except around a century's missing leap day. */
const YEARS = { firstYear: 2027, lastYear: 2054 };
const NEARBY_YEARS = { firstYear: YEARS.firstYear - 1, lastYear: YEARS.lastYear + 1 };
/** The maximum distance of a substitute after its holiday, such as after a Spring Festival. */
const REACH_DAYS = 9;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The declared rules in source form. */
export function readSubstitution(): string {
  return readFileSync(FILE, 'utf8');
}

/** The rule of every statutory holiday on a fixed date, by country: `Sat-1 Sun+1`, or `none`. */
export function renderSubstitution(calendars: readonly CompiledCalendar[]): string {
  const sections = calendars
    .filter(({ code }) => !code.includes('-'))
    .map(calendar => `[${calendar.code}]\n${countryLines(calendar).join('\n')}\n`);
  return [HEADER, ...sections].join('\n');
}

const HEADER = `# What is given for a statutory holiday on a fixed date that falls on a weekend, from 2027 on:
#
#   Sat-1 Sun+1: New Year's Day | Juneteenth      the day before for a Saturday, the day after for a Sunday
#   none: Epiphany                                nothing
#
# A weekday with several distances has the one that is given most; the others are where two holidays meet. Where a
# country has neither holidays on fixed dates nor weekends on which one fell, its section is empty.
`;

function countryLines(calendar: CompiledCalendar): string[] {
  const rules = new Map<string, string[]>();
  for (const [name, dayNumbers] of fixedHolidays(calendar)) {
    const rule = ruleOf(calendar, name, dayNumbers);
    rules.set(rule, [...(rules.get(rule) ?? []), name]);
  }
  return [...rules].map(([rule, names]) => `${rule}: ${names.join(' | ')}`).sort();
}

/** Statutory holidays on the same date in nearly all years, by name. */
function fixedHolidays({ days }: CompiledCalendar): [string, readonly number[]][] {
  const byName = new Map<string, number[]>();
  for (const { name, status, isSubstitute, dayNumber } of days.holidays) {
    if (isSubstitute || status !== 'statutory' || !isWithin(dayNumber, YEARS)) continue;
    byName.set(name, [...(byName.get(name) ?? []), dayNumber]);
  }
  return [...byName].flatMap(([name, dayNumbers]): [string, readonly number[]][] => {
    const dates = Map.groupBy(dayNumbers, dateOf);
    const [date, onDate] = [...dates].sort(([, a], [, b]) => b.length - a.length)[0]!;
    return onDate.length >= YEARS.lastYear - YEARS.firstYear && date !== '2-29' ? [[name, onDate]] : [];
  });
}

function dateOf(dayNumber: number): string {
  const { month, day } = civilDateOf(dayNumber);
  return `${month}-${day}`;
}

function ruleOf({ days, workWeek }: CompiledCalendar, name: string, dayNumbers: readonly number[]): string {
  const names = new Set(days.holidays.filter(day => !day.isSubstitute).map(day => day.name));
  const isGeneric = (substitute: string) => ![...names].some(holiday => substitute.includes(holiday));
  const substitutes = days.holidays.filter(day => day.isSubstitute && isWithin(day.dayNumber, NEARBY_YEARS));
  const generic = new Set([...new Set(substitutes.map(day => day.name))].filter(isGeneric));
  const distances = new Map<number, number[]>();
  for (const dayNumber of dayNumbers) {
    if (!isWeekend(dayNumber, workWeek)) continue;
    const near = substitutes
      .map(day => ({ name: day.name, distance: day.dayNumber - dayNumber }))
      .filter(day => day.name.includes(name) || (generic.has(day.name) && day.distance > 0))
      .map(({ distance }) => distance)
      .filter(distance => Math.abs(distance) <= REACH_DAYS)
      .sort((a, b) => Math.abs(a) - Math.abs(b));
    const weekday = weekdayOf(dayNumber);
    if (near[0] !== undefined) distances.set(weekday, [...(distances.get(weekday) ?? []), near[0]]);
  }
  const parts = [...distances]
    .sort(([a], [b]) => a - b)
    .map(([weekday, given]) => `${WEEKDAYS[weekday]}${signed(mostFrequent(given))}`);
  return parts.length === 0 ? 'none' : parts.join(' ');
}

function mostFrequent(numbers: readonly number[]): number {
  return [...Map.groupBy(numbers, number => number)].sort(([, a], [, b]) => b.length - a.length)[0]![0];
}

function signed(distance: number): string {
  return distance < 0 ? String(distance) : `+${distance}`;
}

if (import.meta.main) writeFileSync(FILE, renderSubstitution(compileCalendars()));
