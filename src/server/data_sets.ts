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
import { cut, messageOf, quoted, visible } from '../common/errors.ts';
import { LazyData } from '../common/lazy_data.ts';
import { readToml } from '../common/settings_text.ts';
import { counted } from '../common/words.ts';
import { decompressZstd } from '../common/zlib.ts';
import { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../holidays/organisation_calendar.ts';
import type { DependencyStatus } from '../http/snapshot.ts';
import type { ServedData } from '../operations/served_data.ts';
import { decodeOutlines } from '../places/outlines.ts';
import { parseOwnNetworks } from '../places/own_networks.ts';
import type { IpZones } from '../places/places.ts';
import { readNamedSchedules } from '../schedules/opening_hours.ts';
import { Languages } from '../text/language_pack.ts';
import { decodePopulations } from '../zones/populations.ts';
import { WindowsZones } from '../zones/windows_zones.ts';
import { openZonePack, ZoneDatabase } from '../zones/zone_database.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../zones/zone_pack.ts';
import { hasKnownRelease, openReplacementZones, readZoneinfoDirectory } from '../zones/zoneinfo_directory.ts';
import { bytesOf, embeddedPack, largePack, type Pack } from './packs.ts';

/** The settings that replace or extend embedded data. */
export interface DataSettings {
  readonly zoneinfo: string | null;
  readonly 'allow-older-data': boolean;
  readonly calendar: string | null;
  readonly schedules: string | null;
  readonly 'ip-db': readonly string[];
  readonly 'ip-zones': string | null;
}

/** A setting that names data files. */
export type Setting = Exclude<keyof DataSettings, 'allow-older-data'>;

/** A file that replaces or extends embedded data, supplied by the operator or a last good copy. */
export interface SourceFile {
  /** For messages. */
  readonly path: string;
  readonly contents: Uint8Array;
}

/** How files that the operator configures replace or extend the compiled data of a set. */
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
  describe(value: Value): string;
}

interface Compiled<Value> {
  /** The executable's pack; its manifest has the set's name in bundles. */
  readonly embedded: Pack;
  /** Opens a pack, which may be from a bundle. Throws or rejects with an `Error` if it cannot be used. */
  readonly open: (pack: Pack, settings: Pick<DataSettings, 'allow-older-data'>) => Value | Promise<Value>;
}

/** Where the data to be checked comes from. */
interface DataOrigin {
  /** The compiled data; null if the set has none. */
  readonly pack: Pack | null;
  /** Whether the compiled data is from a bundle. */
  readonly isBundled: boolean;
  /** Whether configured files replace or extend it, which were checked when they were parsed. */
  readonly isConfigured: boolean;
}

/** A data set, which has compiled data, configured data or both. */
interface DataSet<Value> {
  readonly configurable?: Configurable<Value>;
  readonly compiled?: Compiled<Value>;
  /** The value if nothing is configured, for sets that are not compiled. */
  readonly none?: Value;
  /** Its line in `/readyz`, if it has one. A warning is also logged. */
  status?(value: Value): DependencyStatus | null;
  /**
   * Reads the data before a bundle is installed: all of it if it is from the bundle, otherwise as much as needed. Throws or
   * rejects with an `Error` if any part is damaged. Returns the zones that it refers to.
   */
  check?(value: Value, origin: DataOrigin): readonly string[] | Promise<readonly string[]>;
}

