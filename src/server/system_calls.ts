import { dlopen, ptr } from 'bun:ffi';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { once } from '../common/caching.ts';
import { systemReason, visible } from '../common/errors.ts';
import { fileExists } from '../common/state_files.ts';
import type { HostClock } from '../http/snapshot.ts';
import type { Environment } from './state_directory.ts';

/** Functions of the C library that neither Bun nor Node.js exposes. */
const SYMBOLS = {
  adjtimex: { args: ['ptr'], returns: 'i32' },
  capget: { args: ['ptr', 'ptr'], returns: 'i32' },
  capset: { args: ['ptr', 'ptr'], returns: 'i32' },
  clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  close: { args: ['i32'], returns: 'i32' },
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

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
const CLOCK_MONOTONIC = 1;

/** Sends service state to systemd (`sd_notify(3)`); does nothing unless the environment has `NOTIFY_SOCKET`. */
export function systemdNotifier(environment: Environment) {
  const path = environment['NOTIFY_SOCKET'];
  const notify = (state: string) => {
    if (path !== undefined) sendDatagram(path, state);
  };
  return {
    ready: (status: string) => notify(`READY=1\nSTATUS=${visible(status)}`),
    reloading: () => notify(`RELOADING=1\nMONOTONIC_USEC=${monotonicMicroseconds()}`),
    stopping: () => notify('STOPPING=1'),
    /** Reports that another process is the service from now on. */
    succeeded: (pid: number) => notify(`MAINPID=${pid}\nREADY=1\nSTATUS=accepting connections`),
    /** Pings the watchdog from the event loop, so a blocked event loop triggers it. */
    startWatchdog() {
      const microseconds = Number(environment['WATCHDOG_USEC']);
      const isForUs = [undefined, String(process.pid)].includes(environment['WATCHDOG_PID']);
      if (!(microseconds > 0) || !isForUs) return;
      setInterval(() => notify('WATCHDOG=1'), microseconds / 1000 / 2).unref();
    },
  };
}

/** Sends a datagram to a unix socket, which neither Bun nor Node.js supports; a leading `@` means an abstract socket. */
function sendDatagram(path: string, text: string): void {
  const c = libc();
  if (c === null) return;
  const name = new TextEncoder().encode(path);
  if (name[0] === '@'.charCodeAt(0)) name[0] = 0;
  const address = new Uint8Array(2 + name.length); // struct sockaddr_un: family, path
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(name, 2);
  const message = new TextEncoder().encode(text);
  const descriptor = c.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  c.sendto(descriptor, ptr(message), message.length, MSG_NOSIGNAL, ptr(address), address.length);
  c.close(descriptor);
}

function monotonicMicroseconds(): bigint {
  const timespec = new BigInt64Array(2); // seconds, nanoseconds
  libc()?.clock_gettime(CLOCK_MONOTONIC, ptr(timespec));
  return timespec[0]! * 1_000_000n + timespec[1]! / 1000n;
}

/**
 * Switches a root process to the owner of a directory, which need not exist yet, so that symbolic links in it give no access
 * beyond that user's. On Linux it restarts the program and retains the capabilities that commands need: to read the
 * operator's files, to enter `/var/lib/private` of systemd's transient users, and to listen on ports below 1024.
 *
 * @throws {Error} if that is not permitted
 */
export function actAsOwner(directory: string): void {
  if (process.geteuid?.() !== 0) return;
  let existing = directory; // or its nearest ancestor
  while (!fileExists(existing)) existing = dirname(existing);
  const { uid, gid } = statSync(existing);
  if (uid === 0) return;
  try {
    becomeUser(uid, gid);
  } catch (error) {
    throw new Error(`Cannot act as the owner of '${directory}', user ${uid}: ${systemReason(error)}`);
  }
}

function becomeUser(uid: number, gid: number): void {
  const capabilities = heldCapabilities();
  if (capabilities.length > 0) libc()?.prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0);
  process.setgroups?.([]);
  process.setgid?.(gid || uid); // root's group may have write access that the user lacks
  process.setuid?.(uid);
  if (capabilities.length > 0) restartWith(capabilities);
}

/** From `linux/capability.h`, `linux/prctl.h` and `linux/securebits.h`. */
const CAP_DAC_READ_SEARCH = 2;
const CAP_NET_BIND_SERVICE = 10;
const PR_SET_SECUREBITS = 28;
/** Retains capabilities when the user changes, so that `access` takes them into account. */
const SECBIT_NO_SETUID_FIXUP = 1 << 2;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_RAISE = 2;
const CAPABILITY_VERSION_3 = 0x20080522;

/** Version and process id; 0 is the caller. */
const CAPABILITY_HEADER = new Uint32Array([CAPABILITY_VERSION_3, 0]);

/** The useful capabilities that this process has; none if the system does not support them. */
function heldCapabilities(): readonly number[] {
  const sets = new Uint32Array(6); // effective, permitted, inheritable; then their upper halves
  if (libc()?.capget(ptr(CAPABILITY_HEADER), ptr(sets)) !== 0) return [];
  return [CAP_DAC_READ_SEARCH, CAP_NET_BIND_SERVICE].filter(bit => (sets[1]! & (1 << bit)) !== 0);
}

/** Restarts this program with the same arguments. Capabilities are per thread; in a new program all threads get them. */
function restartWith(capabilities: readonly number[]): void {
  const c = libc()!; // available, since it listed the capabilities
  const bits = capabilities.reduce((set, bit) => set | (1 << bit), 0);
  c.capset(ptr(CAPABILITY_HEADER), ptr(new Uint32Array([bits, bits, bits, 0, 0, 0])));
  for (const bit of capabilities) c.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, bit, 0, 0);
  const path = Buffer.from(`${process.execPath}\0`);
  const args = readFileSync('/proc/self/cmdline', 'utf8').split('\0').slice(0, -1);
  const strings = args.map(text => Buffer.from(`${text}\0`));
  const argv = new BigUint64Array([...strings.map(string => BigInt(ptr(string))), 0n]);
  c.execv(ptr(path), ptr(argv));
  throw new Error(`this user may not execute ${process.execPath}`);
}
