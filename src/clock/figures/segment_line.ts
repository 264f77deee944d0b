import type { FigureLine } from './figure_set.ts';
import { rowsOf } from './layout.ts';
import { inTurn, litBy, moved, tenths } from './paths.ts';
import { type SegmentShapes, segmentBits } from './segments.ts';

const ALL = 0x3fff;
const GAP = 20;
const ROW_GAP = 40;
/** Room at the right for slanted figures. */
const LEAN = 11;

/** Draws text in segments, seven per digit or fourteen if letters may occur: all of them unlit, and the lit ones above. */
export function segmentLine(shapes: SegmentShapes, text: string, hasLetters: boolean): FigureLine {
  const rows = rowsOf(text);
  const lit: string[] = [];
  let unlit = '';
  let width = 0;
  for (const [row, characters] of rows.entries()) {
    const y = row * (shapes.height + ROW_GAP);
    let x = 0;
    for (const character of characters) {
      if (character === ':' || character === '.') {
        lit.push(moved(character === ':' ? shapes.colon : shapes.point, x, y));
        x += shapes.dotWidth + GAP;
        continue;
      }
      lit.push(figure(shapes, segmentBits(character), hasLetters, x, y));
      unlit += figure(shapes, ALL, hasLetters, x, y);
      x += shapes.width + GAP;
    }
    width = Math.max(width, x - GAP);
  }
  const height = rows.length * (shapes.height + ROW_GAP) - ROW_GAP;
  const viewBox = `-1 -1 ${tenths(Math.max(width, 1) + LEAN + 2)} ${height + 2}`;
  return { viewBox, ...litBy(lit), unlit };
}

/** Only its start is absolute: a long text in segments takes a tenth of the time that moving each segment takes. */
function figure(shapes: SegmentShapes, bits: number, hasLetters: boolean, x: number, y: number): string {
  const relative = shapes.figures.getOrInsertComputed(hasLetters ? bits : -bits, () =>
    inTurn((hasLetters ? shapes.fourteen : shapes.seven).filter((_, index) => bits & (1 << index))),
  );
  return relative === '' ? '' : `M${tenths(x)} ${tenths(y)}${relative}`;
}
