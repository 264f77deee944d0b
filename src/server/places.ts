import { readFileSync } from 'node:fs';
import { boundariesManifest, boundariesPath } from '../../data/boundaries/embedded.ts';
import { ipZonesManifest, ipZonesPath } from '../../data/ip/embedded.ts';
import type { DataSetManifest } from '../../data/manifest.ts';
import type { Boundaries } from '../places/boundaries.ts';
import { readEmbeddedFile } from '../places/embedded_file.ts';
import { LazyData } from '../places/lazy_data.ts';
import { parseOwnNetworks } from '../places/own_networks.ts';
import type { IpZones, Places } from '../places/places.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import type { Reloadable } from './reload.ts';

/** The settings of IP data. */
export interface PlaceSettings {
  readonly 'ip-db': string | null;
  readonly 'ip-zones': string | null;
}

/**
 * Opens the data that resolves IP addresses and coordinates. The operator's files are read and validated at once;
 * embedded data (large, verified by SHA-256) and the code that reads it (2 ms of a start) are loaded on first use.
 * @throws {Error} with a one-line message that names an unusable file
 */
export async function openPlaces(settings: PlaceSettings, zones: ZoneDatabase): Promise<Places> {
  const boundaries = new LazyData('boundaries', versionOf(boundariesManifest), async () => {
    const { openBoundaries } = await import('../places/boundaries.ts');
    return openBoundaries(await readEmbeddedFile(boundariesPath, boundariesManifest.sha256));
  });
  return {
    boundaries,
    ip: settings['ip-db'] === null ? embeddedIp() : await operatorsIp(settings['ip-db'], boundaries),
    ownNetworks: settings['ip-zones'] === null ? null : ownNetworks(settings['ip-zones'], zones),
  };
}

/** The operator's files, reloaded on SIGHUP. */
export function reloadablePlaces(
  settings: PlaceSettings,
  current: () => { readonly zones: ZoneDatabase; readonly places: Places },
  replace: (changed: Partial<Places>) => void,
): readonly Reloadable[] {
  const { 'ip-db': ipDatabase, 'ip-zones': ipZones } = settings;
  const reloadables: Reloadable[] = [];
  if (ipDatabase !== null) {
    reloadables.push({
      name: 'ip-db',
      async reload() {
        const ip = await operatorsIp(ipDatabase, current().places.boundaries);
        replace({ ip });
        return ip.version;
      },
    });
  }
  if (ipZones !== null) {
    reloadables.push({
      name: 'ip-zones',
      reload() {
        replace({ ownNetworks: ownNetworks(ipZones, current().zones) });
        return `networks of ${ipZones}`;
      },
    });
  }
  return reloadables;
}

/** The operator's MMDB file, validated. */
async function operatorsIp(path: string, boundaries: LazyData<Boundaries>): Promise<LazyData<IpZones>> {
  const { readIpFile } = await import('../places/ip_file.ts');
  const { mmdbZones } = await import('../places/mmdb_zones.ts');
  const reader = await readIpFile(path);
  const { databaseType, buildEpoch } = reader.metadata;
  const date = Number.isNaN(buildEpoch.getTime()) ? 'no date' : buildEpoch.toISOString().slice(0, 10);
  const version = `${databaseType} of ${date}, ${megabytes(Bun.file(path).size)}`;
  return LazyData.of(
    'ip',
    version,
    mmdbZones(reader, () => boundaries.get()),
  );
}

/** The networks of a file; their zones must exist. */
function ownNetworks(path: string, zones: ZoneDatabase): IpZones {
  try {
    return parseOwnNetworks(readFileSync(path, 'utf8'), name => zones.find(name) !== undefined);
  } catch (error) {
    throw new Error(`Cannot use ${path} as own networks: ${(error as Error).message}`);
  }
}

function embeddedIp(): LazyData<IpZones> {
  return new LazyData('ip', versionOf(ipZonesManifest), async () => {
    const { mmdbZones, openMmdb } = await import('../places/mmdb_zones.ts');
    const bytes = await readEmbeddedFile(ipZonesPath, ipZonesManifest.sha256);
    return mmdbZones(openMmdb(bytes.subarray(0, bytes.length)));
  });
}

/** The description of a data set in reports. */
function versionOf({ version, date, bytes, licence, source }: DataSetManifest): string {
  return `${version} of ${date}, ${megabytes(bytes)}, ${licence}, ${source}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
