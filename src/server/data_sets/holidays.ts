import { holidaysManifest, readHolidayPack } from '../../../data/holidays/embedded.ts';
import { counted } from '../../common/counted.ts';
import { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../../holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../../holidays/organisation_calendar.ts';
import { bytesOf, embeddedPack } from '../data_pack.ts';
import { type SetOf, textOf } from './data_set.ts';

/** Holiday calendars; the operator's own days extend them. */
export const holidaysSet: SetOf<'holidays'> = {
  configurable: {
    setting: 'calendar',
    what: 'calendar',
    async parse([file], _, __, pack) {
      const bytes = await bytesOf(pack!); // the set is compiled
      return new HolidayCalendars(bytes, parseOrganisationCalendar(textOf(file!), decodeHolidayPack(bytes)));
    },
  },
  compiled: {
    embedded: embeddedPack(holidaysManifest, readHolidayPack),
    open: async pack => new HolidayCalendars(await bytesOf(pack)),
  },
  describe: ({ organisation }) => counted(organisation?.size ?? 0, 'day'),
  status({ header, organisation }) {
    const own =
      organisation === null ? '' : `, with ${counted(organisation.size, 'day')} of the organisation`;
    return { name: 'holidays', state: 'ok', detail: header.library + own };
  },
  check(holidays, { isBundled }) {
    for (const country of isBundled ? holidays.countries : []) {
      for (const table of [country, ...country.subdivisions]) table.readDays();
    }
    return [];
  },
};
