import { createAdminApp } from '../http/admin.ts';
import { type Endpoint, hostCheck } from '../http/exchange.ts';
import type { Server } from '../http/snapshot.ts';
import { createApp } from './app.ts';
import type { TlsPair } from './certificate.ts';
import { formatListenAddress, isLoopback, type ListenAddress, parseListenAddress } from './listen_address.ts';
import { type Claim, claimAddress, listen } from './listener.ts';
import type { Succession } from './succession.ts';
import type { WorkerAssignment } from './workers.ts';

/** The settings of listeners. */
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
 */
export async function claimAddresses(
  settings: Pick<ListenerSettings, 'listen' | 'admin-listen'>,
  assignment: WorkerAssignment | null,
  succession: Succession | null,
) {
  const addresses = assignment?.listen.map(parseListenAddress) ?? settings.listen;
  const claims: Claim[] = [];
  const claim = async (address: ListenAddress) => {
    const claimed = await claimAddress(address, succession);
    claims.push(claimed);
    return claimed.address;
  };
  const main = addresses.map(address =>
    assignment !== null && address.kind === 'tcp' ? address : claim(address),
  );
  const servesAdmin = assignment === null || assignment.index === 1;
  const admin = servesAdmin ? settings['admin-listen'] : null;
  return {
    main: await Promise.all(main),
    admin: admin && (await claim(admin)),
    release() {
      for (const { release } of claims) release();
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
    const isHttps = tls !== null && address.kind === 'tcp';
    const options = { ...served, isHttps, ...checkOf(address) };
    return listen(address, peerOf => createApp(server, { ...options, peerOf }), tls);
  });
  const { admin: adminAddress } = addresses;
  const operators = adminAddress === null ? [] : await operatorEndpoints(server);
  const createAdmin = (address: ListenAddress) =>
    listen(address, peerOf => createAdminApp(server, { peerOf, ...checkOf(address) }, operators));
  const admin = adminAddress === null ? [] : [createAdmin(adminAddress)];
  addresses.release();
  return {
    all: [...main, ...admin],
    /** The lines for stdout. */
    lines: [
      ...main.map(({ url }) => `meridian listening on ${url}`),
      ...admin.map(({ url }) => `meridian metrics and health on ${url}`),
    ],
    /** In the syntax of `--listen`. */
    addresses: [...addresses.main, ...(adminAddress === null ? [] : [adminAddress])].map(formatListenAddress),
    pendingRequests: () => main.reduce((sum, listener) => sum + listener.pendingRequests(), 0),
    /** Waits for requests in flight and closes all listeners. */
    async stop(hasSuccessor: boolean): Promise<void> {
      await Promise.all(main.map(listener => listener.stop(hasSuccessor)));
      // Last, so that metrics and health remain available during the stop.
      await Promise.all(admin.map(listener => listener.stop()));
    },
  };
}

async function operatorEndpoints(server: Server): Promise<readonly Endpoint[]> {
  const { administrationEndpoints } = await import('../api/admin/endpoints.ts');
  return administrationEndpoints(server);
}
