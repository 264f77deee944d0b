import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemReason } from '../../src/common/errors.ts';
import { fileExists, syncFolder } from '../../src/common/state_files.ts';
import { newFolder, onLinux } from '../support/process.ts';

test('only a path that leads to nothing counts as absent; anything else is an error, with its reason', async () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('file'), '');
  symlinkSync('nowhere', at('dangling'));
  symlinkSync('loop', at('loop'));
  expect(['file', 'none', 'none/at/all', 'file/below', 'dangling'].map(name => fileExists(at(name)))).toEqual(
    [true, false, false, false, false],
  );
  for (const name of ['loop', 'loop/below']) {
    const reason = Promise.try(fileExists, at(name)).catch(systemReason);
    expect(await reason).toBe('too many symbolic links encountered (ELOOP)');
  }
  expect(systemReason(new Error('Odd: quite, so'))).toBe('Odd: quite, so'); // not a system error
  expect(systemReason('text')).toBe('text');
});

// Windows fails with EPERM: the first `meridian tokens add` failed, with an empty store that left servers open.
onLinux('a folder is synced, except on Windows', async () => {
  const path = '/proc/self/net'; // a folder that Linux cannot sync
  await expect(syncFolder(path, 'linux')).rejects.toThrow('fsync');
  await syncFolder(path, 'win32');
});

onLinux('a file is not replaced by one that the system cannot write completely', () => {
  const path = join(newFolder(), 'file');
  writeFileSync(path, 'before');
  const script = `(await import('${import.meta.dir}/../../src/common/state_files.ts')).replaceFile('${path}', ['abc', new Uint8Array(20000)])`;
  const limited = `trap '' XFSZ; ulimit -f 8; exec '${process.execPath}' -e "${script}"`;
  expect(Bun.spawnSync(['bash', '-c', limited]).stderr.toString()).toContain('EFBIG');
  expect([readFileSync(path, 'utf8'), readdirSync(dirname(path))]).toEqual(['before', ['file']]);
});
