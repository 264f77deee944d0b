import type { Role } from './key_index.ts';
import type { MonthlyCount } from './usage.ts';

/** A stored API key: never the key itself. */
export interface StoredToken {
  /** The public part of the key; it stays when the key is rotated. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly plan: string;
  /** The key's SHA-256. */
  readonly digest: Uint8Array;
  readonly createdMs: number;
  /** Null if never used. */
  readonly lastUsedMs: number | null;
  /** Null unless suspended. */
  readonly suspendedMs: number | null;
  /** From when on the key is rejected; null for never. */
  readonly expiresMs: number | null;
  /** The key before the last rotation, and the end of its overlap; null before the first. */
  readonly former: FormerKey | null;
}

export interface FormerKey {
  readonly digest: Uint8Array;
  readonly expiresMs: number;
}

/** A key to be stored; its role is `client` by default. */
export type NewToken = Pick<StoredToken, 'id' | 'name' | 'plan' | 'digest' | 'createdMs'> &
  Partial<Pick<StoredToken, 'role' | 'expiresMs'>>;

/** What can be changed of a stored key, besides its rotation. */
export type TokenChanges = Partial<Pick<StoredToken, 'name' | 'role' | 'plan' | 'suspendedMs' | 'expiresMs'>>;

/** A removed key, whose usage remains in reports. */
export interface RemovedToken extends Pick<StoredToken, 'id' | 'name' | 'plan'> {
  readonly removedMs: number;
}

type Awaitable<Value> = Value | Promise<Value>;

/** Where `meridian tokens` keeps keys. Methods that name a key return false if there is no such one. */
export interface TokenStore {
  /** All keys, oldest first. */
  tokens(): Awaitable<StoredToken[]>;
  add(token: NewToken): Awaitable<void>;
  change(id: string, changes: TokenChanges): Awaitable<boolean>;
  /** Replaces a key; the former one is accepted until the end of the overlap. */
  rotate(id: string, digest: Uint8Array, overlapEndMs: number): Awaitable<boolean>;
  /** Removes a key but not its usage. */
  remove(id: string, nowMs: number): Awaitable<boolean>;
  removed(): Awaitable<RemovedToken[]>;
  /**
   * The usage of all keys by month, removed ones and those of lists included. Where only one month is of interest, a store may leave
   * out others.
   */
  usage(month?: number): Awaitable<MonthlyCount[]>;
}

/** Something outside the process that may change while the server runs. Both methods throw one-line Errors. */
export interface Source<Value> {
  /** Changes whenever the value may have changed; cheap. */
  stamp(): string;
  read(): Value;
}

/** The contents of the token store. */
export interface StoredKeys {
  readonly tokens: readonly StoredToken[];
  /** Whether there is, or has been, a key. */
  readonly hasEverHeld: boolean;
}

/** What a key is at an instant. */
export function tokenState(
  { suspendedMs, expiresMs }: Pick<StoredToken, 'suspendedMs' | 'expiresMs'>,
  nowMs: number,
): 'active' | 'suspended' | 'expired' {
  if (suspendedMs !== null) return 'suspended';
  return expiresMs !== null && expiresMs <= nowMs ? 'expired' : 'active';
}
