import { visible, visibleLines } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { defineCommand } from '../command.ts';
import { GET_FLAGS } from '../flags.ts';
import { openLocalApp } from '../local_app.ts';

const STDOUT = 1;

export const getCommand = defineCommand({
  name: 'get',
  synopsis: "'PATH?QUERY' [flags]",
  summary: 'handle one request in this process, without a server',
  flags: GET_FLAGS,
  takesOperands: true,
  async run({ settings, operands }, context) {
    const [path, ...rest] = operands;
    if (path === undefined || rest.length > 0 || !path.startsWith('/')) {
      throw new UsageError("get takes one path: meridian get '/v1/time/current?tz=Europe/Paris'");
    }
    const { app, signing } = await openLocalApp(settings, context.environment);
    const response = await app.handle(new Request(`http://localhost${path}`));
    const text = `${settings.include ? headText(response) : ''}${await response.text()}`;
    // When writing to a file, an extra line feed would invalidate the body's signature.
    await context.write(context.isTerminal(STDOUT) ? `${visibleLines(text.trimEnd())}\n` : text);
    if (response.status >= 500 && signing.problem !== undefined)
      console.error(`meridian: ${visible(signing.problem)}`);
    return response.ok ? 0 : 1;
  },
});

function headText({ status, statusText, headers }: Response): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${status} ${statusText}`.trimEnd(), ...lines].join('\n')}\n\n`;
}
