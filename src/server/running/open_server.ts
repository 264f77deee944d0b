import { openAddressLimiter } from '../../http/address_limits.ts';
import type { MetricSource } from '../../http/metrics.ts';
import { openPublicLimiters } from '../../http/public_routes.ts';
import type { Server, Snapshot } from '../../http/snapshot.ts';
import { Traffic } from '../../http/traffic.ts';
import { BUILD } from '../build_info.ts';
import { dataAgeStatus, dataMetrics } from '../data_age.ts';
import { dataReleases } from '../data_sets/data_sets.ts';
import { fieldsOfError } from '../event_log.ts';
import { readHostClock } from '../host_clock.ts';
import { accessMetrics, addressMetrics, signingMetrics } from '../metrics.ts';
import type { Reloadable, Reloader } from '../reload.ts';
import { createSnapshot, reloadedOptions } from '../snapshot.ts';
import { SINGLE_PROCESS } from '../workers/worker_messages.ts';
import type { Stores } from './open_stores.ts';
import type { ServerStart } from './server_start.ts';

export type OpenServer = ReturnType<typeof openServer>;

/** Creates the server as requests see it, with its current snapshot. `metrics` returns the metrics of all workers. */
export function openServer(
  { settings, assignment, log, config }: ServerStart,
  { data, access, signing, pulls }: Stores,
  reloader: Reloader,
  metrics: Server['metrics'],
) {
  let snapshot = createSnapshot(data.loaded, settings);
  const place = assignment ?? SINGLE_PROCESS;
  const addresses = openAddressLimiter(settings, place);
  const publicLimiters = openPublicLimiters(place);
  const traffic = new Traffic();
  const ageStatus = () => dataAgeStatus(snapshot, settings, Date.now());
  const server: Server = {
    snapshot: () => snapshot,
    dataStatus: served => [
      ...data.status(served),
      ...(pulls?.status() ?? []),
      ...ageStatus(),
      ...(config?.status() ?? []),
      ...reloader.status(),
    ],
    now: Date.now,
    signing: signing.keys,
    access: access.control,
    administration: access.administration,
    addresses,
    publicLimiters,
    hostClock: readHostClock,
    metrics,
    logError: (message: string, cause: unknown) => log.error(message, fieldsOfError(cause)),
    observer: { traffic, accessLog: log.accessLog },
  };
  const metricSources: readonly MetricSource[] = [
    () => traffic.families(),
    signingMetrics(signing.keys),
    accessMetrics(access.control),
    addressMetrics([...(addresses ? [addresses] : []), ...Object.values(publicLimiters)]),
    data.metrics,
    ...(pulls === null ? [] : [pulls.metrics]),
    () => dataMetrics(snapshot, name => data.sourceOf(name), settings, Date.now()),
  ];
  return {
    server,
    metricSources,
    ageStatus,
    /** The facts about the process for the log. */
    facts: () => ({ ...BUILD, ...dataReleases(snapshot) }),
    /** Replaces the snapshot with a changed one. */
    replace(changed: Partial<Snapshot>): void {
      snapshot = { ...snapshot, ...changed };
    },
  };
}

/** Everything that a reload reads except the certificate, in order. */
export function reloadables(
  { config }: ServerStart,
  { dataKeys, data, signing, access }: Stores,
  { replace }: OpenServer,
): readonly Reloadable[] {
  return [
    ...(config === null ? [] : [config.reloadable(changed => replace(reloadedOptions(changed)))]),
    ...(dataKeys === null ? [] : [dataKeys]),
    ...data.reloadables(replace),
    signing,
    access,
  ];
}
