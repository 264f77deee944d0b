import { expect, test } from 'bun:test';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { keyId } from '../../src/access/key_format.ts';
import { RedisStore } from '../../src/access/redis/redis_store.ts';
import { monthOf } from '../../src/access/usage.ts';
import { accessReport } from '../../src/cli/commands/doctor.ts';
import { tokensCommand } from '../../src/cli/commands/tokens.ts';
import { addKey, authoriseOften, control, NOW_MS, openStore, outcome } from '../access/control.ts';
import { outputOf, printing } from '../support/printing.ts';
import { newFolder } from '../support/process.ts';
import { runningRedis, startRedis, withRedis } from '../support/redis.ts';
import { column } from '../support/responses.ts';

withRedis('list adds the usage counted in Redis without writing there', async () => {
  const folder = newFolder();
  await using server = await startRedis();
  const file = openStore(folder);
  const [used, unused] = [addKey(file, 1), addKey(file, 2)];
  file.close();
  const shared = new RedisStore(server.url, 2000);
  await shared.connect();
  await shared.raiseUsage([{ id: used.id, month: monthOf(Date.now()).index, count: 7 }]);
  shared.close();
  const { context, printed } = printing();
  await tokensCommand.run(['list', '--json', '--state-dir', folder, '--redis', server.url], context);
  const rows: { id: string; used_this_month: number }[] = JSON.parse(printed.join(''));
  const counts = Object.fromEntries(rows.map(({ id, used_this_month }) => [id, used_this_month]));
  expect(counts).toEqual({ [used.id]: 7, [unused.id]: 0 });
  expect(await server.send('KEYS', '*')).toEqual([`meridian:usage:{${used.id}}`]);
});

test('an inaccessible token store is an error, not an empty one, in every command', async () => {
  const folder = newFolder();
  // Not even root can follow a link to itself.
  const state = join(folder, 'state');
  symlinkSync('state', state);
  const path = join(state, 'access.sqlite');
  const message = `Cannot use the API keys in '${path}': too many symbolic links encountered (ELOOP)`;
  for (const action of [['list'], ['suspend', 'a'], ['remove', 'a'], ['add', '--name', 'a']]) {
    expect(await outputOf(['tokens', ...action, '--state-dir', state])).toEqual({
      exitCode: 1,
      lines: [`meridian: ${message}`],
    });
  }
  expect(accessReport(path)).toMatchObject({ keys: 0, problem: message });
});

test('a state directory that does not exist, or is not a directory, contains no keys', async () => {
  const folder = newFolder();
  for (const state of [join(folder, 'none'), '/dev/null']) {
    expect(await outputOf(['tokens', 'list', '--state-dir', state])).toEqual({
      exitCode: 0,
      lines: [`no API keys in ${join(state, 'access.sqlite')}`],
    });
    expect(accessReport(join(state, 'access.sqlite')).problem).toBeNull();
  }
});

/** Runs `meridian tokens` on a state directory; returns its lines on stdout, and its messages. */
async function tokens(state: string, ...args: string[]) {
  const { exitCode, lines } = await outputOf(['tokens', ...args, '--state-dir', state]);
  const isMessage = (line: string) => line.startsWith('meridian: ');
  return { exitCode, printed: lines.filter(line => !isMessage(line)), messages: lines.filter(isMessage) };
}

async function listed(state: string): Promise<Record<string, unknown>[]> {
  return JSON.parse((await tokens(state, 'list', '--json')).printed.join('\n'));
}

test('edit changes only the given name, role and plan of a key', async () => {
  const folder = newFolder();
  const store = openStore(folder);
  const { id } = addKey(store, 1, 'pro', 'operator');
  store.close();
  expect((await tokens(folder, 'edit', id, '--name', 'Zoë')).printed).toEqual([
    `${id} has changed: name; running servers apply this within a second`,
  ]);
  expect(await listed(folder)).toMatchObject([{ name: 'Zoë', role: 'operator', plan: 'pro' }]);
  await tokens(folder, 'edit', id, '--role', 'client', '--plan', 'default');
  expect(await listed(folder)).toMatchObject([{ name: 'Zoë', role: 'client', plan: 'default' }]);
  expect((await tokens(folder, 'edit', id)).exitCode).toBe(2);
  expect(await tokens(folder, 'edit', 'unknown', '--name', 'b')).toMatchObject({
    exitCode: 1,
    messages: [expect.stringContaining("There is no API key 'unknown'")],
  });
});

