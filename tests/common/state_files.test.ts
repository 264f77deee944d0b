import { expect, test } from 'bun:test';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from '../../src/common/errors.ts';
import { fileExists, syncFolder } from '../../src/common/state_files.ts';
import { newFolder } from '../support/process.ts';

test('only a path that leads to nothing counts as absent; anything else is an error, with its reason', () => {
  const folder = newFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('file'), '');
  symlinkSync('nowhere', at('dangling'));
  symlinkSync('loop', at('loop'));
  expect(['file', 'none', 'none/at/all', 'file/below', 'dangling'].map(name => fileExists(at(name)))).toEqual(
    [true, false, false, false, false],
  );
  for (const path of [at('loop'), at('loop/below')]) {
    try {
      fileExists(path);
      expect.unreachable();
    } catch (error) {
      expect(systemReason(error)).toBe('too many symbolic links encountered (ELOOP)');
    }
  }
});

test('an error that is not a system error keeps its message', () => {
  expect(systemReason(new Error('Odd: quite, so'))).toBe('Odd: quite, so');
  expect(systemReason('text')).toBe('text');
});

// Windows fails with EPERM: the first `meridian tokens add` failed, with an empty store that left servers open.
test.skipIf(process.platform !== 'linux')(
  'a folder is synced, except on Windows (requires Linux)',
  async () => {
    const path = '/proc/self/net'; // a folder that Linux cannot sync
    await expect(syncFolder(path, 'linux')).rejects.toThrow('fsync');
    await syncFolder(path, 'win32');
  },
);
