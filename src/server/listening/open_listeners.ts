import { createAdminApp } from '../../http/admin.ts';
import type { Server } from '../../http/snapshot.ts';
import { createApp } from '../app.ts';
import type { WorkerAssignment } from '../workers/worker_place.ts';
import { type ListenAddress, parseListenAddress } from './listen_address.ts';
import { claimAddress, type Listener, listen } from './listener.ts';
import type { TlsPair } from './tls_files.ts';

/** All sockets with which a process serves. */
export interface Listeners {
  readonly all: readonly Listener[];
  /** What stdout says of them. */
  readonly lines: readonly string[];
  /** How many requests are being answered. */
  pendingRequests(): number;
  /** Lets what is in flight finish, and closes all. */
  stop(): Promise<void>;
}

/** The settings that say where to serve. */
export interface ListenSettings {
  readonly listen: readonly ListenAddress[];
  readonly 'admin-listen': ListenAddress | null;
}

/** The addresses that a process serves, claimed before anything else of its start. */
export interface Addresses {
  readonly main: readonly ListenAddress[];
  /** Null where there is none, or another worker serves it. */
  readonly admin: ListenAddress | null;
  /** Other workers serve the same ports. */
  readonly areShared: boolean;
}

/**
 * The addresses of the settings, or those that a supervisor claimed and assigned. What a worker serves alone, unix
 * sockets and the address for administrators, it claims itself: one that was killed before it leaves its sockets behind.
 */
export async function claimAddresses(
  settings: ListenSettings,
  assignment: WorkerAssignment | null,
): Promise<Addresses> {
  const admin = settings['admin-listen'];
  if (assignment !== null) {
    const assigned = assignment.listen.map(text => parseListenAddress(text, 'worker'));
    const main = await Promise.all(
      assigned.map(address => (address.kind === 'unix' ? claimAddress(address) : address)),
    );
    const isFirst = assignment.index === 1;
    return { main, admin: isFirst && admin ? await claimAddress(admin) : null, areShared: true };
  }
  const main = await Promise.all(settings.listen.map(claimAddress));
  return { main, admin: admin && (await claimAddress(admin)), areShared: false };
}

/** Serves addresses. `hasAdmin`: metrics are on the address for administrators, in this worker or another. */
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
      // Last, so that the stop can be watched.
      await Promise.all(admin.map(listener => listener.stop()));
    },
  };
}
