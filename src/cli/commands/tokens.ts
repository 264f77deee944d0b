import { randomBytes } from 'node:crypto';
import { readAccessFiles } from '../../access/access_files.ts';
import { KEY_RANDOM_BYTES, keyDigest, keyId, makeKey } from '../../access/key_format.ts';
import { type Month, monthOf } from '../../access/month.ts';
import { RedisStore } from '../../access/redis_store.ts';
import { asStoreError, hasTokenStore } from '../../access/sqlite_file.ts';
import { SqliteStore, type StoredToken } from '../../access/sqlite_store.ts';
import { messageOf } from '../../common/message_of.ts';
import { UsageError } from '../../common/usage_error.ts';
import { tokenStorePath } from '../../server/access.ts';
import type { Command, CommandContext } from '../command.ts';
import { TOKENS_FLAGS } from '../flags.ts';
import { readCommandLine, unknownName } from '../settings.ts';

interface Task {
  readonly path: string;
  readonly operand: string;
  readonly settings: {
    readonly name: string | null;
    readonly plan: string;
    readonly plans: string | null;
    readonly redis: string | null;
    readonly json: boolean;
  };
  readonly print: CommandContext['print'];
}

const ACTIONS: Readonly<Record<string, (task: Task) => void | Promise<void>>> = {
  add,
  list,
  suspend: task => change(task, 'is suspended', (store, id) => store.suspend(id, Date.now())),
  resume: task => change(task, 'works again', (store, id) => store.suspend(id, null)),
  remove: task => change(task, 'is removed', (store, id) => store.remove(id)),
};

/** How long a command waits for a server that writes. */
const BUSY_MS = 5000;
/** How long it waits for Redis. */
const REDIS_BUDGET_MS = 2000;
const MAX_NAME_LENGTH = 100;

export const tokensCommand: Command = {
  name: 'tokens',
  synopsis: 'add --name NAME [--plan PLAN] | list | suspend ID | resume ID | remove ID',
  summary: 'API keys: make one, list them, suspend, resume and remove one',
  flags: TOKENS_FLAGS,
  actions: Object.keys(ACTIONS),
  async run(args, context) {
    const { settings, operands } = readCommandLine(TOKENS_FLAGS, args, context);
    const [name = '', ...rest] = operands;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (name === '') {
      throw new UsageError(
        'tokens needs to be told what to do: add, list, suspend ID, resume ID or remove ID',
      );
    }
    if (action === undefined) throw unknownName(`command 'tokens ${name}'`, name, Object.keys(ACTIONS));
    const wanted = name === 'add' || name === 'list' ? 0 : 1;
    if (rest.length !== wanted) {
      throw new UsageError(`tokens ${name} takes ${wanted === 0 ? 'flags only' : 'one argument, the ID'}`);
    }
    const path = tokenStorePath(settings, context);
    await action({ path, operand: rest[0] ?? '', settings, print: context.print });
    return 0;
  },
};

/** Prints the key alone on stdout, so that a script can keep it; nobody can ever show it again. */
function add({ path, settings, print }: Task): void {
  const name = checkedName(settings.name);
  checkPlan(settings);
  const { id, key } = makeKey(randomBytes(KEY_RANDOM_BYTES));
  withStore(path, true, store =>
    store.add({ id, name, plan: settings.plan, digest: keyDigest(key), createdMs: Date.now() }),
  );
  print(key);
  console.error(`meridian: this is API key ${id} of plan '${settings.plan}', shown this once`);
}

async function list({ path, settings, print }: Task): Promise<void> {
  const month = monthOf(Date.now());
  const rows = hasTokenStore(path) ? withStore(path, false, store => rowsOf(store, month)) : [];
  if (settings.redis !== null) await addShared(rows, month, settings.redis);
  if (settings.json) print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) print(`no API keys in ${path}`);
  else print(asTable(rows, month));
}

function change(
  { path, operand, print }: Task,
  done: string,
  act: (store: SqliteStore, id: string) => boolean,
): void {
  const id = keyId(operand) ?? operand;
  const isDone = hasTokenStore(path) && withStore(path, false, store => act(store, id));
  if (!isDone) throw new Error(`There is no API key '${id}' in ${path}`);
  print(`${id} ${done}; servers that run take it over within a second`);
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

function checkedName(name: string | null): string {
  if (name === null) throw new UsageError('tokens add needs --name NAME: who the key is for');
  if (name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    throw new UsageError(`--name: at most ${MAX_NAME_LENGTH} characters on one line are wanted`);
  }
  return name;
}

/** A plan that no server knows would make a key that every server refuses. */
function checkPlan({ plan, plans }: Task['settings']): void {
  const known = readAccessFiles({ keys: [], keyFiles: [], plans, marketplaceKeys: null }).plans;
  if (known.has(plan)) return;
  if (plans !== null) throw unknownName(`plan '${plan}' in ${plans}`, plan, [...known.keys()]);
  console.error(`meridian: plan '${plan}' has to be in the --plans of the servers; here none were given`);
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly state: 'active' | 'suspended';
  readonly created: string;
  readonly last_used: string | null;
  used_this_month: number;
}

function rowsOf(store: SqliteStore, month: Month): Row[] {
  return store.tokens().map((token: StoredToken) => ({
    id: token.id,
    name: token.name,
    plan: token.plan,
    state: token.suspendedMs === null ? 'active' : 'suspended',
    created: isoSeconds(token.createdMs),
    last_used: token.lastUsedMs === null ? null : isoSeconds(token.lastUsedMs),
    used_this_month: store.used(token.id, month.index),
  }));
}

/** Adds what the shared store counted; the file holds only what that does not know yet. */
async function addShared(rows: readonly Row[], month: Month, url: string): Promise<void> {
  const store = new RedisStore(url, REDIS_BUDGET_MS);
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
  const head = ['ID', 'NAME', 'PLAN', 'STATE', 'CREATED', 'LAST USED', `IN ${month.label}`];
  const lines = [
    head,
    ...rows.map(row => [
      row.id,
      row.name,
      row.plan,
      row.state,
      row.created,
      row.last_used ?? 'never',
      String(row.used_this_month),
    ]),
  ];
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function isoSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
