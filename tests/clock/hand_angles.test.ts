import { expect, test } from 'bun:test';
import type { Mark } from '../../src/clock/drawing/dial.tsx';
import { handAnglesAt, labelSpotAt } from '../../src/clock/live_parts.ts';
import { STYLES } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';

function at(clock: string): Moment {
  return new Moment(Date.parse(`2026-04-18T${clock}Z`), 0, 'UTC');
}

test('hands have the angles of a clock', () => {
  expect(handAnglesAt(at('00:00:00'), 'tick')).toEqual({ hour: 0, minute: 0, second: 0 });
  expect(handAnglesAt(at('15:00:00'), 'tick')).toEqual({ hour: 90, minute: 0, second: 0 });
  expect(handAnglesAt(at('09:30:00'), 'tick')).toEqual({ hour: 285, minute: 180, second: 0 });
  expect(handAnglesAt(at('18:45:30'), 'tick')).toEqual({ hour: 202.75, minute: 273, second: 180 });
});

test('hands show the local time, even in negative years and with seconds in the offset', () => {
  const localMeanTime = new Moment(Date.UTC(1880, 0, 1, 12, 0, 0), -(4 * 3600 + 56 * 60 + 2), 'LMT');
  expect(handAnglesAt(localMeanTime, 'tick')).toEqual({
    hour: 210 + 3 / 2 + 58 / 120,
    minute: 18 + 5.8,
    second: 348,
  });
});

test('a ticking second hand moves once a second, a sweeping one never stops', () => {
  const late = at('00:00:01.999');
  expect(handAnglesAt(late, 'tick').second).toBe(6);
  expect(handAnglesAt(late, 'sweep').second).toBeCloseTo(11.994);
});

/** The corners of a hand's shapes, at twelve o'clock. */
function cornersOf(mark: Mark): (readonly [x: number, y: number])[] {
  if (mark.mark === 'rect') {
    const [x, y, width, height] = mark.box;
    return [x, x + width].flatMap(right => [y, y + height].map(down => [right, down] as const));
  }
  if (mark.mark !== 'path') return [];
  const halfWidth = mark.stroke === undefined ? 0 : mark.width! / 2;
  let [x, y] = [0, 0];
  return [...mark.d.matchAll(/([MLCHV])([^A-Za-z]*)/g)].flatMap(([, command, text]) => {
    const numbers = text!.trim().split(' ').map(Number);
    if (command === 'H') x = numbers[0]!;
    else if (command === 'V') y = numbers[0]!;
    else [x, y] = [numbers.at(-2)!, numbers.at(-1)!];
    return [[x - halfWidth, y] as const, [x + halfWidth, y] as const];
  });
}

test('no hand or tail covers a label in one row or several, at any minute of half a day', () => {
  for (const [name, style] of Object.entries(STYLES)) {
    if (!('dial' in style)) continue;
    const { definition, dial } = style;
    const hands = [dial.hour, dial.minute].map(marks => {
      const corners = marks.flatMap(cornersOf);
      const [tip, tail] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))];
      expect([name, tail]).toEqual([name, Math.min(tail, definition.tail)]);
      const middle = Array.from({ length: Math.floor(tail - tip) }, (_, at) => [0, tip + at] as const);
      return [...corners, ...middle];
    });
    for (let half = 0; half < 2880; half++) {
      // At the start of each minute, and at its end.
      const moment = new Moment(Math.floor(half / 2) * 60_000 + (half % 2) * 59_000, 0, 'UTC');
      // Long names are higher by half their first row.
      const isInRows = half >= 1440;
      const [x, low] = labelSpotAt(moment, definition, isInRows);
      const [y, halfHeight] = isInRows ? [low - 4, 12.5] : [low, 8];
      const angles = handAnglesAt(moment, definition.manner);
      const distances = [angles.hour, angles.minute].flatMap((degrees, hand) => {
        const radians = (degrees / 180) * Math.PI;
        const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
        return hands[hand]!.map(([right, down]) =>
          Math.max(
            Math.abs(right * cosine - down * sine - x) - 21,
            Math.abs(right * sine + down * cosine - y) - halfHeight,
          ),
        );
      });
      expect([name, Math.floor(half / 2), Math.min(...distances) > 0]).toEqual([
        name,
        Math.floor(half / 2),
        true,
      ]);
    }
  }
});

test('a station second hand completes its revolution in 58.5 seconds and waits at the top for the minute', () => {
  const second = (clock: string) => handAnglesAt(at(clock), 'station').second;
  expect(second('12:00:00')).toBe(0);
  expect(second('12:00:29.250')).toBe(180);
  expect(second('12:00:58.400')).toBeGreaterThan(359);
  expect(second('12:00:58.500')).toBe(0);
  expect(second('12:00:59.999')).toBe(0);
});

test('a station minute hand stands still for a minute, then jumps', () => {
  const minute = (clock: string) => handAnglesAt(at(clock), 'station').minute;
  expect(minute('12:07:59.999')).toBe(42);
  expect(minute('12:08:00')).toBe(48);
  expect(minute('12:08:59')).toBe(48);
});
