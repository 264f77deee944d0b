import { expect, test } from 'bun:test';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { createEventLog, type LogFormat, type LogLevel, LogWriter } from '../../src/server/log.ts';
import { newFolder, onLinux, until } from '../support/process.ts';

function logged(level: LogLevel, format: LogFormat) {
  const lines: string[] = [];
  return { log: createEventLog(level, format, line => lines.push(line)), lines };
}

function openLog() {
  const path = join(newFolder(), 'log');
  return { path, descriptor: openSync(path, 'a') };
}

test('events below the minimum level are omitted', () => {
  const { log, lines } = logged('warn', 'json');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(lines.map(line => JSON.parse(line).message)).toEqual(['c', 'd']);
});

test('an event is one line, whatever its fields contain', () => {
  for (const format of ['json', 'text'] as const) {
    const { log, lines } = logged('info', format);
    log.info('reloaded', { what: 'a\nb "c" =d', count: 3 });
    expect(lines).toHaveLength(1);
    expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1);
  }
});

test('control characters in a message are escaped', () => {
  const { log, lines } = logged('info', 'text');
  log.info('is \u001b]0;title\u0007', { path: '/a\u009b2J', name: '\u202etxt' });
  expect(lines[0]).toMatch(/ is \\u001b\]0;title\\u0007 path="\/a\\u009b2J" name="\\u202etxt"\n$/);
});

test('passwords in URLs are hidden', () => {
  for (const format of ['json', 'text'] as const) {
    const { log, lines } = logged('info', format);
    log.error('Cannot use redis://:secret@h', { error: 'Cannot read https://u:secret@h/"b"', url: 'u@h' });
    expect(lines[0]).not.toContain('secret');
    expect(lines[0]).toContain('//…@h');
    if (format === 'json')
      expect(JSON.parse(lines[0]!)).toMatchObject({ error: 'Cannot read https://…@h/"b"', url: 'u@h' });
  }
});

test('a value that could be mistaken for another field is quoted', () => {
  const { log, lines } = logged('info', 'text');
  log.warn('worker died', { worker: 2, reason: 'x level=error' });
  expect(lines[0]).toMatch(/^\S+Z warn {2}worker died worker=2 reason="x level=error"\n$/);
});

test('lazy and immediate lines are written whole and in order', async () => {
  const { path, descriptor } = openLog();
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

test('a line is written that is added at any step of the end of a write', async () => {
  for (let steps = 0; steps < 10; steps++) {
    let written = '';
    const writer = new LogWriter(async bytes => {
      written += Buffer.from(bytes).toString();
      if (written === 'first\n') void addLater();
    });
    const addLater = async () => {
      for (let step = 0; step < steps; step++) await null;
      writer.write('second\n');
    };
    writer.write('first\n');
    await until(() => written !== 'first\n' && written !== '');
    expect([steps, written]).toEqual([steps, 'first\nsecond\n']);
  }
});

test('a line is written that is added right after the flush of an empty buffer', async () => {
  let written = '';
  const writer = new LogWriter(async bytes => {
    written += Buffer.from(bytes).toString();
  });
  void writer.flush(10_000);
  writer.write('line\n');
  await until(() => written !== '');
  expect(written).toBe('line\n');
});

test('lines beyond a buffer of four megabytes are dropped and counted', () => {
  const writer = new LogWriter(openSync('/dev/null', 'r')); // nothing is written before the next turn of the event loop
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 4096; count++) writer.writeLazily(line);
  expect(writer.droppedLines).toBe(0);
  for (let count = 0; count < 4096; count++) writer.writeLazily(line);
  expect(writer.droppedLines).toBeGreaterThan(4000);
});

test('a descriptor that is not writable does not delay the exit', async () => {
  const writer = new LogWriter(openSync('/dev/null', 'r'));
  writer.write('lost\n');
  await writer.flush(10_000);
});

test('lines longer than an atomic write are written whole to a shared descriptor', async () => {
  const { path, descriptor } = openLog();
  const writer = new LogWriter(descriptor, true);
  const lines = [1, 9000, 2, 4095, 4096, 3].map(length => `${'x'.repeat(length)}\n`);
  for (const line of lines) writer.write(line);
  await writer.flush(10_000);
  closeSync(descriptor);
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
});

onLinux('lines wait for a reader that pauses', async () => {
  const path = join(newFolder(), 'pipe');
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0);
  // Opened for reading and writing, so that neither end waits for the other, and non-blocking like systemd's journal socket.
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const writer = new LogWriter(pipe);
  const text = `${'x'.repeat(999)}\n`.repeat(300); // a pipe holds 64 KB
  writer.write(text);
  const flushed = writer.flush(10_000);
  await Bun.sleep(50); // so that the pipe stays full for a while
  let read = 0;
  const buffer = Buffer.alloc(64 * 1024);
  while (read < text.length) {
    try {
      read += readSync(pipe, buffer);
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('EAGAIN');
      await Bun.sleep(1);
    }
  }
  await flushed;
  closeSync(pipe);
  expect(read).toBe(text.length);
});
