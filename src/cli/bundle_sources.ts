import { createHash } from 'node:crypto';
import type { DataSetManifest } from '../../data/manifest.ts';
import { visible } from '../common/message_of.ts';
import { cut } from '../common/service_error.ts';
import { UsageError } from '../common/usage_error.ts';
import { embeddedPack, type Pack } from '../server/data_pack.ts';
import { COMPILED_NAMES } from '../server/data_sets/data_sets.ts';
import type { LoadedData } from '../server/load_data.ts';
import { unknownName } from './settings.ts';

/** The contents of a bundle to build. */
interface BuildSettings {
  /** Empty for all sets. */
  readonly sets: readonly string[];
  /** The date of configured data. */
  readonly date: string | null;
}

/** The packs of a new bundle, from the data in use; configured zones and IP data replace the compiled ones. */
export async function packsToBuild(loaded: LoadedData, { sets, date }: BuildSettings): Promise<Pack[]> {
  const names = sets.flatMap(text => text.split(','));
  const unknown = names.find(name => !COMPILED_NAMES.includes(name));
  if (unknown !== undefined) throw unknownName(`data set '${unknown}'`, unknown, COMPILED_NAMES);
  const packs: Pack[] = [];
  for (const [set, pack] of loaded.packs) {
    const { name } = pack.manifest;
    if (names.length > 0 && !names.includes(name)) continue;
    packs.push((set === 'zones' || set === 'ip' ? await configuredPack(set, loaded, date) : null) ?? pack);
  }
  return packs;
}

/** The pack of configured zones or IP data; null if there are none. */
async function configuredPack(set: 'zones' | 'ip', { data, files }: LoadedData, givenDate: string | null) {
  const [file, second] = files.get(set === 'zones' ? 'zoneinfo' : 'ip-db') ?? [];
  if (file === undefined) return null;
  if (second !== undefined) throw new UsageError('A bundle has one IP database: give --ip-db once');
  const { version, date } = set === 'zones' ? await releaseOfZones(data) : releaseOfIp(data);
  const dated = givenDate ?? date;
  if (dated === null) throw new UsageError(`The date of ${file.path} is not known: give --date YYYY-MM-DD`);
  const manifest: DataSetManifest = {
    name: set === 'zones' ? 'tzdata' : 'ip',
    version: cut(visible(version), 80),
    date: dated,
    source: set === 'zones' ? 'IANA Time Zone Database, https://www.iana.org/time-zones' : 'of the operator',
    licence: set === 'zones' ? 'public domain' : 'of its publisher',
    sha256: createHash('sha256').update(file.contents).digest('hex'),
    bytes: file.contents.length,
  };
  return embeddedPack(manifest, () => file.contents);
}

async function releaseOfZones({ zones: { version }, releases }: LoadedData['data']) {
  await releases.load();
  const known = releases.get().releases.find(release => release.version === version);
  return { version, date: known?.released ?? null };
}

function releaseOfIp({ ip }: LoadedData['data']) {
  const release = ip.get().release;
  return { version: release?.name ?? 'unknown', date: release?.date ?? null };
}
