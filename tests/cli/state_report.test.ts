import { expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { stateReport } from '../../src/cli/state_report.ts';
import { temporaryFolder } from '../access/folders.ts';

test('a world-writable state directory is reported with its mode', () => {
  using folder = temporaryFolder();
  const { path } = folder;
  for (const mode of [0o700, 0o755, 0o770]) {
    chmodSync(path, mode);
    expect(stateReport(path)).toEqual({ from: path, warning: null });
  }
  chmodSync(path, 0o777);
  expect(stateReport(path).warning).toBe(
    `${path} is writable by every user (mode 777); run 'chmod 700 ${path}'`,
  );
  chmodSync(path, 0o1777);
  expect(stateReport(path).warning).toBe(
    `${path} is writable by every user (mode 1777); set --state-dir to a directory of its own`,
  );
  expect(stateReport(join(path, 'none')).warning).toBeNull();
});
