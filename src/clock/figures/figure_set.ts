import { DIRECTIVES } from '../../text/strftime_directives.ts';

/**
 * Figures drawn as shapes, which look the same on every machine: segments, broad (`bars`) or narrow (`thin`), seven per
 * digit and fourteen if letters may occur; `dots` of five by seven; and strokes of several weights, digits only.
 */
export type FigureSet = 'bars' | 'thin' | 'dots' | StrokeSet;

/** Sets of strokes by weight; `block` has right angles. */
export type StrokeSet = 'heavy' | 'medium' | 'tube' | 'hair' | 'block';

export interface FigureLine {
  readonly viewBox: string;
  /** All but the last two characters: in a time with seconds, the part that holds for a minute. */
  readonly lit: string;
  readonly tail: string;
  /** The unlit segments, drawn below the lit ones; empty for figures without any. */
  readonly unlit: string;
}

const NUMERIC_LETTERS = [...DIRECTIVES].map(([letter, { isNumeric }]) => (isNumeric ? letter : '')).join('');
const NUMERIC = new RegExp(`^(?:%[-_0]?[${NUMERIC_LETTERS}]|[\\d:. -])*$`);

/** Whether a strftime pattern can write only digits, colons, points, hyphens and spaces. */
export function isNumeric(pattern: string): boolean {
  return NUMERIC.test(pattern);
}

/** Whether a set has a figure for every character that a pattern can write. */
export function isDrawable(set: FigureSet, pattern: string): boolean {
  return set === 'bars' || set === 'thin' || set === 'dots' || isNumeric(pattern);
}
