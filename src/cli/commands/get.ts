import { createApp } from '../../http/app.ts';
import type { Command } from '../command.ts';
import { loadZones } from '../data.ts';
import { GET_FLAGS } from '../flags.ts';
import { readCommandLine } from '../settings.ts';
import { UsageError } from '../usage_error.ts';

export const getCommand: Command = {
  name: 'get',
  synopsis: "'PATH?QUERY' [flags]",
  summary: 'answer one request in this process, without a server',
  flags: GET_FLAGS,
  async run(args, context) {
    const { settings, operands } = readCommandLine(GET_FLAGS, args, context);
    const [path, ...rest] = operands;
    if (path === undefined || rest.length > 0 || !path.startsWith('/')) {
      throw new UsageError("get takes one path: meridian get '/v1/time/current?tz=Europe/Paris'");
    }
    const app = createApp({
      now: Date.now,
      zones: loadZones(settings.zoneinfo),
      maxBulk: settings['max-bulk'],
      corsOrigin: '*',
      logError: (message, cause) => console.error(message, cause),
    });
    const response = await app.handle(new Request(`http://localhost${path}`));
    const body = await response.text();
    if (settings.include) {
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
      context.print(`HTTP/1.1 ${response.status} ${response.statusText}`.trimEnd());
      context.print(`${headers.join('\n')}\n`);
    }
    context.print(body.replace(/\n$/, ''));
    return response.ok ? 0 : 1;
  },
};
