import { messageOf } from '../../common/message_of.ts';
import type { DataSettings } from '../data_sets/data_set.ts';
import { type LoadedData, loadData, type Substitute, UnusableBundle } from '../load_data.ts';
import type { Bundle } from './bundle_file.ts';
import type { DataStore } from './data_store.ts';

/** All data, and the bundle that replaces some of it. */
export interface InstalledData extends LoadedData {
  /** Null if none is in use. */
  readonly bundle: Bundle | null;
  /** Why a later bundle or the store is not used, one line each. */
  readonly problems: readonly string[];
}

/**
 * Loads all data, with the current bundle. If that is damaged, falls back to the previous bundle, or else to the
 * executable's data, so that all sets are from the same generation.
 */
export async function loadInstalled(
  settings: DataSettings,
  store: DataStore,
  options: { readonly substitute?: Substitute; readonly previous?: LoadedData } = {},
): Promise<InstalledData> {
  const problems: string[] = [];
  const candidates = await store.candidates().catch(error => {
    problems.push(`Cannot read the data store: ${messageOf(error)}`);
    return [];
  });
  for (const open of candidates) {
    const bundle = await open().catch(error => {
      problems.push(messageOf(error));
      return null;
    });
    if (bundle === null) continue;
    try {
      return { ...(await loadData(settings, { ...options, bundle })), bundle, problems };
    } catch (error) {
      if (!(error instanceof UnusableBundle)) throw error;
      problems.push(error.message);
    }
  }
  return { ...(await loadData(settings, options)), bundle: null, problems };
}

/** The name of the bundle in use: `bundle 42` or `embedded`. */
export function bundleName(bundle: Bundle | null): string {
  return bundle === null ? 'embedded' : `bundle ${bundle.manifest.sequence}`;
}
