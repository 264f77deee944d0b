import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import { respondToMessage } from '../../api/mcp/server.ts';
import { oneLine, UsageError, visibleLines } from '../../common/errors.ts';
import type { Server } from '../../http/snapshot.ts';
import { createApp } from '../../server/app.ts';
import { BUILD } from '../../server/build_info.ts';
import { DataStore } from '../../server/bundles/data_store.ts';
import { dataStatus } from '../../server/data_sets.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { loadInstalled } from '../../server/load_data.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { createSnapshot } from '../../server/snapshot.ts';
import { type Environment, stateDirectory } from '../../server/state_directory.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { fixedKeys, type SigningKeys } from '../../signing/key_set.ts';
import { KeyStoreError } from '../../signing/key_store.ts';
import { defineCommand, note } from '../command.ts';
import { DATA_SETTINGS, fromServe, type SettingsOf, toggle } from '../flags.ts';

const STDOUT = 1;

/** The flags of `mcp`, which `get` shares. */
export const MCP_FLAGS = { ...DATA_SETTINGS, ...fromServe('max-bulk', 'public-url') } as const;

/** The flags of `get`. */
export const GET_FLAGS = {
  include: toggle('also print status and headers (short: -i)', { short: 'i' }),
  ...MCP_FLAGS,
} as const;

export const getCommand = defineCommand({
  name: 'get',
  synopsis: "'PATH?QUERY' [flags]",
  summary: 'handle one request in this process, without a server',
  flags: GET_FLAGS,
  takesOperands: true,
  async run({ settings, operands }, context) {
    const [path, ...rest] = operands;
    if (path === undefined || rest.length > 0 || !path.startsWith('/'))
      throw new UsageError("get takes one path: meridian get '/v1/time/current?tz=Europe/Paris'");
    const { app, signing } = await openLocalApp(settings, context.environment);
    const response = await app.handle(new Request(`http://localhost${path}`));
    const text = `${settings.include ? headText(response) : ''}${await response.text()}`;
    // When writing to a file, an extra line feed would invalidate the body's signature.
    await context.write(context.isTerminal(STDOUT) ? `${visibleLines(text.trimEnd())}\n` : text);
    if (response.status >= 500 && signing.problem !== undefined) note(signing.problem);
    return response.ok ? 0 : 1;
  },
});

function headText({ status, statusText, headers }: Response): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${status} ${statusText}`.trimEnd(), ...lines].join('\n')}\n\n`;
}

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
    // One message a line, until the agent closes stdin; its bytes, since the message must be UTF-8.
    process.stdin.setEncoding('latin1');
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      const { body } = await respondToMessage(Buffer.from(line, 'latin1'), null, server);
      if (body !== null) await context.write(`${body}\n`);
    }
    return 0;
  },
});

/** The user's home directory, or `/var/empty`, which has no installed data, if there is none. */
function homeOrNone(): string {
  try {
    return homedir();
  } catch {
    return '/var/empty';
  }
}

/** An app that handles requests within this process, and the keys that it signs with. */
export async function openLocalApp(settings: SettingsOf<typeof MCP_FLAGS>, environment: Environment) {
  const signing = await existingKeys(() => keyDirectory(settings, environment));
  const store = new DataStore(stateDirectory(settings['state-dir'], environment, homeOrNone));
  const loaded = await loadInstalled(settings, store);
  for (const problem of loaded.problems) note(problem);
  const snapshot = createSnapshot(loaded, settings);
  const server: Server = {
    snapshot: () => snapshot,
    dataStatus,
    now: Date.now,
    signing,
    access: null,
    hostClock: readHostClock,
    metrics: () => Promise.resolve(''),
    logError: (message, cause) => note(`${message}: ${oneLine(cause)}`),
  };
  // The client is this machine, as on a unix socket.
  return { app: createApp(server, { peerOf: () => 'unix' }), signing };
}

/** The existing keys. A missing or unreadable store fails only signed requests. */
async function existingKeys(store: () => KeyDirectory): Promise<SigningKeys> {
  try {
    return fixedKeys(await store().read());
  } catch (error) {
    if (error instanceof KeyStoreError || error instanceof UsageError) return fixedKeys([], error.message);
    throw error;
  }
}
