import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { holidaysManifest, readHolidayPack } from '../../data/holidays/embedded.ts';
import { ipZonesManifest, ipZonesPath } from '../../data/ip/embedded.ts';
import { languagesManifest, readLanguagePack } from '../../data/languages/embedded.ts';
import { outlinesManifest, readOutlines } from '../../data/outlines/embedded.ts';
import { placesManifest, placesPath } from '../../data/places/embedded.ts';
import { populationsManifest, readPopulationPack } from '../../data/populations/embedded.ts';
import { readReleasePack, releasesManifest } from '../../data/releases/embedded.ts';
import { readWindowsPack, windowsManifest } from '../../data/windows/embedded.ts';
import { readZonePack, zonesManifest } from '../../data/zones/embedded.ts';
import { cut, messageOf, quoted, visible } from '../common/errors.ts';
import { parseToml } from '../common/settings_text.ts';
import { counted } from '../common/words.ts';
import { decompressZstd } from '../common/zlib.ts';
import { HolidayCalendars } from '../holidays/holiday_calendars.ts';
import { decodeHolidayPack } from '../holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../holidays/organisation_calendar.ts';
import type { DependencyStatus } from '../http/snapshot.ts';
import type { ServedData } from '../operations/served_data.ts';
import { LazyData } from '../places/lazy_data.ts';
import { decodeOutlines, type IpZones, parseOwnNetworks } from '../places/places.ts';
import { readNamedSchedules } from '../schedules/opening_hours.ts';
import { Languages } from '../text/languages.ts';
import { decodePopulations } from '../zones/populations.ts';
import { WindowsZones } from '../zones/windows_zones.ts';
import { openZonePack, ZoneDatabase } from '../zones/zone_database.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../zones/zone_pack.ts';
import { hasKnownRelease, openReplacementZones, readZoneinfoDirectory } from '../zones/zoneinfo_directory.ts';
import {
  bytesOf,
  type DataOrigin,
  type DataSettings,
  embeddedPack,
  largePack,
  lazily,
  lazyStatus,
  megabytes,
  type SetOf,
  type SourceFile,
  textOf,
  usable,
  versionOf,
} from './data_set.ts';

