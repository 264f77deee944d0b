import { createAdminApp } from '../../http/admin.ts';
import type { Server } from '../../http/snapshot.ts';
import { createApp } from '../app.ts';
import type { WorkerAssignment } from '../workers/worker_messages.ts';
import type { TlsPair } from './certificate.ts';
import { type ListenAddress, parseListenAddress } from './listen_address.ts';
import { claimAddress, type Listener, listen } from './listener.ts';

/** All listeners of a process. */
export interface Listeners {
  readonly all: readonly Listener[];
  /** The lines for stdout. */
  readonly lines: readonly string[];
  /** The number of requests in flight. */
  pendingRequests(): number;
  /** Waits for requests in flight and closes all listeners. */
  stop(): Promise<void>;
}

/** The settings of listeners. */
export interface ListenSettings {
  readonly listen: readonly ListenAddress[];
  readonly 'admin-listen': ListenAddress | null;
}

/** The claimed addresses of a process. */
export interface Addresses {
  readonly main: readonly ListenAddress[];
  /** Null if there is none or another worker serves it. */
  readonly admin: ListenAddress | null;
  /** Other workers serve the same ports. */
  readonly areShared: boolean;
}

/**
 * Claims the addresses of the settings, or takes those that the supervisor claimed and assigned. Those that one worker
 * serves alone (unix sockets, the admin address) it claims itself, as a killed predecessor leaves stale sockets.
 */
export async function claimAddresses(
  settings: ListenSettings,
  assignment: WorkerAssignment | null,
): Promise<Addresses> {
  const areShared = assignment !== null;
  const addresses = assignment?.listen.map(parseListenAddress) ?? settings.listen;
  const main = addresses.map(address =>
    areShared && address.kind === 'tcp' ? address : claimAddress(address),
  );
  const admin = assignment === null || assignment.index === 1 ? settings['admin-listen'] : null;
  return { main: await Promise.all(main), admin: admin && (await claimAddress(admin)), areShared };
}

/** Serves addresses. `hasAdmin`: this process or another worker serves metrics on the admin address. */
export async function openListeners(
  { main: mainAddresses, admin: adminAddress, areShared }: Addresses,
  hasAdmin: boolean,
  server: Server,
  tls: TlsPair | null,
): Promise<Listeners> {
  const options = { tls, sharesPort: areShared };
  const main = await Promise.all(
    mainAddresses.map(address => {
      const isHttps = tls !== null && address.kind === 'tcp';
      return listen(
        address,
        peerOf => createApp(server, { isHttps, peerOf, hasMetrics: !hasAdmin }).handle,
        options,
      );
    }),
  );
  const admin =
    adminAddress === null ? [] : [await listen(adminAddress, () => createAdminApp(server).handle)];
  return {
    all: [...main, ...admin],
    lines: [
      ...main.map(({ url }) => `meridian listening on ${url}`),
      ...admin.map(({ url }) => `meridian metrics and health on ${url}`),
    ],
    pendingRequests: () => main.reduce((sum, { pendingRequests }) => sum + pendingRequests, 0),
    async stop() {
      await Promise.all(main.map(listener => listener.stop()));
      // Last, so that metrics and health remain available during the stop.
      await Promise.all(admin.map(listener => listener.stop()));
    },
  };
}
