import { expect, test } from 'bun:test';
import { monthOf } from '../../src/access/month.ts';
import { RedisStore } from '../../src/access/redis_store.ts';
import { tokensCommand } from '../../src/cli/commands/tokens.ts';
import { addKey, openStore } from '../access/control.ts';
import { temporaryFolder } from '../access/folders.ts';
import { REDIS_PROGRAM, RedisServer } from '../access/redis_server.ts';
import { printing } from './printing.ts';

test.skipIf(REDIS_PROGRAM === null)(
  'a list adds what Redis counted, and writes nothing there (wants redis-server)',
  async () => {
    using folder = temporaryFolder();
    await using server = new RedisServer(folder.path);
    await server.start();
    const file = openStore(folder.path);
    const [used, unused] = [addKey(file, 1), addKey(file, 2)];
    file.close();
    const shared = new RedisStore(server.url, 2000);
    await shared.connect();
    await shared.charge({ id: used.id, month: monthOf(Date.now()).label, count: 7 });
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
