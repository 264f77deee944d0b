import { expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogWriter } from '../../src/cli/log_writer.ts';

test('lines arrive whole and in order, however they were given', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'meridian-')), 'log');
  const descriptor = openSync(path, 'a');
  const writer = new LogWriter(descriptor);
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} äöü\n`);
  lines.forEach((line, index) => {
    if (index % 7 === 0) writer.write(line);
    else writer.writeLazily(line);
  });
  await writer.flush(10_000);
  closeSync(descriptor);
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
  expect(writer.droppedLines).toBe(0);
});

test('lines that nobody takes are dropped and counted once more than four megabytes wait', () => {
  const writer = new LogWriter(openSync('/dev/null', 'r')); // nothing is written before the event loop turns
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 4096; count++) writer.writeLazily(line);
  expect(writer.droppedLines).toBe(0);
  for (let count = 0; count < 4096; count++) writer.writeLazily(line);
  expect(writer.droppedLines).toBeGreaterThan(4000);
});

test('a descriptor that cannot be written to does not hold up the end', async () => {
  const writer = new LogWriter(openSync('/dev/null', 'r'));
  writer.write('lost\n');
  await writer.flush(10_000);
});
