import { expect, test } from 'bun:test';
import { handAnglesAt, labelSpotAt } from '../../src/clock/hand_angles.ts';
import { STYLES } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';

function at(clock: string): Moment {
  return new Moment(Date.parse(`2026-04-18T${clock}Z`), 0, 'UTC');
}

test('hands stand where a clock has them', () => {
  expect(handAnglesAt(at('00:00:00'), 'tick')).toEqual({ hour: 0, minute: 0, second: 0 });
  expect(handAnglesAt(at('15:00:00'), 'tick')).toEqual({ hour: 90, minute: 0, second: 0 });
  expect(handAnglesAt(at('09:30:00'), 'tick')).toEqual({ hour: 285, minute: 180, second: 0 });
  expect(handAnglesAt(at('18:45:30'), 'tick')).toEqual({ hour: 202.75, minute: 273, second: 180 });
});

test('hands go by the local time, that of negative years and of offsets with seconds too', () => {
  const localMeanTime = new Moment(Date.UTC(1880, 0, 1, 12, 0, 0), -(4 * 3600 + 56 * 60 + 2), 'LMT');
  expect(handAnglesAt(localMeanTime, 'tick')).toEqual({
    hour: 210 + 3 / 2 + 58 / 120,
    minute: 18 + 5.8,
    second: 348,
  });
});

test('a ticking second hand waits for the second, a sweeping one never stops', () => {
  const late = at('00:00:01.999');
  expect(handAnglesAt(late, 'tick').second).toBe(6);
  expect(handAnglesAt(late, 'sweep').second).toBeCloseTo(11.994);
});

test('no hand covers a label in one row or several, at any minute of half a day', () => {
  for (const [name, { definition }] of Object.entries(STYLES)) {
    if (definition.family === 'digital') continue;
    for (let minute = 0; minute < 1440; minute++) {
      const moment = new Moment(minute * 60_000, 0, 'UTC');
      // Long names are higher by half of their first row.
      const isInRows = minute >= 720;
      const [x, low] = labelSpotAt(moment, definition, isInRows);
      const [y, halfHeight] = isInRows ? [low - 4, 12.5] : [low, 8];
      const { hour, minute: long } = handAnglesAt(moment, 'tick');
      for (const degrees of [hour, long]) {
        const radians = (degrees / 180) * Math.PI;
        const distances = Array.from({ length: 60 }, (_, at) => {
          const [right, down] = [Math.sin(radians) * at - x, -Math.cos(radians) * at - y];
          return Math.max(Math.abs(right) - 21, Math.abs(down) - halfHeight);
        });
        expect([name, minute, Math.min(...distances) > 0]).toEqual([name, minute, true]);
      }
    }
  }
});

test('a station second hand comes round in 58.5 seconds and waits at the top for the minute', () => {
  const second = (clock: string) => handAnglesAt(at(clock), 'station').second;
  expect(second('12:00:00')).toBe(0);
  expect(second('12:00:29.250')).toBe(180);
  expect(second('12:00:58.400')).toBeGreaterThan(359);
  expect(second('12:00:58.500')).toBe(0);
  expect(second('12:00:59.999')).toBe(0);
});

test('a station minute hand stands still for its minute, then jumps', () => {
  const minute = (clock: string) => handAnglesAt(at(clock), 'station').minute;
  expect(minute('12:07:59.999')).toBe(42);
  expect(minute('12:08:00')).toBe(48);
  expect(minute('12:08:59')).toBe(48);
});
