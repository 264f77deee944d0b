import { createApp } from '../../http/app.ts';
import type { Command } from '../command.ts';
import { loadZones } from '../data.ts';
import { SERVE_FLAGS } from '../flags.ts';
import { listen } from '../listener.ts';
import { readCommandLine } from '../settings.ts';
import { stopSignal } from '../stop_signal.ts';
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
    const app = createApp({
      now: Date.now,
      zones: loadZones(settings.zoneinfo),
      maxBulk: settings['max-bulk'],
      corsOrigin: settings['cors-origin'],
      logError: (message, cause) => console.error(message, cause),
    });
    const listeners = await Promise.all(settings.listen.map(address => listen(address, app.fetch)));
    for (const { url } of listeners) context.print(`meridian listening on ${url}`);
    await stopSignal();
    await Promise.all(listeners.map(listener => listener.stop()));
    return 0;
  },
};
