import { readHolidayPack } from '../../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../../src/holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../../../src/holidays/holiday_pack.ts';

/** The calendars of the committed table. */
export const embeddedCalendars = new HolidayCalendars(decodeHolidayPack(readHolidayPack()));
