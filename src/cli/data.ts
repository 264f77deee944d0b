import { readZonePack } from '../../data/zones/embedded.ts';
import { openZonePack, type ZoneDatabase } from '../zones/zone_database.ts';
import { decodeZonePack } from '../zones/zone_pack.ts';
import { openZoneinfoDirectory } from '../zones/zoneinfo_directory.ts';

/** The zone data of a directory of TZif files, or without one the embedded data. */
export function loadZones(directory: string | null): ZoneDatabase {
  const pack = readZonePack();
  return directory === null ? openZonePack(pack) : openZoneinfoDirectory(directory, decodeZonePack(pack));
}
