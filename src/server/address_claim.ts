import { lstatSync, unlinkSync } from 'node:fs';
import { messageOf } from '../common/errors.ts';
import { formatListenAddress, type ListenAddress, parseListenAddress } from './listen_address.ts';
import type { ServedAddresses } from './succession.ts';

export interface ListenSettings {
  readonly listen: readonly ListenAddress[];
  readonly 'admin-listen': ListenAddress | null;
}

/** Workers, a second socket with another certificate, and a successor listen on the same port. */
export const SHARES_PORTS = process.platform === 'linux';

/** An address that no other process serves, with the actual port instead of port 0. */
interface Claim {
  readonly address: ListenAddress;
  /** Must be called after listeners have been opened, before the port is published. */
  release(): void;
}

/**
 * The address of a setting as a predecessor serves it, with its actual port if the setting has port 0; null if it does not.
 * With port 0, the operator's app never gets a port that was public, nor the reverse.
 */
export function inheritedAddress(
  address: ListenAddress,
  { listen, 'admin-listen': admin }: ListenSettings,
  inherited: ServedAddresses,
): ListenAddress | null {
  const text = formatListenAddress(address);
  if (inherited.addresses.includes(text)) return address;
  if (address.kind === 'unix' || address.port !== 0) return null;
  const configured = [...listen, ...(admin ? [admin] : [])].map(formatListenAddress);
  const ofKind = inherited.addresses.filter(each => inherited.admin.includes(each) === (address === admin));
  const ports = ofKind.filter(each => !configured.includes(each) && each.startsWith(text.slice(0, -1)));
  const alike = address === admin ? [admin] : listen.filter(each => formatListenAddress(each) === text);
  // With another number of them, the settings have changed, and which port is whose is unknown.
  return ports.length === alike.length ? parseListenAddress(ports[alike.indexOf(address)]!) : null;
}

/**
 * Checks that no process except a predecessor serves an address, since opening a shared port would not fail, and removes
 * the stale unix socket of a killed process. `inherited` is the address as a predecessor serves it. Rejects with a one-line
 * message.
 */
export async function claimAddress(
  address: ListenAddress,
  inherited: ListenAddress | null = null,
): Promise<Claim> {
  if (inherited !== null) return unheld(inherited);
  if (address.kind === 'unix') {
    await removeStaleSocket(address);
    return unheld(address);
  }
  const { host, port } = address;
  // Held until the listener is open; otherwise the system could assign the port to another process, whose clients we would share.
  const isHeld = port === 0 && SHARES_PORTS;
  const place = { hostname: host, port, ...(isHeld ? { reusePort: true } : { exclusive: true }) };
  const probe = withListenError(address, () => Bun.listen({ ...place, socket: { data() {} } }));
  if (isHeld) probe.unref();
  else probe.stop(true);
  return { address: { ...address, port: probe.port }, release: () => isHeld && probe.stop(true) };
}

function unheld(address: ListenAddress): Claim {
  return { address, release() {} };
}

/** Removes a unix socket that no process listens on, and nothing else. */
async function removeStaleSocket(address: ListenAddress & { readonly kind: 'unix' }): Promise<void> {
  const { path } = address;
  const isSocket = lstatSync(path, { throwIfNoEntry: false })?.isSocket();
  if (isSocket === undefined) return;
  // Connecting to a regular file fails with ECONNREFUSED too.
  if (!isSocket) throw listenError(address, 'the file exists and is not a unix socket');
  try {
    (await Bun.connect({ unix: path, socket: { data() {} } })).end();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return unlinkSync(path);
    if (code === 'ENOENT') return; // removed meanwhile
    throw listenError(address, error); // someone may listen on it
  }
  throw listenError(address, 'the address is already in use');
}

/**
 * Claims the configured addresses, or uses those that the supervisor has claimed and assigned. Addresses that only one
 * worker serves (unix sockets, the admin address) are claimed by that worker, since a killed predecessor leaves stale sockets.
 */
export async function claimAddresses(
  settings: ListenSettings,
  assignment: (Pick<ListenSettings, 'listen'> & { readonly index: number }) | null,
  inherited: ServedAddresses,
) {
  const own = (address: ListenAddress) =>
    claimAddress(address, inheritedAddress(address, settings, inherited));
  const assigned = (address: ListenAddress) => (address.kind === 'tcp' ? unheld(address) : own(address));
  const main = await Promise.all(
    assignment === null ? settings.listen.map(own) : assignment.listen.map(assigned),
  );
  const servesAdmin = assignment === null || assignment.index === 0;
  const admin = servesAdmin && settings['admin-listen'] ? [await own(settings['admin-listen'])] : [];
  return {
    main: main.map(({ address }) => address),
    /** At most one. */
    admin: admin.map(({ address }) => address),
    release() {
      for (const { release } of [...main, ...admin]) release();
    },
  };
}

/** Reasons by system error code: Bun's messages omit the port and the reason. */
const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'the address is already in use'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['EACCES', 'permission denied'],
]);

function listenError(address: ListenAddress, error: unknown): Error {
  const reason = REASONS.get(Object(error).code) ?? messageOf(error);
  return new Error(`Cannot listen on ${formatListenAddress(address)}: ${reason}`);
}

/** Replaces an error of `open` by a one-line message with address and reason. */
export function withListenError<Value>(address: ListenAddress, open: () => Value): Value {
  try {
    return open();
  } catch (error) {
    throw listenError(address, error);
  }
}
