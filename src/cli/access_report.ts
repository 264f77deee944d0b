import { hasTokenStore, StoreError } from '../access/sqlite_file.ts';
import { SqliteStore } from '../access/sqlite_store.ts';

/** How long it waits for a server that is writing. */
const BUSY_MS = 1000;

/** The report of `doctor` on the API keys in the token store at a path. */
export function accessReport(from: string) {
  const none = { from, keys: 0, suspended: 0, problem: null };
  try {
    if (!hasTokenStore(from)) return none;
    const store = new SqliteStore(from, { create: false, durable: true, busyMs: BUSY_MS });
    const tokens = store.tokens();
    store.close();
    const suspended = tokens.filter(({ suspendedMs }) => suspendedMs !== null).length;
    return { ...none, keys: tokens.length, suspended };
  } catch (error) {
    if (error instanceof StoreError) return { ...none, problem: error.message };
    throw error;
  }
}

/** The report as a line of text. */
export function accessText({ from, keys, suspended, problem }: ReturnType<typeof accessReport>): string {
  if (problem !== null) return problem;
  if (keys === 0) return `no API keys in ${from}`;
  return `API keys: ${keys}, suspended: ${suspended}, in ${from}`;
}
