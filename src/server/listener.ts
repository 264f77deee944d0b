import { createAdminApp } from '../http/admin.ts';
import type { PeerOf } from '../http/exchange.ts';
import { hostCheck } from '../http/host.ts';
import type { Server } from '../http/snapshot.ts';
import { type claimAddresses, type ListenSettings, SHARES_PORTS } from './address_claim.ts';
import { createApp } from './app.ts';
import type { TlsPair } from './certificate.ts';
import { openSocket, type Served } from './http_socket.ts';
import { formatListenAddress, isLoopback, type ListenAddress } from './listen_address.ts';

export interface ListenerSettings extends ListenSettings {
  readonly 'allowed-host': readonly string[];
  readonly 'public-url': string;
  readonly mcp: 'on' | 'off';
  readonly compat: 'all' | 'none';
}

/** Serves claimed addresses. If there is an admin address, this process or another worker serves metrics there. */
export async function openListeners(
  addresses: Awaited<ReturnType<typeof claimAddresses>>,
  settings: ListenerSettings,
  server: Server,
  tls: TlsPair | null,
  sharing: PortSharing,
) {
  const parts = {
    hasMetrics: settings['admin-listen'] === null,
    hasMcp: settings.mcp === 'on',
    hasDialects: settings.compat === 'all',
  };
  const hosts = [...settings['allowed-host'], URL.parse(settings['public-url'])?.hostname ?? 'localhost'];
  /** A unix socket needs no check: pages cannot connect to it. */
  const checkOf = (address: ListenAddress) =>
    address.kind === 'tcp' && isLoopback(address) ? { isAllowedHost: hostCheck(hosts) } : {};
  const main = addresses.main.map(address => {
    const options = { ...parts, isHttps: tls !== null && address.kind === 'tcp', ...checkOf(address) };
    return listen(address, peerOf => createApp(server, { ...options, peerOf }), tls, sharing);
  });
  const admin: Listener[] = [];
  for (const address of addresses.admin) {
    const { administrationEndpoints } = await import('../api/admin/endpoints.ts');
    const endpoints = administrationEndpoints(server);
    const createApp = (peerOf: PeerOf) => createAdminApp(server, { peerOf, ...checkOf(address) }, endpoints);
    admin.push(listen(address, createApp, null, { ...sharing, workers: 1 }));
  }
  addresses.release();
  return {
    all: [...main, ...admin],
    readiness: {
      lines: [
        ...main.map(({ url }) => `meridian listening on ${url}`),
        ...admin.map(({ url }) => `meridian metrics and health on ${url}`),
      ],
      addresses: [...addresses.main, ...addresses.admin].map(formatListenAddress),
      admin: addresses.admin.map(formatListenAddress),
    },
    pendingRequests: () => main.reduce((sum, listener) => sum + listener.pendingRequests(), 0),
    /** Waits for requests in flight and closes all listeners. */
    async stop(successorWorkers: number | null): Promise<void> {
      await Promise.all(main.map(listener => listener.stop(successorWorkers)));
      // Last, so that metrics and health remain available during the stop. One worker listens there, also of a successor.
      const adminWorkers = successorWorkers === null ? null : 1;
      await Promise.all(admin.map(listener => listener.stop(adminWorkers)));
    },
  };
}

/** When stopping, the server counts as idle this long after the last request; longer if a successor is already serving. */
const IDLE_MS = 100;
const SUCCEEDED_IDLE_MS = 1000;

type Listener = ReturnType<typeof listen>;

/** The processes that serve an address. */
interface PortSharing {
  /** How many of this server. */
  readonly workers: number;
  /** Whether those of a predecessor serve it too. */
  readonly isSuccessor: boolean;
}

/**
 * Listens on a claimed address.
 * @throws {Error} with a one-line message
 */
export function listen(
  address: ListenAddress,
  createApp: (peerOf: PeerOf) => Served,
  tls: TlsPair | null = null,
  { workers, isSuccessor }: PortSharing = { workers: 1, isSuccessor: false },
) {
  const isUnix = address.kind === 'unix';
  const isHttps = tls !== null && !isUnix; // a unix socket does not leave the machine
  // Uses the current socket: a closing one knows the peers of its own requests only while it drains.
  const app = createApp(isUnix ? () => 'unix' : request => socket.server.requestIP(request)?.address ?? '');
  let socket = openSocket(address, app, isHttps ? tls : null, isSuccessor);
  const closing = new Set<Promise<void>>();
  return {
    url: `${isUnix ? '' : isHttps ? 'https://' : 'http://'}${formatListenAddress(address)}`,
    pendingRequests: () => socket.server.pendingRequests,
    /** Uses another certificate for new connections; existing ones close after their next response. No effect without HTTPS. */
    async replaceCertificate(newTls: TlsPair): Promise<void> {
      if (!isHttps) return;
      const old = socket;
      if (!SHARES_PORTS) await old.close(IDLE_MS);
      socket = openSocket(address, app, newTls, false);
      if (!SHARES_PORTS) return;
      const closed = old.close(IDLE_MS, workers).finally(() => closing.delete(closed));
      closing.add(closed);
    },
    /**
     * Stops accepting, waits up to ten seconds for requests in flight, and closes. `successorWorkers` is the number of
     * workers of a server that has taken over; null if none has.
     */
    async stop(successorWorkers: number | null = null): Promise<void> {
      // First, so that new clients fail immediately.
      socket.unlink();
      const closed =
        successorWorkers === null
          ? socket.close(IDLE_MS)
          : socket.close(SUCCEEDED_IDLE_MS, Math.max(workers, successorWorkers));
      await Promise.all([closed, ...closing]);
    },
  };
}
