import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { SettingSources } from '../cli/settings.ts';
import { KeyDirectory } from '../signing/key_directory.ts';
import { KeyRing } from '../signing/key_ring.ts';
import { type EventLog, fieldsOfError } from './event_log.ts';
import type { Reloadable } from './reload.ts';
import { stateDirectory } from './state_directory.ts';

const MS_BETWEEN_CHECKS = 30_000;

/** The store of signing keys in the state directory. */
export function keyDirectory(
  settings: { readonly 'state-dir': string | null },
  { environment }: SettingSources,
): KeyDirectory {
  return new KeyDirectory(join(stateDirectory(settings['state-dir'], environment), 'signing-keys'));
}

/** A server's signing keys, looked after in the real world until `stop`. */
export interface ServedKeys extends Reloadable {
  readonly keys: KeyRing;
  stop(): void;
}

/** Opens a server's signing keys. They are reread twice a minute, when the schedule is looked at too. */
export async function openSigningKeys(
  settings: {
    readonly 'state-dir': string | null;
    readonly 'retain-keys': number;
    readonly 'rotate-keys-every': number | null;
  },
  sources: SettingSources,
  log: EventLog,
): Promise<ServedKeys> {
  const keys = await KeyRing.open(
    {
      store: keyDirectory(settings, sources),
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
  let timer = setTimeout(check, MS_BETWEEN_CHECKS);
  async function check(): Promise<void> {
    await keys
      .maintain()
      .catch(error => log.error('the signing keys were not checked', fieldsOfError(error)));
    if (!isStopped) timer = setTimeout(check, MS_BETWEEN_CHECKS);
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
