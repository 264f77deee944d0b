import { join } from 'node:path';
import { EMBEDDED_DATA } from '../../../data/manifests.ts';
import { counted } from '../../common/counted.ts';
import { UsageError } from '../../common/usage_error.ts';
import type { MetricSource } from '../../http/metrics.ts';
import type { Server, Snapshot } from '../../http/snapshot.ts';
import { Traffic } from '../../http/traffic.ts';
import { openAccess, refuseUnguarded } from '../../server/access.ts';
import { accessMetrics } from '../../server/access_metrics.ts';
import { loadHolidays, loadZones } from '../../server/data.ts';
import { fieldsOfError } from '../../server/event_log.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { liveAlone } from '../../server/lifecycle.ts';
import { Certificate } from '../../server/listening/certificate.ts';
import { claimAddresses, openListeners } from '../../server/listening/open_listeners.ts';
import { openServerLog } from '../../server/log.ts';
import { openPlaces, reloadablePlaces } from '../../server/places.ts';
import { processMetrics } from '../../server/process_metrics.ts';
import { Reloader } from '../../server/reload.ts';
import { openSigningKeys } from '../../server/signing_keys.ts';
import { signingMetrics } from '../../server/signing_metrics.ts';
import { supervise } from '../../server/workers/supervise.ts';
import { liveAsWorker } from '../../server/workers/worker_life.ts';
import { readAssignment } from '../../server/workers/worker_place.ts';
import type { Command } from '../command.ts';
import { SERVE_FLAGS, type SettingsOf } from '../flags.ts';
import { refuseConflicts } from '../setting_conflicts.ts';
import { readCommandLine } from '../settings.ts';
import { strayVariables, strayVariableText } from '../stray_variables.ts';

/** A server that listens begins to load so much later what no request has asked for. */
const MS_BEFORE_LOADING = 100;

export const serveCommand: Command = {
  name: 'serve',
  synopsis: '[flags]',
  summary: 'run the server (the default)',
  flags: SERVE_FLAGS,
  async run(args, context) {
    const { settings, operands } = readCommandLine(SERVE_FLAGS, args, context);
    if (operands.length > 0)
      throw new UsageError(`'${operands[0]}' is not understood: serve takes flags only`);
    const assignment = readAssignment(context.environment);
    const place = assignment ?? { index: 1, count: 1 };
    const log = openServerLog(settings, place);
    refuseConflicts(settings);
    if (assignment === null) {
      for (const stray of strayVariables(context.environment)) log.warn(strayVariableText(stray));
    }
    if (settings.workers > 1 && assignment === null) return supervise(settings, context, log);

    const reloader = new Reloader(log);
    const metricSources: MetricSource[] = [];
    const governed = {
      reloader,
      ownMetrics: () => metricSources.flatMap(source => source()),
      files: filesOf(settings),
    };
    const life = assignment === null ? liveAlone(context, governed) : liveAsWorker(governed);

    const certificate = Certificate.open(settings);
    const addresses = await claimAddresses(settings, assignment);
    const zones = loadZones(settings.zoneinfo);
    const places = await openPlaces(settings, zones);
    const access = await openAccess(settings, context, { index: place.index - 1, count: place.count }, log);
    refuseUnguarded(settings, access.control);
    const signing = await openSigningKeys(settings, context, log);
    const traffic = new Traffic();
    let snapshot: Snapshot = {
      zones,
      holidays: loadHolidays(settings.calendar),
      places,
      callerTrust: { proxies: settings['trust-proxy'], header: settings['client-ip-header'] },
      embeddedData: EMBEDDED_DATA,
      maxBulk: settings['max-bulk'],
      corsOrigin: settings['cors-origin'],
      publicUrl: settings['public-url'],
      requireClockSync: settings['require-clock-sync'],
    };
    const server: Server = {
      snapshot: () => snapshot,
      now: Date.now,
      signing: signing.keys,
      access: access.control,
      hostClock: readHostClock,
      metrics: life.gatherMetrics,
      logError: (message: string, cause: unknown) => log.error(message, fieldsOfError(cause)),
      observer: { traffic, accessLog: log.accessLog },
    };
    if (settings.zoneinfo !== null) {
      reloader.add({
        name: 'zoneinfo',
        reload() {
          snapshot = { ...snapshot, zones: loadZones(settings.zoneinfo) };
          return `tzdata ${snapshot.zones.version}`;
        },
      });
    }
    for (const item of reloadablePlaces(
      settings,
      () => snapshot,
      changed => {
        snapshot = { ...snapshot, places: { ...snapshot.places, ...changed } };
      },
    ))
      reloader.add(item);
    if (settings.calendar !== null) {
      reloader.add({
        name: 'calendar',
        reload() {
          snapshot = { ...snapshot, holidays: loadHolidays(settings.calendar) };
          return counted(snapshot.holidays.organisation?.size ?? 0, 'day');
        },
      });
    }
    reloader.add(signing);
    reloader.add(access);

    const listeners = await openListeners(
      addresses,
      settings['admin-listen'] !== null,
      server,
      certificate?.pair ?? null,
    );
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
    // The first answers go first. The boundaries, six times as large, wait for the first request that needs them.
    const loading = setTimeout(() => void snapshot.places.ip.load(), MS_BEFORE_LOADING);
    await life.untilStop(listeners.lines);
    clearTimeout(loading);
    await listeners.stop();
    signing.stop();
    await access.stop();
    await log.close();
    return 0;
  },
};

/** The files that a reload reads, but for keys and plans, which are looked at anyway. */
function filesOf(settings: SettingsOf<typeof SERVE_FLAGS>): string[] {
  const {
    zoneinfo,
    calendar,
    'ip-db': ipDb,
    'ip-zones': ipZones,
    'tls-cert': cert,
    'tls-key': key,
  } = settings;
  const zones = zoneinfo === null ? null : join(zoneinfo, 'tzdata.zi');
  return [zones, calendar, ipDb, ipZones, cert, key].filter(path => path !== null);
}
