import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/command_line.ts';
import { outputOf, printing } from '../support/printing.ts';

const FIXTURE = join(import.meta.dirname, '../fixtures/mmdb/test-data/GeoLite2-City-Test.mmdb');
const TYPE = 'GeoLite2-City';
const HOSTILE_TYPE = '\u001b]0;o\u0007\nfine!\r';
const CONTROLS = /[^\P{Cc}\n]/u;

/** A database with another type, of the same length, in its metadata. */
function hostileDatabase(): string {
  const bytes = readFileSync(FIXTURE);
  bytes.write(HOSTILE_TYPE, bytes.lastIndexOf(TYPE), 'latin1');
  const path = join(mkdtempSync(join(tmpdir(), 'meridian-')), 'hostile.mmdb');
  writeFileSync(path, bytes);
  return path;
}

test('control characters in a database do not reach the terminal', async () => {
  expect(HOSTILE_TYPE).toHaveLength(TYPE.length);
  const { lines } = await outputOf(['doctor', '--ip-db', hostileDatabase()]);
  const line = lines.find(text => text.startsWith('ip '));
  expect(line).toContain(String.raw`\u001b]0;o\u0007\u000afine!\u000d of `);
  expect(lines.join('\n')).not.toMatch(CONTROLS);
});

test('control characters in an argument do not reach the terminal', async () => {
  const { lines } = await outputOf(['doctor', '--ip-db', '/nowhere/\u001b[2J\u009b']);
  expect(lines.join('\n')).toContain(String.raw`/nowhere/\u001b[2J\u009b`);
  expect(lines.join('\n')).not.toMatch(CONTROLS);
});

test('a response is escaped on a terminal and unchanged in a file', async () => {
  const path = `/v1/time/current?tz=${encodeURIComponent('\u009b2J')}`;
  for (const isTerminal of [true, false]) {
    const { context, printed } = printing();
    await runCommandLine(['get', path], { ...context, isTerminal: () => isTerminal });
    expect(printed.join('')).toContain(isTerminal ? String.raw`'\u009b2J'` : `'\u009b2J'`);
    expect(JSON.parse(printed.join('')).error.message).toContain('\u009b2J');
  }
});
