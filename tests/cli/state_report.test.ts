import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteStore } from '../../src/access/sqlite_store.ts';
import { accessReport, stateReport } from '../../src/cli/commands/doctor.ts';
import { temporaryFolder } from '../support/process.ts';

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

test('an SQLite error after opening the token store is reported as a problem', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'access.sqlite');
  new SqliteStore(path, { create: true, durable: true, busyMs: 0 }).close();
  expect(accessReport(path)).toMatchObject({ keys: 0, problem: null });
  const database = new Database(path);
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  for (const { name } of tables) database.run(`DROP TABLE ${name}`);
  database.close();
  expect(accessReport(path).problem).toStartWith(`Cannot use the API keys in '${path}': no such table: `);
});
