import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  type Authored,
  DEFAULT_OVERLAP,
  type Expiry,
  KeyAdministration,
  parseExpiry,
  parseKeyName,
  parseMonth,
  type Row,
  USAGE_COLUMNS,
} from '../../access/administration.ts';
import { keyId, ROLES } from '../../access/key_format.ts';
import type { KeyAction, KeyChanges, KeyStore } from '../../access/key_store.ts';
import { planEntry } from '../../access/plan.ts';
import { readTransfer, type Transfer, writeTransfer } from '../../access/transfer.ts';
import { monthAt, monthIndexOf, monthOf } from '../../access/usage.ts';
import { messageOf, systemReason, UsageError, visible } from '../../common/errors.ts';
import { utcText } from '../../common/iso_text.ts';
import { decodeUtf8 } from '../../common/json.ts';
import { parseDuration } from '../../common/settings_text.ts';
import { fileExists, replaceFile } from '../../common/state_files.ts';
import { boundedList, counted } from '../../common/words.ts';
import { csvLine } from '../../text/csv.ts';
import { keyPath, knownPlans, withKeyStore, withPlanStore } from '../access_stores.ts';
import { type ActionInput, defineActions, note } from '../command.ts';
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
import { EFFECT, table } from '../report.ts';
import { unknownName } from '../settings.ts';

const FLAGS = {
  ...COMMON_FLAGS,
  name: optional('NAME', 'who the key is for', { fallbackText: 'required by add' }),
  role: choice(ROLES, 'operators may also read /metrics and manage keys', 'client'),
  plan: single('PLAN', 'its plan', 'default', parseText),
  expires: single<Expiry>('WHEN', "a date, '90d' from now, or 'never'", () => null, parseExpiry, {
    fallbackText: 'never; expire: now',
  }),
  overlap: single(
    'TIME',
    'how long the old key stays valid: 12h, 7d, 0',
    parseDuration(DEFAULT_OVERLAP),
    parseDuration,
    { fallbackText: DEFAULT_OVERLAP },
  ),
  month: single('MONTH', 'a month, such as 2026-11', null, parseMonth, {
    fallbackText: 'this one; usage: all',
  }),
  ...fromServe('plans', 'redis'),
  json: toggle('print JSON'),
  csv: toggle('print CSV'),
  merge: toggle('even if there are other keys'),
} as const;

type Settings = SettingsOf<typeof FLAGS>;
type Input = ActionInput<Settings>;

export const tokensCommand = defineActions({
  name: 'tokens',
  summary: 'API keys: add, list, edit, rotate, suspend, remove, export, import; usage, log',
  flags: FLAGS,
  usesState: true,
  actions: {
    add: { flags: ['name', 'role', 'plan', 'expires'], run: add },
    list: { flags: ['month', 'json'], run: input => withKeys(input, keys => printKeys(input, keys)) },
    usage: {
      flags: ['month', 'json', 'csv'],
      run: input => withKeys(input, keys => printUsage(input, keys)),
    },
    log: { flags: ['json'], run: input => withKeys(input, keys => printLog(input, keys)) },
    edit: change('edit', ['name', 'role', 'plan'], async input => {
      const changes = await editsOf(input);
      return { changes, done: `has changed: ${Object.keys(changes).join(', ')}` };
    }),
    rotate: { operand: 'ID', flags: ['overlap'], run: rotate },
    expire: change('expire', ['expires'], input => {
      const expiresMs = expiryOf(input);
      const done = expiresMs === null ? 'never expires' : `expires at ${utcText(expiresMs)}`;
      return { changes: { expiresMs }, done };
    }),
    suspend: change('suspend', [], () => ({ changes: { suspendedMs: Date.now() }, done: 'is suspended' })),
    resume: change('resume', [], () => ({ changes: { suspendedMs: null }, done: 'is active again' })),
    remove: {
      operand: 'ID',
      run: input => withKey(input, (keys, id) => keys.remove(id, byUser(input)), 'is removed'),
    },
    export: { operand: 'FILE', run: exportKeys },
    import: { operand: 'FILE', flags: ['merge'], run: importKeys },
  },
});

function placeOf(input: Input): string {
  return `${input.settings.redis === null ? '' : 'Redis or '}${keyPath(input)}`;
}

