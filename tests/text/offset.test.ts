import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatOffset } from '../../src/common/iso_text.ts';
import { ServiceError } from '../../src/common/service_error.ts';
import { offsetName, parseOffset } from '../../src/text/offset.ts';

describe('reading', () => {
  test.each([
    ['+05:30', 19_800],
    ['-04:00', -14_400],
    [' 05:30', 19_800],
    ['+00:00', 0],
    ['-00:00', 0],
    ['+23:59', 86_340],
    ['-23:59', -86_340],
  ])("'%s' is %d seconds", (text, seconds) => {
    expect(parseOffset(text, 'offset')).toBe(seconds);
  });

  test.each([
    ['5:30', 'is not an offset of the form ±HH:MM, like +05:30 or -04:00'],
    ['+24:00', 'has 24 hours: an offset has 00 to 23'],
    ['-05:60', 'has 60 minutes: an offset has 00 to 59'],
  ])("'%s' %s", (text, reason) => {
    expect(() => parseOffset(text, 'source_offset')).toThrow(
      `Cannot read 'source_offset': '${text}' ${reason}`,
    );
  });

  test('no other form is an offset', () => {
    const others = [
      '',
      '+',
      '05:30',
      '+5:30',
      '+0530',
      '+05',
      '+05:30:00',
      '+05:3',
      '−05:30',
      '  05:30',
      '+05:30 ',
      '+05:30\n',
    ];
    for (const text of [
      ...others,
      'Z',
      'UTC',
      'UTC+05:30',
      '+٠٥:٣٠',
      '+05：30',
      '++5:30',
      '+-5:30',
      '+1e:30',
      'null',
    ]) {
      expect(() => parseOffset(text, 'offset')).toThrow(ServiceError);
    }
  });

  test('whatever the text, it is read or refused with a message', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[+\- ]\d\d:\d\d$/)),
        text => {
          try {
            expect(formatOffset(parseOffset(text, 'offset'))).toBe(
              text.replace(' ', '+').replace('-00:00', '+00:00'),
            );
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            expect(error.code).toBe('INVALID_PARAMETER');
          }
        },
      ),
    );
  });
});

describe('writing', () => {
  test.each([
    [19_800, '+05:30'],
    [-14_400, '-04:00'],
    [0, '+00:00'],
    [-0, '+00:00'],
    [-2670, '-00:44:30'],
    [30, '+00:00:30'],
    [86_399, '+23:59:59'],
  ])('%d seconds are %s', (offsetSeconds, text) => {
    expect(formatOffset(offsetSeconds)).toBe(text);
  });

  test('a fixed offset is named after UTC', () => {
    expect(offsetName(-14_400)).toBe('UTC-04:00');
    expect(offsetName(0)).toBe('UTC+00:00');
    expect(offsetName(20_700)).toBe('UTC+05:45');
  });
});
