import { expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monthOf } from '../../src/access/usage.ts';
import { addKey, NOW_MS, openStore } from '../access/control.ts';
import { outputOf } from '../support/printing.ts';
import { temporaryFolder } from '../support/process.ts';
import { runningRedis, withRedis } from '../support/redis.ts';

const MONTH = monthOf(NOW_MS).index;
const PLANS = '[plans.pro]\nrequests_per_second = 5\nburst = 10\n';

/** Two keys, one of them removed, with usage, and a plan. */
function filled(folder: string) {
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
  return { kept, removed, plans };
}

/** Runs `meridian tokens` on a state directory; returns the exit code and all lines. */
const tokens = (state: string, ...args: string[]) => outputOf(['tokens', ...args, '--state-dir', state]);

/** All that can be seen of the keys in a state directory, or in Redis. */
async function contentsOf(state: string, ...flags: string[]) {
  const { lines } = await tokens(state, 'export', '-', ...flags);
  return lines.filter(line => line.startsWith('{')).sort();
}

test('keys, plans and usage are exported to a private file without secrets, and imported from it', async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  const { kept, plans } = filled(folder.path);
  const file = join(folder.path, 'keys.jsonl');
  const summary = '1 API key and 1 removed one, 1 plan, 10 requests';
  expect(await tokens(folder.path, 'export', file, '--plans', plans)).toEqual({
    exitCode: 0,
    lines: [`meridian: exported ${summary}`],
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(kept.key.slice(14));
  const target = join(other.path, 'plans.toml');
  for (let run = 0; run < 2; run++)
    expect(await tokens(other.path, 'import', file, '--plans', target)).toEqual({
      exitCode: 0,
      lines: [`imported ${summary}; running servers apply this within a second`],
    });
  expect(await contentsOf(other.path, '--plans', target)).toEqual(
    await contentsOf(folder.path, '--plans', plans),
  );
});

test('an import is refused if there are other keys, unless it is to be merged', async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  const { kept } = filled(folder.path);
  const store = openStore(other.path);
  const { id } = addKey(store, 3);
  const file = join(folder.path, 'keys.jsonl');
  await tokens(folder.path, 'export', file);
  const refused = await tokens(other.path, 'import', file);
  expect([refused.exitCode, refused.lines]).toEqual([
    1,
    [`meridian: ${join(other.path, 'access.sqlite')} has 1 other API key (${id}); --merge adds to them`],
  ]);
  expect([store.keys().length, store.usage()]).toEqual([1, []]);
  expect((await tokens(other.path, 'import', file, '--merge')).exitCode).toBe(0);
  expect(store.keys().map(token => token.id)).toEqual([id, kept.id].sort());
  store.close();
});

test('a file with a damaged line is not imported, and the line is named', async () => {
  using folder = temporaryFolder();
  const { kept, plans } = filled(folder.path);
  const file = join(folder.path, 'keys.jsonl');
  await tokens(folder.path, 'export', file, '--plans', plans);
  const whole = readFileSync(file, 'utf8').split('\n');
  for (const [damaged, message] of [
    [whole[3]!.slice(0, -5), 'line 4: '],
    ['[]', "line 4: its 'type' is not one of plan, key, removed, usage"],
    ['{"type":"usage","id":"a","month":"2026-13","requests":1}', "line 4: 'month': expected string to match"],
    ['{"type":"plan","name":"x","limits":{"burst":1}}', "line 4: 'plans.x.burst' needs"],
    [whole[1]!, `line 4: the key '${kept.id}' occurs twice`],
  ]) {
    using other = temporaryFolder();
    writeFileSync(file, whole.with(3, damaged!).join('\n'));
    const target = join(other.path, 'plans.toml');
    const { exitCode, lines } = await tokens(other.path, 'import', file, '--plans', target);
    expect(exitCode).toBe(1);
    expect(lines[0]).toStartWith(`meridian: Cannot import '${file}': ${message}`);
    expect(lines[0]).toEndWith('; nothing was imported');
    expect((await tokens(other.path, 'list')).lines[0]).toStartWith('no API keys');
  }
});

test('plans are only imported into a plans file or Redis', async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  const { plans } = filled(folder.path);
  const file = join(folder.path, 'keys.jsonl');
  await tokens(folder.path, 'export', file, '--plans', plans);
  const { exitCode, lines } = await tokens(other.path, 'import', file);
  expect([exitCode, lines[0]]).toEqual([2, 'meridian: Importing plans requires --plans FILE or --redis URL']);
});

withRedis('keys move from a file to Redis and back, and their usage is counted once', async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  await using redis = await runningRedis();
  const flags = ['--redis', redis.server.url];
  const { kept, plans } = filled(folder.path);
  const before = await contentsOf(folder.path, '--plans', plans);
  const file = join(folder.path, 'keys.jsonl');
  await tokens(folder.path, 'export', file, '--plans', plans);
  const store = openStore(folder.path);
  store.record([{ id: kept.id, month: MONTH, count: 2 }]); // meanwhile
  expect((await tokens(folder.path, 'import', file, ...flags)).exitCode).toBe(0);
  // A server sends Redis what is left in the file.
  expect(store.usage()).toEqual([{ id: kept.id, month: MONTH, count: 2 }]);
  store.close();
  expect(await contentsOf(other.path, ...flags)).toEqual(before);

  await tokens(other.path, 'export', file, ...flags);
  await tokens(other.path, 'import', file, '--plans', join(other.path, 'plans.toml'));
  expect(await contentsOf(other.path, '--plans', join(other.path, 'plans.toml'))).toEqual(before);
});
