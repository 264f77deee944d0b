import type { CompiledCalendar } from '../calendars.ts';
import { countryOf, partOf } from '../codes.ts';
import { readDecisionFile } from '../decisions/decision_file.ts';
import { differenceFaults } from './differences.ts';
import { evidenceFaults } from './evidence.ts';
import { lunarFaults } from './lunar.ts';
import { lunisolarFaults } from './lunisolar.ts';
import { nameFaults, statusFaults } from './names.ts';

/** The decision files by country; the others are by calendar. */
const BY_COUNTRY = ['names.txt'];
const BY_CALENDAR = ['calendars.txt', 'evidence.txt', 'differences.txt', 'work_weeks.txt'];

/** The faults of compiled calendars, as messages: undecided names, differences and substitutes, wrong dates or statuses. */
export function faultsOf(calendars: readonly CompiledCalendar[], only: string | null = null): string[] {
  const codes = new Set(calendars.map(({ code }) => code));
  const countries = new Set([...codes].filter(code => partOf(code) === null));
  return [
    ...BY_CALENDAR.flatMap(file => headingFaults(file, codes, only)),
    ...BY_COUNTRY.flatMap(file => headingFaults(file, countries, only)),
    ...nameFaults(calendars),
    ...differenceFaults(calendars, only),
    ...calendars.flatMap(lunarFaults),
    ...calendars.flatMap(statusFaults),
    ...calendars.flatMap(lunisolarFaults),
    ...calendars.flatMap(calendar => evidenceFaults(calendar, calendars)),
  ];
}

/** Decisions for calendars that do not exist. */
function headingFaults(file: string, codes: ReadonlySet<string>, only: string | null): string[] {
  const headings = [...readDecisionFile(file).matchAll(/^\[(.+)\]$/gm)].map(([, code]) => code!);
  return headings
    .filter(code => (only === null || countryOf(code) === only) && !codes.has(code))
    .map(code => `${file}: there is no calendar [${code}]`);
}
