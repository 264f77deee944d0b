import { ptr } from 'bun:ffi';
import type { HostClock } from '../http/snapshot.ts';
import { libc } from './libc.ts';

/** `struct timex` on 64-bit Linux: 208 bytes, of which these are read. */
const TIMEX_BYTES = 208;
const MAX_ERROR_AT = 24; // long, in microseconds
const STATUS_AT = 40; // int
const STA_UNSYNC = 0x40;

/** Asks the kernel (`adjtimex(2)`, which needs no privilege to read); null where it cannot be asked. */
export function readHostClock(): HostClock | null {
  const timex = new DataView(new ArrayBuffer(TIMEX_BYTES)); // modes = 0: read only
  const state = libc()?.adjtimex(ptr(timex)) ?? -1;
  if (state === -1) return null; // another system, or a system-call filter
  return {
    isSynchronized: (timex.getInt32(STATUS_AT, true) & STA_UNSYNC) === 0,
    maxErrorSeconds: Number(timex.getBigInt64(MAX_ERROR_AT, true)) / 1e6,
  };
}
