import { messageOf, systemReason } from '../common/errors.ts';

/** The key store cannot be used; the message names the file and the remedy. The file is unchanged. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  /** Whether another process has the file locked, so that a retry may succeed. */
  readonly isBusy: boolean;

  constructor(message: string, isBusy = false) {
    super(message);
    this.isBusy = isBusy;
  }
}

/** The beginning of an error about the store at a path. */
export function subject(path: string): string {
  return `Cannot use the API keys in '${path}'`;
}

/** The remedy for a damaged file. */
export const ADVICE =
  "Nothing was changed; restore a backup, or recover what is left with 'sqlite3 FILE .recover'";

/** The extended result code of an error of SQLite, such as `SQLITE_READONLY_DIRECTORY`; undefined for any other error. */
export function sqliteCode(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined;
}

/** Any error of a store as a StoreError whose message starts with `context`. */
export function asStoreError(context: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(`${context}: ${reasonOf(error)}`, isBusy(error));
}

/** Whether an operation failed because another process has the file locked. */
export function isBusy(error: unknown): boolean {
  return error instanceof StoreError ? error.isBusy : /^SQLITE_BUSY/.test(sqliteCode(error) ?? '');
}

function reasonOf(error: unknown): string {
  const code = sqliteCode(error);
  if (code === undefined) return systemReason(error);
  const message = messageOf(error);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return `the file is damaged (${message}). ${ADVICE}`;
  if (/^SQLITE_READONLY(_DIRECTORY)?$/.test(code))
    return `it is not writable, at least not by this user (${code})`;
  return `${message} (${code})`;
}
