import { dotsOf } from './dot_font.ts';
import type { FigureLine } from './figure_set.ts';
import { litBy, tenths } from './paths.ts';
import { PlacedShapes } from './placed_shapes.ts';
import { rowsOf } from './rows.ts';

/** From one character to the next, and from one row of characters to the next, in dots. */
const ADVANCE = 6;
const NARROW_ADVANCE = 4;
const ROW_ADVANCE = 9;

/**
 * Draws text in dots: each is a line without length, round by its cap, with its middle at whole coordinates. Those that do not shine
 * are a pattern of the drawing, which costs a browser a tenth of as many dots.
 */
export function dotLine(text: string): FigureLine {
  const rows = rowsOf(text);
  const shapes: string[] = [];
  let width = 0;
  for (const [row, characters] of rows.entries()) {
    let x = 0;
    for (const character of characters) {
      const isColon = character === ':';
      shapes.push(character === ' ' ? '' : dotsAt(character, isColon ? x - 1 : x, row * ROW_ADVANCE));
      x += isColon ? NARROW_ADVANCE : ADVANCE;
    }
    width = Math.max(width, x - 1);
  }
  const height = (rows.length - 1) * ROW_ADVANCE + 7;
  const viewBox = `-1.55 -1.55 ${tenths(width + 2.1)} ${tenths(height + 2.1)}`;
  return { viewBox, ...litBy(shapes), unlit: '' };
}

const placed = new PlacedShapes();

function dotsAt(character: string, x: number, y: number): string {
  return placed.at(character, x, y, () =>
    dotsOf(character)
      .map(([column, row]) => `M${x + column} ${y + row}h0`)
      .join(''),
  );
}
