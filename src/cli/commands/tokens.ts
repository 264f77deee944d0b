import { SQLiteError } from 'bun:sqlite';
import { readAccessFiles } from '../../access/access_files.ts';
import { addKey, rotateKey } from '../../access/administration/issued_key.ts';
import { NO_KEYS } from '../../access/administration/key_administration.ts';
import { parseKeyName } from '../../access/administration/key_terms.ts';
import { keyId } from '../../access/key_format.ts';
import { ConnectionFailure, RedisStore } from '../../access/redis/redis_store.ts';
import { RedisTokenStore } from '../../access/redis/redis_token_store.ts';
import { asStoreError, hasTokenStore } from '../../access/sqlite_file.ts';
import { SqliteStore } from '../../access/sqlite_store.ts';
import type { TokenChanges, TokenStore } from '../../access/stored_token.ts';
import { utcText } from '../../common/iso_text.ts';
import { messageOf, visible } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { tokenStorePath } from '../../server/access.ts';
import { type ActionInput, defineActions } from '../command.ts';
import { type SettingsOf, TOKENS_FLAGS } from '../flags.ts';
import { unknownName } from '../settings.ts';
import { printKeys, printUsage } from '../token_reports.ts';

type Settings = SettingsOf<typeof TOKENS_FLAGS>;
type Input = ActionInput<Settings>;

/** How long a command waits for a server that is writing. */
const BUSY_MS = 5000;
const REDIS_SILENCE_MS = 2000;

export const tokensCommand = defineActions({
  name: 'tokens',
  synopsis: 'add --name NAME | list | usage | edit|rotate|expire|suspend|resume|remove ID',
  summary: 'API keys: add, list, edit, rotate, expire, suspend, resume, remove; their usage',
  flags: TOKENS_FLAGS,
  usesState: true,
  actions: {
    add: { run: add },
    list: { run: input => withExisting(input, store => printKeys(input, store, placeOf(input))) },
    usage: { run: input => withExisting(input, store => printUsage(input, store)) },
    edit: change(input => {
      const changes = editsOf(input);
      return { changes, done: `has changed: ${Object.keys(changes).join(', ')}` };
    }),
    rotate: { operand: 'ID', run: rotate },
    expire: change(input => {
      const expiresMs = expiryOf(input);
      const done = expiresMs === null ? 'never expires' : `expires at ${utcText(expiresMs)}`;
      return { changes: { expiresMs }, done };
    }),
    suspend: change(() => ({ changes: { suspendedMs: Date.now() }, done: 'is suspended' })),
    resume: change(() => ({ changes: { suspendedMs: null }, done: 'is active again' })),
    remove: {
      operand: 'ID',
      run: input => withKey(input, (store, id) => store.remove(id, Date.now()), 'is removed'),
    },
  },
});

function pathOf({ settings, context }: Input): string {
  return tokenStorePath(settings, context.environment);
}

/** Where the keys are, for messages. */
function placeOf(input: Input): string {
  return `${input.settings.redis === null ? '' : 'Redis or '}${pathOf(input)}`;
}

/** Prints only the key to stdout, so that a script can store it; it cannot be shown again. */
async function add(input: Input): Promise<void> {
  const { settings, context } = input;
  if (settings.name === null) throw new UsageError('tokens add requires --name NAME: who the key is for');
  const { role, plan } = settings;
  const name = validName(settings.name);
  checkPlan(settings);
  const nowMs = Date.now();
  const expiresMs = settings.expires(nowMs);
  const { id, key } = await withStore(input, true, store =>
    addKey(store, { name, role, plan, expiresMs }, nowMs),
  );
  context.print(key);
  const asOperator = role === 'operator' ? ", with the role 'operator'" : '';
  const expiry = expiresMs === null ? '' : `, which expires at ${utcText(expiresMs)}`;
  console.error(
    `meridian: this is API key ${id} of plan '${visible(plan)}'${asOperator}${expiry}, shown only once`,
  );
}

