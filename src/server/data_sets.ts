import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { holidaysManifest, readHolidayPack } from '../../data/holidays/embedded.ts';
import { ipZonesManifest, ipZonesPath } from '../../data/ip/embedded.ts';
import { languagesManifest, readLanguagePack } from '../../data/languages/embedded.ts';
import type { DataSetManifest } from '../../data/manifest.ts';
import { outlinesManifest, readOutlines } from '../../data/outlines/embedded.ts';
import { placesManifest, placesPath } from '../../data/places/embedded.ts';
import { populationsManifest, readPopulationPack } from '../../data/populations/embedded.ts';
import { readReleasePack, releasesManifest } from '../../data/releases/embedded.ts';
import { readWindowsPack, windowsManifest } from '../../data/windows/embedded.ts';
import { readZonePack, zonesManifest } from '../../data/zones/embedded.ts';
import { counted } from '../common/counted.ts';
import { messageOf, visible } from '../common/message_of.ts';
import { cut, quoted } from '../common/service_error.ts';
import { parseToml } from '../common/toml.ts';
import { decompressZstd } from '../common/zlib.ts';
import { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../holidays/organisation_calendar.ts';
import type { DependencyStatus, ServedData } from '../http/snapshot.ts';
import { readEmbeddedFile } from '../places/embedded_file.ts';
import { LazyData } from '../places/lazy_data.ts';
import { parseOwnNetworks } from '../places/own_networks.ts';
import type { IpZones } from '../places/places.ts';
import { decodeOutlines } from '../places/zone_outlines.ts';
import { readNamedSchedules } from '../schedules/named_schedules.ts';
import { Languages } from '../text/languages.ts';
import { decodePopulations } from '../zones/populations.ts';
import { hasKnownRelease, openReplacementZones } from '../zones/replacement_zones.ts';
import { WindowsZones } from '../zones/windows_zones.ts';
import { openZonePack, ZoneDatabase } from '../zones/zone_database.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../zones/zone_pack.ts';
import { readZoneinfoDirectory } from '../zones/zoneinfo_directory.ts';
import { bytesOf, embeddedPack, type Pack } from './data_pack.ts';

/** The settings that replace or extend embedded data. */
export interface DataSettings {
  readonly zoneinfo: string | null;
  readonly 'allow-older-data': boolean;
  readonly calendar: string | null;
  readonly schedules: string | null;
  readonly 'ip-db': readonly string[];
  readonly 'ip-zones': string | null;
}

/** A file that replaces or extends embedded data, supplied by the operator or a last good copy. */
export interface SourceFile {
  /** For messages. */
  readonly path: string;
  readonly contents: Uint8Array;
}

/** A setting that names data files. */
export type Setting = Exclude<keyof DataSettings, 'allow-older-data'>;

/** How configured files replace or extend the compiled data of a set. */
interface Configurable<Value> {
  readonly setting: Setting;
  /** The kind of file, for messages: `Cannot use FILE as …`. */
  readonly what: string;
  /** Reads the contents for a path, such as a directory, as one file; by default reads the file itself. */
  readonly read?: (path: string) => Uint8Array | Promise<Uint8Array>;
  /**
   * Validates files and returns their data. `loaded` has the sets that precede it in the registry, `pack` the compiled data
   * that the files extend. Throws an `Error` with the reason if a file cannot be used.
   */
  readonly parse: (
    files: readonly SourceFile[],
    settings: DataSettings,
    loaded: ServedData,
    pack: Pack | null,
  ) => Value | Promise<Value>;
  /** Another set that `parse` depends on: files are parsed again when a bundle replaces that set. */
  readonly reads?: keyof ServedData;
}

/** Compiled data. */
interface Compiled<Value> {
  /** The executable's pack; its manifest has the set's name in bundles. */
  readonly embedded: Pack;
  /** Opens a pack, which may be from a bundle. Throws or rejects with an `Error` if it cannot be used. */
  readonly open: (pack: Pack, settings: Pick<DataSettings, 'allow-older-data'>) => Value | Promise<Value>;
}

/** A data set of a server. */
interface DataSet<Value> {
  /** Null if the set has only compiled data. */
  readonly configurable: Configurable<Value> | null;
  /** Null if the set has only configured data. */
  readonly compiled: Compiled<Value> | null;
  /** The value if nothing is configured, for sets that are not compiled. */
  readonly none?: Value;
  /** Describes the data in the log. */
  describe(value: Value): string;
  /** Its line in `/readyz`; null for none. A warning is also logged. */
  status(value: Value): DependencyStatus | null;
}

/** Limit for decompressed places; the embedded ones have 4 MB. */
const MAX_PLACES_BYTES = 64_000_000;

/** All data sets, in the order in which they are loaded. */
export const DATA_SETS: { readonly [Name in keyof ServedData]: DataSet<ServedData[Name]> } = {
  zones: {
    configurable: {
      setting: 'zoneinfo',
      what: 'zones',
      read: directory => encodeZonePack(readZoneinfoDirectory(directory, embeddedZones())),
      parse: ([file], settings) =>
        openReplacementZones(decodeZonePack(file!.contents), embeddedZones(), {
          allowOlder: settings['allow-older-data'],
        }),
    },
    compiled: {
      embedded: embeddedPack(zonesManifest, readZonePack),
      async open(pack, settings) {
        const bytes = await bytesOf(pack);
        if (pack.sequence === null) return openZonePack(bytes);
        return openReplacementZones(decodeZonePack(bytes), embeddedZones(), {
          allowOlder: settings['allow-older-data'],
        });
      },
    },
    describe: ({ version }) => `tzdata ${version}`,
    status({ version }) {
      const name = 'zones';
      if (hasKnownRelease(version)) return { name, state: 'ok', detail: `tzdata ${version}` };
      return {
        name,
        state: 'warning',
        detail: `tzdata of an unknown release '${version}', which may be old`,
      };
    },
  },
  releases: {
    configurable: null,
    compiled: {
      embedded: embeddedPack(releasesManifest, readReleasePack),
      open: lazily('releases', async pack => {
        const { openReleasePack } = await import('../zones/release_history.ts');
        return openReleasePack(await bytesOf(pack));
      }),
    },
    describe: ({ version }) => version,
    status: lazyStatus,
  },
  windows: {
    configurable: null,
    compiled: {
      embedded: embeddedPack(windowsManifest, readWindowsPack),
      open: async pack => new WindowsZones(await bytesOf(pack)),
    },
    describe: () => versionOf(windowsManifest),
    status: () => null,
  },
  populations: {
    configurable: null,
    compiled: {
      embedded: embeddedPack(populationsManifest, readPopulationPack),
      open: async pack => decodePopulations(await bytesOf(pack)),
    },
    describe: () => versionOf(populationsManifest),
    status: () => null,
  },
  holidays: {
    configurable: {
      setting: 'calendar',
      what: 'calendar',
      async parse([file], _, __, pack) {
        const bytes = await bytesOf(pack!); // the set is compiled
        return new HolidayCalendars(
          bytes,
          parseOrganisationCalendar(textOf(file!), decodeHolidayPack(bytes)),
        );
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
  },
  languages: {
    configurable: null,
    compiled: {
      embedded: embeddedPack(languagesManifest, readLanguagePack),
      open: async pack => new Languages(await bytesOf(pack)),
    },
    describe: () => versionOf(languagesManifest),
    status: () => null,
  },
  schedules: {
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
  },
  boundaries: {
    configurable: null,
    compiled: {
      embedded: largePack(boundariesManifest, boundariesPath),
      open: lazily('boundaries', async pack => {
        const { openBoundaries } = await import('../places/boundaries.ts');
        return openBoundaries(await pack.load());
      }),
    },
    describe: ({ version }) => version,
    status: lazyStatus,
  },
  outlines: {
    configurable: null,
    compiled: {
      embedded: embeddedPack(outlinesManifest, readOutlines),
      open: lazily('outlines', async pack => decodeOutlines(await bytesOf(pack))),
    },
    describe: ({ version }) => version,
    status: () => null,
  },
  ip: {
    configurable: {
      setting: 'ip-db',
      what: 'IP database',
      parse: (files, _, { boundaries }) => openIpFiles(files, boundaries),
      reads: 'boundaries',
    },
    compiled: {
      embedded: largePack(ipZonesManifest, ipZonesPath),
      open: lazily('ip', async pack => {
        const { mmdbZones, openMmdb } = await import('../places/mmdb_zones.ts');
        return mmdbZones(openMmdb(await bytesOf(pack)));
      }),
    },
    describe: ({ version }) => version,
    status: lazyStatus,
  },
  gazetteer: {
    configurable: null,
    compiled: {
      embedded: largePack(placesManifest, placesPath),
      open: lazily('places', async pack => {
        const { Gazetteer } = await import('../places/gazetteer.ts');
        return new Gazetteer(await decompressZstd(await bytesOf(pack), MAX_PLACES_BYTES));
      }),
    },
    describe: ({ version }) => version,
    status: lazyStatus,
  },
  ownNetworks: {
    configurable: {
      setting: 'ip-zones',
      what: 'own networks',
      parse: ([file], _, { zones }) =>
        parseOwnNetworks(textOf(file!), name => zones.find(name) !== undefined),
      reads: 'zones',
    },
    compiled: null,
    none: null,
    describe: () => 'own networks',
    status: () => null,
  },
};

/** The names of all data sets, in the order in which they are loaded. */
export const DATA_SET_NAMES = Object.keys(DATA_SETS) as (keyof ServedData)[];

/** The manifest names of all compiled data sets. */
export const COMPILED_NAMES: readonly string[] = Object.values(DATA_SETS).flatMap(
  ({ compiled }) => compiled?.embedded.manifest.name ?? [],
);

/** The status of all data, for `/readyz`. */
export function dataStatus(data: ServedData): readonly DependencyStatus[] {
  return DATA_SET_NAMES.flatMap(name => statusOf(name, data) ?? []);
}

/** The releases in use, for the log. */
export function dataReleases({ zones, holidays, boundaries, ip }: ServedData) {
  return {
    tzdata: zones.version,
    holidays: holidays.header.library,
    boundaries: shortVersion(boundaries),
    ip: shortVersion(ip),
  };
}

/** Version and date without size, licence and source. */
function shortVersion({ version }: LazyData<unknown>): string {
  return version.replace(/,[^;]*/g, '');
}

/** Describes a data set in the log. Generic in the name, so that the set's value is typed. */
export function describeData<Name extends keyof ServedData>(name: Name, data: ServedData): string {
  return DATA_SETS[name].describe(data[name]);
}

/** The status of one data set; null for none. */
export function statusOf<Name extends keyof ServedData>(
  name: Name,
  data: ServedData,
): DependencyStatus | null {
  return DATA_SETS[name].status(data[name]);
}

/** Data that is loaded on first use counts as ready: a request that needs it waits. */
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

/** The zones in a directory of TZif files, even if it is incomplete; null means the embedded zones. */
export function loadZones(directory: string | null): ZoneDatabase {
  return new ZoneDatabase(
    directory === null ? embeddedZones() : readZoneinfoDirectory(directory, embeddedZones()),
  );
}

function embeddedZones(): ZoneSource {
  return decodeZonePack(readZonePack());
}

/** A pack that is read in place from the mapped executable. */
function largePack(manifest: DataSetManifest, path: string): Pack {
  return embeddedPack(manifest, () => readEmbeddedFile(path, manifest.sha256));
}

/** Opens packs on first use of their data. */
function lazily<Data>(name: string, open: (pack: Pack) => Promise<Data>): (pack: Pack) => LazyData<Data> {
  return pack => new LazyData(name, versionOf(pack.manifest), () => open(pack));
}

/** The databases in which addresses are looked up in turn, such as one for IPv4 and one for IPv6 addresses. */
async function openIpFiles(files: readonly SourceFile[], boundaries: ServedData['boundaries']) {
  const { checkIpFile } = await import('../places/ip_file.ts');
  const { firstZoneOf, mmdbZones } = await import('../places/mmdb_zones.ts');
  const versions: string[] = [];
  const databases: IpZones[] = [];
  for (const { path, contents } of files) {
    const reader = await checkIpFile(contents).catch(error => {
      throw files.length === 1 ? error : new Error(`${quoted(path)}: ${messageOf(error)}`);
    });
    const { databaseType, buildEpoch } = reader.metadata;
    const date = Number.isNaN(buildEpoch.getTime()) ? 'no date' : buildEpoch.toISOString().slice(0, 10);
    versions.push(`${cut(visible(`${databaseType}`), 80)} of ${date}, ${megabytes(contents.length)}`);
    databases.push(mmdbZones(reader, () => boundaries.get()));
  }
  return LazyData.of('ip', versions.join('; '), firstZoneOf(databases));
}

function textOf({ contents }: SourceFile): string {
  return new TextDecoder().decode(contents);
}

/** An embedded data set's description for reports. */
function versionOf({ version, date, bytes, licence, source }: DataSetManifest): string {
  return `${version} of ${date}, ${megabytes(bytes)}, ${licence}, ${source}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
