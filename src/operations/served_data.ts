import type { LazyData } from '../common/lazy_data.ts';
import type { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import type { ZoneOutlines } from '../places/outlines.ts';
import type { Places } from '../places/places.ts';
import type { NamedSchedules } from '../schedules/opening_hours.ts';
import type { Languages } from '../text/language_pack.ts';
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
  readonly windows: WindowsZones;
  readonly populations: Populations;
  /** Holiday calendars, including the organisation's own days. */
  readonly holidays: HolidayCalendars;
  /** The names of weekdays, months and places by language. */
  readonly languages: Languages;
  readonly schedules: NamedSchedules;
}

/** The names in `details.data` and `X-Service-Data`; null for data that only the operator provides, which has no release. */
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

export type DataName = NonNullable<(typeof NAMES)[keyof ServedData]>;

/** All data sets, in the order in which they are reported. */
const DATA_FIELDS = Object.keys(NAMES) as readonly (keyof ServedData)[];

export const FIELD_OF_NAME = Object.fromEntries(
  DATA_FIELDS.flatMap(field => (NAMES[field] === null ? [] : [[NAMES[field], field]])),
) as Readonly<Record<DataName, keyof ServedData>>;

export const DATA_NAMES = Object.keys(FIELD_OF_NAME) as readonly DataName[];

/** Some of the data sets, a bit for each; `|` is their union. */
export type DataSets = number;

export function dataSets(...fields: readonly (keyof ServedData)[]): DataSets {
  return fields.reduce((sets, field) => sets | (1 << DATA_FIELDS.indexOf(field)), 0);
}

export const ZONES = dataSets('zones');

/** The data sets with their names in responses, null for those without releases. */
export function namesOf(sets: DataSets): readonly (readonly [keyof ServedData, DataName | null])[] {
  return DATA_FIELDS.filter(field => (sets & dataSets(field)) !== 0).map(field => [field, NAMES[field]]);
}

/** The data sets that are loaded on first use. */
const LAZY_FIELDS = ['boundaries', 'ip', 'gazetteer', 'releases', 'outlines'] as const;
const LAZY = LAZY_FIELDS.map(field => [field, dataSets(field)] as const);
const ANY_LAZY = dataSets(...LAZY_FIELDS);
const [IP, BOUNDARIES] = [dataSets('ip'), dataSets('boundaries')];

/** Some data sets, with those that they read in turn: an operator's IP database may have coordinates instead of zones. */
export function withRequired(sets: DataSets, { ip }: ServedData): DataSets {
  const isLocated = (sets & IP) !== 0 && ip.state.kind === 'ready' && ip.get().needsBoundaries;
  return isLocated ? sets | BOUNDARIES : sets;
}

/** One of some data sets that must be loaded before it is read; undefined if there is none. */
export function pendingOf(sets: DataSets, data: ServedData): LazyData<unknown> | undefined {
  if ((sets & ANY_LAZY) === 0) return undefined;
  const all = withRequired(sets, data);
  for (const [field, bit] of LAZY) if ((all & bit) !== 0 && data[field].pending) return data[field];
  return undefined;
}
