import { randomBytes } from 'node:crypto';
import { UsageError } from '../../common/usage_error.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import type { KeyDirectory } from '../../signing/key_directory.ts';
import { keySetOf } from '../../signing/key_set.ts';
import { publicKeySet } from '../../signing/public_key_set.ts';
import type { Command, CommandContext } from '../command.ts';
import { KEYS_FLAGS } from '../flags.ts';
import { readCommandLine, unknownName } from '../settings.ts';

interface Task {
  readonly store: KeyDirectory;
  readonly operands: readonly string[];
  readonly settings: { readonly force: boolean; readonly 'retain-keys': number };
  readonly print: CommandContext['print'];
}

const ACTIONS: Readonly<Record<string, (task: Task) => Promise<void>>> = {
  list,
  rotate,
  revoke,
  export: exportSet,
};

const TAKEN_OVER = 'servers that run take it over within a minute, on SIGHUP at once';

export const keysCommand: Command = {
  name: 'keys',
  synopsis: 'list | rotate [--force] | revoke KID | export',
  summary: 'signing keys: list them, make a new one, withdraw one, print the public key set',
  flags: KEYS_FLAGS,
  actions: Object.keys(ACTIONS),
  async run(args, context) {
    const { settings, operands } = readCommandLine(KEYS_FLAGS, args, context);
    const [name = '', ...rest] = operands;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (name === '')
      throw new UsageError('keys needs to be told what to do: list, rotate, revoke KID or export');
    if (action === undefined) throw unknownName(`command 'keys ${name}'`, name, Object.keys(ACTIONS));
    const expected = name === 'revoke' ? 1 : 0;
    if (rest.length !== expected) {
      throw new UsageError(`keys ${name} takes ${expected === 0 ? 'no argument' : 'one argument, the KID'}`);
    }
    const { print } = context;
    await action({ store: keyDirectory(settings, context), operands: rest, settings, print });
    return 0;
  },
};

async function list({ store, settings, print }: Task): Promise<void> {
  const keys = await store.load();
  const { active, published } = keySetOf(keys, settings['retain-keys']);
  if (keys.length === 0) print(`no signing keys in ${store.path}`);
  for (const { kid, createdMs } of keys) {
    const isPublished = published.some(key => key.kid === kid);
    const state = kid === active?.kid ? 'active' : isPublished ? 'retired' : 'not published';
    print(`${kid}  ${new Date(createdMs).toISOString()}  ${state}`);
  }
}

async function rotate({ store, settings, print }: Task): Promise<void> {
  const rotation = { epochMs: Date.now(), seed: randomBytes(32), force: settings.force };
  const [key] = await store.rotate(rotation);
  print(`${key?.kid} is the active key now; ${TAKEN_OVER}`);
}

async function revoke({ store, operands, print }: Task): Promise<void> {
  const [kid = ''] = operands;
  await store.revoke(kid);
  print(`${kid} is withdrawn, and what it signed no longer verifies; ${TAKEN_OVER}`);
}

async function exportSet({ store, settings, print }: Task): Promise<void> {
  const { published } = keySetOf(await store.load(), settings['retain-keys']);
  print(JSON.stringify(publicKeySet(published), null, 2));
}
