import { join } from 'node:path';
import { type AddressSettings, openAddressLimiter, openPublicLimiters } from '../http/address_limits.ts';
import type { DependencyStatus, Server, Snapshot } from '../http/snapshot.ts';
import { type MetricSource, Traffic } from '../http/traffic.ts';
import { steadySpan } from '../zones/steady_span.ts';
import { type AccessSettings, type ExposureSettings, openAccess, requireKeysIfExposed } from './access.ts';
import { claimAddresses } from './address_claim.ts';
import { loadCode } from './app.ts';
import { BUILD } from './build_info.ts';
import { DataStore } from './bundles/data_store.ts';
import { startPulls } from './bundles/pulls.ts';
import { openCertificate, type TlsSettings } from './certificate.ts';
import { type DataAgeSettings, dataAgeStatus, dataMetrics } from './data_age.ts';
import { type DataSettings, dataReleases } from './data_sets.ts';
import { descriptorMetrics, watchDescriptors } from './descriptors.ts';
import { readHostClock } from './host_clock.ts';
import { LastGood } from './last_good.ts';
import type { ProcessContext } from './lifecycle.ts';
import { type ListenerSettings, openListeners } from './listener.ts';
import { LiveData } from './live_data.ts';
import { fieldsOfError, type ServerLog } from './log.ts';
import { startHeartbeat } from './machines.ts';
import { standaloneLifecycle } from './main_process.ts';
import {
  accessMetrics,
  addressMetrics,
  processMetrics,
  redisMetrics,
  renderedMetrics,
  signingMetrics,
} from './metrics.ts';
import { type Reloadable, Reloader } from './reload.ts';
import { openSigningKeys, type SigningSettings } from './signing_keys.ts';
import { createSnapshot, type RequestSettings, reloadedOptions } from './snapshot.ts';
import { stateDirectory } from './state_directory.ts';
import { inheritedAddresses } from './succession.ts';
import { SINGLE_PROCESS, type WorkerAssignment, workerLifecycle } from './worker.ts';

/** Delay after which a listening server loads its data, even if no request needs it yet. */
const PRELOAD_DELAY_MS = 100;

/**
 * Runs a server, or one of its workers, until it is stopped: opens what it needs, serves, and stops serving before it closes
 * what requests use. Rejects with a one-line `Error` if it cannot start.
 */
