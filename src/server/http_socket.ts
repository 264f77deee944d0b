import { lstatSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App, Serve } from '../http/app.ts';
import { SHARES_PORTS, withListenError } from './address_claim.ts';
import type { TlsPair } from './certificate.ts';
import type { ListenAddress } from './listen_address.ts';
import { NO_SOCKET, openWithSockets, steerConnections, stopListening } from './lossless_close.ts';

/** How long a socket waits for requests in flight when it is closed. */
const CLOSE_TIMEOUT_MS = 10_000;
const POLL_MS = 5;

/** Bun would reject larger bodies with a bare 413; we respond before reading a body, and Bun discards the rest. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

/** Longer than the keep-alive of proxies and load balancers (60 s: nginx, AWS), so that they do not reuse a closed connection. */
const IDLE_TIMEOUT_SECONDS = 75;

/** What a listener serves. */
export type Served = Pick<App, 'handle' | 'routes'>;

/**
 * Serves an app on a claimed address; `isSuccessor` is whether a predecessor may serve it too. Throws an `Error` with a
 * one-line message.
 */
export function openSocket(address: ListenAddress, app: Served, tls: TlsPair | null, isSuccessor: boolean) {
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
  const [server, sockets] = withListenError(address, () =>
    openWithSockets(() => withSocketMask(() => Bun.serve(options))),
  );
  // What once steered connections to the predecessor would select one of the new sockets.
  if (isSuccessor) steerConnections(sockets, NO_SOCKET);
  if (address.kind === 'unix') renameSync(temporaryPath(address.path), address.path);
  const inode = address.kind === 'unix' ? lstatSync(address.path).ino : undefined;
  return {
    server,
    /** Removes a unix socket's file, unless it belongs to a successor. */
    unlink(): void {
      if (address.kind !== 'unix') return;
      if (lstatSync(address.path, { throwIfNoEntry: false })?.ino === inode) rmSync(address.path);
    },
    /**
     * Stops accepting, and closes after `idleMs` without requests or, at the latest, after ten seconds. `target` is as for
     * {@link stopListening}.
     */
    async close(idleMs: number, target: number | null = null): Promise<void> {
      const deadlineMs = performance.now() + CLOSE_TIMEOUT_MS;
      isClosing = true;
      // Closing behind Bun requires a free descriptor.
      if (!(await stopListening(sockets, target).catch(() => false))) server.stop();
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