test('rotate prints a new key with the same id; the old one is accepted until the end of the overlap', async () => {
  const folder = newFolder();
  const store = openStore(folder);
  const { id, key } = addKey(store, 1, 'ten');
  store.close();
  const { access } = control(folder, { plans: [{ name: 'ten', rate: undefined, monthlyQuota: 10 }] });
  const beforeMs = Date.now();
  const { printed, messages } = await tokens(folder, 'rotate', id, '--overlap', '2h');
  const next = printed[0]!;
  expect([keyId(next), next === key]).toEqual([id, false]);
  expect(messages[0]).toStartWith(`meridian: this is the new API key ${id}, shown only once; the old one`);
  access.tick(beforeMs);
  const twoHours = 7_200_000;
  expect(await outcome(access, { 'X-API-Key': key }, beforeMs + twoHours - 1)).toBe('granted');
  expect(await outcome(access, { 'X-API-Key': key }, Date.now() + twoHours)).toBe('SUBSCRIPTION_INACTIVE');
  // Both count against one quota.
  const { counts, decisions } = await authoriseOften(access, next, 12, Date.now() + twoHours);
  expect(counts).toEqual({ granted: 9, QUOTA_EXCEEDED: 3 });
  expect(decisions[0]?.key?.label).toBe(id);
  await tokens(folder, 'rotate', id, '--overlap', '0');
  access.tick(beforeMs);
  expect(await outcome(access, { 'X-API-Key': key }, beforeMs)).toBe('INVALID_AUTH');
  expect(await outcome(access, { 'X-API-Key': next }, Date.now())).toBe('SUBSCRIPTION_INACTIVE');
  await access.stop();
});

test('a key expires at the time set by add or expire, and not at all with --expires never', async () => {
  const folder = newFolder();
  const flags = ['--name', 'a', '--expires', '2027-01-31', '--role', 'operator'];
  const { printed } = await tokens(folder, 'add', ...flags);
  const headers = { 'X-API-Key': printed[0]! };
  const id = keyId(printed[0]!)!;
  const endMs = Date.UTC(2027, 0, 31);
  const { access } = control(folder);
  expect(await outcome(access, headers, endMs - 1)).toBe('granted');
  const { error } = await access.authorise(new Headers(headers), endMs);
  expect(error?.message).toBe('This API key expired at 2027-01-31T00:00:00Z');
  expect([endMs - 1, endMs].map(ms => access.isOperator(new Headers(headers), ms))).toEqual([true, false]);
  await tokens(folder, 'expire', id, '--expires', 'never');
  access.tick(endMs);
  expect(await outcome(access, headers, endMs)).toBe('granted');
  await tokens(folder, 'expire', id);
  expect(await listed(folder)).toMatchObject([{ id, state: 'expired' }]);
  access.tick(endMs + 1);
  expect(await outcome(access, headers, Date.now())).toBe('SUBSCRIPTION_INACTIVE');
  expect((await tokens(folder, 'expire', id, '--expires', 'soon')).exitCode).toBe(2);
  await access.stop();
});