/** All data sets, in the order in which they are loaded. */
export const DATA_SETS: { readonly [Name in keyof ServedData]: DataSet<ServedData[Name]> } = {
  zones: {
    configurable: {
      setting: 'zoneinfo',
      what: 'zones',
      read: directory => encodeZonePack(readZoneinfoDirectory(directory, embeddedZones())),
      parse: ([file], settings) => replacementZones(file!.contents, settings),
      describe: ({ version }) => `tzdata ${version}`,
    },
    compiled: {
      embedded: embeddedPack(zonesManifest, readZonePack),
      async open(pack, settings) {
        const bytes = await bytesOf(pack);
        return pack.sequence === null ? openZonePack(bytes) : replacementZones(bytes, settings);
      },
    },
    status({ version }) {
      const name = 'zones';
      if (hasKnownRelease(version)) return { name, state: 'ok', detail: `tzdata ${version}` };
      const detail = `tzdata of an unknown release '${version}', which may be old`;
      return { name, state: 'warning', detail };
    },
    check(zones) {
      for (const name of zones.names()) zones.find(name)!.nextTransition(0); // parses its file
      return zones.canonicalZones().map(({ name }) => name);
    },
  },
  releases: {
    compiled: lazily('releases', embeddedPack(releasesManifest, readReleasePack), async pack => {
      const { openReleasePack } = await import('../zones/releases.ts');
      return openReleasePack(await bytesOf(pack));
    }),
    status: lazyStatus,
    async check(releases, { isBundled }) {
      if (!isBundled) return [];
      const history = await usable(releases);
      for (const { version } of history.releases) await history.open(version);
      return [];
    },
  },
  windows: {
    compiled: eagerly(embeddedPack(windowsManifest, readWindowsPack), bytes => new WindowsZones(bytes)),
    check: windows => windows.zoneNames(),
  },
  populations: {
    compiled: eagerly(embeddedPack(populationsManifest, readPopulationPack), decodePopulations),
    check: populations => [...populations.keys()],
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
      describe: ({ organisation }) => counted(organisation?.size ?? 0, 'day'),
    },
    compiled: eagerly(embeddedPack(holidaysManifest, readHolidayPack), bytes => new HolidayCalendars(bytes)),
    status({ header, organisation }) {
      const own = organisation && `, with ${counted(organisation.size, 'day')} of the organisation`;
      return { name: 'holidays', state: 'ok', detail: header.library + (own ?? '') };
    },
    check(holidays, { isBundled }) {
      for (const country of isBundled ? holidays.countries : []) {
        for (const table of [country, ...country.subdivisions]) table.readDays();
      }
      return [];
    },
  },
  languages: {
    compiled: eagerly(embeddedPack(languagesManifest, readLanguagePack), bytes => new Languages(bytes)),
    check(languages) {
      if (languages.namesOf('en') === undefined) throw new Error('they lack English');
      return [];
    },
  },
  schedules: {
    configurable: {
      setting: 'schedules',
      what: 'schedules',
      parse: ([file]) => readToml(textOf(file!), readNamedSchedules),
      describe: ({ size }) => counted(size, 'schedule'),
    },
    none: new Map(),
    status: ({ size }) =>
      size === 0 ? null : { name: 'schedules', state: 'ok', detail: counted(size, 'schedule') },
  },
  boundaries: {
    compiled: lazily('boundaries', largePack(boundariesManifest, boundariesPath), async pack => {
      const { openBoundaries } = await import('../places/boundaries.ts');
      return openBoundaries(await pack.load());
    }),
    status: lazyStatus,
    async check(boundaries, { isBundled }) {
      const usableBoundaries = await usable(boundaries);
      if (isBundled) usableBoundaries.check();
      return usableBoundaries.allZoneNames();
    },
  },
  outlines: {
    compiled: lazily('outlines', embeddedPack(outlinesManifest, readOutlines), async pack =>
      decodeOutlines(await bytesOf(pack)),
    ),
    check: async outlines => (await usable(outlines)).zoneNames,
  },
  ip: {
    configurable: {
      setting: 'ip-db',
      what: 'IP database',
      parse: (files, _, { boundaries }) => openIpFiles(files, boundaries),
      reads: 'boundaries',
      describe: ({ version }) => version,
    },
    compiled: lazily('ip', largePack(ipZonesManifest, ipZonesPath), async pack => {
      const { mmdbZones, openMmdb } = await import('../places/mmdb_zones.ts');
      return mmdbZones(openMmdb(await bytesOf(pack)));
    }),
    status: lazyStatus,
    async check(ip, { pack, isConfigured }) {
      await usable(ip);
      if (isConfigured) return [];
      const { checkMmdb } = await import('../places/mmdb_check.ts');
      const names = new Set<string>();
      const steps = checkMmdb(await bytesOf(pack!), placement => {
        if ('zoneName' in placement) names.add(placement.zoneName);
      });
      while (!steps.next().done);
      return [...names];
    },
  },
  gazetteer: {
    compiled: lazily('places', largePack(placesManifest, placesPath), async pack => {
      const { Gazetteer } = await import('../places/gazetteer.ts');
      return new Gazetteer(await decompressZstd(await bytesOf(pack), MAX_PLACES_BYTES));
    }),
    status: lazyStatus,
    check: async gazetteer => (await usable(gazetteer)).check(),
  },
  ownNetworks: {
    configurable: {
      setting: 'ip-zones',
      what: 'own networks',
      parse: ([file], _, { zones }) =>
        parseOwnNetworks(textOf(file!), name => zones.find(name) !== undefined),
      reads: 'zones',
      describe: () => 'own networks',
    },
    none: null,
  },
};

