import { UsageError } from '../common/usage_error.ts';
import { addressRate } from '../http/address_limits.ts';
import { formatListenAddress } from '../server/listening/listen_address.ts';
import { SERVE_TABLE, type ServeSettings } from './flags.ts';

/** Rejects contradictory settings and settings without effect, which an operator would rely on. @throws {UsageError} */
export function checkConflicts(settings: ServeSettings): void {
  const [first] = conflictsOf(settings);
  if (first !== undefined) throw new UsageError(first);
}

/** All contradictory settings and settings without effect, one line each. */
export function conflictsOf(settings: ServeSettings): readonly string[] {
  return [...duplicateAddresses(settings), ...settingsWithoutEffect(settings), ...indivisibleBurst(settings)];
}

function settingsWithoutEffect(settings: ServeSettings): string[] {
  const values: Readonly<Record<string, unknown>> = settings;
  const conflicts = Object.entries(SERVE_TABLE).flatMap(([name, { requires, argument }]) => {
    if (requires === undefined || !isSet(name) || isSet(requires)) return [];
    const value = argument?.includes('|') ? ` ${values[name]}` : '';
    return `--${name}${value} requires --${requires}`;
  });
  if (isSet('log-client') && settings['access-log'] === 'off') {
    conflicts.push(`--log-client ${settings['log-client']} has no effect with --access-log off`);
  }
  if (isSet('tls-cert') && settings.listen.every(({ kind }) => kind === 'unix')) {
    conflicts.push('--tls-cert has no effect on unix sockets, and --listen has no other addresses');
  }
  return conflicts;

  /** Ignores case, since header names are case-insensitive. */
  function isSet(name: string): boolean {
    const fallback = SERVE_TABLE[name]?.fallback;
    const value = values[name];
    if (typeof value !== 'string' || typeof fallback !== 'string') return value !== fallback;
    return value.toLowerCase() !== fallback.toLowerCase();
  }
}

/** Each worker grants at least one request at once: together they would exceed a smaller burst. */
function indivisibleBurst({ workers, ...settings }: ServeSettings): string[] {
  const rate = addressRate(settings);
  if (rate === null || rate.burst >= workers) return [];
  return [
    `--address-burst ${rate.burst} cannot be divided among ${workers} workers: use at least ${workers}`,
  ];
}

/** A duplicate would otherwise be reported as an address in use by another process. */
function duplicateAddresses({ listen, 'admin-listen': admin }: ServeSettings): string[] {
  const fixed = listen.filter(address => address.kind === 'unix' || address.port !== 0);
  const addresses = fixed.map(formatListenAddress);
  const repeated = addresses.find((address, index) => addresses.indexOf(address) < index);
  const isListed = admin !== null && addresses.includes(formatListenAddress(admin));
  return [
    ...(repeated === undefined ? [] : [`--listen ${repeated} is given twice`]),
    ...(isListed ? [`--admin-listen ${formatListenAddress(admin)} is already an address of --listen`] : []),
  ];
}
