import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { newFolder } from '../support/process.ts';

/** Mounts a 400 KiB file system visible only to the command, and runs the command on it. */
function runOnSmallDisk(folder: string, command: readonly string[]) {
  const mount = `mount -t tmpfs -o size=400k tmpfs '${folder}' && exec "$@"`;
  const namespaces = ['--user', '--map-root-user', '--mount'];
  return Bun.spawnSync(['unshare', ...namespaces, 'sh', '-c', mount, 'sh', ...command]);
}

function canMount(): boolean {
  const folder = newFolder();
  try {
    return runOnSmallDisk(folder, ['true']).success;
  } catch {
    return false;
  }
}

test.skipIf(!canMount())('a full disk loses no keys, counts or requests (requires unshare and mount)', () => {
  const folder = newFolder();
  const child = join(import.meta.dir, 'disk_full_child.ts');
  const { stdout, stderr } = runOnSmallDisk(folder, [process.execPath, child, folder]);
  expect(stderr.toString()).toBe('');
  const result = JSON.parse(stdout.toString());
  expect(result).toMatchObject({
    grantedWhileFull: 200,
    grantedAfter: 200,
    missing: 0,
    used: Array(200).fill(2),
  });
  expect(result.refusal).toContain('full');
  expect(result.problem).toContain('Usage cannot be written and is kept in memory');
  expect(result.logWhileFull).toHaveLength(1);
  expect(result.log).toEqual([...result.logWhileFull, 'info: Usage can be written again']);
});
