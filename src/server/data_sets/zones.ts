import { readZonePack, zonesManifest } from '../../../data/zones/embedded.ts';
import { hasKnownRelease, openReplacementZones } from '../../zones/replacement_zones.ts';
import { openZonePack, ZoneDatabase } from '../../zones/zone_database.ts';
import { decodeZonePack, encodeZonePack, type ZoneSource } from '../../zones/zone_pack.ts';
import { readZoneinfoDirectory } from '../../zones/zoneinfo_directory.ts';
import { bytesOf, embeddedPack } from '../data_pack.ts';
import type { DataSettings, SetOf } from './data_set.ts';

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
