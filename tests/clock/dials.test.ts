import { describe, expect, test } from 'bun:test';
import { drawFace } from '../../src/clock/draw_face.tsx';
import { dialLabel, rowsOfName, twoRowsOf } from '../../src/clock/drawing/dial_label.ts';
import { placedPath, romanGlyph } from '../../src/clock/drawing/draw_dial.tsx';
import { lineIn } from '../../src/clock/figures/glyph_sets.ts';
import { handAnglesAt, labelSpotAt } from '../../src/clock/live_parts.ts';
import type { Mark, Numerals, Spot } from '../../src/clock/styles/style.ts';
import { STYLE_NAMES, STYLES } from '../../src/clock/styles/styles.ts';
import { Moment } from '../../src/common/moment.ts';
import { configOf, SHOWN_MOMENT } from './faces_page.ts';

test('a long name is broken after hyphens, slashes and spaces into the rows that allow the largest letters', () => {
  for (const [name, ...rows] of [
    ['Tokyo', 'Tokyo'],
    ['Buenos Aires', 'Buenos Aires'],
    ['San Francisco', 'San Francisco'],
    ['DumontDUrville', 'DumontDUrville'],
    ['Petropavlovsk-Kamchatskiy', 'Petropavlovsk-', 'Kamchatskiy'],
    ['Isla del Príncipe Eduardo', 'Isla del', 'Príncipe Eduardo'],
    ['America/Argentina/ComodRivadavia', 'America/Argentina/', 'ComodRivadavia'],
    ['a  b  c  d  e  f  g  h', 'a  b  c  d', 'e  f  g  h'],
  ] as const) {
    expect([name, ...rowsOfName(name)]).toEqual([name, ...rows]);
  }
});

test('a digital face breaks a name that is too long into two rows of about the same length', () => {
  for (const [name, ...rows] of [
    ['Petropavlovsk-Kamchatskiy', 'Petropavlovsk-Kamchatskiy'],
    ['The observatory of Greenwich, upper terrace', 'The observatory of', 'Greenwich, upper terrace'],
    ['Llanfairpwllgwyngyllgogerychwyrndrobwll', 'Llanfairpwllgwyngyllgogerychwyrndrobwll'],
  ] as const) {
    expect([name, ...twoRowsOf(name, 34)]).toEqual([name, ...rows]);
  }
  expect(twoRowsOf('San Francisco, US-CA', 19)).toEqual(['San Francisco,', 'US-CA']);
});

test('rows are centred, and characters without a shape use a font', () => {
  const drawn = dialLabel('Isla del Príncipe Eduardo', 'plain', lineIn);
  const [left, , width] = drawn.viewBox.split(' ').map(Number);
  expect(left! * 2 + width!).toBeCloseTo(0, 0);
  expect(drawn.types).toEqual([]);
  const typed = dialLabel('Петропавловск-Камчатский', 'plain', lineIn);
  expect(typed.d).toBe('');
  expect(typed.types.map(({ text }) => text)).toEqual(['Петропавловск-', 'Камчатский']);
});

test('no label covers the numerals of its dial, wherever it is', () => {
  for (const [name, style] of Object.entries(STYLES)) {
    if (!('dial' in style)) continue;
    for (const mark of style.dial.under) {
      if (!('numerals' in mark)) continue;
      for (const [index, text] of mark.numerals.split(' ').entries()) {
        if (text === '-') continue;
        for (const spot of style.definition.spots)
          expect([name, text, spot, gapTo(spot, mark, index) > 0]).toEqual([name, text, spot, true]);
      }
    }
  }
});

/** Half the height of a label in rows, at most. */
const LABEL = { width: 22, height: 12.5 };

/** The distance of a label from a numeral, which may be rotated: the widest gap along a side of either. */
function gapTo([spotX, spotY]: Spot, numerals: Numerals, index: number): number {
  const { radius, size, weight, condense = 1, radial = false, at: [right, down] = [0, 0] } = numerals;
  const texts = numerals.numerals.split(' ');
  const text = texts[index]!;
  const width =
    weight === 'roman' ? romanGlyph(text)[1] : Number(lineIn('letters')(text).viewBox.split(' ')[2]);
  const [halfWidth, halfHeight] = [(width * condense * size) / 200, size / 2];
  const radians = ((index + 1) / texts.length) * 2 * Math.PI;
  const x = right + Math.sin(radians) * radius - spotX;
  const y = down - Math.cos(radians) * radius - spotY;
  const turn = radial ? radians : 0;
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)];
  const [level, upright] = [Math.abs(cosine), Math.abs(sine)];
  return Math.max(
    Math.abs(x) - LABEL.width - level * halfWidth - upright * halfHeight,
    Math.abs(y) - LABEL.height - upright * halfWidth - level * halfHeight,
    Math.abs(x * cosine + y * sine) - halfWidth - level * LABEL.width - upright * LABEL.height,
    Math.abs(y * cosine - x * sine) - halfHeight - upright * LABEL.width - level * LABEL.height,
  );
}

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
  if ('rect' in mark) {
    const [x, y, width, height] = mark.rect;
    return [x, x + width].flatMap(right => [y, y + height].map(down => [right, down] as const));
  }
  if (!('path' in mark)) return [];
  const halfWidth = mark.stroke === undefined ? 0 : mark.width! / 2;
  let [x, y] = [0, 0];
  return [...mark.path.matchAll(/([MLCHV])([^A-Za-z]*)/g)].flatMap(([, command, text]) => {
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

describe('a placed path', () => {
  const path = 'M1 2h3v-4l1 1c1 0 2 1 2 2a5 6 0 0 1 5 6z';

  test('is scaled in both directions, then moved', () => {
    const placed = placedPath(path, { scale: [2, 0.5], degrees: 0, at: [10, -10] });
    expect(placed).toBe('M12 -9l6 0l0 -2l2 0.5c2 0 4 0.5 4 1a10 3 0 0 1 10 3z');
  });

  test('is rotated clockwise around its origin', () => {
    const placed = placedPath(path, { scale: [1, 1], degrees: 90, at: [0, 0] });
    expect(placed).toBe('M-2 1l0 3l4 0l-1 1c0 1 -1 2 -2 2a5 6 90 0 1 -6 5z');
  });

  test('has reversed arcs if mirrored', () => {
    expect(placedPath('M0 0a5 6 0 0 1 5 6', { scale: [-1, 1], degrees: 0, at: [0, 0] })).toBe(
      'M0 0a5 6 0 0 0 -5 6',
    );
  });
});

test('only moving parts of a dial, and the containers of small seconds and dates, have a transform', () => {
  for (const style of STYLE_NAMES.filter(name => name.startsWith('analog-'))) {
    const still = drawFace(configOf(style), SHOWN_MOMENT, 'c1').match(
      /<(?!g data-part|g class="sc-spot")\w+[^>]* transform="[^"]*"/g,
    );
    expect([style, (still ?? []).length <= 1]).toEqual([style, true]);
  }
});
