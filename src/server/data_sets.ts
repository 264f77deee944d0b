import { readFileSync } from 'node:fs';
import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { ipZonesManifest, ipZonesPath } from '../../data/ip/embedded.ts';
import type { DataSetManifest } from '../../data/manifest.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { counted } from '../common/counted.ts';
import { messageOf, visible } from '../common/message_of.ts';
import { cut } from '../common/service_error.ts';
import { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../holidays/organisation_calendar.ts';
import type { DependencyStatus, ServedData } from '../http/snapshot.ts';
import { readEmbeddedFile } from '../places/embedded_file.ts';
import { LazyData } from '../places/lazy_data.ts';
import { parseOwnNetworks } from '../places/own_networks.ts';
import { readNamedSchedules } from '../schedules/named_schedules.ts';
import { openZonePack, type ZoneDatabase } from '../zones/zone_database.ts';
import { decodeZonePack } from '../zones/zone_pack.ts';
import { openZoneinfoDirectory } from '../zones/zoneinfo_directory.ts';
import type { Reloadable } from './reload.ts';

/** The settings that replace embedded data, or add to it. */
export interface DataSettings {
  readonly zoneinfo: string | null;
  readonly calendar: string | null;
  readonly schedules: string | null;
  readonly 'ip-db': string | null;
  readonly 'ip-zones': string | null;
}

/** A data set of a server. */
interface DataSet<Value> {
  /** The setting with the operator's file or directory; null where there is only the embedded data. */
  readonly setting: keyof DataSettings | null;
  /**
   * Loads and validates the data: the operator's from `path`, or the embedded. `loaded` has the sets above it in the registry.
   * Throws an Error of one line that names an unusable file.
   */
  load(path: string | null, loaded: ServedData): Value | Promise<Value>;
  /** Describes the data in the log. */
  describe(value: Value): string;
  /** Its line in `/readyz`; null for none. */
  status(value: Value): DependencyStatus | null;
}

/** All data sets, in the order in which they are loaded. */
const DATA_SETS: { readonly [Name in keyof ServedData]: DataSet<ServedData[Name]> } = {
  zones: {
    setting: 'zoneinfo',
    load: loadZones,
    describe: ({ version }) => `tzdata ${version}`,
    status: ({ version }) => ({ name: 'zones', state: 'ok', detail: `tzdata ${version}` }),
  },
  holidays: {
    setting: 'calendar',
    load(path) {
      const pack = readHolidayPack();
      if (path === null) return new HolidayCalendars(pack);
      const calendar = readConfigured(path, 'calendar', text =>
        parseOrganisationCalendar(text, decodeHolidayPack(pack)),
      );
      return new HolidayCalendars(pack, calendar);
    },
    describe: ({ organisation }) => counted(organisation?.size ?? 0, 'day'),
    status({ header, organisation }) {
      const own =
        organisation === null ? '' : `, with ${counted(organisation.size, 'day')} of the organisation`;
      return { name: 'holidays', state: 'ok', detail: header.library + own };
    },
  },
  schedules: {
    setting: 'schedules',
    load: path =>
      path === null
        ? new Map()
        : readConfigured(path, 'schedules', text =>
            readNamedSchedules(Bun.TOML.parse(text) as Readonly<Record<string, unknown>>),
          ),
    describe: ({ size }) => counted(size, 'schedule'),
    status: ({ size }) =>
      size === 0 ? null : { name: 'schedules', state: 'ok', detail: counted(size, 'schedule') },
  },
  boundaries: {
    setting: null,
    load: () =>
      new LazyData('boundaries', versionOf(boundariesManifest), async () => {
        const { openBoundaries } = await import('../places/boundaries.ts');
        return openBoundaries(await readEmbeddedFile(boundariesPath, boundariesManifest.sha256));
      }),
    describe: ({ version }) => version,
    status: lazyStatus,
  },
  ip: {
    setting: 'ip-db',
    async load(path, { boundaries }) {
      if (path === null) return embeddedIp();
      const { readIpFile } = await import('../places/ip_file.ts');
      const { mmdbZones } = await import('../places/mmdb_zones.ts');
      const reader = await readIpFile(path);
      const { databaseType, buildEpoch } = reader.metadata;
      const date = Number.isNaN(buildEpoch.getTime()) ? 'no date' : buildEpoch.toISOString().slice(0, 10);
      const version = `${cut(visible(`${databaseType}`), 80)} of ${date}, ${megabytes(Bun.file(path).size)}`;
      return LazyData.of(
        'ip',
        version,
        mmdbZones(reader, () => boundaries.get()),
      );
    },
    describe: ({ version }) => version,
    status: lazyStatus,
  },
  ownNetworks: {
    setting: 'ip-zones',
    load: (path, { zones }) =>
      path === null
        ? null
        : readConfigured(path, 'own networks', text =>
            parseOwnNetworks(text, name => zones.find(name) !== undefined),
          ),
    describe: () => 'own networks',
    status: () => null,
  },
};

const NAMES = Object.keys(DATA_SETS) as (keyof ServedData)[];

/** Loads all data. Throws an Error of one line that names an unusable file. */
export async function loadData(settings: DataSettings): Promise<ServedData> {
  const loaded: Partial<Record<keyof ServedData, unknown>> = {};
  for (const name of NAMES) loaded[name] = await loadSet(name, settings, loaded as ServedData);
  return loaded as ServedData;
}

/** The operator's data, to be reloaded on SIGHUP; `replace` puts a changed set in place. */
export function reloadableData(
  settings: DataSettings,
  current: () => ServedData,
  replace: (changed: Partial<ServedData>) => void,
): readonly Reloadable[] {
  return NAMES.flatMap(name => {
    const { setting } = DATA_SETS[name];
    if (setting === null || settings[setting] === null) return [];
    const reload = async () => {
      const value = await loadSet(name, settings, current());
      replace({ [name]: value });
      return describe(name, current());
    };
    return { name: setting, reload };
  });
}

/** The status of all data, for `/readyz`. */
export function dataStatus(data: ServedData): readonly DependencyStatus[] {
  return NAMES.flatMap(name => statusOf(name, data) ?? []);
}

// Generic in the name, so that the value of a set has its type.
function loadSet<Name extends keyof ServedData>(name: Name, settings: DataSettings, loaded: ServedData) {
  const { setting, load } = DATA_SETS[name];
  return load(setting === null ? null : settings[setting], loaded);
}

function describe<Name extends keyof ServedData>(name: Name, data: ServedData): string {
  return DATA_SETS[name].describe(data[name]);
}

function statusOf<Name extends keyof ServedData>(name: Name, data: ServedData): DependencyStatus | null {
  return DATA_SETS[name].status(data[name]);
}

/** Data that is loaded at its first use counts as ready: a request that needs it waits. */
function lazyStatus({ name, version, state }: LazyData<unknown>): DependencyStatus {
  switch (state.kind) {
    case 'ready':
      return { name, state: 'ok', detail: version };
    case 'broken':
      return { name, state: 'broken', detail: `${version}: ${state.problem}` };
    case 'loading':
      return { name, state: 'ok', detail: `${version}, loading` };
    case 'unread':
      return { name, state: 'ok', detail: `${version}, loaded at first use` };
  }
}

/** The zones of a directory of TZif files; null means the embedded ones. */
export function loadZones(directory: string | null): ZoneDatabase {
  const pack = readZonePack();
  return directory === null ? openZonePack(pack) : openZoneinfoDirectory(directory, decodeZonePack(pack));
}

function embeddedIp() {
  return new LazyData('ip', versionOf(ipZonesManifest), async () => {
    const { mmdbZones, openMmdb } = await import('../places/mmdb_zones.ts');
    const bytes = await readEmbeddedFile(ipZonesPath, ipZonesManifest.sha256);
    return mmdbZones(openMmdb(bytes.subarray(0, bytes.length)));
  });
}

function readConfigured<Value>(path: string, what: string, parse: (text: string) => Value): Value {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Cannot use ${path} as ${what}: ${messageOf(error)}`);
  }
}

/** The description of an embedded data set in reports. */
function versionOf({ version, date, bytes, licence, source }: DataSetManifest): string {
  return `${version} of ${date}, ${megabytes(bytes)}, ${licence}, ${source}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
