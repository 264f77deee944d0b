import { describe, expect, test } from 'bun:test';
import { drawFace } from '../../src/clock/draw_face.tsx';
import { placedPath } from '../../src/clock/drawing/draw_dial.tsx';
import { STYLE_NAMES } from '../../src/clock/styles/styles.ts';
import { configOf, SHOWN_MOMENT } from './faces_page.ts';

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
