import type { Draft } from './compile_calendar.ts';
import type { CompiledCalendar } from './compile_calendars.ts';
import type { SourceDay } from './source_calendar.ts';

/**
 * The days of a country without common law: those off in all its subdivisions, with the country's name for them, else
 * that of the first subdivision. Regions within subdivisions do not count.
 */
export function commonDaysOf(country: CompiledCalendar, parts: readonly CompiledCalendar[]): Draft {
  const subdivisions = parts.filter(({ code }) => code.split('-').length === 2);
  const [first, ...others] = subdivisions.map(({ days }) => days.holidays);
  const shared = others.reduce(
    (days, holidays) => days.intersection(new Set(holidays.map(day => day.dayNumber))),
    new Set(first!.map(day => day.dayNumber)),
  );
  const named = new Map<number, SourceDay[]>();
  for (const day of country.days.holidays)
    named.set(day.dayNumber, [...(named.get(day.dayNumber) ?? []), day]);
  const unnamed = first!.filter(({ dayNumber }) => shared.has(dayNumber) && !named.has(dayNumber));
  return {
    ...country.days,
    holidays: [...country.days.holidays.filter(({ dayNumber }) => shared.has(dayNumber)), ...unnamed],
  };
}
