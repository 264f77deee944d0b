import { describe, expect, test } from 'bun:test';
import { formatDuration } from 'date-fns';
import { ServiceError } from '../../src/common/errors.ts';
import {
  compileDurationTemplate,
  DURATION_PATTERN,
  isoDurationText,
  parseIsoDuration,
} from '../../src/text/duration.ts';
import {
  type DiffSpan,
  diffSpanJson,
  type ElapsedSpan,
  elapsedSpanJson,
} from '../../src/text/span_payload.ts';
import { fc } from '../support/property.ts';

const LONGEST = 17_280_000_000_000; // the whole range of Date
const seconds = fc.oneof(fc.integer({ min: 0, max: LONGEST }), fc.integer({ min: 0, max: 200_000 }));

describe('by template', () => {
  const format = (template: string, duration: number) =>
    compileDurationTemplate(template, 'format').format(duration);

  test.each([
    ['%hoursh %minutesm', 90_000, '25h 0m'],
    ['%days', 86_399, '0'],
    ['%seconds', 90_061, '90061'],
    ['%days:%hours:%minutes:%seconds', 90_061, '1:1:1:1'],
    ['%days d %seconds s', 90_061, '1 d 3661 s'],
    ['%minutes of %days', 90_061, '61 of 1'],
    ['%hours %hours', 90_061, '25 25'],
    ['%daysx', 172_800, '2x'],
    ['100%%', 5, '100%'],
    ['%%days', 5, '%days'],
    ['%%%days', 86_400, '%1'],
    ['no token', 5, 'no token'],
  ])("'%s' of %d seconds is '%s'", (template, duration, text) => {
    expect(format(template, duration)).toBe(text);
  });

  test('the tokens present add up to the duration, except for the remainder below the smallest', () => {
    const units = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
    const names = Object.keys(units) as (keyof typeof units)[];
    fc.assert(
      fc.property(seconds, fc.shuffledSubarray(names, { minLength: 1 }), (duration, present) => {
        const counts = format(present.map(name => `%${name}`).join(' '), duration)
          .split(' ')
          .map(Number);
        const sum = present.reduce((total, name, index) => total + units[name] * counts[index]!, 0);
        expect(duration - sum).toBeGreaterThanOrEqual(0);
        expect(duration - sum).toBeLessThan(Math.min(...present.map(name => units[name])));
        // A smaller token never exceeds one unit of a larger token present.
        present.forEach((name, index) => {
          const larger = present.map(other => units[other]).filter(unit => unit > units[name]);
          expect(units[name] * counts[index]!).toBeLessThan(Math.min(...larger, Number.POSITIVE_INFINITY));
        });
      }),
    );
  });

  test.each([
    ['%weeks', "'%weeks' at character 1 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['x %Days', "'%Days' at character 3 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['%day', "'%day' at character 1 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['5 %', "'%' at character 3 is not a token: expected %days, %hours, %minutes, %seconds or %%"],
    ['', "'' is empty: expected a template like %hours:%minutes"],
    ['x'.repeat(257), 'a template has at most 256 characters'],
  ])("'%s' is rejected", (template, reason) => {
    expect(() => compileDurationTemplate(template, 'format')).toThrow(`Cannot read 'format': ${reason}`);
  });

  test('a template of 256 characters is compiled', () => {
    expect(format('%%'.repeat(128), 1)).toBe('%'.repeat(128));
    expect(format('😀'.repeat(256), 1)).toBe('😀'.repeat(256));
  });

  test('any template is compiled or rejected with a message', () => {
    const token = fc.constantFrom('%days', '%hours', '%minutes', '%seconds', '%%', '%', 'x', 'é', '😀');
    const template = fc.oneof(
      fc.string(),
      fc.array(token, { maxLength: 60 }).map(parts => parts.join('')),
    );
    fc.assert(
      fc.property(template, seconds, (text, duration) => {
        try {
          expect(format(text, duration).length).toBeLessThan(1000);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          expect(error.code).toBe('INVALID_PARAMETER');
        }
      }),
    );
  });
});

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
  ...['', 'P', 'PT', 'P1', '1D', 'P1DT', 'PT1', 'P1H', 'PT1D', 'P1.5D', 'PT1.5H30M', 'PT.5S', 'PT1.S'],
  ...['P1D ', '  P1D', 'P1Y\n', '--P1D', 'P-1D', 'P1M1Y', 'P1W1Y', 'PT1S1M', 'P1YT'],
  ...['PT1.0000000001S', 'P١D', 'P1e3D'],
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

const MAX_MS = 8.64e15; // the range of Date
const instants = fc.oneof(
  fc.integer({ min: -MAX_MS, max: MAX_MS }),
  fc.integer({ min: -200_000_000, max: 200_000_000 }),
  fc.constantFrom(-MAX_MS, -1, 0, 1, 999, 1000, MAX_MS),
);

/** The seconds between two instants, by arithmetic that is exact over the whole range. */
function secondsBetween(oneMs: number, otherMs: number): number {
  const distanceMs = BigInt(oneMs) - BigInt(otherMs);
  return Number((distanceMs < 0n ? -distanceMs : distanceMs) / 1000n);
}

function unitsOf(seconds: number) {
  const [minutes, hours, days] = [60, 3600, 86_400].map(unit => Math.floor(seconds / unit));
  return { seconds, minutes: minutes!, hours: hours!, days: days! };
}

/** The words of date-fns for a duration in seconds. */
function humanOf(seconds: number): string {
  const { minutes, hours, days } = unitsOf(seconds);
  const parts = { days, hours: hours % 24, minutes: minutes % 60, seconds: seconds % 60 };
  return formatDuration(parts, { delimiter: ', ' }) || '0 seconds';
}

describe('human', () => {
  test.each([
    [90_180, '1 day, 1 hour, 3 minutes'],
    [0, '0 seconds'],
    [1, '1 second'],
    [59, '59 seconds'],
    [60, '1 minute'],
    [3600, '1 hour'],
    [86_400, '1 day'],
    [172_802, '2 days, 2 seconds'],
    [8.64e12, '100000000 days'],
  ])('of %d seconds is %s', (seconds, human) => {
    expect(JSON.parse(diffSpanJson(0, seconds * 1000))).toMatchObject({ human });
    expect(JSON.parse(elapsedSpanJson(0, seconds * 1000))).toMatchObject({ human: `${human} ago` });
  });
});

test('the longest span is written in full', () => {
  expect(JSON.parse(diffSpanJson(-MAX_MS + 1, MAX_MS))).toMatchObject({
    seconds: 17_279_999_999_999,
    human: '199999999 days, 23 hours, 59 minutes, 59 seconds',
  });
});

test('a diff is what JSON.stringify returns for its payload', () => {
  fc.assert(
    fc.property(instants, instants, (from, to) => {
      const seconds = secondsBetween(from, to);
      const payload: DiffSpan = {
        ...unitsOf(seconds),
        direction: from === to ? 'same' : from < to ? 'forward' : 'backward',
        human: humanOf(seconds),
        from: { unix_ms: from },
        to: { unix_ms: to },
      };
      expect<string>(diffSpanJson(from, to)).toBe(JSON.stringify(payload));
    }),
    { numRuns: 2000 },
  );
});

test('an elapsed time is what JSON.stringify returns for its payload', () => {
  fc.assert(
    fc.property(instants, instants, (reference, comparison) => {
      const seconds = secondsBetween(reference, comparison);
      const isLeft = reference > comparison;
      const payload: ElapsedSpan = {
        ...unitsOf(seconds),
        human: `${humanOf(seconds)} ${isLeft ? 'left' : 'ago'}`,
        direction: isLeft ? 'left' : 'passed',
      };
      expect<string>(elapsedSpanJson(reference, comparison)).toBe(JSON.stringify(payload));
    }),
    { numRuns: 2000 },
  );
});
