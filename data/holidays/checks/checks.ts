import type { CompiledCalendar } from '../calendars.ts';
import { differenceFaults } from './differences.ts';
import { lunarFaults } from './lunar.ts';
import { lunisolarFaults } from './lunisolar.ts';
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
    ...calendars.flatMap(lunisolarFaults),
    ...calendars.flatMap(calendar => reviewFaults(calendar, calendars)),
  ];
}
