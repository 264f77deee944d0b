/**
 * Compiles `holidays.pack` and its manifest, and prints what changes in which calendar: `bun data/holidays/compile.ts`, or
 * `bun data/holidays/compile.ts PT` for one country, in seconds. The result is committed. Exits with 1, and leaves the pack as it
 * is, if something is undecided or contradicts a check.
 */
import { data } from 'date-holidays/data';
import { counted } from '../../src/common/words.ts';
import { decodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { writeArtifact } from '../artifact.ts';
import { compileCalendars } from './calendars.ts';
import { changesOf } from './checks/changes.ts';
import { faultsOf } from './checks/checks.ts';
import { readHolidayPack } from './embedded.ts';
import { DATE_HOLIDAYS_VERSION, updateDateHolidays } from './sources/date_holidays.ts';
import { packCalendars } from './table.ts';

const only = process.argv[2] ?? null;
await updateDateHolidays();
const calendars = compileCalendars(only);
if (calendars.length === 0) {
  process.stderr.write(`there is no country '${only}'; ONLY is a code such as PT\n`);
  process.exit(1);
}
const others = only === null ? [] : decodeHolidayPack(readHolidayPack()).countries;
const pack = packCalendars(calendars, others);
process.stdout.write(`${changesTo(pack).join('\n') || 'no day changes'}\n`);
const faults = faultsOf(calendars, only);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exit(1);
}
await writeArtifact(new URL('./', import.meta.url), 'holidays.pack', pack, {
  name: 'holidays',
  version: DATE_HOLIDAYS_VERSION,
  date: data.version,
  source:
    'date-holidays, https://github.com/commenthol/date-holidays (CC BY-SA 3.0), and python-holidays, https://github.com/vacanza/holidays (MIT), with the decisions and work weeks of data/holidays/decisions',
  licence: 'CC-BY-SA-3.0 AND MIT',
  attribution:
    'Holidays from date-holidays by commenthol and contributors, after Wikipedia (CC BY-SA 3.0), and from python-holidays, Copyright (c) Vacanza Team and individual contributors, dr-prodigy, 2017-2023, and ryanss, 2014-2017 (MIT)',
});
process.stderr.write(`holidays.pack: ${counted(calendars.length, 'calendar')}, ${pack.length} bytes\n`);

/** What changes in the committed pack, which can be damaged or have another format. */
function changesTo(after: Uint8Array): string[] {
  try {
    return changesOf(readHolidayPack(), after);
  } catch (error) {
    return [`the pack cannot be compared: ${(error as Error).message}`];
  }
}
