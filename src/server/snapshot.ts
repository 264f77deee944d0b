import { EMBEDDED_DATA } from '../../data/manifests.ts';
import type { ServedData, Snapshot } from '../http/snapshot.ts';
import { type CallerTrust, TRUST_NOBODY } from '../places/caller_address.ts';
import type { TrustedProxies } from '../places/trusted_proxies.ts';

/** The settings that requests read; those of a server that `meridian get` does not have are optional. */
export interface RequestSettings {
  readonly 'max-bulk': number;
  readonly 'public-url': string;
  readonly 'cors-origin'?: string;
  readonly 'require-clock-sync'?: boolean;
  readonly 'trust-proxy'?: TrustedProxies;
  readonly 'client-ip-header'?: string;
}

/**
 * The settings that a reload of the configuration file applies. Listeners depend on the others: on trust in proxies whether they
 * may be open, on the public URL which hosts they accept.
 */
export const RELOADED_SETTINGS: readonly string[] = [
  'max-bulk',
  'cors-origin',
  'require-clock-sync',
] satisfies readonly (keyof RequestSettings)[];

/** The snapshot that requests read. */
export function createSnapshot(data: ServedData, settings: RequestSettings): Snapshot {
  return {
    ...data,
    ...reloadedOptions(settings),
    callerTrust: callerTrustOf(settings),
    publicUrl: settings['public-url'],
    embeddedData: EMBEDDED_DATA,
  };
}

/** The part of a snapshot that is from {@link RELOADED_SETTINGS}. */
export function reloadedOptions(settings: RequestSettings) {
  return {
    maxBulk: settings['max-bulk'],
    corsOrigin: settings['cors-origin'] ?? '*',
    requireClockSync: settings['require-clock-sync'] ?? false,
  };
}

function callerTrustOf(settings: RequestSettings): CallerTrust {
  const { 'trust-proxy': proxies, 'client-ip-header': header } = settings;
  return proxies === undefined || header === undefined ? TRUST_NOBODY : { proxies, header };
}