/** Prints only the key to stdout, so that a script can store it; it cannot be shown again. */
async function add(input: Input): Promise<void> {
  const { settings, context } = input;
  if (settings.name === null) throw new UsageError('tokens add requires --name NAME: who the key is for');
  const { role, plan } = settings;
  const name = validName(settings.name);
  await checkPlan(settings);
  const authored = byUser(input);
  const expiresMs = settings.expires(authored.nowMs);
  const terms = { name, role, plan, expiresMs };
  const { key, report } = await withKeys(input, keys => keys.add(terms, authored), true);
  context.print(key);
  const asOperator = role === 'operator' ? ", with the role 'operator'" : '';
  const expiry = expiresMs === null ? '' : `, which expires at ${utcText(expiresMs)}`;
  note(`this is API key ${report.id} of plan '${plan}'${asOperator}${expiry}, shown only once`);
}

async function rotate(input: Input): Promise<void> {
  const id = idOf(input);
  const authored = byUser(input);
  const endMs = authored.nowMs + input.settings.overlap;
  const rotated = await withKeys(input, keys => keys.rotate(id, endMs, authored));
  if (rotated === null) throw noSuchKey(input);
  input.context.print(rotated.key);
  note(`this is the new API key ${id}, shown only once; the old one expires at ${utcText(endMs)}`);
}

type Change = { readonly changes: KeyChanges; readonly done: string };

function change(
  action: KeyAction,
  flags: readonly (keyof Settings)[],
  changesOf: (input: Input) => Change | Promise<Change>,
) {
  return {
    operand: 'ID',
    flags,
    async run(input: Input): Promise<void> {
      const { changes, done } = await changesOf(input);
      await withKey(input, (keys, id) => keys.change(id, action, changes, byUser(input)), done);
    },
  };
}

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
  input.context.print(`${id} ${done}; ${EFFECT}`);
}

/**
 * A change by the user of this command, such as `alice as root@host`: the user that the environment names, if it is another, and the
 * account that acts, which for root is the owner of the state directory.
 */
function byUser({ context: { environment } }: Input): Authored {
  const account = accountName();
  const { SUDO_USER, LOGNAME, USER, USERNAME } = environment;
  const named = SUDO_USER || LOGNAME || USER || USERNAME || account;
  const user = [...new Set([named, account])].filter(Boolean).join(' as ');
  return { author: { user: visible(`${user}@${hostname()}`), operator: null }, nowMs: Date.now() };
}

/** The name of the account that this process acts as, or its number if it has no local name; '' on Windows. */
function accountName(): string {
  const uid = process.getuid?.();
  if (uid === undefined) return '';
  const path = '/etc/passwd';
  const lines = fileExists(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.map(line => line.split(':')).find(fields => fields[2] === String(uid))?.[0] ?? `user ${uid}`;
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
  return withKeyStore(input, create, store => work(new KeyAdministration(() => store)));
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
  note(
    `plan '${plan}' ${notInRedis}must exist in the servers' --plans; not checked, as --plans is not set here`,
  );
}

async function printKeys(input: Input, keys: KeyAdministration): Promise<void> {
  const { settings, context } = input;
  const nowMs = Date.now();
  const month = settings.month === null ? monthOf(nowMs) : monthAt(monthIndexOf(settings.month));
  const used = settings.month === null ? 'used_this_month' : 'used';
  const reports = await reportsOf(keys.list(month.index, nowMs));
  const rows = reports.map(({ requests, ...report }) => ({ ...report, [used]: requests }));
  const head = ['ID', 'NAME', 'ROLE', 'PLAN', 'STATE', 'CREATED', 'EXPIRES', 'OLD KEY UNTIL', 'LAST USED'];
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) context.print(`no API keys in ${placeOf(input)}`);
  else {
    const shown = rows.map(row => ({ ...row, former_expires: row.former_expires ?? '-' }));
    context.print(table([...head, `IN ${month.label}`], shown, 'never'));
  }
}

/** Prints who has changed which key, the oldest change first. */
async function printLog({ settings, context }: Input, keys: KeyAdministration): Promise<void> {
  const reports = await reportsOf(keys.log(Date.now()));
  const rows = reports.map(({ user, operator, values, ...report }) => ({
    ...report,
    by: user ?? (operator === null ? '' : `operator ${operator}`),
    values: Object.entries(values)
      .map(([name, value]) => `${name}=${value ?? 'never'}`)
      .join(', '),
  }));
  if (settings.json) context.print(JSON.stringify(reports, null, 2));
  else
    context.print(
      rows.length === 0 ? 'no changes' : table(['TIME', 'ACTION', 'ID', 'BY', 'NEW VALUES'], rows, ''),
    );
}

