import type { MetricFamily, MetricSource } from '../../http/metrics.ts';
import type { Server } from '../../http/snapshot.ts';
import { controlPaths } from '../control_files.ts';
import { readHostClock } from '../host_clock.ts';
import { type Lifecycle, standaloneLifecycle } from '../lifecycle.ts';
import { openListeners } from '../listening/open_listeners.ts';
import { type ProcessFacts, processMetrics, renderedMetrics } from '../metrics.ts';
import { Reloader } from '../reload.ts';
import { stateDirectory } from '../state_directory.ts';
import { workerLifecycle } from '../workers/worker_lifecycle.ts';
import { type OpenServer, openServer, reloadables } from './open_server.ts';
import { openStores, type Stores } from './open_stores.ts';
import type { ServerStart } from './server_start.ts';

/** Delay after which a listening server loads the IP data, even if no request needs it yet. */
const PRELOAD_DELAY_MS = 100;

/** Runs a server, or one of its workers, until it is stopped. Rejects with a one-line `Error` if it cannot start. */
export async function runServer(start: ServerStart): Promise<void> {
  const { settings, log } = start;
  const reloader = new Reloader(log);
  const metricSources: MetricSource[] = [];
  // Before anything else, since it handles signals.
  const life = openLifecycle(start, reloader, () => metricSources.flatMap(source => source()));
  const stores = await openStores(start, life.onKeyed);
  const { data, certificate, addresses } = stores;
  const opened = openServer(start, stores, reloader, renderedMetrics(life.gatherMetrics));
  reloader.facts = opened.facts;
  for (const item of reloadables(start, stores, opened)) reloader.add(item);

  const listeners = await openListeners(addresses, settings, opened.server, certificate?.pair ?? null);
  if (certificate !== null) reloader.add(certificate.reloadable(listeners.all));
  const { pendingRequests } = listeners;
  metricSources.push(
    ...opened.metricSources,
    processMetrics(processFacts(start, stores, reloader, pendingRequests)),
  );
  const stopFollowing = followChanges(stores, opened);
  const heartbeat = await openHeartbeat(start, stores, opened.server);

  logStart(start, opened);
  const { lines, addresses: served } = listeners;
  const hasSuccessor = await life.untilStop({ lines, problems: data.problems, addresses: served });
  stopFollowing();
  await listeners.stop(hasSuccessor);
  await heartbeat?.stop();
  await stores.close();
  log.info('stopped', opened.facts());
  await log.close();
}

function openLifecycle(
  { settings, context, assignment, log, reloadedFiles: files }: ServerStart,
  reloader: Reloader,
  ownMetrics: () => MetricFamily[],
): Lifecycle {
  const controlled = { reloader, ownMetrics, files };
  if (assignment !== null) return workerLifecycle(controlled);
  const paths = controlPaths(stateDirectory(settings['state-dir'], context.environment));
  return standaloneLifecycle(context, controlled, paths, log);
}

function processFacts(
  { log }: ServerStart,
  { certificate }: Stores,
  reloader: Reloader,
  pendingRequests: () => number,
): ProcessFacts {
  return {
    pendingRequests,
    droppedLogLines: log.droppedLines,
    lastReload: () => reloader.last,
    hostClock: readHostClock,
    certificateExpiresMs: () => certificate?.pair.expiresMs ?? null,
  };
}

/** Follows installed bundles, and loads the IP data after a delay. Returns a function that stops both, as well as pulls. */
function followChanges({ data, pulls }: Stores, { server, replace }: OpenServer): () => void {
  // Delayed so as not to slow down the first responses. The boundaries, six times as large, are loaded on first use.
  const loading = setTimeout(() => void server.snapshot().ip.load(), PRELOAD_DELAY_MS);
  const stopFollowing = data.follow(replace);
  return () => {
    clearTimeout(loading);
    stopFollowing();
    pulls?.stop();
  };
}

/** Reports this machine to the others that share its Redis; null without Redis, and in all workers except the first. */
async function openHeartbeat(
  { settings, context, assignment, log }: ServerStart,
  { access, signing }: Stores,
  { snapshot }: Server,
) {
  const { redis, revisions } = access;
  if (redis === null || (assignment !== null && assignment.index > 1)) return null;
  const { startHeartbeat } = await import('../fleet/heartbeat.ts');
  const reported = {
    snapshot,
    signing: signing.keys,
    revisions,
    stateDirectory: stateDirectory(settings['state-dir'], context.environment),
    workers: settings.workers,
    sharesSigningKeys: settings['share-signing-keys'] !== null,
  };
  return startHeartbeat(redis, reported, log);
}

function logStart({ log }: ServerStart, { facts, ageStatus }: OpenServer): void {
  log.info('started', facts());
  for (const { state, detail } of ageStatus()) {
    if (state !== 'ok') log.warn('data is too old', { what: detail });
  }
}
