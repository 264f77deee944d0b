import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Moment } from '../../src/common/moment.ts';
import { humanText } from '../../src/text/human.ts';

test('a moment is written for people, with its zone', () => {
  const moment = new Moment(1_776_274_247_000, -14_400, 'EDT');
  expect(humanText(moment, 'America/New_York')).toBe('April 15, 2026, 1:30 PM America/New_York');
});

test.each([
  [0, '12:05 AM'],
  [1, '1:05 AM'],
  [11, '11:05 AM'],
  [12, '12:05 PM'],
  [13, '1:05 PM'],
  [23, '11:05 PM'],
])('hour %d is %s', (hour, clock) => {
  const moment = new Moment(Date.UTC(2026, 0, 1, hour, 5), 0, 'UTC');
  expect(humanText(moment, 'UTC')).toBe(`January 1, 2026, ${clock} UTC`);
});

test('it is what ICU writes in English', () => {
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: 'UTC',
    dateStyle: 'long',
    timeStyle: 'short',
  });
  fc.assert(
    fc.property(fc.integer({ min: -12_212_553_600, max: 253_402_300_799 }), epochSeconds => {
      const expected = formatter
        .format(epochSeconds * 1000)
        .replace(' at ', ', ')
        .replaceAll('\u202f', ' ');
      expect(humanText(new Moment(epochSeconds * 1000, 0, 'UTC'), 'UTC')).toBe(`${expected} UTC`);
    }),
    { numRuns: 500 },
  );
});

test('years outside 0000–9999 have a sign and six digits', () => {
  expect(humanText(new Moment(8.64e15, 0, 'UTC'), 'UTC')).toBe('September 13, +275760, 12:00 AM UTC');
  expect(humanText(new Moment(-8.64e15, 0, 'UTC'), 'UTC')).toBe('April 20, -271821, 12:00 AM UTC');
});
