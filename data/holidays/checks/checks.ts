import type { CompiledCalendar } from '../calendars.ts';
import { partOf } from '../codes.ts';
import { readDecisionFile } from '../decisions/decision_file.ts';
import { differenceFaults } from './differences.ts';
import { lunarFaults } from './lunar.ts';
import { lunisolarFaults } from './lunisolar.ts';
import { nameFaults, statusFaults } from './names.ts';
import { reviewFaults } from './reviews.ts';
import { substitutionFaults } from './substitution.ts';

/** The decision files by country; the others are by calendar. */
const BY_COUNTRY = ['names.txt', 'substitution.txt'];
const BY_CALENDAR = ['calendars.txt', 'reviews.txt', 'differences.txt', 'work_weeks.txt'];

/** The faults of compiled calendars, as messages: undecided names, differences and substitutes, wrong dates or statuses. */
export function faultsOf(calendars: readonly CompiledCalendar[]): string[] {
  const codes = new Set(calendars.map(({ code }) => code));
  const countries = new Set([...codes].filter(code => partOf(code) === null));
  return [
    ...BY_CALENDAR.flatMap(file => headingFaults(file, codes)),
    ...BY_COUNTRY.flatMap(file => headingFaults(file, countries)),
    ...nameFaults(calendars),
    ...differenceFaults(calendars),
    ...substitutionFaults(calendars),
    ...calendars.flatMap(lunarFaults),
    ...calendars.flatMap(statusFaults),
    ...calendars.flatMap(lunisolarFaults),
    ...calendars.flatMap(calendar => reviewFaults(calendar, calendars)),
  ];
}

/** Decisions for calendars that do not exist. */
function headingFaults(file: string, codes: ReadonlySet<string>): string[] {
  const headings = [...readDecisionFile(file).matchAll(/^\[(.+)\]$/gm)].map(([, code]) => code!);
  return headings.filter(code => !codes.has(code)).map(code => `${file}: there is no calendar [${code}]`);
}
