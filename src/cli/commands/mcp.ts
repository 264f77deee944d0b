import { createInterface } from 'node:readline';
import { respondToMessage } from '../../api/mcp/protocol.ts';
import { BUILD } from '../../server/build_info.ts';
import { defineCommand } from '../command.ts';
import { MCP_FLAGS } from '../flags.ts';
import { openLocalApp } from '../local_app.ts';

export const mcpCommand = defineCommand({
  name: 'mcp',
  synopsis: '[flags]',
  summary: 'serve one agent over stdin and stdout (Model Context Protocol)',
  flags: MCP_FLAGS,
  async run({ settings }, context) {
    const { app } = await openLocalApp(settings, context.environment);
    const server = {
      version: BUILD.version,
      get: (target: string) => app.handle(new Request(`http://localhost${target}`)),
      requestId: () => crypto.randomUUID(),
    };
    // One message a line, until the agent closes stdin.
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      const { body } = await respondToMessage(line, null, server);
      if (body !== null) await context.write(`${body}\n`);
    }
    return 0;
  },
});
