import { join } from 'node:path';
import { openAccess, requireKeysIfExposed } from '../access.ts';
import { DataStore } from '../bundles/data_store.ts';
import { Pulls } from '../bundles/pulls.ts';
import { ConfiguredData } from '../configured_data.ts';
import { LastGood } from '../last_good.ts';
import { Certificate } from '../listening/certificate.ts';
import { claimAddresses } from '../listening/open_listeners.ts';
import type { Reloadable } from '../reload.ts';
import { openSigningKeys } from '../signing_keys.ts';
import { stateDirectory } from '../state_directory.ts';
import { readSuccession } from '../succession.ts';
import { SINGLE_PROCESS } from '../workers/worker_messages.ts';
import type { ServerSettings, ServerStart } from './server_start.ts';

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Claims the addresses of a server and opens its certificate, data, API keys and signing keys. Rejects with a one-line `Error`. */
export async function openStores(
  { settings, context, assignment, log, installFlags }: ServerStart,
  onKeyed: () => void,
) {
  const { environment } = context;
  const place = assignment ?? SINGLE_PROCESS;
  const isFirst = place.index === 1;
  const certificate = Certificate.open(settings);
  const dataKeys = await openDataKeys(settings);
  const addresses = await claimAddresses(settings, assignment, readSuccession(environment));
  const state = stateDirectory(settings['state-dir'], environment);
  const lastGood = new LastGood(join(state, 'last-good'));
  const data = await ConfiguredData.load(
    { settings, lastGood, store: new DataStore(state), log, saves: isFirst },
    settings['require-configured-data'],
  );
  const access = await openAccess(settings, environment, place, log, onKeyed);
  requireKeysIfExposed(settings, access.control);
  const signing = await openSigningKeys(settings, environment, log, access.redis, isFirst);
  const url = settings['data-url'];
  return {
    certificate,
    /** The file of `--data-keys`; null for none. */
    dataKeys,
    addresses,
    data,
    access,
    signing,
    /** Null unless this process installs newer bundles. */
    pulls: url !== null && isFirst ? new Pulls(url, settings['data-interval'], installFlags, log) : null,
    async close(): Promise<void> {
      signing.stop();
      await access.stop();
      await lastGood.finish();
    },
  };
}

/** The file with the keys for bundles. Rejects with an `Error` if it cannot be used. */
async function openDataKeys({
  'data-keys': path,
}: Pick<ServerSettings, 'data-keys'>): Promise<Reloadable | null> {
  if (path === null) return null;
  const { checkedKeyFile } = await import('../bundles/bundle_keys.ts');
  return checkedKeyFile(path);
}
