import { expect, test } from 'bun:test';
import type { Numerals } from '../../src/clock/drawing/dial.tsx';
import { dialLabel, rowsOfName, twoRowsOf } from '../../src/clock/drawing/dial_label.ts';
import { romanGlyph } from '../../src/clock/drawing/draw_dial.tsx';
import { lineIn } from '../../src/clock/figures/glyph_sets.ts';
import type { Spot } from '../../src/clock/styles/style.ts';
import { STYLES } from '../../src/clock/styles/styles.ts';

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
      if (mark.mark !== 'numerals') continue;
      for (const [index, text] of mark.texts.entries()) {
        if (text === '') continue;
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
  const { texts, radius, size, weight, condense = 1, radial = false, at: [right, down] = [0, 0] } = numerals;
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
