import type { SigningKey } from './signing_key.ts';

/** A failure of the key store. Its one-line message names files, so it is for the operator and never sent to clients. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
}

export interface Rotation {
  readonly epochMs: number;
  /** 32 random bytes: the new private key. */
  readonly seed: Uint8Array;
  /** Use the next free date if today's `kid` is taken, instead of failing. */
  readonly force?: boolean;
  /** Evaluated under the lock; unless it returns true, no key is created. */
  readonly onlyIf?: (keys: readonly SigningKey[]) => boolean;
}

/**
 * Persistent signing keys, as a server uses them, in the order of publication: the active one, which is the first with a private
 * key, other machines' active ones, then retired ones, youngest first. Methods reject with {@link KeyStoreError}.
 */
export interface SigningKeyStore {
  /**
   * All keys that are not revoked; none if the store does not exist. One that is shared by machines is brought up to date first:
   * this machine's keys are published, and those that were revoked or whose name is another's are replaced.
   */
  synchronize(): Promise<readonly SigningKey[]>;
  /** Creates a new active key and retires the others; returns all keys. Rejects a second key on the same day, unless forced. */
  rotate(rotation: Rotation): Promise<readonly SigningKey[]>;
}

/** Signing keys that commands manage. */
export interface ManagedSigningKeyStore extends SigningKeyStore {
  /** Like {@link synchronize}, but never changes anything. */
  read(): Promise<readonly SigningKey[]>;
  /** Revokes a retired key, whose `kid` is never reused. `force`: also one that another machine signs with. */
  revoke(kid: string, force: boolean): Promise<void>;
}
