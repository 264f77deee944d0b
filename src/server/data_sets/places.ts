import { boundariesManifest, boundariesPath } from '../../../data/boundaries/embedded.ts';
import { ipZonesManifest, ipZonesPath } from '../../../data/ip/embedded.ts';
import { outlinesManifest, readOutlines } from '../../../data/outlines/embedded.ts';
import { placesManifest, placesPath } from '../../../data/places/embedded.ts';
import { cut, messageOf, quoted, visible } from '../../common/errors.ts';
import { decompressZstd } from '../../common/zlib.ts';
import type { ServedData } from '../../operations/served_data.ts';
import { LazyData } from '../../places/lazy_data.ts';
import { decodeOutlines, type IpZones } from '../../places/places.ts';
import {
  bytesOf,
  embeddedPack,
  largePack,
  lazily,
  lazyStatus,
  megabytes,
  type SetOf,
  type SourceFile,
  usable,
} from './data_set.ts';

/** The boundaries of zones on land and sea. */
export const boundariesSet: SetOf<'boundaries'> = {
  configurable: null,
  compiled: {
    embedded: largePack(boundariesManifest, boundariesPath),
    open: lazily('boundaries', async pack => {
      const { openBoundaries } = await import('../../places/boundaries.ts');
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
export const outlinesSet: SetOf<'outlines'> = {
  configurable: null,
  compiled: {
    embedded: embeddedPack(outlinesManifest, readOutlines),
    open: lazily('outlines', async pack => decodeOutlines(await bytesOf(pack))),
  },
  describe: ({ version }) => version,
  status: () => null,
  check: async outlines => (await usable(outlines)).zoneNames,
};

/** Limit for decompressed places; the embedded ones have 4 MB. */
const MAX_PLACES_BYTES = 64_000_000;

/** Places by name. */
export const gazetteerSet: SetOf<'gazetteer'> = {
  configurable: null,
  compiled: {
    embedded: largePack(placesManifest, placesPath),
    open: lazily('places', async pack => {
      const { Gazetteer } = await import('../../places/gazetteer.ts');
      return new Gazetteer(await decompressZstd(await bytesOf(pack), MAX_PLACES_BYTES));
    }),
  },
  describe: ({ version }) => version,
  status: lazyStatus,
  check: async gazetteer => (await usable(gazetteer)).check(),
};

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
    const { checkMmdb } = await import('../../places/mmdb_zones.ts');
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
