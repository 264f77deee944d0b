import type { KeyRecord } from './key_record.ts';
import type { SigningKey } from './signing_key.ts';

/** A failure of the key store. Its one-line message names files, so it is for the operator and never sent to clients. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

/** A key that is about to be created. */
export type NewKey = Omit<KeyRecord, 'd'>;

export interface Rotation {
  readonly epochMs: number;
  /** 32 random bytes: the new private key. */
  readonly seed: Uint8Array;
  /** Use the next free date if today's `kid` is taken, instead of failing. */
  readonly force?: boolean;
  /** Evaluated under the lock; unless it returns true, no key is created. */
  readonly onlyIf?: (keys: readonly SigningKey[]) => boolean;
  /** Reserves the `kid` of the new key outside the store; if it is taken there, the next free date is used. */
  readonly claim?: (key: NewKey) => Promise<boolean>;
}

/** Persistent signing keys, always returned youngest first. */
export interface KeyStore {
  /** All keys that are not revoked; none if the store does not exist. @throws {KeyStoreError} */
  load(): Promise<readonly SigningKey[]>;
  /** Creates a new active key and retires the others; returns all keys. @throws {KeyStoreError} */
  rotate(rotation: Rotation): Promise<readonly SigningKey[]>;
}
