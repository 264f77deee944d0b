import { EMBEDDED_DATA } from '../../data/manifests.ts';
import type { RouteGroup } from '../http/address_limits.ts';
import type { Snapshot } from '../http/snapshot.ts';
import { TRUST_NOBODY, type TrustedProxies } from '../places/caller_address.ts';
import { BUILD } from './build_info.ts';
import type { LoadedData } from './load_data.ts';

/** The maximum number of requests in a batch. */
export const DEFAULT_MAX_BATCH = 1000;

/** The settings that requests read. Those that `meridian get` does not have are optional. */
export interface RequestSettings {
  readonly 'max-bulk': number;
  readonly 'max-batch'?: number;
  readonly 'public-url': string;
  readonly 'cors-origin'?: string;
  readonly 'public-routes'?: readonly RouteGroup[];
  readonly 'require-clock-sync'?: boolean;
  readonly 'trust-proxy'?: TrustedProxies;
  readonly 'client-ip-header'?: string;
}

/**
 * The settings that a reload of the configuration file applies. Listeners depend on the others: trusted proxies determine
 * whether they may be open, the public URL which hosts they accept.
 */
export const RELOADED_SETTINGS: readonly string[] = [
  'max-bulk',
  'max-batch',
  'cors-origin',
  'require-clock-sync',
] satisfies readonly (keyof RequestSettings)[];

/** The snapshot that requests read. */
export function createSnapshot(loaded: LoadedData, settings: RequestSettings): Snapshot {
  const { 'trust-proxy': proxies, 'client-ip-header': header } = settings;
  return {
    ...servedOptions(loaded),
    ...reloadedOptions(settings),
    callerTrust: proxies === undefined || header === undefined ? TRUST_NOBODY : { proxies, header },
    publicUrl: settings['public-url'],
    publicRoutes: settings['public-routes'] ?? [],
  };
}

/** The part of a snapshot derived from data. */
export function servedOptions({ data, packs, configured }: LoadedData) {
  const inUse = new Map([...packs.values()].map(({ manifest }) => [manifest.name, manifest]));
  const embeddedData = EMBEDDED_DATA.map(embedded => inUse.get(embedded.name) ?? embedded);
  const digests = Object.fromEntries(
    [...configured].flatMap(([name, { used }]) => (used === null ? [] : [[name, used.digest]])),
  );
  return { ...data, digests, embeddedData, build: `${BUILD.version} ${BUILD.commit}` };
}

/** The part of a snapshot derived from {@link RELOADED_SETTINGS}. */
export function reloadedOptions(settings: RequestSettings) {
  return {
    maxBulk: settings['max-bulk'],
    maxBatch: settings['max-batch'] ?? DEFAULT_MAX_BATCH,
    corsOrigin: settings['cors-origin'] ?? '*',
    requireClockSync: settings['require-clock-sync'] ?? false,
  };
}
