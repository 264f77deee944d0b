import { DIRECTIVES } from '../../text/strftime_directives.ts';

/**
 * Figures that are drawn as shapes, so that they are the same on every machine: segments, broad (`bars`) and narrow
 * (`thin`), seven a figure, and fourteen where letters are wanted; `dots` of five by seven; and strokes of several
 * weights, which have figures alone.
 */
export type FigureSet = 'bars' | 'thin' | 'dots' | StrokeSet;

/** The sets of strokes, by their weight; `block` is of right angles. */
export type StrokeSet = 'heavy' | 'medium' | 'tube' | 'hair' | 'block';

/** A line of figures as paths. */
export interface FigureLine {
  readonly viewBox: string;
  /** All but the last two characters: of a time with seconds, what holds for a minute. */
  readonly lit: string;
  /** The last two characters. */
  readonly tail: string;
  /** All that may shine, as it is where it does not; nothing for figures that are not there unless they shine. */
  readonly unlit: string;
}

const NUMERIC_LETTERS = [...DIRECTIVES].map(([letter, { isNumeric }]) => (isNumeric ? letter : '')).join('');
const NUMERIC = new RegExp(`^(?:%[-_0]?[${NUMERIC_LETTERS}]|[\\d:. -])*$`);

/** Whether a strftime pattern writes nothing but figures, colons, points, hyphens and spaces at any moment. */
export function isNumeric(pattern: string): boolean {
  return NUMERIC.test(pattern);
}

/** Whether a set of figures has all that a pattern may write. */
export function isDrawable(set: FigureSet, pattern: string): boolean {
  return set === 'bars' || set === 'thin' || set === 'dots' || isNumeric(pattern);
}
