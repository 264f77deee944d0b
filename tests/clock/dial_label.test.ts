import { expect, test } from 'bun:test';
import { dialLabel, rowsOfName, twoRowsOf } from '../../src/clock/drawing/dial_label.ts';
import { romanGlyph } from '../../src/clock/drawing/roman.ts';
import { lineIn } from '../../src/clock/figures/glyph_sets.ts';
import { STYLES } from '../../src/clock/styles/styles.ts';

test('a long name is broken behind hyphens, slashes and spaces into rows of the largest letters', () => {
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

test('rows are around the middle, and characters without a shape are set in type', () => {
  const drawn = dialLabel('Isla del Príncipe Eduardo', 'plain', lineIn);
  const [left, , width] = drawn.viewBox.split(' ').map(Number);
  expect(left! * 2 + width!).toBeCloseTo(0, 0);
  expect(drawn.types).toEqual([]);
  const typed = dialLabel('Петропавловск-Камчатский', 'plain', lineIn);
  expect(typed.d).toBe('');
  expect(typed.types.map(({ text }) => text)).toEqual(['Петропавловск-', 'Камчатский']);
});

test('no label is over the figures of its dial, wherever it is', () => {
  for (const [name, style] of Object.entries(STYLES)) {
    if (!('dial' in style)) continue;
    const { spots, corners } = style.definition;
    for (const mark of style.dial.under) {
      if (mark.mark !== 'numerals') continue;
      const { texts, radius, size, weight, condense = 1, at: [right, down] = [0, 0] } = mark;
      for (const [index, text] of texts.entries()) {
        if (text === '') continue;
        const radians = ((index + 1) / texts.length) * 2 * Math.PI;
        const [x, y] = [right + Math.sin(radians) * radius, down - Math.cos(radians) * radius];
        const width =
          weight === 'roman' ? romanGlyph(text)[1] : Number(lineIn('letters')(text).viewBox.split(' ')[2]);
        const halfWidth = (width * condense * size) / 230;
        for (const [isInRows, [spotX, spotY]] of [
          ...spots.map(spot => [false, spot] as const),
          ...[...spots, ...corners].map(spot => [true, spot] as const),
        ]) {
          const beside = Math.abs(x - spotX) - halfWidth - 21;
          const above = Math.abs(y - spotY) - size / 2 - (isInRows ? 12.5 : 8);
          expect([name, text, spotX, spotY, Math.max(beside, above) > 0]).toEqual([
            name,
            text,
            spotX,
            spotY,
            true,
          ]);
        }
      }
    }
  }
});
