import { dlopen } from 'bun:ffi';
import { once } from '../common/caching.ts';

/** Functions of the C library that neither Bun nor Node.js exposes. */
const SYMBOLS = {
  adjtimex: { args: ['ptr'], returns: 'i32' },
  capget: { args: ['ptr', 'ptr'], returns: 'i32' },
  capset: { args: ['ptr', 'ptr'], returns: 'i32' },
  clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  dup2: { args: ['i32', 'i32'], returns: 'i32' },
  execv: { args: ['ptr', 'ptr'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
  sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
} as const;

/**
 * The C library on Linux for x64 and arm64, loaded on first use; null elsewhere. The file name is glibc's; musl resolves
 * any `libc.…` to itself.
 */
export const libc = once(() => {
  if (process.platform !== 'linux') return null;
  try {
    return dlopen('libc.so.6', SYMBOLS).symbols;
  } catch {
    return null;
  }
});
