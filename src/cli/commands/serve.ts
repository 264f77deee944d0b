import { join } from 'node:path';
import { openAddressLimiter } from '../../http/address_limits.ts';
import type { MetricSource } from '../../http/metrics.ts';
import { openPublicLimiters } from '../../http/public_routes.ts';
import type { Server } from '../../http/snapshot.ts';
import { Traffic } from '../../http/traffic.ts';
import { openAccess, requireKeysIfExposed } from '../../server/access.ts';
import { BUILD } from '../../server/build_info.ts';
import { DataStore } from '../../server/bundles/data_store.ts';
import { Pulls } from '../../server/bundles/pulls.ts';
import { ConfiguredData } from '../../server/configured_data.ts';
import { controlPaths } from '../../server/control_files.ts';
import { dataAgeStatus, dataMetrics } from '../../server/data_age.ts';
import { dataReleases } from '../../server/data_sets.ts';
import { fieldsOfError } from '../../server/event_log.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { LastGood } from '../../server/last_good.ts';
import { standaloneLifecycle } from '../../server/lifecycle.ts';
import { Certificate } from '../../server/listening/certificate.ts';
import { claimAddresses, openListeners } from '../../server/listening/open_listeners.ts';
import { openServerLog } from '../../server/log.ts';
import {
  accessMetrics,
  addressMetrics,
  processMetrics,
  renderedMetrics,
  signingMetrics,
} from '../../server/metrics.ts';
import { type Reloadable, Reloader } from '../../server/reload.ts';
import { openSigningKeys } from '../../server/signing_keys.ts';
import { createSnapshot, reloadedOptions } from '../../server/snapshot.ts';
import { stateDirectory } from '../../server/state_directory.ts';
import { readSuccession } from '../../server/succession.ts';
import { supervise } from '../../server/workers/supervisor.ts';
import { workerLifecycle } from '../../server/workers/worker_lifecycle.ts';
import { readAssignment } from '../../server/workers/worker_messages.ts';
import { ChangedConfig } from '../changed_config.ts';
import { defineCommand } from '../command.ts';
import { dataArguments, reloadedFiles, SERVE_FLAGS, type ServeSettings } from '../flags.ts';
import { checkConflicts } from '../setting_conflicts.ts';
import { visibleSecrets } from '../settings.ts';
import { strayVariables, strayVariableText } from '../stray_variables.ts';

/** Delay after which a listening server loads the IP data, even if no request needs it yet. */
const PRELOAD_DELAY_MS = 100;

