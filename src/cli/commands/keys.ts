import { randomBytes } from 'node:crypto';
import { keyDirectory } from '../../server/signing_keys.ts';
import { keySetOf } from '../../signing/key_set.ts';
import { publicKeySet } from '../../signing/public_key_set.ts';
import { type ActionInput, defineActions } from '../command.ts';
import { KEYS_FLAGS, type SettingsOf } from '../flags.ts';

type Input = ActionInput<SettingsOf<typeof KEYS_FLAGS>>;

const EFFECT = 'running servers notice within a minute, on SIGHUP at once';

export const keysCommand = defineActions({
  name: 'keys',
  synopsis: 'list | rotate [--force] | revoke KID | export',
  summary: 'signing keys: list, rotate, revoke, export the public key set',
  flags: KEYS_FLAGS,
  usesState: true,
  actions: {
    list: { run: list },
    rotate: { run: rotate },
    revoke: { operand: 'KID', run: revoke },
    export: { run: exportSet },
  },
});

function storeOf({ settings, context }: Input) {
  return keyDirectory(settings, context.environment);
}

async function list(input: Input): Promise<void> {
  const { print } = input.context;
  const store = storeOf(input);
  const keys = await store.load();
  const { active, published } = keySetOf(keys, input.settings['retain-keys']);
  if (keys.length === 0) print(`no signing keys in ${store.path}`);
  for (const { kid, createdMs } of keys) {
    const isPublished = published.some(key => key.kid === kid);
    const state = kid === active?.kid ? 'active' : isPublished ? 'retired' : 'not published';
    print(`${kid}  ${new Date(createdMs).toISOString()}  ${state}`);
  }
}

async function rotate(input: Input): Promise<void> {
  const { force } = input.settings;
  const [key] = await storeOf(input).rotate({ epochMs: Date.now(), seed: randomBytes(32), force });
  input.context.print(`${key?.kid} is now the active key; ${EFFECT}`);
}

async function revoke(input: Input): Promise<void> {
  await storeOf(input).revoke(input.operand);
  input.context.print(`${input.operand} is revoked, and its signatures no longer verify; ${EFFECT}`);
}

async function exportSet(input: Input): Promise<void> {
  const { published } = keySetOf(await storeOf(input).load(), input.settings['retain-keys']);
  input.context.print(JSON.stringify(publicKeySet(published), null, 2));
}
