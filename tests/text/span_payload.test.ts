import { describe, expect, test } from 'bun:test';
import { formatDuration } from 'date-fns';
import {
  type DiffSpan,
  diffSpanJson,
  type ElapsedSpan,
  elapsedSpanJson,
} from '../../src/text/span_payload.ts';
import { fc } from '../support/property.ts';

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
