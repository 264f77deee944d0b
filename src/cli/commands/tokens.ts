import {
  DEFAULT_OVERLAP,
  type Expiry,
  KeyAdministration,
  parseExpiry,
  parseKeyName,
  parseMonth,
} from '../../access/administration.ts';
import { keyId, ROLES } from '../../access/key_format.ts';
import type { KeyChanges } from '../../access/key_store.ts';
import { messageOf, UsageError, visible } from '../../common/errors.ts';
import { utcText } from '../../common/iso_text.ts';
import { parseDuration } from '../../common/settings_text.ts';
import { keyStorePath } from '../../server/access.ts';
import { knownPlans, withKeyStore } from '../access_stores.ts';
import { type ActionInput, defineActions } from '../command.ts';
import {
  COMMON_FLAGS,
  choice,
  fromServe,
  optional,
  parseText,
  type SettingsOf,
  single,
  toggle,
} from '../flags.ts';
import { unknownName } from '../settings.ts';
import { printKeys, printUsage } from '../token_reports.ts';
import { exportTokens, importTokens } from '../token_transfer.ts';

const FLAGS = {
  ...COMMON_FLAGS,
  name: optional('NAME', 'add, edit: who the key is for', { fallbackText: 'required by add' }),
  role: choice(ROLES, 'add, edit: operators may also read /metrics and manage keys', 'client'),
  plan: single('PLAN', 'add, edit: its plan', 'default', parseText),
  expires: single<Expiry>(
    'WHEN',
    "add, expire: a date, '90d' from now, or 'never'",
    () => null,
    parseExpiry,
    { fallbackText: 'never; expire: now' },
  ),
  overlap: single(
    'TIME',
    'rotate: how long the old key stays valid: 12h, 7d, 0',
    parseDuration(DEFAULT_OVERLAP),
    parseDuration,
    { fallbackText: DEFAULT_OVERLAP },
  ),
  month: single('MONTH', 'list, usage: a month, such as 2026-11', null, parseMonth, {
    fallbackText: 'list: this one; usage: all',
  }),
  ...fromServe('plans', 'redis'),
  json: toggle('list, usage: print JSON'),
  csv: toggle('usage: print CSV'),
  merge: toggle('import: even if there are other keys'),
} as const;

type Settings = SettingsOf<typeof FLAGS>;
type Input = ActionInput<Settings>;

