import { randomBytes } from 'node:crypto';
import { KEY_RANDOM_BYTES, keyDigest, keyWithId, makeKey, type NewKey, SECRET_BYTES } from '../key_format.ts';
import type { NewToken, TokenStore } from '../stored_token.ts';

/** Adds a key to a store. The store only has its digest, so the key itself cannot be retrieved again. */
export async function addKey(
  store: TokenStore,
  properties: Pick<NewToken, 'name' | 'role' | 'plan' | 'expiresMs'>,
  nowMs: number,
): Promise<NewKey> {
  const issued = makeKey(randomBytes(KEY_RANDOM_BYTES));
  await store.add({ ...properties, id: issued.id, digest: keyDigest(issued.key), createdMs: nowMs });
  return issued;
}

/** Replaces a key with a new one with the same id, which is returned; null if there is no such key. */
export async function rotateKey(store: TokenStore, id: string, overlapEndMs: number): Promise<string | null> {
  const key = keyWithId(id, randomBytes(SECRET_BYTES));
  return (await store.rotate(id, keyDigest(key), overlapEndMs)) ? key : null;
}
