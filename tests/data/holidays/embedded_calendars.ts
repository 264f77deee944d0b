import { readHolidayPack } from '../../../data/holidays/embedded.ts';
import { HolidayCalendars } from '../../../src/holidays/holiday_calendars.ts';

/** The calendars in the committed table. */
export const embeddedCalendars = new HolidayCalendars(readHolidayPack());
