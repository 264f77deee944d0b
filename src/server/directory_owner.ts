import { ptr } from 'bun:ffi';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemReason } from '../common/errors.ts';
import { fileExists } from '../common/state_files.ts';
import { libc } from './libc.ts';

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
