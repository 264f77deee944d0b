import { hasTokenStore, StoreError } from '../access/sqlite_file.ts';
import { SqliteStore } from '../access/sqlite_store.ts';

/** What `doctor` says of the API keys that are stored. */
export interface AccessReport {
  readonly from: string;
  readonly keys: number;
  readonly suspended: number;
  readonly problem: string | null;
}

const BUSY_MS = 1000;

/** Looks into the token store at a path. */
export function accessReport(from: string): AccessReport {
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

/** The same in a line. */
export function accessText({ from, keys, suspended, problem }: AccessReport): string {
  if (problem !== null) return problem;
  if (keys === 0) return `no API keys in ${from}`;
  return `API keys: ${keys}, suspended: ${suspended}, in ${from}`;
}
