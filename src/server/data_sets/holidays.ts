import { holidaysManifest, readHolidayPack } from '../../../data/holidays/embedded.ts';
import { parseToml } from '../../common/settings_text.ts';
import { counted } from '../../common/words.ts';
import { HolidayCalendars } from '../../holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../../holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../../holidays/organisation_calendar.ts';
import { parseOwnNetworks } from '../../places/own_networks.ts';
import { readNamedSchedules } from '../../schedules/opening_hours.ts';
import { bytesOf, embeddedPack, type SetOf, textOf } from './data_set.ts';

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

/** The operator's schedules. */
export const schedulesSet: SetOf<'schedules'> = {
  configurable: {
    setting: 'schedules',
    what: 'schedules',
    parse: ([file]) => readNamedSchedules(parseToml(textOf(file!))),
  },
  compiled: null,
  none: new Map(),
  describe: ({ size }) => counted(size, 'schedule'),
  status: ({ size }) =>
    size === 0 ? null : { name: 'schedules', state: 'ok', detail: counted(size, 'schedule') },
  check: () => [],
};

/** The zones of the operator's networks. */
export const ownNetworksSet: SetOf<'ownNetworks'> = {
  configurable: {
    setting: 'ip-zones',
    what: 'own networks',
    parse: ([file], _, { zones }) => parseOwnNetworks(textOf(file!), name => zones.find(name) !== undefined),
    reads: 'zones',
  },
  compiled: null,
  none: null,
  describe: () => 'own networks',
  status: () => null,
  check: () => [], // zones were looked up during parsing
};
