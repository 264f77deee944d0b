import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMBEDDED_DATA } from '../../../data/manifests.ts';
import { readReleasePack } from '../../../data/releases/embedded.ts';
import { buildBundle, signBundle } from '../../../src/server/bundles/build.ts';
import { type KeySet, openBundle } from '../../../src/server/bundles/bundle_file.ts';
import { publicKeyOfPrivate } from '../../../src/server/bundles/bundle_keys.ts';
import { type DataSettings, embeddedPack, type Pack } from '../../../src/server/data_sets/data_set.ts';
import { decodeReleasePack } from '../../../src/zones/releases.ts';
import { encodeZonePack } from '../../../src/zones/zone_pack.ts';

/** Settings without any files. */
export const NO_FILES: DataSettings = {
  zoneinfo: null,
  'allow-older-data': false,
  calendar: null,
  schedules: null,
  'ip-db': [],
  'ip-zones': null,
};

export const HISTORY = await decodeReleasePack(readReleasePack());

export function newKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

/** A key file, of whose keys all but one must sign. */
export function keySetOf(keys: readonly KeyObject[], changes: Partial<KeySet> = {}): KeySet {
  return {
    version: 1,
    threshold: Math.max(1, keys.length - 1),
    keys: keys.map(publicKeyOfPrivate),
    ...changes,
  };
}

/** A pack with the manifest of an embedded data set, with some changed members. */
export function packOf(
  name: string,
  contents: Uint8Array,
  changes: { version?: string; date?: string } = {},
): Pack {
  const manifest = EMBEDDED_DATA.find(embedded => embedded.name === name) ?? { ...EMBEDDED_DATA[0]!, name };
  const sha256 = createHash('sha256').update(contents).digest('hex');
  return embeddedPack({ ...manifest, ...changes, sha256, bytes: contents.length }, () => contents);
}

/** The zones of a past release. */
export function zonesOf(version: string): Pack {
  const position = HISTORY.releases.findIndex(release => release.version === version);
  const { released } = HISTORY.releases[position]!;
  return packOf('tzdata', encodeZonePack(HISTORY.sourceOf(position)), { version, date: released });
}

/** Builds and signs a bundle; returns its path. */
export async function bundleIn(
  folder: string,
  sequence: number,
  packs: readonly Pack[],
  signers: readonly KeyObject[],
  successors: KeySet | null = null,
): Promise<string> {
  const path = join(folder, `${sequence}.bundle`);
  await buildBundle(path, packs, sequence, []);
  for (const key of signers) await signBundle(await openBundle(path), key, successors);
  return path;
}

/** Writes a key file; returns its path. */
export function keyFileIn(folder: string, keySet: KeySet): string {
  const path = join(folder, 'keys.json');
  writeFileSync(path, JSON.stringify(keySet));
  return path;
}
