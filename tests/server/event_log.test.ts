import { expect, test } from 'bun:test';
import { createEventLog, type LogFormat, type LogLevel } from '../../src/server/log.ts';

function logged(level: LogLevel, format: LogFormat) {
  const lines: string[] = [];
  return { log: createEventLog(level, format, line => lines.push(line)), lines };
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

test('a value that could be mistaken for another field is quoted', () => {
  const { log, lines } = logged('info', 'text');
  log.warn('worker died', { worker: 2, reason: 'x level=error' });
  expect(lines[0]).toMatch(/^\S+Z warn {2}worker died worker=2 reason="x level=error"\n$/);
});
