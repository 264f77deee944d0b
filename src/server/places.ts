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

/** The settings that say what addresses are resolved from. */
export interface PlaceSettings {
  readonly 'ip-db': string | null;
  readonly 'ip-zones': string | null;
}

/**
 * What addresses and coordinates are resolved from. The operator's files are read and checked at once; the embedded
 * data, which is large and checked by its SHA-256, when it is first asked for. So are the readers, which would take 2 ms
 * of a start.
 * @throws Error of one line that names a file which cannot be used
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

/** What SIGHUP reads anew: the operator's files. A bad one is refused, and what was read before stays. */
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
        return `own networks of ${ipZones}`;
      },
    });
  }
  return reloadables;
}

/** The database of a file, checked. */
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

/** The networks of a file, whose zones must be known. */
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

/** What reports say of a set: version, date, size, licence, source. */
function versionOf({ version, date, bytes, licence, source }: DataSetManifest): string {
  return `${version} of ${date}, ${megabytes(bytes)}, ${licence}, ${source}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