/** The rules of all zones. */
const zonesSet: SetOf<'zones'> = {
  configurable: {
    setting: 'zoneinfo',
    what: 'zones',
    read: directory => encodeZonePack(readZoneinfoDirectory(directory, embeddedZones())),
    parse: ([file], settings) => replacementZones(file!.contents, settings),
  },
  compiled: {
    embedded: embeddedPack(zonesManifest, readZonePack),
    async open(pack, settings) {
      const bytes = await bytesOf(pack);
      return pack.sequence === null ? openZonePack(bytes) : replacementZones(bytes, settings);
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
  check(zones) {
    for (const name of zones.names()) zones.find(name)!.nextTransition(0); // parses its file
    return zones.canonicalZones().map(({ name }) => name);
  },
};

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

/** The zones of past releases of tzdata. */
const releasesSet: SetOf<'releases'> = {
  compiled: {
    embedded: embeddedPack(releasesManifest, readReleasePack),
    open: lazily('releases', async pack => {
      const { openReleasePack } = await import('../zones/releases.ts');
      return openReleasePack(await bytesOf(pack));
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  async check(releases, { isBundled }) {
    if (!isBundled) return [];
    const history = await usable(releases);
    for (const { version } of history.releases) await history.open(version);
    return [];
  },
};

/** Zones by Windows name. */
const windowsSet: SetOf<'windows'> = {
  compiled: {
    embedded: embeddedPack(windowsManifest, readWindowsPack),
    open: async pack => new WindowsZones(await bytesOf(pack)),
  },
  describe: () => versionOf(windowsManifest),
  check: windows => windows.zoneNames(),
};

/** Population by zone. */
const populationsSet: SetOf<'populations'> = {
  compiled: {
    embedded: embeddedPack(populationsManifest, readPopulationPack),
    open: async pack => decodePopulations(await bytesOf(pack)),
  },
  describe: () => versionOf(populationsManifest),
  check: populations => [...populations.keys()],
};

/** The names of weekdays and months by language. */
const languagesSet: SetOf<'languages'> = {
  compiled: {
    embedded: embeddedPack(languagesManifest, readLanguagePack),
    open: async pack => new Languages(await bytesOf(pack)),
  },
  describe: () => versionOf(languagesManifest),
  check(languages) {
    if (languages.namesOf('en') === undefined) throw new Error('they lack English');
    return [];
  },
};

/** The boundaries of zones on land and sea. */
const boundariesSet: SetOf<'boundaries'> = {
  compiled: {
    embedded: largePack(boundariesManifest, boundariesPath),
    open: lazily('boundaries', async pack => {
      const { openBoundaries } = await import('../places/boundaries.ts');
      return openBoundaries(await pack.load());
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  async check(boundaries, { isBundled }) {
    const usableBoundaries = await usable(boundaries);
    if (isBundled) usableBoundaries.check();
    return usableBoundaries.allZoneNames();
  },
};

/** Simplified outlines of zones, for maps. */
const outlinesSet: SetOf<'outlines'> = {
  compiled: {
    embedded: embeddedPack(outlinesManifest, readOutlines),
    open: lazily('outlines', async pack => decodeOutlines(await bytesOf(pack))),
  },
  describe: ({ version }) => version,
  check: async outlines => (await usable(outlines)).zoneNames,
};

/** Limit for decompressed places; the embedded ones have 4 MB. */
const MAX_PLACES_BYTES = 64_000_000;

/** Places by name. */
const gazetteerSet: SetOf<'gazetteer'> = {
  compiled: {
    embedded: largePack(placesManifest, placesPath),
    open: lazily('places', async pack => {
      const { Gazetteer } = await import('../places/gazetteer.ts');
      return new Gazetteer(await decompressZstd(await bytesOf(pack), MAX_PLACES_BYTES));
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  check: async gazetteer => (await usable(gazetteer)).check(),
};

/** Zones by IP address. */
const ipSet: SetOf<'ip'> = {
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
  async check(ip, { pack, isConfigured }) {
    await usable(ip);
    if (isConfigured) return [];
    const { checkMmdb } = await import('../places/mmdb_zones.ts');
    const names = new Set<string>();
    const steps = checkMmdb(await bytesOf(pack!), placement => {
      if ('zoneName' in placement) names.add(placement.zoneName);
    });
    while (!steps.next().done);
    return [...names];
  },
};

/** The databases in which addresses are looked up in turn, such as one for IPv4 and one for IPv6 addresses. */
async function openIpFiles(files: readonly SourceFile[], boundaries: ServedData['boundaries']) {
  const { checkIpFile, firstZoneOf, mmdbZones } = await import('../places/mmdb_zones.ts');
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

/** Holiday calendars; the operator's own days extend them. */
const holidaysSet: SetOf<'holidays'> = {
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
const schedulesSet: SetOf<'schedules'> = {
  configurable: {
    setting: 'schedules',
    what: 'schedules',
    parse: ([file]) => readNamedSchedules(parseToml(textOf(file!))),
  },
  none: new Map(),
  describe: ({ size }) => counted(size, 'schedule'),
  status: ({ size }) =>
    size === 0 ? null : { name: 'schedules', state: 'ok', detail: counted(size, 'schedule') },
};

/** The zones of the operator's networks. */
const ownNetworksSet: SetOf<'ownNetworks'> = {
  configurable: {
    setting: 'ip-zones',
    what: 'own networks',
    parse: ([file], _, { zones }) => parseOwnNetworks(textOf(file!), name => zones.find(name) !== undefined),
    reads: 'zones',
  },
  none: null,
  describe: () => 'own networks',
};

/** All data sets, in the order in which they are loaded. */
export const DATA_SETS: { readonly [Name in keyof ServedData]: SetOf<Name> } = {
  zones: zonesSet,
  releases: releasesSet,
  windows: windowsSet,
  populations: populationsSet,
  holidays: holidaysSet,
  languages: languagesSet,
  schedules: schedulesSet,
  boundaries: boundariesSet,
  outlines: outlinesSet,
  ip: ipSet,
  gazetteer: gazetteerSet,
  ownNetworks: ownNetworksSet,
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
  return DATA_SETS[name].status?.(data[name]) ?? null;
}

/** Checks one data set; returns the zones that it refers to. */
export function checkData<Name extends keyof ServedData>(name: Name, data: ServedData, origin: DataOrigin) {
  return DATA_SETS[name].check?.(data[name], origin) ?? [];
}