export const tokensCommand = defineActions({
  name: 'tokens',
  synopsis: 'add|list|usage | edit|rotate|expire|suspend|resume|remove ID | export|import',
  summary: 'API keys: add, list, edit, rotate, expire, suspend, remove, export, import; usage',
  flags: FLAGS,
  usesState: true,
  actions: {
    add: { run: add },
    list: { run: input => withKeys(input, keys => printKeys(input, keys, placeOf(input))) },
    usage: { run: input => withKeys(input, keys => printUsage(input, keys)) },
    edit: change(async input => {
      const changes = await editsOf(input);
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
      run: input => withKey(input, (keys, id) => keys.remove(id, Date.now()), 'is removed'),
    },
    export: { operand: 'FILE', run: input => exportTokens(input, pathOf(input)) },
    import: { operand: 'FILE', run: input => importTokens(input, pathOf(input), placeOf(input)) },
  },
});

function pathOf({ settings, context }: Input): string {
  return keyStorePath(settings, context.environment);
}

/** The location of the keys, for messages. */
function placeOf(input: Input): string {
  return `${input.settings.redis === null ? '' : 'Redis or '}${pathOf(input)}`;
}

/** Prints only the key to stdout, so that a script can store it; it cannot be shown again. */
async function add(input: Input): Promise<void> {
  const { settings, context } = input;
  if (settings.name === null) throw new UsageError('tokens add requires --name NAME: who the key is for');
  const { role, plan } = settings;
  const name = validName(settings.name);
  await checkPlan(settings);
  const nowMs = Date.now();
  const expiresMs = settings.expires(nowMs);
  const { key, report } = await withKeys(
    input,
    keys => keys.add({ name, role, plan, expiresMs }, nowMs),
    true,
  );
  context.print(key);
  const asOperator = role === 'operator' ? ", with the role 'operator'" : '';
  const expiry = expiresMs === null ? '' : `, which expires at ${utcText(expiresMs)}`;
  console.error(
    `meridian: this is API key ${report.id} of plan '${visible(plan)}'${asOperator}${expiry}, shown only once`,
  );
}

/** Prints only the new key to stdout. */
async function rotate(input: Input): Promise<void> {
  const id = idOf(input);
  const endMs = Date.now() + input.settings.overlap;
  const key = await withKeys(input, keys => keys.rotate(id, endMs));
  if (key === null) throw noSuchKey(input);
  input.context.print(key);
  console.error(
    `meridian: this is the new API key ${id}, shown only once; the old one expires at ${utcText(endMs)}`,
  );
}

interface Change {
  readonly changes: KeyChanges;
  readonly done: string;
}

/** An action that changes one key. */
function change(changesOf: (input: Input) => Change | Promise<Change>) {
  return {
    operand: 'ID',
    async run(input: Input): Promise<void> {
      const { changes, done } = await changesOf(input);
      await withKey(input, (keys, id) => keys.change(id, changes), done);
    },
  };
}

/** The changes given on the command line. */
async function editsOf({ settings, given }: Input): Promise<KeyChanges> {
  const { role, plan, name } = settings;
  const changes = {
    ...(name !== null && { name: validName(name) }),
    ...(given.has('role') && { role }),
    ...(given.has('plan') && { plan }),
  };
  if (Object.keys(changes).length === 0)
    throw new UsageError('tokens edit requires --name, --role or --plan');
  if (given.has('plan')) await checkPlan(settings);
  return changes;
}

function expiryOf({ settings, given }: Input): number | null {
  const nowMs = Date.now();
  return given.has('expires') ? settings.expires(nowMs) : nowMs;
}

/** @throws {Error} if there is no such key */
async function withKey(
  input: Input,
  attempt: (keys: KeyAdministration, id: string) => Promise<boolean>,
  done: string,
): Promise<void> {
  const id = idOf(input);
  if (!(await withKeys(input, keys => attempt(keys, id)))) throw noSuchKey(input);
  input.context.print(`${id} ${done}; running servers apply this within a second`);
}

function noSuchKey(input: Input): Error {
  return new Error(`There is no API key '${idOf(input)}' in ${placeOf(input)}`);
}

/** The id of the key; the operand is an id or a whole key. */
function idOf({ operand }: Input): string {
  return keyId(operand) ?? operand;
}

/** A missing file counts as empty; it is created if `create` is set. */
function withKeys<Result>(
  input: Input,
  work: (keys: KeyAdministration) => Promise<Result>,
  create = false,
): Promise<Result> {
  const place = { path: pathOf(input), redis: input.settings.redis };
  return withKeyStore(place, create, store => work(new KeyAdministration(() => store)));
}

function validName(name: string): string {
  try {
    return parseKeyName(name);
  } catch (error) {
    throw new UsageError(`--name: ${messageOf(error)}`);
  }
}

/** Servers reject keys with an unknown plan. */
async function checkPlan(settings: Settings): Promise<void> {
  const { plan, plans: file, redis } = settings;
  const known = await knownPlans(settings);
  if (known.has(plan)) return;
  const inRedis = redis === null ? '' : ' and in Redis';
  if (file !== null) throw unknownName(`plan '${plan}' in ${file}${inRedis}`, plan, [...known.keys()]);
  const notInRedis = redis === null ? '' : 'is not in Redis and ';
  console.error(
    `meridian: plan '${visible(plan)}' ${notInRedis}must exist in the servers' --plans; not checked, as --plans is not set here`,
  );
}
