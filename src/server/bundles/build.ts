import { createPrivateKey, type KeyObject } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { DataSetManifest } from '../../../data/manifest.ts';
import { messageOf } from '../../common/errors.ts';
import { TEMPORARY } from '../../common/state_files.ts';
import { publicKeyOfPrivate } from '../../signing/signing_key.ts';
import type { Pack } from '../data_set.ts';
import {
  type Bundle,
  type BundleHead,
  encodeHead,
  type KeySet,
  type Manifest,
  type Signatures,
} from './bundle_file.ts';
import { signedBy } from './bundle_keys.ts';

/** Writes an unsigned bundle of packs. The same packs give the same bytes. */
export async function buildBundle(
  path: string,
  packs: readonly Pack[],
  sequence: number,
  successions: Signatures['successions'],
): Promise<void> {
  const sets = packs.map(({ manifest }) => listed(manifest));
  const manifest: Manifest = { format: 1, sequence, sets };
  const head = { manifestText: JSON.stringify(manifest), signatures: { successions, signatures: [] } };
  await writeBundle(path, head, packs);
}

/** The members of a manifest, in a fixed order. */
function listed({ name, version, date, source, licence, attribution, sha256, bytes }: DataSetManifest) {
  return { name, version, date, source, licence, ...(attribution && { attribution }), sha256, bytes };
}

/**
 * Signs a bundle in place and, if there are successors, the succession to them, which the previous keys must sign. Returns
 * the public key.
 */
export async function signBundle(bundle: Bundle, key: KeyObject, successors: KeySet | null): Promise<string> {
  const { manifestText, signatures } = bundle.head;
  const head: BundleHead = {
    manifestText,
    signatures: {
      successions: successors === null ? signatures.successions : withSuccession(signatures, key, successors),
      signatures: signedBy(key, 'meridian bundle\n', manifestText, signatures.signatures),
    },
  };
  const packs = bundle.manifest.sets.map(({ name }) => bundle.pack(name)!); // the set is listed
  await writeBundle(bundle.path, head, packs);
  return publicKeyOfPrivate(key);
}

function withSuccession({ successions }: Signatures, key: KeyObject, successors: KeySet) {
  const keys = JSON.stringify(successors);
  const others = successions.filter(each => each.keys !== keys);
  const before = successions.find(each => each.keys === keys)?.signatures ?? [];
  return [...others, { keys, signatures: signedBy(key, 'meridian keys\n', keys, before) }];
}

async function writeBundle(path: string, head: BundleHead, packs: readonly Pack[]): Promise<void> {
  const temporary = path + TEMPORARY;
  await rm(temporary, { force: true });
  try {
    await using file = await open(temporary, 'wx', 0o644);
    await file.write(encodeHead(head));
    for (const pack of packs) {
      const bytes = await pack.load();
      await file.write(bytes.subarray(0, bytes.length));
    }
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await rename(temporary, path);
}

/** The Ed25519 key in a PKCS #8 PEM text, as written by `openssl genpkey -algorithm ed25519`. Throws an `Error`. */
export function parsePrivateKey(text: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`its type is ${key.asymmetricKeyType}`);
    return key;
  } catch (error) {
    throw new Error(`expected an Ed25519 private key in PEM: ${messageOf(error)}`);
  }
}