test('usage lists each key and month, including removed and configured keys, and exports CSV and JSON', async () => {
  const folder = newFolder();
  const store = openStore(folder);
  const [kept, removed] = [addKey(store, 1), addKey(store, 2)];
  const month = monthOf(Date.UTC(2026, 9, 1)).index;
  const counts = [
    { id: kept.id, month, count: 7 },
    { id: kept.id, month: month - 24, count: 5 },
    { id: removed.id, month, count: 3 },
    { id: 'key-0011223344556677', month: month + 1, count: 2 },
  ];
  store.record(counts);
  store.change(kept.id, { name: '=a "b", c' });
  store.remove(removed.id, 1);
  store.close();
  const [first, second] = [kept, removed].map(({ id }) => id).sort();
  const row = (id: string | undefined, requests: number) =>
    id === kept.id
      ? { month: '2026-10', id, name: '=a "b", c', plan: 'default', state: 'active', requests }
      : { month: '2026-10', id, name: 'key 2', plan: 'default', state: 'removed', requests };
  const rows = [first, second].map(id => row(id, id === kept.id ? 7 : 3));
  const json = await tokens(folder, 'usage', '--json', '--month', '2026-10');
  expect(JSON.parse(json.printed.join('\n'))).toEqual(rows);
  expect((await tokens(folder, 'usage', '--csv')).printed).toEqual([
    'month,id,name,plan,state,requests',
    `2024-10,${kept.id},"'=a ""b"", c",default,active,5`,
    ...rows.map(({ id, state, requests }) =>
      [`2026-10,${id}`, id === kept.id ? `"'=a ""b"", c"` : 'key 2', `default,${state},${requests}`].join(
        ',',
      ),
    ),
    '2026-11,key-0011223344556677,,,,2',
  ]);
  expect((await tokens(folder, 'usage')).printed).toHaveLength(5);
  expect((await tokens(folder, 'usage', '--month', '2025-01')).printed).toEqual(['no usage']);
  const list = await tokens(folder, 'list', '--month', '2024-10', '--json');
  expect(JSON.parse(list.printed.join('\n'))).toMatchObject([{ id: kept.id, used: 5 }]);
});

test('log shows who has changed which key, and list until when the predecessor of a key is valid', async () => {
  const folder = newFolder();
  expect((await tokens(folder, 'log')).printed).toEqual(['no changes']);
  const { printed } = await tokens(folder, 'add', '--name', 'app', '--expires', '2999-01-01');
  const id = keyId(printed[0]!)!;
  await tokens(folder, 'edit', id, '--plan', 'pro', '--role', 'operator');
  await tokens(folder, 'rotate', id, '--overlap', '2h');
  const [{ former_expires: formerExpires }] = (await listed(folder)) as [{ former_expires: string }];
  expect(Date.parse(formerExpires)).toBeWithin(Date.now() + 7_100_000, Date.now() + 7_200_001);
  const table = (await tokens(folder, 'list')).printed.join('\n');
  expect(table).toContain('OLD KEY UNTIL');
  expect(table).toContain(formerExpires);
  await tokens(folder, 'expire', id, '--expires', 'never');
  await tokens(folder, 'suspend', id);
  await tokens(folder, 'resume', id);
  const sudo = { SUDO_USER: 'alice\n', LOGNAME: 'root' };
  await outputOf(['tokens', 'remove', id, '--state-dir', folder], sudo);
  await tokens(folder, 'remove', id); // not there
  const entries = JSON.parse((await tokens(folder, 'log', '--json')).printed.join('\n'));
  const account = `${Bun.spawnSync(['id', '-un']).stdout.toString().trim()}@${hostname()}`;
  const by = { time: expect.stringMatching(/^\d{4}-.*Z$/), id, operator: null };
  const change = (action: string, values = {}, user = account) => ({ ...by, action, user, values });
  expect(entries).toEqual([
    change('add', { name: 'app', role: 'client', plan: 'default', expires: '2999-01-01T00:00:00Z' }),
    change('edit', { role: 'operator', plan: 'pro' }),
    change('rotate', { former_expires: formerExpires }),
    change('expire', { expires: null }),
    change('suspend'),
    change('resume'),
    change('remove', {}, `alice\\u000a as ${account}`),
  ]);
  const lines = (await tokens(folder, 'log')).printed;
  expect(lines).toHaveLength(8);
  expect(lines[2]!.split(/ {2,}/).slice(1)).toEqual(['edit', id, account, 'role=operator, plan=pro']);
  const other = newFolder();
  await tokens(folder, 'export', join(other, 'keys.jsonl'));
  await tokens(other, 'import', join(other, 'keys.jsonl'));
  const imported = change('import', { name: 'app', plan: 'pro', state: 'removed' });
  expect(JSON.parse((await tokens(other, 'log', '--json')).printed.join('\n'))).toEqual([imported]);
});

