import { UsageError } from '../common/usage_error.ts';
import type { TrustedProxies } from '../places/trusted_proxies.ts';
import { formatListenAddress, type ListenAddress } from '../server/listening/listen_address.ts';
import { SERVE_FLAGS } from './flags.ts';

/** The settings of `serve` that can contradict each other. */
export interface ConflictingSettings {
  readonly listen: readonly ListenAddress[];
  readonly 'admin-listen': ListenAddress | null;
  readonly 'trust-proxy': Pick<TrustedProxies, 'isEmpty'>;
  readonly 'client-ip-header': string;
  readonly redis: string | null;
  readonly 'quota-fail': 'open' | 'closed';
  readonly 'tls-cert': string | null;
  readonly 'tls-key': string | null;
  readonly 'marketplace-host': string | null;
  readonly 'marketplace-keys': string | null;
}

const PAIRS = [
  ['tls-cert', 'tls-key'],
  ['marketplace-host', 'marketplace-keys'],
] as const;

/** Refuses settings that cannot both be had, and one without effect: whoever set it counts on it. */
export function refuseConflicts(settings: ConflictingSettings): void {
  refuseSameAddresses(settings);
  for (const [one, other] of PAIRS) {
    if ((settings[one] === null) === (settings[other] === null)) continue;
    throw new UsageError(`--${one} and --${other} belong together: one of them is missing`);
  }
  const header = settings['client-ip-header'];
  const isUsual = header.toLowerCase() === SERVE_FLAGS['client-ip-header'].fallback.toLowerCase();
  if (!isUsual && settings['trust-proxy'].isEmpty) {
    throw new UsageError('--client-ip-header needs --trust-proxy: without it no header is believed');
  }
  if (settings['quota-fail'] === 'closed' && settings.redis === null) {
    throw new UsageError('--quota-fail closed needs --redis: without it there is nothing to be away');
  }
}

/** Says of an address that is wanted twice what would look like another process there. */
function refuseSameAddresses({ listen, 'admin-listen': admin }: ConflictingSettings): void {
  const seen = new Set<string>();
  for (const address of listen.filter(isCertain).map(formatListenAddress)) {
    if (seen.has(address)) throw new UsageError(`--listen ${address} is given twice`);
    seen.add(address);
  }
  if (admin === null || !seen.has(formatListenAddress(admin))) return;
  throw new UsageError(`--admin-listen ${formatListenAddress(admin)} is an address of --listen already`);
}

/** Port 0 is another one each time. */
function isCertain(address: ListenAddress): boolean {
  return address.kind === 'unix' || address.port !== 0;
}
