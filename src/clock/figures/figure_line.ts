import { dotLine } from './dot_line.ts';
import type { FigureLine, FigureSet } from './figure_set.ts';
import { segmentLine } from './segment_line.ts';
import { segmentShapes } from './segments.ts';
import { strokeLine } from './stroke_line.ts';

const BARS = segmentShapes(11, 1.4);
const THIN = segmentShapes(7.5, 1.4);

/** Draws a line of text in a set of figures; `hasLetters` where more than figures may ever come. */
export function figureLine(set: FigureSet, text: string, hasLetters: boolean): FigureLine {
  if (set === 'dots') return dotLine(text);
  if (set === 'bars' || set === 'thin') return segmentLine(set === 'bars' ? BARS : THIN, text, hasLetters);
  return strokeLine(set, text);
}
