import { expect, test } from 'bun:test';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventsOf } from './events.ts';
import { startServer } from './process.ts';
import { zoneinfo } from './zoneinfo.ts';

test('SIGHUP reloads the zoneinfo directory; a broken one is reported and the old data remains', async () => {
  const directory = zoneinfo('2026x', ['Europe/Paris']);
  using server = await startServer(['--zoneinfo', directory]);
  const events = eventsOf(server.child.stderr);
  const statusOf = async (zone: string) => (await fetch(`${server.url}/v1/time/current?tz=${zone}`)).status;
  expect(await statusOf('Asia/Tokyo')).toBe(400);

  zoneinfo('2026y', ['Asia/Tokyo'], directory);
  server.child.kill('SIGHUP');
  expect(await events.next('reloaded', 'zoneinfo')).toMatchObject({ what: 'zoneinfo', now: 'tzdata 2026y' });
  expect(await statusOf('Asia/Tokyo')).toBe(200);

  cpSync(join(directory, 'Asia/Tokyo'), join(directory, 'Asia/Good'));
  writeFileSync(join(directory, 'Asia/Tokyo'), `TZif2${'\xff'.repeat(60)}`);
  server.child.kill('SIGHUP');
  const { level, error } = await events.next('reload failed');
  expect(level).toBe('error');
  expect(error).toContain('Asia/Tokyo');
  expect(await statusOf('Asia/Tokyo')).toBe(200);
  expect(await statusOf('Asia/Good')).toBe(400);
});
