import type { CompiledCalendar } from '../types.ts';
import { differenceFaults } from './differences.ts';
import { lunarFaults, lunisolarFaults } from './lunar.ts';
import { nameFaults, statusFaults } from './names.ts';
import { reviewFaults } from './reviews.ts';
import { substitutionFaults } from './substitution.ts';

/** What a table must not have, as messages: undecided names, differences and substitution, wrong dates, a wrong status. */
export function faultsOf(calendars: readonly CompiledCalendar[]): string[] {
  return [
    ...nameFaults(calendars),
    ...differenceFaults(calendars),
    ...substitutionFaults(calendars),
    ...calendars.flatMap(lunarFaults),
    ...calendars.flatMap(statusFaults),
    ...lunisolarFaults(calendars),
    ...calendars.flatMap(calendar => reviewFaults(calendar, calendars)),
  ];
}
