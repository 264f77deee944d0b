import { statSync } from 'node:fs';
import { asStoreError, hasTokenStore } from '../access/sqlite_file.ts';
import { SqliteStore } from '../access/sqlite_store.ts';
import type { KeyDirectory } from '../signing/key_directory.ts';
import { KeyStoreError } from '../signing/key_store.ts';
import { activeKey } from '../signing/signing_key.ts';

const WRITABLE_BY_ALL = 0o002;
/** In a sticky directory such as `/tmp`, only a file's owner can remove it. */
const STICKY = 0o1000;

/** The state directory section of `doctor`. It warns if any user can write to the directory, and thus add keys. */
export function stateReport(from: string): { readonly from: string; readonly warning: string | null } {
  const mode = modeOf(from);
  if (process.platform === 'win32' || (mode & WRITABLE_BY_ALL) === 0) return { from, warning: null };
  const remedy =
    (mode & STICKY) === 0 ? `run 'chmod 700 ${from}'` : 'set --state-dir to a directory of its own';
  return {
    from,
    warning: `${from} is writable by every user (mode ${(mode & 0o7777).toString(8)}); ${remedy}`,
  };
}

/** The mode of a file; 0 if unknown, in which case the reports on the directory's contents give the reason. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}

/** How long to wait while a server is writing. */
const BUSY_MS = 1000;

/** The API keys section of `doctor`. `from`: the path of the token store. */
export function accessReport(from: string) {
  const none = { from, keys: 0, suspended: 0, has_held_keys: false, problem: null };
  try {
    if (!hasTokenStore(from)) return none;
    const store = new SqliteStore(from, { create: false, durable: true, busyMs: BUSY_MS });
    try {
      const tokens = store.tokens();
      const suspended = tokens.filter(({ suspendedMs }) => suspendedMs !== null).length;
      return { ...none, keys: tokens.length, suspended, has_held_keys: store.hasEverHeldKeys() };
    } finally {
      store.close();
    }
  } catch (error) {
    // May be a raw SQLite error: damage is not always detected when the file is opened.
    return { ...none, problem: asStoreError(`Cannot use the API keys in '${from}'`, error).message };
  }
}

/** The report as a line of text. */
export function accessText(report: ReturnType<typeof accessReport>): string {
  const { from, keys, suspended, has_held_keys: hasHeldKeys, problem } = report;
  if (problem !== null) return problem;
  if (keys > 0) return `API keys: ${keys}, suspended: ${suspended}, in ${from}`;
  return `no API keys in ${from}${hasHeldKeys ? ' any more: a server rejects all requests without --open' : ''}`;
}

/** The signing keys section of `doctor`. */
export async function signingReport(store: KeyDirectory) {
  const none = { from: store.path, active: null, created: null, retired: 0, problem: null };
  try {
    const keys = await store.load();
    const active = activeKey(keys);
    if (active === undefined) return { ...none, retired: keys.length };
    const created = new Date(active.createdMs).toISOString();
    return { ...none, active: active.kid, created, retired: keys.length - 1 };
  } catch (error) {
    if (error instanceof KeyStoreError) return { ...none, problem: error.message };
    throw error;
  }
}

/** The report as a line of text. */
export function signingText(report: Awaited<ReturnType<typeof signingReport>>): string {
  const { from, active, created, retired, problem } = report;
  if (problem !== null) return problem;
  if (active === null) return `no active key in ${from}: a server creates one when it starts`;
  return `${active} created ${created}, ${retired} retired, in ${from}`;
}
