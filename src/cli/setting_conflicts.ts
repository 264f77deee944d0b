import { UsageError } from '../common/usage_error.ts';
import { formatListenAddress, type ListenAddress } from '../server/listening/listen_address.ts';
import { SERVE_TABLE, type ServeSettings } from './flags.ts';

/** Rejects contradictory settings, and those without effect, which their operator would rely on. @throws {UsageError} */
export function checkConflicts(settings: ServeSettings): void {
  checkDuplicateAddresses(settings);
  const values: Readonly<Record<string, unknown>> = settings;
  for (const [name, { requires, argument }] of Object.entries(SERVE_TABLE)) {
    if (requires === undefined || !isSet(name) || isSet(requires)) continue;
    const value = argument?.includes('|') ? ` ${values[name]}` : '';
    throw new UsageError(`--${name}${value} requires --${requires}`);
  }

  /** Ignores letter case: header names with a default compare so. */
  function isSet(name: string): boolean {
    const fallback = SERVE_TABLE[name]?.fallback;
    const value = values[name];
    if (typeof value !== 'string' || typeof fallback !== 'string') return value !== fallback;
    return value.toLowerCase() !== fallback.toLowerCase();
  }
}

/** A duplicate would otherwise be reported as an address in use by another process. */
function checkDuplicateAddresses({ listen, 'admin-listen': admin }: ServeSettings): void {
  const seen = new Set<string>();
  for (const address of listen.filter(hasFixedPort).map(formatListenAddress)) {
    if (seen.has(address)) throw new UsageError(`--listen ${address} is given twice`);
    seen.add(address);
  }
  if (admin === null || !seen.has(formatListenAddress(admin))) return;
  throw new UsageError(`--admin-listen ${formatListenAddress(admin)} is already an address of --listen`);
}

function hasFixedPort(address: ListenAddress): boolean {
  return address.kind === 'unix' || address.port !== 0;
}
