import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ROOT_KEYS } from '../../../data/keys/embedded.ts';
import { parseChecked } from '../../common/checked_json.ts';
import { messageOf } from '../../common/errors.ts';
import { replaceFile } from '../../common/state_files.ts';
import { counted } from '../../common/words.ts';
import { publicKeyOfPrivate } from '../../signing/signing_key.ts';
import { isUsablePublicKey, verifyBytes } from '../../signing/verify_signature.ts';
import { bytesOf, type Pack } from '../packs.ts';
import type { Reloadable } from '../reload.ts';
import {
  type Bundle,
  type BundleHead,
  encodeHead,
  type KeySet,
  KeySetSchema,
  type Manifest,
  type Signature,
  type Signatures,
} from './bundle_file.ts';

/** Signed texts begin with their purpose, so that a signature cannot be reused for another. */
type Purpose = 'meridian bundle\n' | 'meridian keys\n';

/** Parses a key set. Throws a one-line `Error` if it is malformed or has fewer keys than its threshold. */
export function parseKeySet(text: string, what: string): KeySet {
  const keySet = parseChecked(KeySetSchema, text, what);
  // Not shown, since it may be a private key.
  const unusable = keySet.keys.findIndex(key => !isUsablePublicKey(key));
  if (unusable !== -1) throw new Error(`${what}: key ${unusable + 1} is not an Ed25519 public key`);
  const { length } = keySet.keys;
  if (length < keySet.threshold)
    throw new Error(`${what}: its ${length} keys are fewer than the threshold of ${keySet.threshold}`);
  return keySet;
}

/** Reads a key set from a file. Throws an `Error` that names the file. */
export function readKeySet(path: string): KeySet {
  return fromFile(path, text => parseKeySet(text, 'The trusted keys'));
}

/** Reads a file of keys. Throws an `Error` that names the file. */
export function fromFile<Value>(path: string, parse: (text: string) => Value): Value {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Cannot use ${path}: ${messageOf(error)}`);
  }
}

/**
 * The `--data-keys` file, which is read whenever a bundle is installed. It is checked now (throws an `Error` if it cannot be
 * used) and on each reload. There is no last good copy, since that could contain a key revoked since.
 */
export function checkedKeyFile(path: string): Reloadable {
  const describe = () => counted(readKeySet(path).keys.length, 'key');
  describe();
  return { name: 'data-keys', reload: describe };
}

/** The root keys of this build; null before the ceremony that creates them. */
export function embeddedKeys(): KeySet | null {
  return ROOT_KEYS.keys.length === 0
    ? null
    : parseKeySet(JSON.stringify(ROOT_KEYS), 'The embedded root keys');
}

/** The trusted keys after applying a chain of successions that begins with `trusted`. */
export function currentKeys(trusted: KeySet, successions: Signatures['successions']): KeySet {
  return successions.reduce((current, { keys: text, signatures }) => {
    const next = parseKeySet(text, 'A successor of the keys');
    const isSigned = signers('meridian keys\n', text, signatures, current).length >= current.threshold;
    if (!isSigned || next.version <= current.version) return current;
    return { ...next, revoked: [...(current.revoked ?? []), ...(next.revoked ?? [])] };
  }, trusted);
}

/** Throws an `Error` unless enough of the keys have signed. */
export function requireSigned(text: string, signatures: readonly Signature[], keySet: KeySet): void {
  const count = signers('meridian bundle\n', text, signatures, keySet).length;
  if (count >= keySet.threshold) return;
  throw new Error(`it has ${count} valid signatures of trusted keys; ${keySet.threshold} are required`);
}

/** The keys of a set that have made a valid signature, without duplicates. */
function signers(purpose: Purpose, text: string, signatures: readonly Signature[], keySet: KeySet): string[] {
  const message = Buffer.from(purpose + text);
  return keySet.keys.filter(
    key =>
      !keySet.revoked?.includes(key) &&
      signatures.some(each => each.key === key && verifyBytes(message, each.signature, key)),
  );
}

/** Adds or replaces the signature of an Ed25519 key. */
export function signedBy(
  privateKey: KeyObject,
  purpose: Purpose,
  text: string,
  signatures: readonly Signature[],
): Signature[] {
  const key = publicKeyOfPrivate(privateKey);
  const signature = sign(null, Buffer.from(purpose + text), privateKey).toString('base64');
  const others = signatures.filter(each => each.key !== key);
  return [...others, { key, signature }].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Writes an unsigned bundle of packs. The same packs give the same bytes. */
export async function buildBundle(
  path: string,
  packs: readonly Pack[],
  sequence: number,
  successions: Signatures['successions'],
): Promise<void> {
  const sets = packs.map(({ manifest }) => {
    const { name, version, date, source, licence, attribution, sha256, bytes } = manifest;
    // In a fixed order.
    return { name, version, date, source, licence, ...(attribution && { attribution }), sha256, bytes };
  });
  const manifest: Manifest = { format: 1, sequence, sets };
  const head = { manifestText: JSON.stringify(manifest), signatures: { successions, signatures: [] } };
  await writeBundle(path, head, packs);
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
  const encoded = async function* () {
    yield encodeHead(head);
    for (const pack of packs) yield await bytesOf(pack);
  };
  await replaceFile(path, encoded(), 0o644);
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