const MONTH = monthOf(NOW_MS).index;
const PLANS = '[plans.pro]\nrequests_per_second = 5\nburst = 10\n';

/** A folder with two keys, one of them removed, with usage, and a plan; and their export. */
async function filled() {
  const folder = newFolder();
  const store = openStore(folder);
  const [kept, removed] = [addKey(store, 1, 'pro'), addKey(store, 2)];
  store.record([
    { id: kept.id, month: MONTH, count: 7, lastUsedMs: NOW_MS },
    { id: removed.id, month: MONTH - 1, count: 3 },
  ]);
  store.change(kept.id, { suspendedMs: NOW_MS });
  store.rotate(kept.id, new Uint8Array(32).fill(5), NOW_MS + 1);
  store.remove(removed.id, NOW_MS);
  store.close();
  const plans = join(folder, 'plans.toml');
  writeFileSync(plans, PLANS);
  const file = join(folder, 'keys.jsonl');
  const exported = await runTokens(folder, 'export', file, '--plans', plans);
  return { folder, kept, removed, plans, file, exported };
}

/** Runs `meridian tokens` on a state directory; returns the exit code and all lines. */
const runTokens = (state: string, ...args: string[]) => outputOf(['tokens', ...args, '--state-dir', state]);

/** All that can be seen of the keys in a state directory, or in Redis. */
async function contentsOf(state: string, ...flags: string[]) {
  const { lines } = await runTokens(state, 'export', '-', ...flags);
  return lines.filter(line => line.startsWith('{')).sort();
}

