import { DIRECTIVES } from '../../text/strftime_directives.ts';

/** Figures drawn as shapes, which look the same on every machine (`glyph_sets.ts`). */
export type FigureSet = DisplaySet | StrokeSet;

/** Segments, broad (`bars`) or narrow (`thin`), seven to a figure and fourteen if letters may occur; dots of five by seven. */
export type DisplaySet = 'bars' | 'bars14' | 'thin' | 'thin14' | 'dots';

/** Strokes. `letters`, `narrow`, `spaced` and `mono` are for labels, `board` for both, the others for the time. */
export type StrokeSet =
  | 'letters'
  | 'narrow'
  | 'spaced'
  | 'mono'
  | 'board'
  | 'heavy'
  | 'medium'
  | 'bold'
  | 'soft'
  | 'chalk'
  | 'tube'
  | 'inlay'
  | 'block';

/** The set to use for a text with letters, if a set has only figures. */
export function letteredSet(set: FigureSet): FigureSet {
  if (set === 'bars' || set === 'thin') return `${set}14`;
  return set === 'block' ? 'bold' : set;
}

export interface FigureLine {
  readonly viewBox: string;
  /** All but the last two characters: in a time with seconds, the part that is constant for a minute. */
  readonly lit: string;
  readonly tail: string;
  /** The unlit segments, drawn below the lit ones; empty for figures without any. */
  readonly unlit: string;
  /** A text with characters that the set lacks, to be set in type with a given length. */
  readonly type?: string;
  readonly length?: number;
}

const NUMERIC_LETTERS = [...DIRECTIVES].map(([letter, { isNumeric }]) => (isNumeric ? letter : '')).join('');
const NUMERIC = new RegExp(`^(?:%[-_0]?[${NUMERIC_LETTERS}]|[\\d:. -])*$`);

/** Whether a strftime pattern can write only digits, colons, points, hyphens and spaces. */
export function isNumeric(pattern: string): boolean {
  return NUMERIC.test(pattern);
}
