import { timingSafeEqual } from 'node:crypto';
import { keyDigest, MAX_KEY_LENGTH } from './key_format.ts';
import type { Limits } from './plan.ts';
import type { Account } from './usage.ts';

/** What a key allows besides its plan: an operator's also reads the metrics. */
export const ROLES = ['client', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** A key that the server accepts. */
export interface ApiKey {
  /** What its usage is stored under: the public part of a key of ours, else a prefix of its digest. */
  readonly id: string;
  /** Its name in logs: the id of a stored key, else its position in its list. */
  readonly label: string;
  readonly digest: Uint8Array;
  readonly isSuspended: boolean;
  /** From when on it is rejected, epoch milliseconds; infinite for never. */
  readonly expiresMs: number;
  readonly role: Role;
  /** The name of its plan. */
  readonly plan: string;
  /** Undefined if the plan is not defined. */
  readonly limits: Limits | undefined;
  readonly account: Account;
}

/** The SHA-256 of a text, 32 bytes, possibly in a buffer that the next call overwrites. */
export type Sha256 = (text: string) => Uint8Array;

/**
 * The known keys by their SHA-256. An attacker controls the key, and the digest reveals nothing of how much of it is
 * right, so looking up a digest prefix leaks nothing; the full digest is then compared in constant time.
 */
export class KeyIndex {
  readonly #byTag: Map<number, readonly ApiKey[]>;
  /** How many keys have an id: one and its former one during a rotation have the same. */
  readonly #countById = new Map<string, number>();
  readonly #sha256: Sha256;

  /** If a key occurs twice, the first one counts. */
  constructor(keys: readonly ApiKey[], sha256: Sha256 = keyDigest) {
    this.#sha256 = sha256;
    this.#byTag = Map.groupBy(keys, ({ digest }) => tagOf(digest));
    for (const { id } of keys) this.#count(id, 1);
  }

  /** The number of ids. */
  get size(): number {
    return this.#countById.size;
  }

  /** Puts keys in the place of others; they count before those that stay. */
  replace(former: readonly ApiKey[], keys: readonly ApiKey[]): void {
    for (const key of former) {
      const tag = tagOf(key.digest);
      const others = (this.#byTag.get(tag) ?? []).filter(other => other !== key);
      if (others.length > 0) this.#byTag.set(tag, others);
      else this.#byTag.delete(tag);
      this.#count(key.id, -1);
    }
    for (const key of keys.toReversed()) {
      const tag = tagOf(key.digest);
      this.#byTag.set(tag, [key, ...(this.#byTag.get(tag) ?? [])]);
      this.#count(key.id, 1);
    }
  }

  #count(id: string, change: number): void {
    const count = (this.#countById.get(id) ?? 0) + change;
    if (count === 0) this.#countById.delete(id);
    else this.#countById.set(id, count);
  }

  /** Takes the same time for a wrong key as for a right one of the same length. */
  find(key: string): ApiKey | undefined {
    if (key.length > MAX_KEY_LENGTH) return undefined;
    const digest = this.#sha256(key);
    const candidates = this.#byTag.get(tagOf(digest));
    return candidates?.find(candidate => timingSafeEqual(candidate.digest, digest));
  }
}

/** The first 48 bits of a digest: an exact number, and long enough to avoid collisions. */
function tagOf(digest: Uint8Array): number {
  let tag = 0;
  for (let i = 0; i < 6; i++) tag = tag * 256 + digest[i]!;
  return tag;
}
