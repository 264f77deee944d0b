import { dlopen } from 'bun:ffi';

/** What of the C library is called where neither Bun nor Node.js has it. */
const SYMBOLS = {
  adjtimex: { args: ['ptr'], returns: 'i32' },
  clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  close: { args: ['i32'], returns: 'i32' },
  dup2: { args: ['i32', 'i32'], returns: 'i32' },
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
} as const;

type LibC = ReturnType<typeof dlopen<typeof SYMBOLS>>['symbols'];

let opened: LibC | null | undefined;

/**
 * The C library of Linux, on x64 and arm64; null elsewhere, where callers do without. The name is glibc's; musl takes
 * any `libc.…` for itself.
 */
export function libc(): LibC | null {
  if (opened === undefined) opened = process.platform === 'linux' ? open() : null;
  return opened;
}

function open(): LibC | null {
  try {
    return dlopen('libc.so.6', SYMBOLS).symbols;
  } catch {
    return null;
  }
}
