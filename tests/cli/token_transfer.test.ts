import { expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monthOf } from '../../src/access/usage.ts';
import { addKey, NOW_MS, openStore } from '../access/control.ts';
import { outputOf } from '../support/printing.ts';
import { newFolder } from '../support/process.ts';
import { runningRedis, withRedis } from '../support/redis.ts';

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
  const exported = await tokens(folder, 'export', file, '--plans', plans);
  return { folder, kept, removed, plans, file, exported };
}

/** Runs `meridian tokens` on a state directory; returns the exit code and all lines. */
const tokens = (state: string, ...args: string[]) => outputOf(['tokens', ...args, '--state-dir', state]);

/** All that can be seen of the keys in a state directory, or in Redis. */
async function contentsOf(state: string, ...flags: string[]) {
  const { lines } = await tokens(state, 'export', '-', ...flags);
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
    expect(await tokens(other, 'import', file, '--plans', target)).toEqual({
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
  await tokens(folder, 'export', file);
  const refused = await tokens(other, 'import', file);
  expect([refused.exitCode, refused.lines]).toEqual([
    1,
    [`meridian: ${join(other, 'access.sqlite')} has 1 other API key (${id}); --merge adds to them`],
  ]);
  expect([store.keys().length, store.usage()]).toEqual([1, []]);
  expect((await tokens(other, 'import', file, '--merge')).exitCode).toBe(0);
  expect(store.keys().map(token => token.id)).toEqual([id, kept.id].sort());
  store.close();
});

test('a file with a damaged line is not imported, and the line is named', async () => {
  const { kept, file } = await filled();
  const whole = readFileSync(file, 'utf8').split('\n');
  for (const [damaged, message] of [
    [whole[3]!.slice(0, -5), 'line 4: '],
    ['[]', "line 4: its 'type' is not one of plan, key, removed, usage"],
    ['{"type":"usage","id":"a","month":"2026-13","requests":1}', "line 4: 'month': expected string to match"],
    ['{"type":"plan","name":"x","limits":{"burst":1}}', "line 4: 'plans.x.burst' needs"],
    [whole[1]!, `line 4: the key '${kept.id}' occurs twice`],
  ]) {
    const other = newFolder();
    writeFileSync(file, whole.with(3, damaged!).join('\n'));
    const target = join(other, 'plans.toml');
    const { exitCode, lines } = await tokens(other, 'import', file, '--plans', target);
    expect(exitCode).toBe(1);
    expect(lines[0]).toStartWith(`meridian: Cannot import '${file}': ${message}`);
    expect(lines[0]).toEndWith('; nothing was imported');
    expect((await tokens(other, 'list')).lines[0]).toStartWith('no API keys');
  }
});

test('plans are only imported into a plans file or Redis', async () => {
  const other = newFolder();
  const { file } = await filled();
  const { exitCode, lines } = await tokens(other, 'import', file);
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
  expect((await tokens(folder, 'import', file, ...flags)).exitCode).toBe(0);
  // A server sends Redis what is left in the file.
  expect(store.usage()).toEqual([{ id: kept.id, month: MONTH, count: 2 }]);
  store.close();
  expect(await contentsOf(other, ...flags)).toEqual(before);

  await tokens(other, 'export', file, ...flags);
  await tokens(other, 'import', file, '--plans', join(other, 'plans.toml'));
  expect(await contentsOf(other, '--plans', join(other, 'plans.toml'))).toEqual(before);
});
