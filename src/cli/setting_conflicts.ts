import { UsageError } from '../common/usage_error.ts';
import { formatListenAddress } from '../server/listening/listen_address.ts';
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
  const fixed = listen.filter(address => address.kind === 'unix' || address.port !== 0);
  const addresses = fixed.map(formatListenAddress);
  const repeated = addresses.find((address, index) => addresses.indexOf(address) < index);
  if (repeated !== undefined) throw new UsageError(`--listen ${repeated} is given twice`);
  if (admin === null || !addresses.includes(formatListenAddress(admin))) return;
  throw new UsageError(`--admin-listen ${formatListenAddress(admin)} is already an address of --listen`);
}
