import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ServiceError } from '../../src/common/errors.ts';
import { Moment } from '../../src/common/moment.ts';
import { compileStrftime, strftimeOf } from '../../src/text/strftime.ts';
import { DIRECTIVES } from '../../src/text/strftime_directives.ts';

const MOMENT = new Moment(1_776_274_247_123, -14_400, 'EDT');
const format = (pattern: string, moment = MOMENT) => compileStrftime(pattern, 'format').format(moment);

test.each([
  ['%Y-%m-%d %H:%M:%S', '2026-04-15 13:30:47'],
  ['%A, %-d. %B', 'Wednesday, 15. April'],
  ['%Z %z %:z %::z', 'EDT -0400 -04:00 -04:00:00'],
  ['%f %N %3N %1N', '123000 123000000 123 1'],
  ['%c', 'Wed Apr 15 13:30:47 2026'],
  ['%x %X %r', '04/15/26 13:30:47 01:30:47 PM'],
  ['%p %P %#p', 'PM pm pm'],
  ['%EY %Od %EC', '2026 15 20'],
  ['%s', '1776274247'],
  ['%%d %%%d', '%d %15'],
  ['kein %d ß 😀', 'kein 15 ß 😀'],
  ['no directive', 'no directive'],
])("'%s' is '%s'", (pattern, text) => {
  expect(format(pattern)).toBe(text);
});

test('%n, %t and %% are a line feed, a tab and a percent sign', () => {
  expect(format('100%%%n%t|')).toBe('100%\n\t|');
});

test('a fixed offset and no target have their own %Z', () => {
  expect(format('%Z', new Moment(0, -14_400, 'UTC-04:00'))).toBe('UTC-04:00');
  expect(format('%Z', new Moment(0, 0, 'UTC'))).toBe('UTC');
});

test('%s floors toward the past', () => {
  expect(format('%s %3N', new Moment(-1, 0, 'UTC'))).toBe('-1 999');
});

test.each([...DIRECTIVES])('%%%s is numeric exactly if it writes only digits', (name, { isNumeric }) => {
  const instants = fc.sample(fc.integer({ min: -3e14, max: 2.5e14 }), { numRuns: 2000, seed: 1 });
  const texts = instants.map((epochMs, index) =>
    format(`%${name}`, new Moment(epochMs, (index % 29) * 1800 - 25_200, 'EDT')),
  );
  expect(texts.every(text => /^[\d:. -]*$/.test(text))).toBe(isNumeric);
});

describe('rejected patterns', () => {
  test.each([
    ['%Q', "'%Q' at character 1 is not a strftime directive"],
    ['%d/%i', "'%i' at character 4 is not a strftime directive"],
    ['é😀%-5Ei', "'%-5Ei' at character 3 is not a strftime directive"],
    ['%+', "'%+' at character 1 is not a strftime directive"],
    ['%+Y', "'%+' at character 1 is not a strftime directive"],
    ['%q', "'%q' at character 1 is not a strftime directive"],
    ['%:Y', "'%:Y' at character 1 is not a strftime directive"],
    ['%:::z', "'%:::' at character 1 is not a strftime directive"],
    ['%EEy', "'%EE' at character 1 is not a strftime directive"],
    ['%5-d', "'%5-' at character 1 is not a strftime directive"],
    ['%-%', "'%-%' at character 1 is not a strftime directive"],
    ['%😀', "'%😀' at character 1 is not a strftime directive"],
    ['%\0', "'%\0' at character 1 is not a strftime directive"],
    ['50%', "'%' at character 3 stands alone: write %% for a percent sign"],
    ['50% off', "'% ' at character 3 is not a strftime directive"],
    ['%-5', "'%-5' at character 1 ends before its letter"],
    ['%E', "'%E' at character 1 ends before its letter"],
    ['%:', "'%:' at character 1 ends before its letter"],
    ['', "'' is empty: expected a strftime pattern like %Y-%m-%d"],
    ['x'.repeat(257), 'a pattern has at most 256 characters'],
    ['😀'.repeat(257), 'a pattern has at most 256 characters'],
  ])("'%s' is rejected", (pattern, reason) => {
    expect(() => compileStrftime(pattern, 'format')).toThrow(`Cannot read 'format': ${reason}`);
  });
});

describe('the limits', () => {
  test('a pattern has at most 256 characters, however many bytes', () => {
    expect(format('😀'.repeat(256))).toBe('😀'.repeat(256));
  });

  test('a result has at most 4096 bytes of UTF-8', () => {
    expect(format('%4096d').length).toBe(4096);
    expect(format('%4093dß%%').length).toBe(4095);
    expect(format('%4092d😀').length).toBe(4094);
  });

  test.each([
    '%4097d',
    '%4096dx',
    '%4095dß',
    '%4094d€',
    '%4093d😀',
    '%999999999999999999999d',
    '%4000Y%97F',
    '%_4097A',
    '%4097N',
  ])("'%s' is rejected when compiled", pattern => {
    expect(() => compileStrftime(pattern, 'format')).toThrow(/would write more than 4096 bytes$/);
  });

  test('a limit exceeded only at some instants is rejected when written', () => {
    const strftime = compileStrftime('%4090d%A', 'format');
    const thursday = new Moment(0, 0, 'UTC');
    const sunday = new Moment(3 * 86_400_000, 0, 'UTC');
    expect(strftime.format(sunday)).toHaveLength(4096);
    expect(() => strftime.format(thursday)).toThrow("'%4090d%A' would write more than 4096 bytes");
  });

  test('literal text counts in addition to the bytes written for an instant', () => {
    const pattern = `${'€'.repeat(100)}%3600Y`;
    expect(format(pattern + '%c'.repeat(8))).toHaveLength(100 + 3600 + 8 * 24); // 4092 bytes
    expect(() => format(pattern + '%c'.repeat(9))).toThrow('would write more than 4096 bytes');
  });

  test('a width cancelled by a flag does not count', () => {
    expect(format('%-999999d %-5000A %-99999F %-99999N')).toBe('15 Wednesday 2026-04-15 123');
  });
});

test('a cached pattern is the same object', () => {
  expect(strftimeOf('%H:%M', 'format')).toBe(strftimeOf('%H:%M', 'format'));
  expect(strftimeOf('%H:%M', 'format').format(MOMENT)).toBe('13:30');
});

test('any pattern is compiled or rejected with a message, and writes at most 4 KiB', () => {
  const part = fc.oneof(
    fc.stringMatching(/^%[_0^#-]{0,2}[0-9]{0,4}[EO]?:{0,2}[A-Za-z%]$/),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const pattern = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 40 }).map(parts => parts.join('')),
  );
  const moment = fc
    .tuple(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.integer({ min: -86_399, max: 86_399 }))
    .map(([epochMs, offsetSeconds]) => new Moment(epochMs, offsetSeconds, 'EDT'));
  fc.assert(
    fc.property(pattern, moment, (text, at) => {
      try {
        expect(new TextEncoder().encode(format(text, at)).length).toBeLessThanOrEqual(4096);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        expect(error.code).toBe('INVALID_PARAMETER');
      }
    }),
    { numRuns: 3000 },
  );
});
