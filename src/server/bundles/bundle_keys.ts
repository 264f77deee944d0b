import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ROOT_KEYS } from '../../../data/keys/embedded.ts';
import { messageOf, visible } from '../../common/message_of.ts';
import { quoted } from '../../common/service_error.ts';
import { isUsablePublicKey, verifySignature } from '../../signing/verify_signature.ts';

/** 32 bytes in Base64URL, in their only encoding. */
const PublicKey = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });

/** The keys of which `threshold` must sign. A file of them has no secrets. */
export const KeySetSchema = Type.Object(
  {
    /** Successors have a higher one: key sets that were replaced are not accepted again. */
    version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    threshold: Type.Integer({ minimum: 1, maximum: 32 }),
    /** Ed25519 public keys. */
    keys: Type.Array(PublicKey, { maxItems: 32, uniqueItems: true }),
    /** Keys that no longer count, in whichever set they are. */
    revoked: Type.Optional(Type.Array(PublicKey, { maxItems: 1024 })),
  },
  { additionalProperties: false },
);
export type KeySet = Static<typeof KeySetSchema>;

const Signature = Type.Object(
  { key: PublicKey, signature: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }) },
  { additionalProperties: false },
);
type Signature = Static<typeof Signature>;
const SignatureList = Type.Array(Signature, { maxItems: 64 });

/** The signatures of a bundle, and the key sets that led from the roots to the one that signed it. */
export const Signatures = Type.Object(
  {
    /** Each signed by the key set before it; `keys` is the signed text. */
    successions: Type.Array(
      Type.Object(
        { keys: Type.String({ maxLength: 4096 }), signatures: SignatureList },
        { additionalProperties: false },
      ),
      { maxItems: 64 },
    ),
    signatures: SignatureList,
  },
  { additionalProperties: false },
);
export type Signatures = Static<typeof Signatures>;

/** What is signed begins with its purpose, so that a signature serves no other. */
export type Purpose = 'meridian bundle\n' | 'meridian keys\n';

/** Parses JSON of a schema. Throws an `Error` that names the wrong member. */
export function parseChecked<Schema extends TSchema>(
  schema: Schema,
  text: string,
  what: string,
): Static<Schema> {
  const value: unknown = parseJson(text, what);
  if (Value.Check(schema, value)) return value;
  const { path, message } = Value.Errors(schema, value).First()!; // the check failed
  throw new Error(`${what}: ${path === '' ? 'it' : quoted(path.slice(1))} is malformed: ${message}`);
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${visible(messageOf(error))}`);
  }
}

/** Parses a key set. Throws an `Error` of one line if it is malformed, or has fewer keys than its threshold. */
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

/** The root keys of this build; null before the ceremony that creates them. */
export function embeddedKeys(): KeySet | null {
  return ROOT_KEYS.keys.length === 0
    ? null
    : parseKeySet(JSON.stringify(ROOT_KEYS), 'The embedded root keys');
}

/**
 * The keys that are trusted after the successions that `trusted` has signed, in turn.
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

/** The keys of a set with a valid signature, each once. */
function signers(purpose: Purpose, text: string, signatures: readonly Signature[], keySet: KeySet): string[] {
  const input = Buffer.from(purpose + text).toString('base64url');
  return keySet.keys.filter(
    key =>
      !keySet.revoked?.includes(key) &&
      signatures.some(each => each.key === key && verifySignature(input, each.signature, key)),
  );
}

/** Adds the signature of an Ed25519 key, or replaces it. */
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

/** The public key of an Ed25519 key, in Base64URL. */
export function publicKeyOfPrivate(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'jwk' }).x!; // every Ed25519 key has one
}