export const serveCommand = defineCommand({
  name: 'serve',
  synopsis: '[flags]',
  summary: 'run the server (the default)',
  flags: SERVE_FLAGS,
  usesState: true,
  async run(line, context, reread) {
    const { settings } = line;
    const { environment } = context;
    const assignment = readAssignment(environment);
    const place = assignment ?? { index: 1, count: 1, requiresKeys: false };
    const log = openServerLog(settings, place, context);
    checkConflicts(settings);
    if (assignment === null) {
      for (const stray of strayVariables(environment)) log.warn(strayVariableText(stray));
      for (const warning of visibleSecrets(line.given)) log.warn(warning);
    }
    const state = stateDirectory(settings['state-dir'], environment);
    if (settings.workers > 1 && assignment === null) {
      return supervise(settings, context, log, controlPaths(state));
    }

    const reloader = new Reloader(log);
    const metricSources: MetricSource[] = [];
    const controlled = {
      reloader,
      ownMetrics: () => metricSources.flatMap(source => source()),
      files: [...reloadedFiles(settings), ...(line.configPath === null ? [] : [line.configPath])],
    };
    const life =
      assignment === null
        ? standaloneLifecycle(context, controlled, controlPaths(state), log)
        : workerLifecycle(controlled);

    const certificate = Certificate.open(settings);
    const dataKeys = await openDataKeys(settings);
    const addresses = await claimAddresses(settings, assignment, readSuccession(environment));
    const lastGood = new LastGood(join(state, 'last-good'));
    const store = new DataStore(state);
    const configured = await ConfiguredData.load(
      { settings, lastGood, store, log, saves: place.index === 1 },
      settings['require-configured-data'],
    );
    let snapshot = createSnapshot(configured.loaded, settings);
    const facts = () => ({ ...BUILD, ...dataReleases(snapshot) });
    reloader.facts = facts;
    const access = await openAccess(settings, environment, place, log, life.onKeyed);
    requireKeysIfExposed(settings, access.control);
    const signing = await openSigningKeys(settings, environment, log, access.redis, place.index === 1);
    const addressLimiter = openAddressLimiter(settings, place);
    const publicLimiters = openPublicLimiters(place);
    const traffic = new Traffic();
    const config = new ChangedConfig(line, environment);
    const url = settings['data-url'];
    const pulls =
      url === null || place.index > 1
        ? null
        : new Pulls(url, settings['data-interval'], dataArguments(line.given), log);
    const server: Server = {
      snapshot: () => snapshot,
      dataStatus: data => [
        ...configured.status(data),
        ...(pulls?.status() ?? []),
        ...dataAgeStatus(snapshot, settings, Date.now()),
        ...config.status(),
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
    const replace = (changed: Partial<typeof snapshot>) => {
      snapshot = { ...snapshot, ...changed };
    };
    if (line.configPath !== null) {
      reloader.add(config.reloadable(reread, changed => replace(reloadedOptions(changed))));
    }
    if (dataKeys !== null) reloader.add(dataKeys);
    for (const item of configured.reloadables(replace)) reloader.add(item);
    reloader.add(signing);
    reloader.add(access);

    const listeners = await openListeners(addresses, settings, server, certificate?.pair ?? null);
    if (certificate !== null) reloader.add(certificate.reloadable(listeners.all));

    metricSources.push(
      () => traffic.families(),
      signingMetrics(signing.keys),
      accessMetrics(access.control),
      addressMetrics([...(addressLimiter ? [addressLimiter] : []), ...Object.values(publicLimiters)]),
      configured.metrics,
      ...(pulls === null ? [] : [pulls.metrics]),
      () => dataMetrics(snapshot, name => configured.sourceOf(name), settings, Date.now()),
      processMetrics({
        pendingRequests: listeners.pendingRequests,
        droppedLogLines: log.droppedLines,
        lastReload: () => reloader.last,
        hostClock: readHostClock,
        certificateExpiresMs: () => certificate?.pair.expiresMs ?? null,
      }),
    );
    // Delayed for the sake of the first responses. The boundaries, six times as large, are loaded on first use.
    const loading = setTimeout(() => void snapshot.ip.load(), PRELOAD_DELAY_MS);
    const stopFollowing = configured.follow(replace);
    const heartbeat =
      access.redis === null || place.index > 1
        ? null
        : (await import('../../server/fleet/heartbeat.ts')).startHeartbeat(
            access.redis,
            {
              snapshot: () => snapshot,
              signing: signing.keys,
              revisions: access.revisions,
              stateDirectory: state,
              workers: settings.workers,
              sharesSigningKeys: settings['share-signing-keys'] !== null,
            },
            log,
          );
    log.info('started', facts());
    for (const { state, detail } of dataAgeStatus(snapshot, settings, Date.now())) {
      if (state !== 'ok') log.warn('data is too old', { what: detail });
    }
    const { lines, addresses: served } = listeners;
    const hasSuccessor = await life.untilStop({ lines, problems: configured.problems, addresses: served });
    clearTimeout(loading);
    stopFollowing();
    pulls?.stop();
    await listeners.stop(hasSuccessor);
    signing.stop();
    await heartbeat?.stop();
    await access.stop();
    await lastGood.finish();
    log.info('stopped', facts());
    await log.close();
    return 0;
  },
});

/** The file with the keys of bundles. Throws an `Error` if it cannot be used. */
async function openDataKeys({ 'data-keys': path }: ServeSettings): Promise<Reloadable | null> {
  if (path === null) return null;
  const { checkedKeyFile } = await import('../../server/bundles/bundle_keys.ts');
  return checkedKeyFile(path);
}
