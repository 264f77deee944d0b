import { ROLES } from '../key_index.ts';
import type { StoredToken } from '../stored_token.ts';

/**
 * An API key as Redis has it, removed ones included: `REVISION JSON`. The revision increases with every change of a key, also
 * over a Redis that has lost its data, as it is never below the time in milliseconds. Of two values of a key the one with the
 * higher revision is valid.
 */
export type KeyValue = string;

/** The stored keys by id. */
export type KeyValues = ReadonlyMap<string, KeyValue>;

/** What a value says of a key; its usage has the time of its last use. */
export interface SharedKey extends Omit<StoredToken, 'lastUsedMs'> {
  /** Null unless removed. */
  readonly removedMs: number | null;
}

/** The revision of a value; 0 for none. */
export function revisionOf(value: KeyValue | undefined): number {
  return value === undefined ? 0 : Number(value.slice(0, value.indexOf(' ')));
}

/** The value of a key without its revision, which the script adds. */
export function writeSharedKey({ digest, former, ...rest }: SharedKey): string {
  const formerText = former && { ...former, digest: hexOf(former.digest) };
  return JSON.stringify({ ...rest, digest: hexOf(digest), former: formerText });
}

/** @throws {Error} for a value that is none of ours */
export function readSharedKey(value: KeyValue): SharedKey {
  const key = JSON.parse(value.slice(value.indexOf(' ') + 1)) as SharedKey & { digest: string };
  const former = key.former as { digest: string; expiresMs: number } | null;
  if (!ROLES.includes(key.role)) throw new Error(`The key '${key.id}' has an unknown role`);
  return {
    ...key,
    digest: digestOf(key.digest),
    former: former && { ...former, digest: digestOf(former.digest) },
  };
}

/** The keys among values that are not removed, oldest first. */
export function tokensOf(values: KeyValues): Omit<StoredToken, 'lastUsedMs'>[] {
  return [...values.values()]
    .map(readSharedKey)
    .filter(({ removedMs }) => removedMs === null)
    .sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
}

function hexOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}

function digestOf(hex: string): Uint8Array {
  const digest = new Uint8Array(Buffer.from(hex, 'hex'));
  if (digest.length !== 32) throw new Error('A digest of a key has not 32 bytes');
  return digest;
}
