import { describe, expect, test } from 'bun:test';
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addKey, openStore } from '../access/control.ts';
import { outputOf } from '../support/printing.ts';
import { newFolder } from '../support/process.ts';
import { REDIS_PROGRAM, startRedis } from '../support/redis.ts';

/** Runs `meridian plans` with the state directory and the flags of a plan store. */
function commandOf(state: string, flags: readonly string[]) {
  return (...args: string[]) => outputOf(['plans', ...args, ...flags, '--state-dir', state]);
}

type Plans = ReturnType<typeof commandOf>;

async function listed(plans: Plans): Promise<Record<string, unknown>[]> {
  return JSON.parse((await plans('list', '--json')).lines.join('\n'));
}

/** Sets, lists and removes plans, one of which is used by a key in the state directory. */
async function lifeOfPlans(plans: Plans, place: string, id: string): Promise<void> {
  const limits = ['--requests-per-second', '2.5', '--requests-per-month', '1000', '--bulk', 'each'];
  const effect = 'running servers apply this within a second';
  expect(await plans('set', 'pro', ...limits)).toEqual({
    exitCode: 0,
    lines: [`plan 'pro' is set in ${place}; ${effect}`],
  });
  await plans('set', 'free', '--requests-per-second', '1', '--burst', '7');
  const rows = await listed(plans);
  const limitNames = ['requests_per_second', 'burst', 'requests_per_month', 'bulk'];
  expect(Object.keys(rows[0]!)).toEqual(['name', ...limitNames, 'keys', 'from']);
  expect(rows.map(Object.values)).toEqual([
    ['default', null, null, null, 'one', 0, 'built-in'],
    ['free', 1, 7, null, 'one', 0, place],
    ['pro', 2.5, 3, 1000, 'each', 1, place],
  ]);
  // Setting replaces the whole plan.
  await plans('set', 'pro', '--requests-per-month', '5');
  expect((await listed(plans))[2]).toMatchObject({ requests_per_second: null, requests_per_month: 5 });
  expect(await plans('remove', 'pro')).toEqual({
    exitCode: 1,
    lines: [
      `meridian: 1 API key of plan 'pro' (${id}): they would be rejected; give them another plan with 'meridian tokens edit', or use --force`,
    ],
  });
  expect((await plans('remove', 'free')).lines).toEqual([`plan 'free' is removed from ${place}; ${effect}`]);
  expect((await plans('remove', 'free')).lines).toEqual([`meridian: There is no plan 'free' in ${place}`]);
  expect((await plans('remove', 'pro', '--force')).lines).toEqual([
    `plan 'pro', which 1 API key used, is removed from ${place}; ${effect}`,
  ]);
  expect((await listed(plans)).map(({ name }) => name)).toEqual(['default']);
}

function stateWithKey(folder: string): string {
  const store = openStore(folder);
  const { id } = addKey(store, 1, 'pro');
  store.close();
  return id;
}

test('plans in a file are set, listed and removed; one in use only with --force', async () => {
  const folder = newFolder();
  const file = join(folder, 'plans.toml');
  await lifeOfPlans(commandOf(folder, ['--plans', file]), file, stateWithKey(folder));
  expect(readFileSync(file, 'utf8').trim()).toBe('');
});

test('the plans file keeps its mode, and a link to it stays a link', async () => {
  const folder = newFolder();
  const [file, link] = [join(folder, 'plans.toml'), join(folder, 'link.toml')];
  writeFileSync(file, '[plans.a]\n');
  chmodSync(file, 0o640);
  symlinkSync(file, link);
  await commandOf(folder, ['--plans', link])('set', 'b');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([
    '[plans.a]\n\n[plans.b]\n',
    0o640,
  ]);
});

test('a key in the key file counts as using its plan, and removing `default` reports the effect', async () => {
  const folder = newFolder();
  const [file, keys] = [join(folder, 'plans.toml'), join(folder, 'keys')];
  writeFileSync(file, '[plans.default]\nrequests_per_month = 1\n');
  writeFileSync(keys, 'secret-of-sixteen-characters default\n');
  const plans = commandOf(folder, ['--plans', file, '--api-key-file', keys]);
  const { exitCode, lines } = await plans('remove', 'default');
  expect([exitCode, lines[0]]).toEqual([
    1,
    `meridian: 1 API key of plan 'default' (${keys}:1:30): they would be unlimited; give them another plan with 'meridian tokens edit', or use --force`,
  ]);
});

test('invalid limits and names, and plans without a store, are usage errors', async () => {
  const folder = newFolder();
  const plans = commandOf(folder, ['--plans', join(folder, 'plans.toml')]);
  for (const [args, message] of [
    [['set', 'a', '--burst', '2'], "'plans.a.burst' needs 'plans.a.requests_per_second'"],
    [['set', '-a'], "Unknown flag '-a'"],
    [['set', 'a b'], "'plans.a b': a plan's name is"],
    [['set', 'a', '--requests-per-second', 'x'], "--requests-per-second: 'x' is not a number"],
    [['set', 'a', '--requests-per-second', '0'], "'plans.a.requests_per_second': 0 is not a number from"],
    [['set'], 'plans set takes one argument, NAME'],
    [['list', '--force'], '--force has no effect on plans list, only on remove'],
  ] as const) {
    const { exitCode, lines } = await plans(...args);
    expect([args, exitCode]).toEqual([args, 2]);
    expect(lines[0]).toContain(message);
  }
  expect((await plans('list')).lines[0]).toContain('Cannot read plans in ');
  const { exitCode, lines } = await commandOf(folder, [])('set', 'a');
  expect([exitCode, lines]).toEqual([2, ['meridian: Changing plans requires --plans FILE or --redis URL']]);
});

describe.skipIf(REDIS_PROGRAM === null)('with Redis (requires redis-server)', () => {
  test('plans are set, listed and removed as in a file', async () => {
    const folder = newFolder();
    await using redis = await startRedis();
    const id = stateWithKey(folder);
    await lifeOfPlans(commandOf(folder, ['--redis', redis.url]), 'Redis', id);
  });

  test('a plan in Redis overrides that in the file until it is removed; tokens accept both', async () => {
    const folder = newFolder();
    await using redis = await startRedis();
    const file = join(folder, 'plans.toml');
    writeFileSync(file, '[plans.pro]\nrequests_per_month = 1\n\n[plans.own]\n');
    const flags = ['--redis', redis.url, '--plans', file];
    const plans = commandOf(folder, flags);
    const quota = async () =>
      (await listed(plans)).find(({ name }) => name === 'pro')?.['requests_per_month'];
    await plans('set', 'pro', '--requests-per-month', '2');
    await plans('set', 'shared');
    expect(await quota()).toBe(2);
    const add = (plan: string) =>
      outputOf(['tokens', 'add', '--name', 'a', '--plan', plan, ...flags, '--state-dir', folder]);
    for (const plan of ['pro', 'own', 'shared']) expect((await add(plan)).exitCode).toBe(0);
    expect((await add('shard')).lines[0]).toBe(
      `meridian: Unknown plan 'shard' in ${file} and in Redis; did you mean 'shared'?`,
    );
    await plans('remove', 'pro', '--force');
    expect(await quota()).toBe(1);
  });
});
