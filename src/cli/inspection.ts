import { messagesOf } from '../common/message_of.ts';
import { checkAccess } from '../server/access.ts';
import { readKeySet } from '../server/bundles/bundle_keys.ts';
import { DataStore } from '../server/bundles/data_store.ts';
import { type InstalledData, loadInstalled } from '../server/bundles/installed_data.ts';
import { Certificate } from '../server/listening/certificate.ts';
import { checkSigningSecret } from '../server/signing_keys.ts';
import { type Environment, stateDirectory } from '../server/state_directory.ts';
import type { ServeSettings } from './flags.ts';
import { conflictsOf } from './setting_conflicts.ts';

/** The result of checking settings and the files that they name. */
export interface Inspection extends InstalledData {
  /** Everything that would prevent startup or the use of configured files, one line each. */
  readonly faults: readonly string[];
}

/** Checks settings and their files as `serve` does, but opens no listeners. */
export async function inspectSettings(
  settings: ServeSettings,
  environment: Environment,
): Promise<Inspection> {
  const faults = [...conflictsOf(settings)];
  const store = new DataStore(stateDirectory(settings['state-dir'], environment));
  const loaded = await loadInstalled(settings, store, {
    substitute: async (_, error) => {
      faults.push(error.message);
      return null;
    },
  });
  faults.push(...loaded.problems);
  const { 'data-keys': dataKeys } = settings;
  const checks = [
    () => Certificate.check(settings),
    () => checkAccess(settings, environment),
    () => dataKeys !== null && readKeySet(dataKeys),
    () => checkSigningSecret(settings),
  ];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      faults.push(...messagesOf(error));
    }
  }
  return { ...loaded, faults };
}
