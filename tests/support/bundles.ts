import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHolidayPack } from '../../data/holidays/embedded.ts';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { readReleasePack } from '../../data/releases/embedded.ts';
import { readZonePack } from '../../data/zones/embedded.ts';
import { type KeySet, openBundle } from '../../src/server/bundles/bundle_file.ts';
import { buildBundle, signBundle } from '../../src/server/bundles/bundle_keys.ts';
import type { DataSettings } from '../../src/server/data_sets.ts';
import { embeddedPack, type Pack } from '../../src/server/packs.ts';
import { publicKeyOfPrivate } from '../../src/signing/signing_key.ts';
import { decodeReleasePack } from '../../src/zones/release_pack.ts';
import { encodeZonePack } from '../../src/zones/zone_pack.ts';
import { newFolder, type Outcome, type RunningServer, run, until } from './process.ts';

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

/** The executable's zones and holidays. */
export const PACKS = [packOf('tzdata', readZonePack()), packOf('holidays', readHolidayPack())];

/** Two keys that must both sign, in a new folder. */
export function dataKit() {
  const folder = newFolder();
  const signers = [newKey(), newKey()];
  const keys = keyFileIn(folder, keySetOf(signers, { threshold: 2 }));
  return {
    path: folder,
    signers,
    /** The path of the key file. */
    keys,
    /** Creates a state directory. */
    newState(name: string): string {
      const state = join(folder, name);
      mkdirSync(state);
      return state;
    },
    /** Runs `meridian data`. */
    data: (state: string, ...args: readonly string[]): Promise<Outcome> =>
      run(['data', ...args, '--state-dir', state, '--data-keys', keys]),
  };
}

/** The sequence numbers of the bundles in use by a server's workers, from its metrics; 0 for none. */
export async function bundlesInUse({ url }: Pick<RunningServer, 'url'>): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.matchAll(/^meridian_data_bundle_sequence(?:\{.*\})? (\d+)$/gm);
  return [...samples].map(([, sequence]) => Number(sequence));
}

/** Waits until all workers of a server use a bundle. */
export async function untilUsed(
  server: Pick<RunningServer, 'url'>,
  sequence: number,
  workers = 1,
): Promise<void> {
  await until(async () => {
    const used = await bundlesInUse(server);
    return used.length === workers && used.every(each => each === sequence);
  });
}
