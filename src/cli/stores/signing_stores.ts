import { messageOf } from '../../common/errors.ts';
import { fleetKeyStore } from '../../server/fleet/key_stores.ts';
import { RedisKeys } from '../../server/fleet/redis_keys.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import type { Rotation } from '../../signing/key_store.ts';
import type { SigningKey } from '../../signing/signing_key.ts';
import { withRedis } from './key_stores.ts';

/** The signing key operations of `meridian keys`. */
export interface SigningStore {
  /** All keys; changes nothing. */
  view(): Promise<readonly SigningKey[]>;
  rotate(rotation: Rotation): Promise<readonly SigningKey[]>;
  revoke(kid: string, force: boolean): Promise<unknown>;
}

/** Only the keys of this machine. */
export function ownKeys(directory: KeyDirectory): SigningStore {
  return {
    view: () => directory.load(),
    rotate: rotation => directory.rotate(rotation),
    revoke: kid => directory.revoke(kid),
  };
}

/** The keys of this machine and of all machines that share its Redis, for the duration of `work`. */
export function withFleetKeys<Result>(
  directory: KeyDirectory,
  url: string,
  secretFile: string | null,
  work: (store: SigningStore) => Promise<Result>,
): Promise<Result> {
  return withRedis(url, redis => {
    const copy = { read: () => new Map(), write() {} };
    const shared = new RedisKeys(redis.hash('signing-keys'), failing, copy, fail);
    return work(fleetKeyStore(directory, shared, secretFile, fail));
  });
}

/** A command fails without Redis, whereas a server continues. */
async function failing<Value>(command: () => Promise<Value>): Promise<Value> {
  try {
    return await command();
  } catch (error) {
    throw new Error(messageOf(error));
  }
}

function fail(message: string): never {
  throw new Error(message);
}
