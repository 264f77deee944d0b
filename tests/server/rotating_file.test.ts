import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogWriter } from '../../src/server/log.ts';
import { rotatingFile } from '../../src/server/windows/rotating_file.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'meridian-'));
const read = (path: string) => readFileSync(path, 'utf8');

test('a log limited to 10 bytes keeps its previous lines in one other file', async () => {
  const path = join(folder(), 'meridian.log');
  const write = rotatingFile(path, 10);
  for (const line of [
    'one\n',
    'two\n',
    'three\n',
    'four\n',
    'a line that is longer than a file\n',
    'six\n',
  ]) {
    await write(Buffer.from(line));
  }
  expect(read(path)).toBe('six\n');
  expect(read(`${path}.1`)).toBe('a line that is longer than a file\n');
  expect(readdirSync(join(path, '..')).length).toBe(2);
});

test('a log is appended to, and its existing size counts', async () => {
  const path = join(folder(), 'meridian.log');
  await rotatingFile(path, 10)(Buffer.from('one\ntwo\n'));
  await rotatingFile(path, 10)(Buffer.from('x\n'));
  expect(read(path)).toBe('one\ntwo\nx\n');
  await rotatingFile(path, 10)(Buffer.from('y\n'));
  expect(read(path)).toBe('y\n');
});

test('a log that cannot be written is discarded', async () => {
  const path = folder();
  await rotatingFile(join(path, 'missing/meridian.log'))(Buffer.from('x\n'));
  rmSync(path, { recursive: true });
});

test("a server's log lines go to a file instead of stderr", async () => {
  const path = join(folder(), 'meridian.log');
  const writer = new LogWriter(rotatingFile(path));
  writer.write('one\n');
  writer.writeLazily('two\n');
  await writer.flush(1000);
  expect(read(path)).toBe('one\ntwo\n');
});
