import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import type { LazyData } from '../places/lazy_data.ts';
import type { Places, ZoneOutlines } from '../places/places.ts';
import type { NamedSchedules } from '../schedules/opening_hours.ts';
import type { Languages } from '../text/languages.ts';
import type { Populations } from '../zones/populations.ts';
import type { ReleaseHistory } from '../zones/releases.ts';
import type { WindowsZones } from '../zones/windows_zones.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';

/** The data sets that requests read. */
export interface ServedData extends Places {
  readonly zones: ZoneDatabase;
  /** The zones of past releases. */
  readonly releases: LazyData<ReleaseHistory>;
  /** The outlines of zones, for maps. */
  readonly outlines: LazyData<ZoneOutlines>;
  /** Zones by Windows name. */
  readonly windows: WindowsZones;
  /** Population by zone. */
  readonly populations: Populations;
  /** Holiday calendars, including the organisation's own days. */
  readonly holidays: HolidayCalendars;
  /** The names of weekdays and months by language. */
  readonly languages: Languages;
  /** The operator's schedules. */
  readonly schedules: NamedSchedules;
}

/**
 * The name of each data set in `details.data` and `X-Service-Data`. Null for those that only the operator provides, which have
 * no release.
 */
const NAMES = {
  zones: 'tzdata',
  releases: 'releases',
  boundaries: 'boundaries',
  ip: 'ip',
  gazetteer: 'places',
  holidays: 'holidays',
  languages: 'languages',
  windows: 'windows',
  populations: 'populations',
  outlines: 'outlines',
  schedules: null,
  ownNetworks: null,
} as const satisfies Readonly<Record<keyof ServedData, string | null>>;

/** The name of a data set with releases. */
export type DataName = NonNullable<(typeof NAMES)[keyof ServedData]>;

export const NAME_OF_FIELD: Readonly<Record<keyof ServedData, DataName | null>> = NAMES;

/** All data sets, in the order in which they are reported. */
export const DATA_FIELDS = Object.keys(NAMES) as readonly (keyof ServedData)[];

export const FIELD_OF_NAME = Object.fromEntries(
  DATA_FIELDS.flatMap(field => (NAMES[field] === null ? [] : [[NAMES[field], field]])),
) as Readonly<Record<DataName, keyof ServedData>>;

/** The names of the data sets with releases. */
export const DATA_NAMES = Object.keys(FIELD_OF_NAME) as readonly DataName[];
