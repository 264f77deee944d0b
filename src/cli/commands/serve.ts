import { createApp } from '../../http/app.ts';
import type { Command } from '../command.ts';
import { loadZones } from '../data.ts';
import { fieldsOfError } from '../event_log.ts';
import { SERVE_FLAGS } from '../flags.ts';
import { listen } from '../listener.ts';
import { openServerLog } from '../log.ts';
import { openPlaces, reloadablePlaces } from '../places.ts';
import { Reloader } from '../reload.ts';
import { readCommandLine } from '../settings.ts';
import { onReloadSignal, stopSignal } from '../signals.ts';
import { openSigningKeys } from '../signing_keys.ts';
import { UsageError } from '../usage_error.ts';

export const serveCommand: Command = {
  name: 'serve',
  synopsis: '[flags]',
  summary: 'run the server (the default)',
  flags: SERVE_FLAGS,
  async run(args, context) {
    const { settings, operands } = readCommandLine(SERVE_FLAGS, args, context);
    if (operands.length > 0)
      throw new UsageError(`'${operands[0]}' is not understood: serve takes flags only`);
    const log = openServerLog(settings);
    const zones = loadZones(settings.zoneinfo);
    const places = await openPlaces(settings, zones);
    const signing = await openSigningKeys(settings, context, log);
    const services = {
      now: Date.now,
      zones,
      places,
      callerTrust: { proxies: settings['trust-proxy'], header: settings['client-ip-header'] },
      signing: signing.keys,
      maxBulk: settings['max-bulk'],
      corsOrigin: settings['cors-origin'],
      logError: (message: string, cause: unknown) => log.error(message, fieldsOfError(cause)),
    };

    const reloader = new Reloader(log);
    onReloadSignal(() => void reloader.run());
    if (settings.zoneinfo !== null) {
      reloader.add({
        name: 'zoneinfo',
        reload() {
          services.zones = loadZones(settings.zoneinfo);
          return `tzdata ${services.zones.version}`;
        },
      });
    }
    for (const item of reloadablePlaces(settings, places, () => services.zones)) reloader.add(item);
    reloader.add(signing);

    const listeners = await Promise.all(
      settings.listen.map(address => listen(address, peerOf => createApp(services, peerOf).fetch)),
    );
    for (const { url } of listeners) context.print(`meridian listening on ${url}`);
    // The boundaries, six times as large, wait for the first request that needs them.
    void places.ip.load();
    await stopSignal();
    await Promise.all(listeners.map(listener => listener.stop()));
    signing.stop();
    await log.close();
    return 0;
  },
};
