import { type Bucket, fullBucket } from './token_bucket.ts';

/** What one holder of a key has used, in this process. It outlives reloads of keys and plans. */
export interface Account {
  readonly id: string;
  readonly bucket: Bucket;
  /** The month (`Month.index`) that `used` counts. */
  month: number;
  /** Requests of that month as far as known: the ledger's total when last asked, and what this process added since. */
  used: number;
  /** Of `used`, what the ledger has not been told yet; negative after refunds. */
  pending: number;
  /** The monthly quota when last asked, if any. */
  quota: number | undefined;
  /** How many more requests this process may grant against the quota before it asks the ledger; infinite where it is alone. */
  allowance: number;
  /** When the ledger may next be asked for more, epoch milliseconds. */
  askAgainMs: number;
  /** The last granted request, epoch milliseconds; 0 before the first. */
  lastUsedMs: number;
}

/** The account of a holder that has not asked yet: its first request finds no month begun, and learns `used` from the ledger. */
export function openAccount(id: string): Account {
  return {
    id,
    bucket: fullBucket(),
    month: -1,
    used: 0,
    pending: 0,
    quota: undefined,
    allowance: 0,
    askAgainMs: 0,
    lastUsedMs: 0,
  };
}
