import { BoundedCache } from '../../common/bounded_cache.ts';
import { dotLine } from './dot_line.ts';
import type { FigureLine, FigureSet } from './figure_set.ts';
import { segmentLine } from './segment_line.ts';
import { segmentShapes } from './segments.ts';
import { strokeLine } from './stroke_line.ts';

const BARS = segmentShapes(11, 1.4);
const THIN = segmentShapes(7.5, 1.4);

/** Cache of drawn lines, which all clocks that show the same time share. */
const lines = new BoundedCache<string, FigureLine>(64);

/** Draws a line of text in a set of figures; `hasLetters` if its pattern can write more than digits. */
export function figureLine(set: FigureSet, text: string, hasLetters: boolean): FigureLine {
  const key = `${set} ${hasLetters} ${text}`;
  return lines.getOrInsertComputed(key, () => drawLine(set, text, hasLetters));
}

function drawLine(set: FigureSet, text: string, hasLetters: boolean): FigureLine {
  if (set === 'dots') return dotLine(text);
  if (set === 'bars' || set === 'thin') return segmentLine(set === 'bars' ? BARS : THIN, text, hasLetters);
  return strokeLine(set, text);
}
