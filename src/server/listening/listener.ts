import { chmodSync, existsSync, lstatSync, unlinkSync } from 'node:fs';
import { messageOf } from '../../common/message_of.ts';
import type { PeerOf } from '../../http/exchange.ts';
import { formatListenAddress, type ListenAddress } from './listen_address.ts';
import { openWithSockets, stopListening } from './listening_sockets.ts';
import type { TlsPair } from './tls_files.ts';

/** How long a stop waits for the requests in flight. */
const STOP_TIMEOUT_MS = 10_000;
/** A connection that has asked nothing for so long when a stop begins is idle. */
const QUIET_MS = 100;
const POLL_MS = 5;

/**
 * A request with a body is answered before any of it is read, and Bun passes over the rest without keeping it. With a
 * lower limit Bun would answer a bare 413 itself.
 */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * How long a connection is kept that nobody asks on. Proxies and load balancers keep theirs for a minute (nginx,
 * Amazon's), and must not find one closed that they are about to use.
 */
const IDLE_TIMEOUT_SECONDS = 75;

/** A socket that serves. */
export interface Listener {
  /** Where clients find it. */
  readonly url: string;
  /** How many requests are being answered. */
  readonly pendingRequests: number;
  /**
   * Shows new connections another certificate. Those that are open end after their next answer. Does nothing where no
   * HTTPS is served.
   */
  replaceCertificate(tls: TlsPair): Promise<void>;
  /** Stops accepting, lets the requests in flight finish for at most ten seconds, and closes. */
  stop(): Promise<void>;
}

/** Answers a request. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** How an address is served; without options by plain HTTP, and by this process alone. */
export interface ListenOptions {
  /** Serves HTTPS; a unix socket, which stays on the machine, never does. */
  readonly tls?: TlsPair | null;
  /** Other processes of this server listen on the same port. */
  readonly sharesPort?: boolean;
}

/** Makes the handler of a listener, which can ask for the peers of its requests. */
export type CreateHandler = (peerOf: PeerOf) => Handler;

/** Serves an address that was claimed; rejects with an error of one line when it cannot be had. */
export async function listen(
  address: ListenAddress,
  createHandler: CreateHandler,
  { tls = null, sharesPort = false }: ListenOptions = {},
): Promise<Listener> {
  if (address.kind === 'unix')
    return listenOnUnixSocket(
      address,
      createHandler(() => 'unix'),
    );
  // To change its certificate a listener needs a second socket on its port.
  const isShared = sharesPort || (tls !== null && process.platform === 'linux');
  // Asked of the socket that now is: one that closes knows the peers of its own requests only while it drains.
  const handle = createHandler(request => socket.server.requestIP(request)?.address ?? '');
  let socket = openTcp(address, handle, tls, isShared);
  const { port } = socket.server;
  const closing = new Set<Promise<void>>();
  return {
    url: `${tls === null ? 'http' : 'https'}://${formatListenAddress({ ...address, port: port! })}`,
    get pendingRequests() {
      return socket.server.pendingRequests;
    },
    async replaceCertificate(newTls) {
      if (tls === null) return;
      if (!isShared) await socket.close();
      const old = socket;
      socket = openTcp({ ...address, port: port! }, handle, newTls, isShared);
      const closed = old.close().finally(() => closing.delete(closed));
      closing.add(closed);
    },
    async stop() {
      await Promise.all([socket.close(), ...closing]);
    },
  };
}

type TcpAddress = ListenAddress & { readonly kind: 'tcp' };
type UnixAddress = ListenAddress & { readonly kind: 'unix' };

/**
 * Makes sure that no process serves an address yet, and removes the socket that a killed one left behind; yields the
 * address with the port that port 0 stands for. Whoever shares a port does not notice that others do, too, and
 * nothing else of a start is worth the while before this is known. Throws an `Error` of one line.
 */
export async function claimAddress(address: ListenAddress): Promise<ListenAddress> {
  if (address.kind === 'unix') {
    await removeDeadSocket(address.path);
    return address;
  }
  const place = { hostname: address.host, port: address.port, exclusive: true };
  const probe = telling(address, () => Bun.listen({ ...place, socket: { data() {} } }));
  probe.stop(true);
  return { ...address, port: probe.port };
}

function openTcp(address: TcpAddress, handle: Handler, tls: TlsPair | null, isShared: boolean): Socket {
  // Unless told otherwise Bun shares the port with any other process as soon as `development` is off.
  const place = { hostname: address.host, port: address.port, reusePort: isShared };
  return openSocket(address, handle, options =>
    tls === null
      ? Bun.serve({ ...options, ...place })
      : Bun.serve({ ...options, ...place, tls: { cert: tls.cert, key: tls.key } }),
  );
}

function listenOnUnixSocket(address: UnixAddress, handle: Handler): Listener {
  const { path } = address;
  // Bun's types have no such timeout for a unix socket, but it is obeyed.
  const place: object = { unix: path };
  const socket = openSocket(address, handle, options => Bun.serve({ ...options, ...place }));
  // As open as a port of this machine is: who may come is for the folder to say, not for the umask of the start.
  chmodSync(path, 0o666);
  return {
    url: `unix:${path}`,
    get pendingRequests() {
      return socket.server.pendingRequests;
    },
    replaceCertificate: () => Promise.resolve(),
    async stop() {
      // Before all else, so that whoever connects from now on is told at once that nobody serves here.
      if (existsSync(path)) unlinkSync(path);
      await socket.close();
    },
  };
}

interface Socket {
  readonly server: Bun.Server<undefined>;
  close(): Promise<void>;
}

interface ServerOptions {
  readonly development: false;
  readonly maxRequestBodySize: number;
  readonly idleTimeout: number;
  readonly fetch: Handler;
}

function openSocket(
  address: ListenAddress,
  handle: Handler,
  open: (options: ServerOptions) => Bun.Server<undefined>,
): Socket {
  let answer = handle;
  let latestMs = 0;
  const fetch: Handler = request => answer(request);
  const options: ServerOptions = {
    development: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    fetch,
  };
  const [server, descriptors] = openWithSockets(() => telling(address, () => open(options)));
  return {
    server,
    async close() {
      const deadlineMs = performance.now() + STOP_TIMEOUT_MS;
      latestMs = performance.now();
      // Clients that ask again and again are told to leave, each with its next answer, and then none is cut off.
      answer = async request => {
        latestMs = performance.now();
        const response = await handle(request);
        response.headers.set('Connection', 'close');
        return response;
      };
      if (!(await stopListening(descriptors))) server.stop();
      while (isBusy() && performance.now() < deadlineMs) await Bun.sleep(POLL_MS);
      await server.stop(true);
    },
  };

  function isBusy(): boolean {
    return server.pendingRequests > 0 || performance.now() - latestMs < QUIET_MS;
  }
}

/** Why an address cannot be had, by the code of the system's error: what Bun says of it leaves out port and reason. */
const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'another process serves it'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['EACCES', 'not permitted'],
]);

/** What `open` yields; its failure is told in one line. */
function telling<Value>(address: ListenAddress, open: () => Value): Value {
  try {
    return open();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `Cannot listen on ${formatListenAddress(address)}: ${REASONS.get(code) ?? messageOf(error)}`,
    );
  }
}

/** Removes a unix socket that no process answers on, as one that was killed leaves it behind, and nothing else. */
async function removeDeadSocket(path: string): Promise<void> {
  const isSocket = lstatSync(path, { throwIfNoEntry: false })?.isSocket();
  if (isSocket === undefined) return;
  // To connect to a file that is no socket is refused like to a dead one.
  if (!isSocket) throw new Error(`Cannot listen: ${path} is there already, and no unix socket`);
  const { createConnection } = await import('node:net');
  const code = await new Promise<string | undefined>(resolve => {
    const connection = createConnection(path, () => {
      connection.destroy();
      resolve(undefined);
    });
    connection.on('error', error => resolve((error as NodeJS.ErrnoException).code));
  });
  if (code === undefined) throw new Error(`Cannot listen on unix:${path}: another process serves it`);
  if (code === 'ECONNREFUSED') unlinkSync(path);
}
