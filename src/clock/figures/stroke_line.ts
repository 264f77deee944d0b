import type { FigureLine, StrokeSet } from './figure_set.ts';
import { litBy, moved, tenths } from './paths.ts';
import { PlacedShapes } from './placed_shapes.ts';
import { rowsOf } from './rows.ts';
import { blockGlyphs, type Glyphs, roundGlyphs } from './stroke_glyphs.ts';

interface Strokes {
  readonly glyphs: Glyphs;
  readonly width: number;
  readonly thick: number;
  readonly gap: number;
  readonly placed: PlacedShapes;
}

const ROW_GAP = 40;

const STROKES: Readonly<Record<StrokeSet, Strokes>> = {
  heavy: strokes(roundGlyphs, 40, 18, 13),
  medium: strokes(roundGlyphs, 48, 11.5, 17),
  tube: strokes(roundGlyphs, 50, 13, 17),
  hair: strokes(roundGlyphs, 60, 2.4, 22),
  block: strokes(blockGlyphs, 124, 36, 14),
};

function strokes(glyphsOf: (width: number) => Glyphs, width: number, thick: number, gap: number): Strokes {
  return { glyphs: glyphsOf(width), width, thick, gap, placed: new PlacedShapes() };
}

/** How thick the strokes of a set are, when its figures are 100 units high from the middle of a stroke to another's. */
export function thicknessOf(set: StrokeSet): number {
  return STROKES[set].thick;
}

/** Draws figures as strokes; what the set does not have leaves a gap. */
export function strokeLine(set: StrokeSet, text: string): FigureLine {
  const { glyphs, width, thick, gap, placed } = STROKES[set];
  const rows = rowsOf(text);
  const shapes: string[] = [];
  let widest = 0;
  for (const [row, characters] of rows.entries()) {
    const y = row * (100 + thick + ROW_GAP);
    let x = 0;
    for (const character of characters) {
      const isDot = character === ':' || character === '.';
      const shape = isDot ? dots(character, thick) : (glyphs.get(character) ?? '');
      shapes.push(placed.at(character, x, y, () => moved(shape, x, y)));
      x += (isDot ? 0 : width) + thick + gap;
    }
    widest = Math.max(widest, x - gap - thick);
  }
  const height = rows.length * (100 + thick + ROW_GAP) - ROW_GAP;
  const edge = tenths(-thick / 2);
  const viewBox = `${edge} ${edge} ${tenths(widest + thick)} ${tenths(height)}`;
  return { viewBox, ...litBy(shapes), unlit: '' };
}

/** Dots that are as wide as a stroke, and never finer than can be seen. */
function dots(character: string, thick: number): string {
  const dot = (middle: number) =>
    thick < 5 ? `M-1.5 ${middle}a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0` : `M${-thick / 2} ${middle}h${thick}`;
  return character === '.' ? dot(100) : dot(28) + dot(72);
}
