import { EMBEDDED_DATA } from '../../../data/manifests.ts';
import type { MetricSource } from '../../http/metrics.ts';
import type { Server, Snapshot } from '../../http/snapshot.ts';
import { Traffic } from '../../http/traffic.ts';
import { openAccess, requireKeysIfExposed } from '../../server/access.ts';
import { dataStatus, loadData, reloadableData } from '../../server/data_sets.ts';
import { fieldsOfError } from '../../server/event_log.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { standaloneLifecycle } from '../../server/lifecycle.ts';
import { Certificate } from '../../server/listening/certificate.ts';
import { claimAddresses, openListeners } from '../../server/listening/open_listeners.ts';
import { openServerLog } from '../../server/log.ts';
import { accessMetrics, processMetrics, renderedMetrics, signingMetrics } from '../../server/metrics.ts';
import { Reloader } from '../../server/reload.ts';
import { openSigningKeys } from '../../server/signing_keys.ts';
import { supervise } from '../../server/workers/supervisor.ts';
import { workerLifecycle } from '../../server/workers/worker_lifecycle.ts';
import { readAssignment } from '../../server/workers/worker_messages.ts';
import { defineCommand } from '../command.ts';
import { reloadedFiles, SERVE_FLAGS } from '../flags.ts';
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
  async run({ settings, given }, context) {
    const assignment = readAssignment(context.environment);
    const place = assignment ?? { index: 1, count: 1, requiresKeys: false };
    const log = openServerLog(settings, place, context.isTerminal);
    checkConflicts(settings);
    if (assignment === null) {
      for (const stray of strayVariables(context.environment)) log.warn(strayVariableText(stray));
      for (const warning of visibleSecrets(given)) log.warn(warning);
    }
    if (settings.workers > 1 && assignment === null) return supervise(settings, context, log);

    const reloader = new Reloader(log);
    const metricSources: MetricSource[] = [];
    const controlled = {
      reloader,
      ownMetrics: () => metricSources.flatMap(source => source()),
      files: reloadedFiles(settings),
    };
    const life = assignment === null ? standaloneLifecycle(context, controlled) : workerLifecycle(controlled);

    const certificate = Certificate.open(settings);
    const addresses = await claimAddresses(settings, assignment);
    const data = await loadData(settings);
    const access = await openAccess(settings, context.environment, place, log, life.onKeyed);
    requireKeysIfExposed(settings, access.control);
    const signing = await openSigningKeys(settings, context.environment, log);
    const traffic = new Traffic();
    let snapshot: Snapshot = {
      ...data,
      callerTrust: { proxies: settings['trust-proxy'], header: settings['client-ip-header'] },
      embeddedData: EMBEDDED_DATA,
      maxBulk: settings['max-bulk'],
      corsOrigin: settings['cors-origin'],
      publicUrl: settings['public-url'],
      requireClockSync: settings['require-clock-sync'],
    };
    const server: Server = {
      snapshot: () => snapshot,
      dataStatus,
      now: Date.now,
      signing: signing.keys,
      access: access.control,
      hostClock: readHostClock,
      metrics: renderedMetrics(life.gatherMetrics),
      logError: (message: string, cause: unknown) => log.error(message, fieldsOfError(cause)),
      observer: { traffic, accessLog: log.accessLog },
    };
    const replace = (changed: Partial<Snapshot>) => {
      snapshot = { ...snapshot, ...changed };
    };
    for (const item of reloadableData(settings, server.snapshot, replace)) reloader.add(item);
    reloader.add(signing);
    reloader.add(access);

    const listeners = await openListeners(addresses, settings, server, certificate?.pair ?? null);
    if (certificate !== null) reloader.add(certificate.reloadable(listeners.all));

    metricSources.push(
      () => traffic.families(),
      signingMetrics(signing.keys),
      accessMetrics(access.control),
      processMetrics({
        pendingRequests: listeners.pendingRequests,
        droppedLogLines: log.droppedLines,
        lastReload: () => reloader.last,
        hostClock: readHostClock,
        zones: () => ({
          version: snapshot.zones.version,
          from: settings.zoneinfo === null ? 'embedded' : 'zoneinfo',
        }),
        embedded: EMBEDDED_DATA,
        certificateExpiresMs: () => certificate?.pair.expiresMs ?? null,
      }),
    );
    // Delayed for the sake of the first responses. The boundaries, six times as large, are loaded on first use.
    const loading = setTimeout(() => void snapshot.ip.load(), PRELOAD_DELAY_MS);
    await life.untilStop(listeners.lines);
    clearTimeout(loading);
    await listeners.stop();
    signing.stop();
    await access.stop();
    await log.close();
    return 0;
  },
});
