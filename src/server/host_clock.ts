import { ptr } from 'bun:ffi';
import type { HostClock } from '../http/snapshot.ts';
import { libc } from './libc.ts';

/** `struct timex` on 64-bit Linux: its size, and the offsets of two fields. */
const TIMEX_BYTES = 208;
const MAX_ERROR_OFFSET = 24; // long, in microseconds
const STATUS_OFFSET = 40; // int
const STA_UNSYNC = 0x40;

/** The kernel's clock state (`adjtimex(2)`, unprivileged when reading); null if the call is unavailable or filtered. */
export function readHostClock(): HostClock | null {
  const timex = new DataView(new ArrayBuffer(TIMEX_BYTES)); // modes = 0: read only
  const state = libc()?.adjtimex(ptr(timex)) ?? -1;
  if (state === -1) return null;
  return {
    isSynchronized: (timex.getInt32(STATUS_OFFSET, true) & STA_UNSYNC) === 0,
    maxErrorSeconds: Number(timex.getBigInt64(MAX_ERROR_OFFSET, true)) / 1e6,
  };
}
