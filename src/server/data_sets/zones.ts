import { languagesManifest, readLanguagePack } from '../../../data/languages/embedded.ts';
import { populationsManifest, readPopulationPack } from '../../../data/populations/embedded.ts';
import { readReleasePack, releasesManifest } from '../../../data/releases/embedded.ts';
import { readWindowsPack, windowsManifest } from '../../../data/windows/embedded.ts';
import { readZonePack, zonesManifest } from '../../../data/zones/embedded.ts';
import { Languages } from '../../text/languages.ts';
import { decodePopulations } from '../../zones/populations.ts';
import { WindowsZones } from '../../zones/windows_zones.ts';
import { openZonePack, ZoneDatabase } from '../../zones/zone_database.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../../zones/zone_pack.ts';
import {
  hasKnownRelease,
  openReplacementZones,
  readZoneinfoDirectory,
} from '../../zones/zoneinfo_directory.ts';
import {
  bytesOf,
  type DataSettings,
  embeddedPack,
  lazily,
  lazyStatus,
  type SetOf,
  usable,
  versionOf,
} from './data_set.ts';

/** The rules of all zones. */
export const zonesSet: SetOf<'zones'> = {
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
export const releasesSet: SetOf<'releases'> = {
  configurable: null,
  compiled: {
    embedded: embeddedPack(releasesManifest, readReleasePack),
    open: lazily('releases', async pack => {
      const { openReleasePack } = await import('../../zones/releases.ts');
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
export const windowsSet: SetOf<'windows'> = {
  configurable: null,
  compiled: {
    embedded: embeddedPack(windowsManifest, readWindowsPack),
    open: async pack => new WindowsZones(await bytesOf(pack)),
  },
  describe: () => versionOf(windowsManifest),
  status: () => null,
  check: windows => windows.zoneNames(),
};

/** Population by zone. */
export const populationsSet: SetOf<'populations'> = {
  configurable: null,
  compiled: {
    embedded: embeddedPack(populationsManifest, readPopulationPack),
    open: async pack => decodePopulations(await bytesOf(pack)),
  },
  describe: () => versionOf(populationsManifest),
  status: () => null,
  check: populations => [...populations.keys()],
};

/** The names of weekdays and months by language. */
export const languagesSet: SetOf<'languages'> = {
  configurable: null,
  compiled: {
    embedded: embeddedPack(languagesManifest, readLanguagePack),
    open: async pack => new Languages(await bytesOf(pack)),
  },
  describe: () => versionOf(languagesManifest),
  status: () => null,
  check(languages) {
    if (languages.namesOf('en') === undefined) throw new Error('they lack English');
    return [];
  },
};
