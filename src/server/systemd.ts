import { ptr } from 'bun:ffi';
import { visible } from '../common/errors.ts';
import { libc } from './libc.ts';
import type { Environment } from './state_directory.ts';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
const CLOCK_MONOTONIC = 1;

/** Sends service state to systemd (`sd_notify(3)`); does nothing unless the environment has `NOTIFY_SOCKET`. */
export function systemdNotifier(environment: Environment) {
  const path = environment['NOTIFY_SOCKET'];
  // Open for good: without a free descriptor the watchdog would end the process.
  const descriptor = path === undefined ? -1 : (libc()?.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) ?? -1);
  const notify = (state: string) => {
    if (path !== undefined) sendDatagram(descriptor, path, state);
  };
  return {
    ready: (status: string) => notify(`READY=1\nSTATUS=${visible(status)}`),
    reloading: () => notify(`RELOADING=1\nMONOTONIC_USEC=${monotonicMicroseconds()}`),
    stopping: () => notify('STOPPING=1'),
    /** Reports that another process is the service from now on, whose first ping would be too late after this one's last. */
    succeeded: (pid: number) => notify(`MAINPID=${pid}\nREADY=1\nWATCHDOG=1\nSTATUS=accepting connections`),
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
function sendDatagram(descriptor: number, path: string, text: string): void {
  const c = libc();
  if (c === null) return;
  const name = new TextEncoder().encode(path);
  if (name[0] === '@'.charCodeAt(0)) name[0] = 0;
  const address = new Uint8Array(2 + name.length); // struct sockaddr_un: family, path
  new DataView(address.buffer).setUint16(0, AF_UNIX, true);
  address.set(name, 2);
  const message = new TextEncoder().encode(text);
  c.sendto(descriptor, ptr(message), message.length, MSG_NOSIGNAL, ptr(address), address.length);
}

function monotonicMicroseconds(): bigint {
  const timespec = new BigInt64Array(2); // seconds, nanoseconds
  libc()?.clock_gettime(CLOCK_MONOTONIC, ptr(timespec));
  return timespec[0]! * 1_000_000n + timespec[1]! / 1000n;
}
