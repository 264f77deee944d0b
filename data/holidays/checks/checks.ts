import type { CompiledCalendar } from '../types.ts';
import { differenceFaults } from './differences.ts';
import { lunarFaults, lunisolarFaults } from './lunar.ts';
import { nameFaults, statusFaults } from './names.ts';
import { reviewFaults } from './reviews.ts';
import { substitutionFaults } from './substitution.ts';

/** The faults of compiled calendars, as messages: undecided names, differences and substitutes, wrong dates or statuses. */
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
