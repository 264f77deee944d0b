import { oneLine, visible, visibleLines } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import type { Server } from '../../http/snapshot.ts';
import { createApp } from '../../server/app.ts';
import { dataStatus } from '../../server/data_sets.ts';
import { readHostClock } from '../../server/host_clock.ts';
import { loadData } from '../../server/load_data.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { createSnapshot } from '../../server/snapshot.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { fixedKeys, type SigningKeys } from '../../signing/key_set.ts';
import { KeyStoreError } from '../../signing/key_store.ts';
import { defineCommand } from '../command.ts';
import { GET_FLAGS } from '../flags.ts';

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
    const signing = await existingKeys(() => keyDirectory(settings, context.environment));
    const { data } = await loadData(settings);
    const snapshot = createSnapshot(data, settings);
    const server: Server = {
      snapshot: () => snapshot,
      dataStatus,
      now: Date.now,
      signing,
      access: null,
      hostClock: readHostClock,
      metrics: () => Promise.resolve(''),
      logError: (message: string, cause: unknown) =>
        console.error(`meridian: ${visible(message)}: ${oneLine(cause)}`),
    };
    // The client is this machine, as on a unix socket.
    const app = createApp(server, { peerOf: () => 'unix' });
    const response = await app.handle(new Request(`http://localhost${path}`));
    const text = `${settings.include ? headText(response) : ''}${await response.text()}`;
    // In a file every byte counts: an extra line feed would invalidate the signature of the body.
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

/** The existing keys. A missing or unreadable store fails only signed requests. */
async function existingKeys(store: () => KeyDirectory): Promise<SigningKeys> {
  try {
    return fixedKeys(await store().load());
  } catch (error) {
    if (error instanceof KeyStoreError || error instanceof UsageError) return fixedKeys([], error.message);
    throw error;
  }
}
