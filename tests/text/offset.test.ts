import { describe, expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import { formatOffset } from '../../src/common/iso_text.ts';
import { OFFSET_PATTERN, offsetName, offsetOfName, parseOffset } from '../../src/text/offset.ts';
import { fc } from '../support/property.ts';

describe('parsing', () => {
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
    const message = `Cannot read 'source_offset': '${text}' ${reason}`;
    expect(() => parseOffset(text, 'source_offset')).toThrow(message);
  });

  test.each([
    [' 5:30', "'+5:30' is not an offset"],
    [' 24:00', "'+24:00' has 24 hours"],
    ['UTC 05:30', "'UTC+05:30' is not an offset"],
    [' 01:00, 02:00', "'+01:00,+02:00' is a list, but only one offset is allowed"],
    ['-01:00,+02:00', "'-01:00,+02:00' is a list, but only one offset is allowed"],
    [' +05:30', "' +05:30' is not an offset"],
  ])("'%s' is rejected and quoted with its plus: %s", (text, reason) => {
    expect(() => parseOffset(text, 'offset')).toThrow(`Cannot read 'offset': ${reason}`);
  });

  test('no other form is an offset', () => {
    const parts = ['', '+', '05:30', '+5:30', '+0530', '+05', '+05:30:00', '+05:3'];
    const spaces = ['  05:30', '+05:30 ', '+05:30\n'];
    const names = [
      'Z',
      'UTC',
      'UTC+05:30',
      'null',
      '−05:30',
      '+٠٥:٣٠',
      '+05：30',
      '++5:30',
      '+-5:30',
      '+1e:30',
    ];
    for (const text of [...parts, ...spaces, ...names])
      expect(() => parseOffset(text, 'offset')).toThrow(ServiceError);
  });

  test('any text is parsed or rejected with a message', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[+\- ]\d\d:\d\d$/));
    fc.assert(
      fc.property(fc.oneof(fc.string(), texts), text => {
        try {
          const canonical = text.replace(' ', '+').replace('-00:00', '+00:00');
          expect(formatOffset(parseOffset(text, 'offset'))).toBe(canonical);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          expect(error.code).toBe('INVALID_PARAMETER');
        }
      }),
    );
  });
});

test('the published pattern matches exactly what is accepted', () => {
  const pattern = new RegExp(`^${OFFSET_PATTERN}$`);
  const near = fc.stringMatching(/^[+\- ]?[0-9]{1,3}:?[0-9]{0,2}(:[0-9]{2})?$/);
  const accepts = (text: string) => {
    try {
      parseOffset(text, 'offset');
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.oneof(near, fc.stringMatching(/^[+\- ][0-9]{2}:[0-9]{2}$/)), text => {
      expect(pattern.test(text)).toBe(accepts(text));
    }),
    { numRuns: 2000 },
  );
});

describe('an offset given as a zone', () => {
  test.each([
    ['UTC+1', '+01:00'],
    ['UTC 1', '+01:00'],
    ['gmt-05', '-05:00'],
    ['UT+0530', '+05:30'],
    ['GMT+5:45', '+05:45'],
    ['+05:30', '+05:30'],
    ['-3', '-03:00'],
    ['GMT+530', '+05:30'],
    ['UTC-0', '+00:00'],
  ])('%s is %s', (name, offset) => {
    expect(offsetOfName(name)).toBe(offset);
    expect(formatOffset(parseOffset(offset, 'offset'))).toBe(offset);
  });

  test.each([
    ...['UTC', 'UTC1', 'UTC+24', 'UTC+1:60', 'UTC+1:5', 'Etc/GMT+5', 'EST+5', 'UTC+', 'UTC+01:00:00', '5'],
    '',
  ])('%p is not an offset', name => {
    expect(offsetOfName(name)).toBeNull();
  });
});

describe('formatting', () => {
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
    const names = [-14_400, 0, 20_700].map(offsetName);
    expect(names).toEqual(['UTC-04:00', 'UTC+00:00', 'UTC+05:45']);
  });
});
