import { expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import { DURATION_PATTERN, isoDurationText, parseIsoDuration } from '../../src/text/duration.ts';
import { fc } from '../support/property.ts';

/** Months, days, seconds and milliseconds of a duration. */
function parsed(text: string): number[] {
  const { months, days, seconds, milliseconds } = parseIsoDuration(text, 'duration');
  return [months, days, seconds, milliseconds];
}

test.each([
  ['P1Y2M3W4DT5H6M7.5S', [14, 25, 18_367, 500]],
  ['-P1Y2M3W4DT5H6M7.5S', [-14, -25, -18_367, -500]],
  ['+P1D', [0, 1, 0, 0]],
  [' P1D', [0, 1, 0, 0]],
  ['p1dt1h', [0, 1, 3600, 0]],
  ['PT1,5H', [0, 0, 5400, 0]],
  ['PT0.25M', [0, 0, 15, 0]],
  ['PT36H', [0, 0, 129_600, 0]],
  ['P0D', [0, 0, 0, 0]],
  ['PT0.0009S', [0, 0, 0, 0]],
  ['-PT1.9999S', [0, 0, -1, -999]],
  ['PT0.999999999H', [0, 0, 3599, 999]],
])('%p has the months, days, seconds and milliseconds %j', (text, expected) => {
  expect(parsed(text)).toEqual(expected);
});

test.each([
  ...[
    '',
    'P',
    'PT',
    'P1',
    '1D',
    'P1DT',
    'PT1',
    'P1H',
    'PT1D',
    'P1.5D',
    'PT1.5H30M',
    'PT.5S',
    'PT1.S',
    'P1D ',
  ],
  ...[
    '--P1D',
    'P-1D',
    'P1M1Y',
    'P1W1Y',
    'PT1S1M',
    'P1YT',
    'PT1.0000000001S',
    'P١D',
    'P1e3D',
    '  P1D',
    'P1Y\n',
  ],
])('%j is not a duration', text => {
  expect(() => parsed(text)).toThrow(ServiceError);
});

test('a formatted duration parses to the same value', () => {
  const count = fc.nat(2_000_000);
  const units = fc.record({
    ...{ years: count, months: count, days: count, hours: count, minutes: count, seconds: count },
  });
  fc.assert(
    fc.property(units, duration => {
      const text = isoDurationText(duration);
      expect(text).toMatch(new RegExp(DURATION_PATTERN));
      const { years, months, days, hours, minutes, seconds } = duration;
      expect(parsed(text)).toEqual([years * 12 + months, days, hours * 3600 + minutes * 60 + seconds, 0]);
    }),
  );
});

test('units that are absent or 0 are omitted, and nothing is PT0S', () => {
  expect(isoDurationText({ years: 1, months: 0, days: 3, seconds: 0 })).toBe('P1Y3D');
  expect(isoDurationText({ weeks: 2, hours: 0, minutes: 1 })).toBe('P2WT1M');
  expect(isoDurationText({ hours: 0, minutes: 0, seconds: 0 })).toBe('PT0S');
});

test('an overlong run of digits is rejected quickly', () => {
  expect(parsed(`P${'9'.repeat(8000)}Y`)).toEqual([Infinity, 0, 0, 0]);
  expect(() => parsed(`P${'9'.repeat(8000)}`)).toThrow(ServiceError);
});
