import { type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ROOT_KEYS } from '../../../data/keys/embedded.ts';
import { messageOf } from '../../common/errors.ts';
import { counted } from '../../common/words.ts';
import { publicKeyOfPrivate } from '../../signing/signing_key.ts';
import { isUsablePublicKey, verifyBytes } from '../../signing/verify_signature.ts';
import type { Reloadable } from '../reload.ts';
import { type KeySet, KeySetSchema, parseChecked, type Signature, type Signatures } from './bundle_file.ts';

/** Signed texts begin with their purpose, so that a signature cannot be reused for another. */
export type Purpose = 'meridian bundle\n' | 'meridian keys\n';

/** Parses a key set. Throws a one-line `Error` if it is malformed or has fewer keys than its threshold. */
export function parseKeySet(text: string, what: string): KeySet {
  const keySet = parseChecked(KeySetSchema, text, what);
  const unusable = keySet.keys.find(key => !isUsablePublicKey(key));
  if (unusable !== undefined) throw new Error(`${what}: ${unusable} is not an Ed25519 public key`);
  if (keySet.keys.length < keySet.threshold) {
    throw new Error(
      `${what}: its ${keySet.keys.length} keys are fewer than the threshold of ${keySet.threshold}`,
    );
  }
  return keySet;
}

/** Reads a key set from a file. Throws an `Error` that names the file. */
export function readKeySet(path: string): KeySet {
  try {
    return parseKeySet(readFileSync(path, 'utf8'), 'The trusted keys');
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

/**
 * The trusted keys after applying a chain of successions that begins with `trusted`.
 */
export function currentKeys(trusted: KeySet, successions: Signatures['successions']): KeySet {
  return successions.reduce((current, { keys: text, signatures }) => {
    const next = parseKeySet(text, 'A successor of the keys');
    const isSuccessor =
      next.version > current.version && isSigned('meridian keys\n', text, signatures, current);
    return isSuccessor
      ? { ...next, revoked: [...(current.revoked ?? []), ...(next.revoked ?? [])] }
      : current;
  }, trusted);
}

/** Throws an `Error` unless enough of the keys have signed. */
export function requireSigned(text: string, signatures: readonly Signature[], keySet: KeySet): void {
  const count = signers('meridian bundle\n', text, signatures, keySet).length;
  if (count >= keySet.threshold) return;
  throw new Error(`it has ${count} valid signatures of trusted keys; ${keySet.threshold} are required`);
}

function isSigned(purpose: Purpose, text: string, signatures: readonly Signature[], keySet: KeySet): boolean {
  return signers(purpose, text, signatures, keySet).length >= keySet.threshold;
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
