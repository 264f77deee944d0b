import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { KeyDirectory } from '../signing/key_directory.ts';
import { KeyRing } from '../signing/key_ring.ts';
import { type EventLog, fieldsOfError } from './event_log.ts';
import { type Environment, stateDirectory } from './state_directory.ts';

const CHECK_INTERVAL_MS = 30_000;

/** The store of signing keys in the state directory. */
export function keyDirectory(
  settings: { readonly 'state-dir': string | null },
  environment: Environment,
): KeyDirectory {
  return new KeyDirectory(join(stateDirectory(settings['state-dir'], environment), 'signing-keys'));
}

/** Opens a server's signing keys. Until `stop` they are reread twice a minute, and rotated when due. */
export async function openSigningKeys(
  settings: {
    readonly 'state-dir': string | null;
    readonly 'retain-keys': number;
    readonly 'rotate-keys-every': number | null;
  },
  environment: Environment,
  log: EventLog,
) {
  const keys = await KeyRing.open(
    {
      store: keyDirectory(settings, environment),
      retain: settings['retain-keys'],
      rotateEveryMs: settings['rotate-keys-every'] ?? undefined,
    },
    {
      epochMs: Date.now,
      elapsedMs: () => performance.now(),
      wait: Bun.sleep,
      seed: () => randomBytes(32),
      report: message => log.error(message),
      activated: kid => log.info('signing key in use', { kid }),
    },
  );
  let isStopped = false;
  let timer = setTimeout(check, CHECK_INTERVAL_MS);
  async function check(): Promise<void> {
    await keys.maintain().catch(error => log.error('cannot check the signing keys', fieldsOfError(error)));
    if (!isStopped) timer = setTimeout(check, CHECK_INTERVAL_MS);
  }
  return {
    name: 'signing keys',
    keys,
    async reload() {
      await keys.reload();
      return keys.current.active?.kid ?? 'none';
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