/** Prints only the new key to stdout. */
async function rotate(input: Input): Promise<void> {
  const id = idOf(input);
  const endMs = Date.now() + input.settings.overlap;
  const key = await withExisting(input, store => rotateKey(store, id, endMs));
  if (key === null) throw noSuchKey(input);
  input.context.print(key);
  console.error(
    `meridian: this is the new API key ${id}, shown only once; the former one expires at ${utcText(endMs)}`,
  );
}

/** An action that changes one key. */
function change(changesOf: (input: Input) => { readonly changes: TokenChanges; readonly done: string }) {
  return {
    operand: 'ID',
    run(input: Input): Promise<void> {
      const { changes, done } = changesOf(input);
      return withKey(input, (store, id) => store.change(id, changes), done);
    },
  };
}

/** What is given on the command line. */
function editsOf({ settings, given }: Input): TokenChanges {
  const { role, plan, name } = settings;
  const changes = {
    ...(name !== null && { name: validName(name) }),
    ...(given.has('role') && { role }),
    ...(given.has('plan') && { plan }),
  };
  if (Object.keys(changes).length === 0)
    throw new UsageError('tokens edit requires --name, --role or --plan');
  if (given.has('plan')) checkPlan(settings);
  return changes;
}

function expiryOf({ settings, given }: Input): number | null {
  const nowMs = Date.now();
  return given.has('expires') ? settings.expires(nowMs) : nowMs;
}

type Attempt = (store: TokenStore, id: string) => boolean | Promise<boolean>;

async function withKey(input: Input, attempt: Attempt, done: string): Promise<void> {
  await requireKey(input, attempt);
  input.context.print(`${idOf(input)} ${done}; running servers notice within a second`);
}

/** @throws {Error} if there is no such key */
async function requireKey(input: Input, attempt: Attempt): Promise<void> {
  const id = idOf(input);
  const isDone = await withExisting(input, store => attempt(store, id));
  if (!isDone) throw noSuchKey(input);
}

function noSuchKey(input: Input): Error {
  return new Error(`There is no API key '${idOf(input)}' in ${placeOf(input)}`);
}

/** The id of the key that an operand is, or names. */
function idOf({ operand }: Input): string {
  return keyId(operand) ?? operand;
}

/** As {@link withStore}; a file that does not exist is an empty store and is not created. */
function withExisting<Result>(input: Input, work: Work<Result>): Promise<Result> {
  return withStore(input, false, work);
}

type Work<Result> = (store: TokenStore) => Result | Promise<Result>;

/** Works on the keys in Redis, if that is set, and in the file. */
async function withStore<Result>(input: Input, create: boolean, work: Work<Result>): Promise<Result> {
  const { redis: url } = input.settings;
  if (url === null) return withFile(input, create, work);
  const redis = new RedisStore(url, REDIS_SILENCE_MS);
  try {
    await redis.connect();
    return await withFile(input, false, file => work(new RedisTokenStore(redis, file)));
  } catch (error) {
    if (error instanceof ConnectionFailure)
      throw new Error(`Cannot use the API keys in Redis: ${error.message}`);
    throw error;
  } finally {
    redis.close();
  }
}

async function withFile<Result>(input: Input, create: boolean, work: Work<Result>): Promise<Result> {
  const path = pathOf(input);
  if (!create && !hasTokenStore(path)) return work(NO_KEYS);
  const store = new SqliteStore(path, { create, durable: true, busyMs: BUSY_MS });
  try {
    return await work(store);
  } catch (error) {
    throw error instanceof SQLiteError ? asStoreError(`Cannot use the API keys in '${path}'`, error) : error;
  } finally {
    store.close();
  }
}

function validName(name: string): string {
  try {
    return parseKeyName(name);
  } catch (error) {
    throw new UsageError(`--name: ${messageOf(error)}`);
  }
}

/** Servers reject keys of an unknown plan. */
function checkPlan({ plan, plans }: Settings): void {
  const known = readAccessFiles({ keys: [], keyFiles: [], plans, marketplaceKeys: null }).plans;
  if (known.has(plan)) return;
  if (plans !== null) throw unknownName(`plan '${plan}' in ${plans}`, plan, [...known.keys()]);
  console.error(
    `meridian: plan '${visible(plan)}' must exist in the servers' --plans; not checked, as --plans is not set here`,
  );
}
