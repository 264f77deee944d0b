import { lstatSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../common/errors.ts';
import { createAdminApp } from '../http/admin.ts';
import type { App, Serve } from '../http/app.ts';
import type { PeerOf } from '../http/exchange.ts';
import { hostCheck } from '../http/host.ts';
import type { Server } from '../http/snapshot.ts';
import { createApp } from './app.ts';
import type { TlsPair } from './certificate.ts';
import {
  formatListenAddress,
  isLoopback,
  type ListenAddress,
  parseListenAddress,
  servedAddress,
} from './listen_address.ts';
import { openWithSockets, stopListening } from './lossless_close.ts';

export interface ListenerSettings {
  readonly listen: readonly ListenAddress[];
  readonly 'admin-listen': ListenAddress | null;
  readonly 'allowed-host': readonly string[];
  readonly 'public-url': string;
  readonly mcp: 'on' | 'off';
  readonly compat: 'all' | 'none';
}

/**
 * Claims the configured addresses, or uses those that the supervisor has claimed and assigned. Addresses that only one
 * worker serves (unix sockets, the admin address) are claimed by that worker, since a killed predecessor leaves stale sockets.
 * `inherited` are the addresses of a predecessor, in the syntax of `--listen`.
 */
export async function claimAddresses(
  settings: Pick<ListenerSettings, 'listen' | 'admin-listen'>,
  assignment: { readonly index: number; readonly listen: readonly string[] } | null,
  inherited: readonly string[],
) {
  const own = (address: ListenAddress) => claimAddress(address, inherited);
  const assigned = (address: ListenAddress) => (address.kind === 'tcp' ? unheld(address) : own(address));
  const main = await Promise.all(
    assignment === null ? settings.listen.map(own) : assignment.listen.map(parseListenAddress).map(assigned),
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

/** Serves claimed addresses. If there is an admin address, this process or another worker serves metrics there. */
export async function openListeners(
  addresses: Awaited<ReturnType<typeof claimAddresses>>,
  settings: ListenerSettings,
  server: Server,
  tls: TlsPair | null,
) {
  const served = {
    hasMetrics: settings['admin-listen'] === null,
    hasMcp: settings.mcp === 'on',
    hasDialects: settings.compat === 'all',
  };
  const hosts = [...settings['allowed-host'], URL.parse(settings['public-url'])?.hostname ?? 'localhost'];
  /** A unix socket needs no check: pages cannot connect to it. */
  const checkOf = (address: ListenAddress) =>
    address.kind === 'tcp' && isLoopback(address) ? { isAllowedHost: hostCheck(hosts) } : {};
  const main = addresses.main.map(address => {
    const options = { ...served, isHttps: tls !== null && address.kind === 'tcp', ...checkOf(address) };
    return listen(address, peerOf => createApp(server, { ...options, peerOf }), tls);
  });
  const admin: Listener[] = [];
  for (const address of addresses.admin) {
    const { administrationEndpoints } = await import('../api/admin/endpoints.ts');
    const endpoints = administrationEndpoints(server);
    admin.push(listen(address, peerOf => createAdminApp(server, { peerOf, ...checkOf(address) }, endpoints)));
  }
  addresses.release();
  return {
    all: [...main, ...admin],
    /** The lines for stdout. */
    lines: [
      ...main.map(({ url }) => `meridian listening on ${url}`),
      ...admin.map(({ url }) => `meridian metrics and health on ${url}`),
    ],
    /** In the syntax of `--listen`. */
    addresses: [...addresses.main, ...addresses.admin].map(formatListenAddress),
    pendingRequests: () => main.reduce((sum, listener) => sum + listener.pendingRequests(), 0),
    /** Waits for requests in flight and closes all listeners. */
    async stop(hasSuccessor: boolean): Promise<void> {
      await Promise.all(main.map(listener => listener.stop(hasSuccessor)));
      // Last, so that metrics and health remain available during the stop.
      await Promise.all(admin.map(listener => listener.stop()));
    },
  };
}

/** How long stopping waits for requests in flight. */
const STOP_TIMEOUT_MS = 10_000;
/** When stopping, the server counts as idle this long after the last request; longer if a successor is already serving. */
const IDLE_MS = 100;
const SUCCEEDED_IDLE_MS = 1000;
const POLL_MS = 5;

/** Bun would reject larger bodies with a bare 413; we respond before reading a body, and Bun discards the rest. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

/** Longer than the keep-alive of proxies and load balancers (60 s: nginx, AWS), so that they do not reuse a closed connection. */
const IDLE_TIMEOUT_SECONDS = 75;

/** What a listener serves. */
type Served = Pick<App, 'handle' | 'routes'>;

/** Workers, a second socket with another certificate, and a successor listen on the same port. */
const SHARES_PORTS = process.platform === 'linux';

type Listener = ReturnType<typeof listen>;

/**
 * Listens on a claimed address.
 * @throws {Error} with a one-line message
 */
export function listen(
  address: ListenAddress,
  createApp: (peerOf: PeerOf) => Served,
  tls: TlsPair | null = null,
) {
  const isUnix = address.kind === 'unix';
  const isHttps = tls !== null && !isUnix; // a unix socket does not leave the machine
  // Uses the current socket: a closing one knows the peers of its own requests only while it drains.
  const app = createApp(isUnix ? () => 'unix' : request => socket.server.requestIP(request)?.address ?? '');
  let socket = openSocket(address, app, isHttps ? tls : null);
  const closing = new Set<Promise<void>>();
  return {
    url: `${isUnix ? '' : isHttps ? 'https://' : 'http://'}${formatListenAddress(address)}`,
    pendingRequests: () => socket.server.pendingRequests,
    /** Uses another certificate for new connections; existing ones close after their next response. No effect without HTTPS. */
    async replaceCertificate(newTls: TlsPair): Promise<void> {
      if (!isHttps) return;
      const old = socket;
      if (!SHARES_PORTS) await old.close(IDLE_MS);
      socket = openSocket(address, app, newTls);
      if (!SHARES_PORTS) return;
      const closed = old.close(IDLE_MS).finally(() => closing.delete(closed));
      closing.add(closed);
    },
    /** Stops accepting, waits up to ten seconds for requests in flight, and closes. */
    async stop(hasSuccessor = false): Promise<void> {
      // First, so that new clients fail immediately.
      socket.unlink();
      await Promise.all([socket.close(hasSuccessor ? SUCCEEDED_IDLE_MS : IDLE_MS), ...closing]);
    },
  };
}

/** An address that no other process serves, with the actual port instead of port 0. */
interface Claim {
  readonly address: ListenAddress;
  /** Must be called after listeners have been opened, before the port is published. */
  release(): void;
}

/**
 * Checks that no process except a predecessor serves an address, since opening a shared port would not fail, and removes
 * the stale unix socket of a killed process. Rejects with a one-line message.
 */
export async function claimAddress(
  address: ListenAddress,
  inherited: readonly string[] = [],
): Promise<Claim> {
  const served = servedAddress(address, inherited);
  if (served !== null) return unheld(served);
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

function openSocket(address: ListenAddress, app: Served, tls: TlsPair | null) {
  let isClosing = false;
  let hasServed = false;
  // Typed as objects: Bun supports `idleTimeout` for unix sockets, but its types do not. Explicit `reusePort`, since with
  // `development: false` Bun's default is to share the port with any other process.
  const place: object =
    address.kind === 'unix'
      ? { unix: temporaryPath(address.path) }
      : { hostname: address.host, port: address.port, reusePort: SHARES_PORTS };
  const options = {
    development: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    fetch: untilClosing(app.handle),
    routes: Object.fromEntries(
      Object.entries(app.routes).map(([path, { GET, HEAD }]) => [
        path,
        { GET: untilClosing(GET), HEAD: untilClosing(HEAD) },
      ]),
    ),
    ...(tls === null ? {} : { tls: { cert: tls.cert, key: tls.key } }),
    ...place,
  };
  const [server, sockets] = openWithSockets(() =>
    withListenError(address, () => withSocketMask(() => Bun.serve(options))),
  );
  if (address.kind === 'unix') renameSync(temporaryPath(address.path), address.path);
  const inode = address.kind === 'unix' ? lstatSync(address.path).ino : undefined;
  return {
    server,
    /** Removes a unix socket's file, unless it belongs to a successor. */
    unlink(): void {
      if (address.kind !== 'unix') return;
      if (lstatSync(address.path, { throwIfNoEntry: false })?.ino === inode) rmSync(address.path);
    },
    async close(idleMs: number): Promise<void> {
      const deadlineMs = performance.now() + STOP_TIMEOUT_MS;
      isClosing = true;
      if (!(await stopListening(sockets))) server.stop();
      // Counts polls, not time: a process that got no CPU time has not read what clients sent in the meantime.
      let idlePolls = 0;
      while (idlePolls < idleMs / POLL_MS && performance.now() < deadlineMs) {
        hasServed = false;
        await Bun.sleep(POLL_MS);
        idlePolls = hasServed || server.pendingRequests > 0 ? 0 : idlePolls + 1;
      }
      await server.stop(true);
    },
  };

  /** While closing, makes keep-alive clients close their connections, so that none is closed with a request in transit. */
  function untilClosing(serve: Serve): Serve {
    return request => (isClosing ? serveLast(request, serve) : serve(request));
  }

  async function serveLast(request: Request, serve: Serve): Promise<Response> {
    hasServed = true;
    const response = await serve(request);
    response.headers.set('Connection', 'close');
    return response;
  }
}

/**
 * Makes unix sockets as accessible as a local port, regardless of the umask; the directory's mode can restrict access.
 * Changing the mode of an existing socket would follow a symbolic link that had replaced it.
 */
function withSocketMask<Value>(open: () => Value): Value {
  const previous = process.umask(0o111);
  try {
    return open();
  } finally {
    process.umask(previous);
  }
}

/** The path of a unix socket before it replaces a predecessor's. Short, since socket paths are limited to 107 bytes. */
function temporaryPath(path: string): string {
  return join(dirname(path), `.${process.pid}`);
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
function withListenError<Value>(address: ListenAddress, open: () => Value): Value {
  try {
    return open();
  } catch (error) {
    throw listenError(address, error);
  }
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
