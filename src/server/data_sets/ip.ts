import { ipZonesManifest, ipZonesPath } from '../../../data/ip/embedded.ts';
import { messageOf, visible } from '../../common/message_of.ts';
import { cut, quoted } from '../../common/service_error.ts';
import type { ServedData } from '../../operations/served_data.ts';
import { LazyData } from '../../places/lazy_data.ts';
import type { IpZones } from '../../places/places.ts';
import { bytesOf } from '../data_pack.ts';
import { largePack, lazily, lazyStatus, megabytes, type SetOf, type SourceFile, usable } from './data_set.ts';

/** Zones by IP address. */
export const ipSet: SetOf<'ip'> = {
  configurable: {
    setting: 'ip-db',
    what: 'IP database',
    parse: (files, _, { boundaries }) => openIpFiles(files, boundaries),
    reads: 'boundaries',
  },
  compiled: {
    embedded: largePack(ipZonesManifest, ipZonesPath),
    open: lazily('ip', async pack => {
      const { mmdbZones, openMmdb } = await import('../../places/mmdb_zones.ts');
      return mmdbZones(openMmdb(await bytesOf(pack)));
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  async check(ip, { pack, isConfigured }) {
    await usable(ip);
    if (isConfigured) return [];
    const { checkMmdb } = await import('../../places/mmdb_check.ts');
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
  const { checkIpFile } = await import('../../places/ip_file.ts');
  const { firstZoneOf, mmdbZones } = await import('../../places/mmdb_zones.ts');
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
