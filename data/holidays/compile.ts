/**
 * Compiles `holidays.pack` and its manifest, and prints how the sources differ: `bun data/holidays/compile.ts`. The
 * result is committed. Exits with 1 if a difference is undecided or a rule of the compiler is violated.
 */
import { data } from 'date-holidays/data';
import { writeArtifact } from '../artifact.ts';
import { type CompiledCalendar, compileCalendars, packCalendars } from './compile_calendars.ts';
import { DATE_HOLIDAYS_SOURCE } from './date_holidays.ts';
import { differenceKey, readDecidedDifferences, undecidedDifferences } from './decided_differences.ts';
import { compareSources, differencesText } from './differences.ts';
import { lunarFaults } from './lunar_rules.ts';
import { lunisolarFaults } from './lunisolar.ts';
import { reviewFaults } from './reviews.ts';
import { statusFaults } from './status_rules.ts';
import { readSubstitution, renderSubstitution } from './substitution.ts';

/** Faults that a table must not have: undecided differences, undeclared substitution, wrong dates, a wrong status. */
export function faultsOf(calendars: readonly CompiledCalendar[]): string[] {
  return [
    ...undecided(calendars),
    ...undeclared(calendars),
    ...calendars.flatMap(lunarFaults),
    ...calendars.flatMap(statusFaults),
    ...lunisolarFaults(calendars),
    ...calendars.flatMap(calendar => reviewFaults(calendar, calendars)),
  ];
}

function undecided(calendars: readonly CompiledCalendar[]): string[] {
  const decided = new Set(readDecidedDifferences().map(differenceKey));
  const found = undecidedDifferences(compareSources(calendars));
  const keys = new Set(found.map(differenceKey));
  return [
    ...[...keys].filter(key => !decided.has(key)).map(key => `differences.txt does not decide ${key}`),
    ...[...decided].filter(key => !keys.has(key)).map(key => `differences.txt decides what is none: ${key}`),
  ];
}

function undeclared(calendars: readonly CompiledCalendar[]): string[] {
  const found = renderSubstitution(calendars).split('\n');
  const declared = new Set(readSubstitution().split('\n'));
  return found.filter(line => !declared.has(line)).map(line => `substitution.txt does not declare '${line}'`);
}

if (import.meta.main) {
  const calendars = compileCalendars();
  process.stdout.write(differencesText(compareSources(calendars)));
  const faults = faultsOf(calendars);
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\n`);
    process.exit(1);
  }
  const pack = packCalendars(calendars);
  await writeArtifact(new URL('./', import.meta.url), 'holidays.pack', pack, {
    name: 'holidays',
    version: DATE_HOLIDAYS_SOURCE.split(' ')[1]!,
    date: data.version,
    source:
      'date-holidays, https://github.com/commenthol/date-holidays (CC BY-SA 3.0), and python-holidays, https://github.com/vacanza/holidays (MIT), with the decisions of data/holidays/decisions and the work weeks of data/holidays/work_weeks.txt',
    licence: 'CC-BY-SA-3.0 AND MIT',
    attribution:
      'Holidays from date-holidays by commenthol and contributors, after Wikipedia (CC BY-SA 3.0), and from python-holidays, Copyright (c) Vacanza Team and individual contributors, dr-prodigy, 2017-2023, and ryanss, 2014-2017 (MIT)',
  });
  process.stderr.write(`holidays.pack: ${calendars.length} calendars, ${pack.length} bytes\n`);
}
