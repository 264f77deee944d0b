import { ptr } from 'bun:ffi';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { libc } from '../libc.ts';

const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const SO_ACCEPTCONN = 30;

/** Long enough for the event loop to accept what has come in, several times over. */
const ACCEPT_MS = 10;

/** Opens a server, and yields it with the descriptors of its sockets; elsewhere than on Linux none are known. */
export function openWithSockets<Server>(
  open: () => Server,
): [server: Server, descriptors: readonly number[]] {
  const before = new Set(socketDescriptors());
  const server = open();
  return [server, socketDescriptors().filter(descriptor => !before.has(descriptor))];
}

/**
 * Ends the listening of sockets without losing a client, and leaves the connections that they made alone: something
 * that Bun's `stop` cannot do, which also closes connections whose next request is on its way, and resets those that
 * nobody accepted yet. First no further connection is let in (those that try come again, and find another process or
 * a closed port), then those that wait are accepted, then the socket is closed.
 *
 * Yields false where the system does not allow this (it is not Linux); then nothing has changed.
 */
export async function stopListening(descriptors: readonly number[]): Promise<boolean> {
  const listening = descriptors.filter(isListening);
  if (listening.length === 0) return false;
  for (const descriptor of listening) refuseConnections(descriptor);
  await Bun.sleep(ACCEPT_MS);
  for (const descriptor of listening) closeBehindBun(descriptor);
  return true;
}

const OWN_DESCRIPTORS = '/proc/self/fd';

function socketDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(OWN_DESCRIPTORS)
    .filter(name => {
      try {
        return readlinkSync(`${OWN_DESCRIPTORS}/${name}`).startsWith('socket:');
      } catch {
        return false; // the descriptor that read the folder is gone
      }
    })
    .map(Number);
}

function isListening(descriptor: number): boolean {
  const value = new Int32Array(1);
  const length = new Uint32Array([value.byteLength]);
  libc()?.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(value), ptr(length));
  return value[0] === 1;
}

/**
 * A filter in classic BPF that drops the packets that open a connection (SYN) and lets all others through, those too
 * that complete the opening of one: their clients already take themselves for connected. A unix socket does not mind.
 */
const DROP_SYN = bpf([
  [0x30, 0, 0, 13], // load the byte of TCP flags
  [0x45, 0, 1, 0x02], // is SYN among them?
  [0x06, 0, 0, 0], // yes: drop
  [0x06, 0, 0, 0xffff_ffff], // no: let through
]);

/** Instructions as `struct sock_filter`: code, jump if true, jump if false, operand. */
function bpf(instructions: readonly (readonly [number, number, number, number])[]): Uint8Array {
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  instructions.forEach(([code, ifTrue, ifFalse, operand], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, operand, true);
  });
  return bytes;
}

function refuseConnections(descriptor: number): void {
  const program = new DataView(new ArrayBuffer(16)); // struct sock_fprog: u16 count, padding, pointer
  program.setUint16(0, DROP_SYN.length / 8, true);
  program.setBigUint64(8, BigInt(ptr(DROP_SYN)), true);
  libc()?.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, ptr(program), program.byteLength);
}

/** Closes a socket whose number Bun will close once more: until then `/dev/null` holds the number. */
function closeBehindBun(descriptor: number): void {
  const placeholder = openSync('/dev/null', 'r');
  libc()?.dup2(placeholder, descriptor);
  closeSync(placeholder);
}
