import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SharedKey } from './shared_key.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The minimum length of a secret: that of the key derived from it. */
export const MIN_SECRET_BYTES = 32;

type Named = Pick<SharedKey, 'kid' | 'x'>;

/** Encrypts private keys with AES-256-GCM, using a key derived from a secret (HKDF-SHA256, RFC 5869). */
export class KeySeal {
  readonly #key: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', 'meridian signing keys', 32));
  }

  /** An encrypted seed in Base64URL: initialisation vector, ciphertext, tag. It is bound to the key's name and public key. */
  seal(seed: Uint8Array, key: Named): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(boundTo(key));
    return Buffer.concat([iv, cipher.update(seed), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** The seed. @throws {Error} if it was encrypted with another secret or for another key */
  open(sealed: string, key: Named): Uint8Array {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(key)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  }
}

function boundTo({ kid, x }: Named): Uint8Array {
  return Buffer.from(`${kid} ${x}`);
}