export async function runServer(start: ServerStart): Promise<void> {
  const { settings, context, assignment, log, config } = start;
  const { environment } = context;
  const place = assignment ?? SINGLE_PROCESS;
  const isWriter = place.index === 0; // of the state directory
  const state = stateDirectory(settings['state-dir'], environment);

  // Before anything else, since it handles signals.
  const reloader = new Reloader(log);
  const metricSources: MetricSource[] = [];
  const ownMetrics = () => metricSources.flatMap(source => source());
  const controlled = { reloader, ownMetrics, files: start.reloadedFiles };
  const life =
    assignment === null ? standaloneLifecycle(context, controlled, state, log) : workerLifecycle(controlled);

  const certificate = openCertificate(settings);
  const keyFile = settings['data-keys'];
  // Loaded on demand, with its implementation of Ed25519.
  const dataKeys =
    keyFile === null ? null : (await import('./bundles/bundle_keys.ts')).checkedKeyFile(keyFile);
  const inherited = inheritedAddresses(environment);
  const addresses = await claimAddresses(settings, assignment, inherited);
  const lastGood = new LastGood(join(state, 'last-good'));
  const isRequired = settings['require-configured-data'];
  const store = new DataStore(state);
  const data = await LiveData.load({ settings, lastGood, store, log, isWriter, isRequired });
  const access = await openAccess(settings, environment, place, log, life.onKeyed);
  requireKeysIfExposed(settings, access.control);
  const { redis } = access;
  const signing = await openSigningKeys(settings, environment, log, redis, isWriter);
  const url = settings['data-url'];
  const pulls = url && isWriter ? startPulls(url, settings['data-interval'], start.installFlags, log) : null;

  let snapshot = createSnapshot(data.loaded, settings);
  const replace = (changed: Partial<Snapshot>) => {
    snapshot = { ...snapshot, ...changed };
  };
  const addressLimiter = openAddressLimiter(settings, place);
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
    addresses: addressLimiter,
    publicLimiters,
    hostClock: readHostClock,
    metrics: renderedMetrics(life.gatherMetrics),
    logError: (message: string, cause: unknown) => log.error(message, fieldsOfError(cause)),
    observer: { traffic, accessLog: log.accessLog },
  };
  const facts = () => ({ ...BUILD, ...dataReleases(snapshot) });

  reloader.facts = facts;
  reloader.add(
    ...(config === null ? [] : [config.reloadable(changed => replace(reloadedOptions(changed)))]),
    ...(dataKeys === null ? [] : [dataKeys]),
    ...data.reloadables(replace),
    signing,
    access,
  );
  const sharing = { workers: place.count, isSuccessor: inherited.addresses.length > 0 };
  const listeners = await openListeners(addresses, settings, server, certificate?.pair() ?? null, sharing);
  if (certificate !== null) reloader.add(certificate.reloadable(listeners.all));
  metricSources.push(
    () => traffic.families(),
    signingMetrics(signing.keys),
    accessMetrics(access.control),
    addressMetrics([...(addressLimiter ? [addressLimiter] : []), ...Object.values(publicLimiters)]),
    data.metrics,
    ...(redis === null ? [] : [redisMetrics({ ...redis.unreadable, 'signing-keys': signing.unreadable })]),
    ...(pulls === null ? [] : [pulls.metrics]),
    () => dataMetrics(snapshot, name => data.sourceOf(name), settings, Date.now()),
    descriptorMetrics(),
    processMetrics({
      pendingRequests: listeners.pendingRequests,
      droppedLogLines: log.droppedLines,
      lastReload: () => reloader.last,
      hostClock: readHostClock,
      certificateExpiresMs: () => certificate?.pair().expiresMs ?? null,
    }),
  );
  // Delayed so as not to slow down the first responses.
  const loading = setTimeout(() => void preload(server), PRELOAD_DELAY_MS);
  const stopFollowing = data.follow(replace);
  const stopWatching = watchDescriptors(log);
  const machine = { stateDirectory: state, workers: settings.workers };
  const heartbeat = redis && isWriter ? startHeartbeat(redis, server, machine, log) : null;

  log.info('started', facts());
  for (const age of ageStatus()) if (age.state !== 'ok') log.warn('data is too old', { what: age.detail });
  const successorWorkers = await life.untilStop({ ...listeners.readiness, problems: data.problems });
  clearTimeout(loading);
  await stopFollowing();
  stopWatching();
  pulls?.stop();
  await listeners.stop(successorWorkers);
  await heartbeat?.stop();
  await signing.stop(); // before access control, which closes Redis
  await access.stop();
  await lastGood.finish();
  log.info('stopped', facts());
  await log.close();
}

/**
 * Loads what responses would otherwise have to wait for, one after another. Measured as resident memory: places 10 MB, releases 4,
 * boundaries 3, and the clock changes of all zones 10.
 */
async function preload({ snapshot, now }: Server): Promise<void> {
  const { ip, gazetteer, boundaries, releases, outlines, zones } = snapshot();
  for (const data of [ip, gazetteer, boundaries, releases, outlines]) await data.load();
  await steadySpan(zones, Math.floor(now() / 1000)); // parses all zones
  await loadCode();
}

/** The settings of a server, except those of its log. */
type ServerSettings = AccessSettings &
  AddressSettings &
  DataAgeSettings &
  DataSettings &
  ListenerSettings &
  RequestSettings &
  SigningSettings &
  ExposureSettings &
  TlsSettings & {
    readonly 'data-keys': string | null;
    readonly 'data-url': string | null;
    /** In milliseconds. */
    readonly 'data-interval': number;
    readonly 'require-configured-data': boolean;
    readonly workers: number;
  };

/** What a server is started with. */
interface ServerStart {
  readonly settings: ServerSettings;
  readonly context: ProcessContext;
  /** Null in a single-process server. */
  readonly assignment: WorkerAssignment | null;
  readonly log: ServerLog;
  /** The configuration file; null for none. */
  readonly config: {
    /** Reloads the file; passes its current settings to `apply`. */
    readonly reloadable: (apply: (settings: RequestSettings) => void) => Reloadable;
    /** The lines in `/readyz` about changes without effect. */
    readonly status: () => readonly DependencyStatus[];
  } | null;
  /** The files that a reload reads. */
  readonly reloadedFiles: readonly string[];
  /** The flags of `data install`, for pulls of bundles. */
  readonly installFlags: readonly string[];
}
