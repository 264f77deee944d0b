import { randomBytes } from 'node:crypto';
import { readAccessFiles } from '../../access/access_files.ts';
import { KEY_RANDOM_BYTES, keyDigest, keyId, makeKey } from '../../access/key_format.ts';
import { type Month, monthOf } from '../../access/month.ts';
import { RedisStore } from '../../access/redis_store.ts';
import { asStoreError, hasTokenStore } from '../../access/sqlite_file.ts';
import { SqliteStore } from '../../access/sqlite_store.ts';
import { utcText } from '../../common/iso_text.ts';
import { messageOf, visible } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { tokenStorePath } from '../../server/access.ts';
import { type ActionInput, defineActions } from '../command.ts';
import { type SettingsOf, TOKENS_FLAGS } from '../flags.ts';
import { unknownName } from '../settings.ts';

type Settings = SettingsOf<typeof TOKENS_FLAGS>;
type Input = ActionInput<Settings>;

/** How long a command waits for a server that is writing. */
const BUSY_MS = 5000;
const REDIS_SILENCE_MS = 2000;
const MAX_NAME_LENGTH = 100;

export const tokensCommand = defineActions({
  name: 'tokens',
  synopsis: 'add --name NAME [flags] | list | suspend ID | resume ID | remove ID',
  summary: 'API keys: add, list, suspend, resume, remove',
  flags: TOKENS_FLAGS,
  usesState: true,
  actions: {
    add: { run: add },
    list: { run: list },
    suspend: change('is suspended', (store, id) => store.suspend(id, Date.now())),
    resume: change('is active again', (store, id) => store.suspend(id, null)),
    remove: change('is removed', (store, id) => store.remove(id)),
  },
});

function pathOf({ settings, context }: Input): string {
  return tokenStorePath(settings, context.environment);
}

/** Prints only the key to stdout, so that a script can store it; it cannot be shown again. */
function add(input: Input): void {
  const { settings, context } = input;
  const name = validName(settings.name);
  checkPlan(settings);
  const { id, key } = makeKey(randomBytes(KEY_RANDOM_BYTES));
  withStore(pathOf(input), true, store =>
    store.add({
      id,
      name,
      role: settings.role,
      plan: settings.plan,
      digest: keyDigest(key),
      createdMs: Date.now(),
    }),
  );
  context.print(key);
  const role = settings.role === 'operator' ? ", with the role 'operator'" : '';
  console.error(
    `meridian: this is API key ${id} of plan '${visible(settings.plan)}'${role}, shown only once`,
  );
}

async function list(input: Input): Promise<void> {
  const { settings, context } = input;
  const path = pathOf(input);
  const month = monthOf(Date.now());
  const rows = hasTokenStore(path) ? withStore(path, false, store => rowsOf(store, month)) : [];
  if (settings.redis !== null) await addSharedUsage(rows, month, settings.redis);
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) context.print(`no API keys in ${path}`);
  else context.print(asTable(rows, month));
}

/** An action that changes one key. */
function change(done: string, apply: (store: SqliteStore, id: string) => boolean) {
  return {
    operand: 'ID',
    run(input: Input): void {
      const path = pathOf(input);
      const id = keyId(input.operand) ?? input.operand;
      const isDone = hasTokenStore(path) && withStore(path, false, store => apply(store, id));
      if (!isDone) throw new Error(`There is no API key '${id}' in ${path}`);
      input.context.print(`${id} ${done}; running servers notice within a second`);
    },
  };
}

function withStore<Result>(path: string, create: boolean, work: (store: SqliteStore) => Result): Result {
  const store = new SqliteStore(path, { create, durable: true, busyMs: BUSY_MS });
  try {
    return work(store);
  } catch (error) {
    throw asStoreError(`Cannot use the API keys in '${path}'`, error);
  } finally {
    store.close();
  }
}

function validName(name: string | null): string {
  if (name === null) throw new UsageError('tokens add requires --name NAME: who the key is for');
  if (name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    throw new UsageError(`--name: expected one line of at most ${MAX_NAME_LENGTH} characters`);
  }
  return name;
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

type Row = ReturnType<typeof rowsOf>[number];

function rowsOf(store: SqliteStore, month: Month) {
  return store.tokens().map(token => ({
    id: token.id,
    name: token.name,
    role: token.role,
    plan: token.plan,
    state: token.suspendedMs === null ? 'active' : 'suspended',
    created: utcText(token.createdMs),
    last_used: token.lastUsedMs === null ? null : utcText(token.lastUsedMs),
    used_this_month: store.used(token.id, month.index),
  }));
}

/** Adds the usage counted in Redis; the file contains only usage not yet sent there. */
async function addSharedUsage(rows: readonly Row[], month: Month, url: string): Promise<void> {
  const store = new RedisStore(url, REDIS_SILENCE_MS);
  try {
    await store.connect();
    for (const row of rows) row.used_this_month += await store.used(row.id, month.label);
  } catch (error) {
    throw new Error(`Cannot read usage from Redis: ${messageOf(error)}`);
  } finally {
    store.close();
  }
}

function asTable(rows: readonly Row[], month: Month): string {
  const head = ['ID', 'NAME', 'ROLE', 'PLAN', 'STATE', 'CREATED', 'LAST USED', `IN ${month.label}`];
  // The columns are the members of a row in their order.
  const lines = [head, ...rows.map(row => Object.values(row).map(value => String(value ?? 'never')))];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  const padded = lines.map(line => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return padded.map(line => line.trimEnd()).join('\n');
}
