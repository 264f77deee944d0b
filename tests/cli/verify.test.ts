import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyCommand } from '../../src/cli/commands/verify.ts';
import { temporaryFolder } from '../access/folders.ts';
import { printing } from './printing.ts';

test('the error for an unreadable file names the file and its flag', async () => {
  using folder = temporaryFolder();
  const there = join(folder.path, 'there');
  writeFileSync(there, '{}');
  const missing = join(folder.path, 'missing');
  for (const flag of ['--jwks', '--headers', '--body']) {
    const files = { '--jwks': there, '--headers': there, '--body': there, [flag]: missing };
    const run = verifyCommand.run(Object.entries(files).flat(), printing().context);
    await expect(run).rejects.toThrow(`Cannot read ${flag} '${missing}': no such file or directory (ENOENT)`);
  }
  const folderAsFile = ['--jwks', there, '--headers', folder.path];
  await expect(verifyCommand.run(folderAsFile, printing().context)).rejects.toThrow(
    /^Cannot read --headers '.*': .*EISDIR/,
  );
});

test('the error for an unreachable key set names its URL', async () => {
  using folder = temporaryFolder();
  const headers = join(folder.path, 'headers');
  writeFileSync(headers, '');
  const url = 'http://127.0.0.1:1/';
  const run = verifyCommand.run(['--jwks', url, '--headers', headers], printing().context);
  await expect(run).rejects.toThrow(`Cannot read the key set ${url}: `);
});
