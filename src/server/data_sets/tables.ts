import { languagesManifest, readLanguagePack } from '../../../data/languages/embedded.ts';
import { populationsManifest, readPopulationPack } from '../../../data/populations/embedded.ts';
import { readWindowsPack, windowsManifest } from '../../../data/windows/embedded.ts';
import { Languages } from '../../text/languages.ts';
import { decodePopulations } from '../../zones/populations.ts';
import { WindowsZones } from '../../zones/windows_zones.ts';
import { bytesOf, embeddedPack } from '../data_pack.ts';
import { type SetOf, versionOf } from './data_set.ts';

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
