import { readFileSync } from 'node:fs';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { messageOf } from '../common/message_of.ts';
import { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../holidays/organisation_calendar.ts';
import { openZonePack, type ZoneDatabase } from '../zones/zone_database.ts';
import { decodeZonePack } from '../zones/zone_pack.ts';
import { openZoneinfoDirectory } from '../zones/zoneinfo_directory.ts';

/** The zones of a directory of TZif files; null means the embedded ones. */
export function loadZones(directory: string | null): ZoneDatabase {
  const pack = readZonePack();
  return directory === null ? openZonePack(pack) : openZoneinfoDirectory(directory, decodeZonePack(pack));
}

/** The embedded holidays, overridden by the days of the organisation's calendar if there is one. */
export function loadHolidays(calendarPath: string | null): HolidayCalendars {
  const pack = readHolidayPack();
  if (calendarPath === null) return new HolidayCalendars(pack);
  const text = readCalendar(calendarPath);
  try {
    return new HolidayCalendars(pack, parseOrganisationCalendar(text, decodeHolidayPack(pack)));
  } catch (error) {
    throw new Error(`Cannot read ${calendarPath}, ${messageOf(error)}`);
  }
}

function readCalendar(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`Cannot read the calendar ${path}: ${(error as Error).message}`);
  }
}