/** Prints the requests of each key and month, the oldest month first. */
async function printUsage({ settings, context }: Input, keys: KeyAdministration): Promise<void> {
  if (settings.json && settings.csv) throw new UsageError('tokens usage takes --json or --csv, not both');
  const month = settings.month === null ? null : monthIndexOf(settings.month);
  const batches = keys.usage(month, Date.now());
  if (settings.csv) {
    context.print(csvLine(USAGE_COLUMNS).trimEnd());
    for await (const rows of batches)
      context.print(rows.map(({ report }) => csvLine(Object.values(report)).trimEnd()).join('\n'));
    return;
  }
  const rows = await reportsOf(batches);
  const head = USAGE_COLUMNS.map(name => name.toUpperCase());
  if (settings.json) context.print(JSON.stringify(rows, null, 2));
  else context.print(rows.length === 0 ? 'no usage' : table(head, rows, ''));
}

async function reportsOf<Report>(batches: AsyncIterable<readonly Row<unknown, Report>[]>): Promise<Report[]> {
  return (await Array.fromAsync(batches)).flat().map(({ report }) => report);
}

/** The operand for standard output or input. */
const STANDARD = '-';

/** Writes all keys, plans and usage to a private file. */
async function exportKeys(input: Input): Promise<void> {
  const { settings, operand, context } = input;
  const known = [...(await knownPlans(settings))].filter(([, { from }]) => from !== 'built-in');
  const plans = new Map(known.map(([name, { plan }]) => [name, planEntry(plan)]));
  const contents = await withKeyStore(input, false, async store => ({
    keys: await store.keys(),
    removed: await store.removed(),
    usage: await store.usage(),
  }));
  const transfer = { plans, ...contents };
  const lines = [...writeTransfer(transfer)].map(line => `${line}\n`).join('');
  if (operand === STANDARD) await context.write(lines);
  else
    await replaceFile(operand, [lines]).catch(error => {
      throw new Error(`Cannot write '${operand}': ${systemReason(error)}`);
    });
  note(`exported ${summaryOf(transfer)}`);
}

/** Stores the keys, plans and usage of a file: all, or none if it is damaged. */
async function importKeys(input: Input): Promise<void> {
  const { settings, operand, context } = input;
  const transfer = await readFile(operand);
  if (transfer.plans.size > 0 && settings.redis === null && settings.plans === null)
    throw new UsageError('Importing plans requires --plans FILE or --redis URL');
  await withKeyStore(input, true, async (store, file) => {
    if (!settings.merge) await requireNoOtherKeys(store, transfer, placeOf(input));
    if (transfer.plans.size > 0)
      await withPlanStore(settings, async plans => {
        for (const [name, entry] of transfer.plans) await plans.set(name, entry);
      });
    await new KeyAdministration(() => store).import(transfer, byUser(input));
    // A server would report the usage in the file to Redis.
    if (settings.redis !== null) file?.dropUsage(transfer.usage);
  });
  context.print(`imported ${summaryOf(transfer)}; ${EFFECT}`);
}

async function requireNoOtherKeys(store: KeyStore, { keys }: Transfer, place: string): Promise<void> {
  const imported = new Set(keys.map(({ id }) => id));
  const others = (await store.keys()).map(({ id }) => id).filter(id => !imported.has(id));
  if (others.length === 0) return;
  const what = counted(others.length, 'other API key');
  throw new Error(`${place} has ${what} (${boundedList(others)}); --merge adds to them`);
}

async function readFile(path: string): Promise<Transfer> {
  try {
    return readTransfer(decodeUtf8(path === STANDARD ? await Bun.stdin.bytes() : readFileSync(path)));
  } catch (error) {
    throw new Error(`Cannot import '${path}': ${systemReason(error)}; nothing was imported`);
  }
}

function summaryOf({ keys, removed, plans, usage }: Transfer): string {
  const gone = removed.length === 0 ? '' : ` and ${counted(removed.length, 'removed one')}`;
  const requests = usage.reduce((sum, { count }) => sum + count, 0);
  return `${counted(keys.length, 'API key')}${gone}, ${counted(plans.size, 'plan')}, ${counted(requests, 'request')}`;
}
