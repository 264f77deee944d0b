import { randomBytes } from 'node:crypto';
import { messageOf } from '../../common/errors.ts';
import { keyDirectory } from '../../server/signing_keys.ts';
import { keySetOf, publicKeySet } from '../../signing/key_set.ts';
import type { ManagedSigningKeyStore } from '../../signing/key_store.ts';
import type { SigningKey } from '../../signing/signing_key.ts';
import { type ActionInput, defineActions } from '../command.ts';
import { COMMON_FLAGS, fromServe, type SettingsOf, toggle } from '../flags.ts';
import { EFFECT } from '../report.ts';

const FLAGS = {
  ...COMMON_FLAGS,
  force: toggle('use the next free date, or revoke a key that another machine signs with'),
  ...fromServe('retain-keys', 'redis'),
} as const;

type Input = ActionInput<SettingsOf<typeof FLAGS>>;

export const keysCommand = defineActions({
  name: 'keys',
  summary: 'signing keys: list, rotate, revoke, export the public key set',
  flags: FLAGS,
  usesState: true,
  actions: {
    list: { run: list },
    rotate: { flags: ['force'], run: rotate },
    revoke: { operand: 'KID', flags: ['force'], run: revoke },
    export: { run: exportSet },
  },
});

/** Runs `work` on the keys of this machine or, with Redis, of all machines. */
async function withStore<Result>(
  input: Input,
  work: (store: ManagedSigningKeyStore) => Promise<Result>,
): Promise<Result> {
  const { settings, context } = input;
  const directory = keyDirectory(settings, context.environment);
  const { redis } = settings;
  if (redis === null) return work(directory);
  const [{ withRedis }, { fleetKeyStore, redisKeys }] = await Promise.all([
    import('../access_stores.ts'),
    import('../../server/redis_keys.ts'),
  ]);
  return withRedis(redis, store =>
    work(fleetKeyStore(directory, redisKeys(store.hash('signing-keys', orFail), null, fail), fail)),
  );
}

/** A command fails without Redis, whereas a server continues. */
function orFail<Value>(command: () => Promise<Value>): Promise<Value> {
  return command().catch(error => fail(messageOf(error)));
}

function fail(message: string): never {
  throw new Error(message);
}

async function list(input: Input): Promise<void> {
  const { print, environment } = input.context;
  const keys = await withStore(input, store => store.read());
  const { active, published } = keySetOf(keys, input.settings['retain-keys']);
  const { path } = keyDirectory(input.settings, environment);
  const places = `${path}${input.settings.redis === null ? '' : ' or Redis'}`;
  if (keys.length === 0) print(`no signing keys in ${places}`);
  for (const key of keys) {
    const state = key.kid === active?.kid ? 'active' : stateOf(key, published);
    print(`${key.kid}  ${new Date(key.createdMs).toISOString()}  ${state}`);
  }
}

function stateOf(key: SigningKey, published: readonly SigningKey[]): string {
  if (key.elsewhere === 'active') return 'active on another machine';
  return published.includes(key) ? 'retired' : 'not published';
}

async function rotate(input: Input): Promise<void> {
  const { force } = input.settings;
  const [key] = await withStore(input, store =>
    store.rotate({ epochMs: Date.now(), seed: randomBytes(32), force }),
  );
  input.context.print(`${key?.kid} is now the active key; ${EFFECT}`);
}

async function revoke(input: Input): Promise<void> {
  await withStore(input, store => store.revoke(input.operand, input.settings.force));
  input.context.print(`${input.operand} is revoked, and its signatures no longer verify; ${EFFECT}`);
}

async function exportSet(input: Input): Promise<void> {
  const keys = await withStore(input, store => store.read());
  const { published } = keySetOf(keys, input.settings['retain-keys']);
  input.context.print(JSON.stringify(publicKeySet(published), null, 2));
}
