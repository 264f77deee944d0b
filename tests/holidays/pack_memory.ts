/**
 * Prints how many bytes the embedded table takes with one calendar, and after all have been used, as JSON. Runs in a separate
 * process, free of other tests' garbage.
 */
import { heapStats } from 'bun:jsc';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';

function heapBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize; // includes memory outside of objects
}

const pack = readHolidayPack();
const bytesBefore = heapBytes();
const calendars = new HolidayCalendars(pack);
calendars.calendar('DE', 'BY');
const ofOne = heapBytes() - bytesBefore;
for (const country of calendars.countries) {
  for (const part of [null, ...country.subdivisions])
    void calendars.calendarOf(country, part?.code ?? null).businessDays;
}
console.log(JSON.stringify({ ofOne, ofAll: heapBytes() - bytesBefore }));
