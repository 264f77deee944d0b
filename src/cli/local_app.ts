import { homedir } from 'node:os';
import { oneLine, visible } from '../common/message_of.ts';
import { UsageError } from '../common/usage_error.ts';
import type { App } from '../http/app.ts';
import type { Server } from '../http/snapshot.ts';
import { createApp } from '../server/app.ts';
import { DataStore } from '../server/bundles/data_store.ts';
import { loadInstalled } from '../server/bundles/installed_data.ts';
import { dataStatus } from '../server/data_sets/data_sets.ts';
import { readHostClock } from '../server/host_clock.ts';
import { keyDirectory } from '../server/signing_keys.ts';
import { createSnapshot } from '../server/snapshot.ts';
import { type Environment, stateDirectory } from '../server/state_directory.ts';
import type { KeyDirectory } from '../signing/key_directory.ts';
import { fixedKeys, type SigningKeys } from '../signing/key_set.ts';
import { KeyStoreError } from '../signing/key_store.ts';
import type { MCP_FLAGS, SettingsOf } from './flags.ts';

/** The user's home directory, or `/var/empty`, which has no installed data, if there is none. */
function homeOrNone(): string {
  try {
    return homedir();
  } catch {
    return '/var/empty';
  }
}

/** An app that handles requests within this process, and the keys that it signs with. */
export async function openLocalApp(
  settings: SettingsOf<typeof MCP_FLAGS>,
  environment: Environment,
): Promise<{ readonly app: App; readonly signing: SigningKeys }> {
  const signing = await existingKeys(() => keyDirectory(settings, environment));
  const store = new DataStore(stateDirectory(settings['state-dir'], environment, homeOrNone));
  const loaded = await loadInstalled(settings, store);
  for (const problem of loaded.problems) console.error(`meridian: ${visible(problem)}`);
  const snapshot = createSnapshot(loaded, settings);
  const server: Server = {
    snapshot: () => snapshot,
    dataStatus,
    now: Date.now,
    signing,
    access: null,
    hostClock: readHostClock,
    metrics: () => Promise.resolve(''),
    logError: (message: string, cause: unknown) =>
      console.error(`meridian: ${visible(message)}: ${oneLine(cause)}`),
  };
  // The client is this machine, as on a unix socket.
  return { app: createApp(server, { peerOf: () => 'unix' }), signing };
}

/** The existing keys. A missing or unreadable store fails only signed requests. */
async function existingKeys(store: () => KeyDirectory): Promise<SigningKeys> {
  try {
    return fixedKeys(await store().load());
  } catch (error) {
    if (error instanceof KeyStoreError || error instanceof UsageError) return fixedKeys([], error.message);
    throw error;
  }
}
