import { existsSync, unlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { PeerOf } from '../http/respond.ts';
import type { ListenAddress } from './listen_address.ts';

/** How long a stop waits for the requests in flight. */
const STOP_TIMEOUT_MS = 10_000;
const STOP_POLL_MS = 5;

/** Requests have no body, so a small one is the most that is read. */
const MAX_BODY_BYTES = 64 * 1024;

/** A socket that serves. */
export interface Listener {
  /** Where clients find it. */
  readonly url: string;
  /** Stops accepting, lets the requests in flight finish for at most ten seconds, and closes. */
  stop(): Promise<void>;
}

/** Answers a request. */
export type Handler = (request: Request) => Response | Promise<Response>;

/**
 * Serves an address with a handler that can ask for the peers of its requests; rejects with an error of one line when
 * the address cannot be had.
 */
export async function listen(
  address: ListenAddress,
  createHandler: (peerOf: PeerOf) => Handler,
): Promise<Listener> {
  if (address.kind === 'unix') await removeDeadSocket(address.path);
  const peerOf: PeerOf =
    address.kind === 'unix' ? () => 'unix' : request => server.requestIP(request)?.address ?? '';
  const server = serve(address, createHandler(peerOf));
  return {
    url: address.kind === 'unix' ? `unix:${address.path}` : urlOf(address.host, server.port),
    async stop() {
      const deadlineMs = performance.now() + STOP_TIMEOUT_MS;
      server.stop();
      while (server.pendingRequests > 0 && performance.now() < deadlineMs) await Bun.sleep(STOP_POLL_MS);
      await server.stop(true);
      if (address.kind === 'unix' && existsSync(address.path)) unlinkSync(address.path);
    },
  };
}

function serve(address: ListenAddress, handle: Handler) {
  const options = { development: false, maxRequestBodySize: MAX_BODY_BYTES, fetch: handle } as const;
  try {
    if (address.kind === 'unix') return Bun.serve({ ...options, unix: address.path });
    // Unless told otherwise Bun shares the port with any other process as soon as `development` is off.
    return Bun.serve({ ...options, hostname: address.host, port: address.port, reusePort: false });
  } catch (error) {
    throw new Error(`Cannot listen: ${error instanceof Error ? error.message : error}`);
  }
}

/** Removes a unix socket that no process answers on, as one that was killed leaves it behind. */
async function removeDeadSocket(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const code = await new Promise<string | undefined>(resolve => {
    const connection = createConnection(path, () => {
      connection.destroy();
      resolve(undefined);
    });
    connection.on('error', error => resolve((error as NodeJS.ErrnoException).code));
  });
  if (code === undefined) throw new Error(`Cannot listen: another process serves unix:${path}`);
  if (code === 'ECONNREFUSED') unlinkSync(path);
}

function urlOf(host: string, port: number | undefined): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
