import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { KeyDirectory } from '../signing/key_directory.ts';
import { KeyRing } from '../signing/key_ring.ts';
import type { SigningKeyStore } from '../signing/key_store.ts';
import { type EventLog, fieldsOfError } from './log.ts';
import type { SharedRedis } from './machines.ts';
import { fleetKeyStore, redisKeys } from './redis_keys.ts';
import { repeatedly } from './repeatedly.ts';
import { type Environment, stateDirectory } from './state_directory.ts';

/** Detecting changes by other processes costs a listing of the folder, and with Redis one command. */
const CHECK_INTERVAL_MS = 500;

/** The store of signing keys in the state directory. */
export function keyDirectory(
  settings: { readonly 'state-dir': string | null },
  environment: Environment,
): KeyDirectory {
  return new KeyDirectory(join(stateDirectory(settings['state-dir'], environment), 'signing-keys'));
}

export interface SigningSettings {
  readonly 'state-dir': string | null;
  readonly 'retain-keys': number;
  readonly 'rotate-keys-every': number | null;
}

/**
 * Opens a server's signing keys. Until `stop` they are reread twice a second, and rotated when due. `isWriter`: whether this
 * process writes the local copy of the keys in Redis.
 */
export async function openSigningKeys(
  settings: SigningSettings,
  environment: Environment,
  log: EventLog,
  redis: SharedRedis | null,
  isWriter: boolean,
) {
  const directory = keyDirectory(settings, environment);
  const report = (message: string) => log.error(message);
  let store: SigningKeyStore = directory;
  let unreadable: ReadonlyMap<string, string> = new Map();
  if (redis !== null) {
    const path = join(stateDirectory(settings['state-dir'], environment), 'redis-signing-keys.json');
    const hash = redis.store.hash('signing-keys', redis.run);
    const shared = redisKeys(hash, { path, isWriter }, report);
    store = fleetKeyStore(directory, shared, report);
    unreadable = shared.unreadable;
  }
  const keys = await KeyRing.open(
    { store, retain: settings['retain-keys'], rotateEveryMs: settings['rotate-keys-every'] ?? undefined },
    {
      epochMs: Date.now,
      elapsedMs: () => performance.now(),
      wait: Bun.sleep,
      seed: () => randomBytes(32),
      report,
      activated: kid => log.info('signing key in use', { kid }),
    },
  );
  const check = () =>
    keys.maintain().catch(error => log.error('cannot check the signing keys', fieldsOfError(error)));
  return {
    name: 'signing keys',
    keys,
    /** The values in Redis that cannot be read, by name. */
    unreadable,
    async reload() {
      await keys.reload();
      return keys.current.active?.kid ?? 'none';
    },
    stop: repeatedly(() => CHECK_INTERVAL_MS, check),
  };
}
