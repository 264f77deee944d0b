import type { SigningKey } from './signing_key.ts';

/** What went wrong with the store, by what can be done about it. */
export type KeyStoreProblem =
  /** The store can be read, or is absent, but cannot be changed: read-only, another owner's, a full disk. */
  | 'unwritable'
  /** Others can read it: its keys are to be thought stolen. */
  | 'exposed'
  /** A file is not what the store wrote. */
  | 'damaged'
  /** The store is well, and what was asked for is not allowed. */
  | 'refused';

/** A failure of the key store, its message one line for the operator: it names files and never reaches a caller. */
export class KeyStoreError extends Error {
  override readonly name = 'KeyStoreError';
  readonly problem: KeyStoreProblem;

  constructor(problem: KeyStoreProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** What a rotation needs from outside. */
export interface Rotation {
  readonly epochMs: number;
  /** 32 random bytes: the new private key. */
  readonly seed: Uint8Array;
  /** Take the next free date where today's `kid` is taken, instead of refusing. */
  readonly force?: boolean;
  /** Asked once nobody else can change the store: without its yes no key is made. */
  readonly onlyIf?: (keys: readonly SigningKey[]) => boolean;
}

/** Where signing keys live. Keys are always given youngest first. */
export interface KeyStore {
  /** All keys, revoked ones excepted; none where the store is absent. @throws {KeyStoreError} */
  load(): Promise<readonly SigningKey[]>;
  /** Makes a new active key and retires the others; gives all keys. @throws {KeyStoreError} */
  rotate(rotation: Rotation): Promise<readonly SigningKey[]>;
  /** Withdraws a retired key for good; its `kid` is never used again. @throws {KeyStoreError} */
  revoke(kid: string): Promise<readonly SigningKey[]>;
}
