import { timingSafeEqual } from 'node:crypto';
import type { Account } from './account.ts';
import { keyDigest, MAX_KEY_LENGTH } from './key_digest.ts';
import type { Limits } from './limits.ts';

/** Who a key belongs to. */
export interface Holder {
  /** What its usage is kept under: of a key of ours the public part of it, of another one a part of its digest. */
  readonly id: string;
  /** What logs may show: of a stored key its id, of another one its place in its list. */
  readonly label: string;
  readonly digest: Uint8Array;
  readonly suspended: boolean;
  /** The name of its plan. */
  readonly plan: string;
  /** Undefined where no such plan is defined. */
  readonly limits: Limits | undefined;
  readonly account: Account;
}

/** The SHA-256 of a text, 32 bytes, perhaps in a buffer that the next call overwrites. */
export type Sha256 = (text: string) => Uint8Array;

/**
 * All known keys, found by their SHA-256. What an attacker can vary is the key, and how much of it is right leaves no trace in
 * its digest, so the look-up by digest prefix tells nothing; the whole digest is then compared in constant time.
 */
export class KeyRing {
  readonly #byTag = new Map<number, Holder[]>();
  readonly #sha256: Sha256;
  readonly size: number;

  /** Of two holders with the same key the first counts. */
  constructor(holders: Iterable<Holder>, sha256: Sha256 = keyDigest) {
    this.#sha256 = sha256;
    let size = 0;
    for (const holder of holders) {
      const tag = tagOf(holder.digest);
      const others = this.#byTag.get(tag);
      if (others) others.push(holder);
      else this.#byTag.set(tag, [holder]);
      size += 1;
    }
    this.size = size;
  }

  /** The holder of a key. Takes as long for a wrong key as for a right one of the same length. */
  find(key: string): Holder | undefined {
    if (key.length > MAX_KEY_LENGTH) return undefined;
    const digest = this.#sha256(key);
    const candidates = this.#byTag.get(tagOf(digest));
    if (candidates === undefined) return undefined;
    for (const holder of candidates) if (timingSafeEqual(holder.digest, digest)) return holder;
    return undefined;
  }
}

/** The first 48 bits of a digest: few enough for an exact number, enough to tell keys apart. */
function tagOf(digest: Uint8Array): number {
  let tag = 0;
  for (let i = 0; i < 6; i++) tag = tag * 256 + digest[i]!;
  return tag;
}