test('keys, plans and usage are exported to a private file without secrets, and imported from it', async () => {
  const other = newFolder();
  const { folder, kept, plans, file, exported } = await filled();
  const summary = '1 API key and 1 removed one, 1 plan, 10 requests';
  expect(exported).toEqual({ exitCode: 0, lines: [`meridian: exported ${summary}`] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(kept.key.slice(14));
  const target = join(other, 'plans.toml');
  for (let run = 0; run < 2; run++)
    expect(await runTokens(other, 'import', file, '--plans', target)).toEqual({
      exitCode: 0,
      lines: [`imported ${summary}; running servers apply this within a second`],
    });
  expect(await contentsOf(other, '--plans', target)).toEqual(await contentsOf(folder, '--plans', plans));
});

test('an import is refused if there are other keys, unless it is to be merged', async () => {
  const other = newFolder();
  const { folder, kept } = await filled();
  const store = openStore(other);
  const { id } = addKey(store, 3);
  const file = join(folder, 'without_plans.jsonl');
  await runTokens(folder, 'export', file);
  const refused = await runTokens(other, 'import', file);
  expect([refused.exitCode, refused.lines]).toEqual([
    1,
    [`meridian: ${join(other, 'access.sqlite')} has 1 other API key (${id}); --merge adds to them`],
  ]);
  expect([store.keys().length, store.usage()]).toEqual([1, []]);
  expect((await runTokens(other, 'import', file, '--merge')).exitCode).toBe(0);
  expect(store.keys().map(token => token.id)).toEqual([id, kept.id].sort());
  store.close();
});

test('a file with a damaged line is not imported, and the line is named', async () => {
  const { kept, file } = await filled();
  const whole = readFileSync(file, 'utf8').split('\n');
  for (const [damaged, message] of [
    [whole[3]!.slice(0, -5), 'line 4: '],
    ['[]', "line 4: its 'type' is not one of plan, key, removed, usage"],
    [
      '{"type":"usage","id":"a","month":"2026-13","requests":1}',
      "line 4: 'month' is malformed: expected string to match",
    ],
    [
      '{"type":"removed","id":"a","name":"a\\nb","plan":"x","removed_ms":1}',
      "line 4: 'name' is malformed: expected string",
    ],
    [
      whole[1]!.replace(/"name":"[^"]*"/, '"name":""'),
      "line 4: 'name' is malformed: expected string length greater",
    ],
    [
      whole[1]!.replace(/"former":\{"sha256":"../, '"former":{"sha256":"'),
      "line 4: 'former/sha256' is malformed: expected",
    ],
    [whole[1]!.replace('{', '{"plan":"x",'), "line 4: it has the member 'plan' twice"],
    [whole[1]!.replace('"client"', '"root"'), "line 4: 'role' is malformed: expected 'client' or 'operator'"],
    ['{"type":"plan","name":"x","limits":{"burst":1}}', "line 4: 'plans.x.burst' needs"],
    [whole[1]!, `line 4: the key '${kept.id}' occurs twice`],
  ]) {
    const other = newFolder();
    writeFileSync(file, whole.with(3, damaged!).join('\n'));
    const target = join(other, 'plans.toml');
    const { exitCode, lines } = await runTokens(other, 'import', file, '--plans', target);
    expect(exitCode).toBe(1);
    expect(lines[0]).toStartWith(`meridian: Cannot import '${file}': ${message}`);
    expect(lines[0]).toEndWith('; nothing was imported');
    expect((await runTokens(other, 'list')).lines[0]).toStartWith('no API keys');
  }
});

test('plans are only imported into a plans file or Redis', async () => {
  const other = newFolder();
  const { file } = await filled();
  const { exitCode, lines } = await runTokens(other, 'import', file);
  expect([exitCode, lines[0]]).toEqual([2, 'meridian: Importing plans requires --plans FILE or --redis URL']);
});

withRedis('keys move from a file to Redis and back, and their usage is counted once', async () => {
  const other = newFolder();
  await using redis = await runningRedis();
  const flags = ['--redis', redis.server.url];
  const { folder, kept, plans, file } = await filled();
  const before = await contentsOf(folder, '--plans', plans);
  const store = openStore(folder);
  store.record([{ id: kept.id, month: MONTH, count: 2 }]); // meanwhile
  expect((await runTokens(folder, 'import', file, ...flags)).exitCode).toBe(0);
  // A server sends Redis what is left in the file.
  expect(store.usage()).toEqual([{ id: kept.id, month: MONTH, count: 2 }]);
  store.close();
  expect(await contentsOf(other, ...flags)).toEqual(before);

  await runTokens(other, 'export', file, ...flags);
  await runTokens(other, 'import', file, '--plans', join(other, 'plans.toml'));
  expect(await contentsOf(other, '--plans', join(other, 'plans.toml'))).toEqual(before);
});

withRedis(
  'the permissions of the ACL user in the help suffice to change keys and to read the log',
  async () => {
    await using redis = await runningRedis();
    const help = readFileSync('src/cli/topics/redis.md', 'utf8');
    const [, rules = ''] = /^ {4}user meridian on >PASSWORD (.*\n.*)$/m.exec(help) ?? [];
    const lifetimeKey = `meridian:log:${new Date().toISOString().slice(0, 7)}`;
    const allowed = [...rules.trim().split(/\s+/), '+ttl'];
    await redis.server.send('ACL', 'SETUSER', 'default', 'resetkeys', '-@all', ...allowed);
    const run = (...args: string[]) => tokens(newFolder(), ...args, '--redis', redis.server.url);
    const id = keyId((await run('add', '--name', 'app')).printed[0]!)!;
    for (const action of ['suspend', 'rotate', 'remove'])
      expect(await run(action, id)).toMatchObject({ exitCode: 0 });
    const log = JSON.parse((await run('log', '--json')).printed.join('\n'));
    expect(column(log, 'action')).toEqual(['add', 'suspend', 'rotate', 'remove']);
    await redis.server.send('HSET', lifetimeKey, `${Date.now() + 1000}.x`, 'garbage');
    const damaged = JSON.parse((await run('log', '--json')).printed.join('\n'));
    expect(column(damaged, 'action')).toEqual([...column(log, 'action'), 'unreadable']);
    // Redis deletes the month later than the reports need it.
    const seconds = Number(await redis.server.send('TTL', lifetimeKey));
    expect(seconds).toBeWithin(799 * 86_400, 800 * 86_400 + 1);
  },
);