/** The names of all data sets, in the order in which they are loaded. */
export const DATA_SET_NAMES = Object.keys(DATA_SETS) as (keyof ServedData)[];

/** The manifest names of all compiled data sets. */
export const COMPILED_NAMES: readonly string[] = Object.values(DATA_SETS).flatMap(
  ({ compiled }) => compiled?.embedded.manifest.name ?? [],
);

/** Limit for decompressed places; the embedded ones have 4 MB. */
const MAX_PLACES_BYTES = 64_000_000;

/** The zones in a directory of TZif files, even if it is incomplete; null means the embedded zones. */
export function loadZones(directory: string | null): ZoneDatabase {
  return new ZoneDatabase(
    directory === null ? embeddedZones() : readZoneinfoDirectory(directory, embeddedZones()),
  );
}

function replacementZones(
  bytes: Uint8Array,
  { 'allow-older-data': allowOlder }: Pick<DataSettings, 'allow-older-data'>,
): ZoneDatabase {
  return openReplacementZones(decodeZonePack(bytes), embeddedZones(), { allowOlder });
}

function embeddedZones(): ZoneSource {
  return decodeZonePack(readZonePack());
}

/** The databases in which addresses are looked up in turn, such as one for IPv4 and one for IPv6 addresses. */
async function openIpFiles(files: readonly SourceFile[], boundaries: ServedData['boundaries']) {
  const { checkIpFile } = await import('../places/mmdb_check.ts');
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

/** Compiled data that is opened at the start. */
function eagerly<Data>(embedded: Pack, open: (bytes: Uint8Array) => Data): Compiled<Data> {
  return { embedded, open: async pack => open(await bytesOf(pack)) };
}

/** Compiled data that is opened on first use. */
function lazily<Data>(
  name: string,
  embedded: Pack,
  open: (pack: Pack) => Promise<Data>,
): Compiled<LazyData<Data>> {
  return { embedded, open: pack => new LazyData(name, versionOf(pack.manifest), () => open(pack)) };
}

/** Data that is loaded on first use counts as ready: a request that needs it waits. */
function lazyStatus({ name, version, state }: LazyData<unknown>): DependencyStatus {
  if (state.kind === 'broken') return { name, state: 'broken', detail: `${version}: ${state.problem}` };
  const notes = { ready: '', loading: ', loading', unread: ', loaded at first use' };
  return { name, state: 'ok', detail: version + notes[state.kind] };
}

/** Lazily loaded data. Rejects with the reason if it cannot be used, which responses do not reveal. */
async function usable<Data>(data: LazyData<Data>): Promise<Data> {
  await data.load();
  if (data.state.kind === 'broken') throw new Error(data.state.problem);
  return data.get();
}

function textOf({ contents }: SourceFile): string {
  return new TextDecoder().decode(contents);
}

/** A compiled data set's description for reports. */
function versionOf({ version, date, bytes, licence, source }: DataSetManifest): string {
  return `${version} of ${date}, ${megabytes(bytes)}, ${licence}, ${source}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The status of all data, for `/readyz`. */
export function dataStatus(data: ServedData): readonly DependencyStatus[] {
  return DATA_SET_NAMES.flatMap(name => statusOf(name, data) ?? []);
}

/** The status of one data set; null for none. Generic in the name, as the functions below, so that its value is typed. */
export function statusOf<Name extends keyof ServedData>(name: Name, data: ServedData) {
  return DATA_SETS[name].status?.(data[name]) ?? null;
}

/** Describes the configured data of a set in the log. */
export function describeData<Name extends keyof ServedData>(name: Name, data: ServedData) {
  return DATA_SETS[name].configurable?.describe(data[name]) ?? name;
}

/** Checks one data set; returns the zones that it refers to. */
export function checkData<Name extends keyof ServedData>(name: Name, data: ServedData, origin: DataOrigin) {
  return DATA_SETS[name].check?.(data[name], origin) ?? [];
}

/** The releases in use, for the log. Versions without size, licence and source. */
export function dataReleases({ zones, holidays, boundaries, ip }: ServedData) {
  const shortVersion = ({ version }: LazyData<unknown>) => version.replace(/,[^;]*/g, '');
  return {
    tzdata: zones.version,
    holidays: holidays.header.library,
    boundaries: shortVersion(boundaries),
    ip: shortVersion(ip),
  };
}
