import { expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { monthOf } from '../../src/access/month.ts';
import { RedisStore } from '../../src/access/redis_store.ts';
import { tokensCommand } from '../../src/cli/commands/tokens.ts';
import { accessReport } from '../../src/cli/state_report.ts';
import { addKey, openStore } from '../access/control.ts';
import { temporaryFolder } from '../access/folders.ts';
import { REDIS_PROGRAM, RedisServer } from '../access/redis_server.ts';
import { outputOf, printing } from './printing.ts';

test.skipIf(REDIS_PROGRAM === null)(
  'list adds the usage counted in Redis without writing there (wants redis-server)',
  async () => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    const file = openStore(folder.path);
    const [used, unused] = [addKey(file, 1), addKey(file, 2)];
    file.close();
    const shared = new RedisStore(server.url, 2000);
    await shared.connect();
    await shared.addUsage({ id: used.id, month: monthOf(Date.now()).index, count: 7 });
    shared.close();
    const { context, printed } = printing();
    await tokensCommand.run(['list', '--json', '--state-dir', folder.path, '--redis', server.url], context);
    const rows: { id: string; used_this_month: number }[] = JSON.parse(printed.join(''));
    const counts = Object.fromEntries(rows.map(({ id, used_this_month }) => [id, used_this_month]));
    expect(counts).toEqual({ [used.id]: 7, [unused.id]: 0 });
    const probe = new Bun.RedisClient(server.url);
    expect(await probe.send('KEYS', ['*'])).toEqual([`meridian:usage:{${used.id}}`]);
    probe.close();
  },
);

test('an inaccessible token store is an error, not an empty one, in every command', async () => {
  using folder = temporaryFolder();
  // Not even root can follow a link to itself.
  const state = join(folder.path, 'state');
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
  using folder = temporaryFolder();
  for (const state of [join(folder.path, 'none'), '/dev/null']) {
    expect(await outputOf(['tokens', 'list', '--state-dir', state])).toEqual({
      exitCode: 0,
      lines: [`no API keys in ${join(state, 'access.sqlite')}`],
    });
    expect(accessReport(join(state, 'access.sqlite')).problem).toBeNull();
  }
});
