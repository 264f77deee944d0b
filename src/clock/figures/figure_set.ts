/**
 * Figures that are drawn as shapes, so that they are the same on every machine: segments, wide (`bars`) and narrow
 * (`thin`), seven a figure, and fourteen where letters are wanted; `dots` of five by seven.
 */
export type FigureSet = 'bars' | 'thin' | 'dots';

/** A line of figures as paths. */
export interface FigureLine {
  readonly viewBox: string;
  readonly lit: string;
  /** What is there and does not shine, or nothing. */
  readonly unlit: string;
}

const NUMERIC = /^(?:%[-_0]?[HIklMSyYCmdejuwVUWgGsTRF%]|[\d:. -])*$/;

/** Whether a strftime pattern writes nothing but figures, colons, points, hyphens and spaces at any moment. */
export function isNumeric(pattern: string): boolean {
  return !pattern.includes('%%') && NUMERIC.test(pattern);
}

/** Whether a set of figures has all that a pattern may write. */
export function isDrawable(_set: FigureSet, _pattern: string): boolean {
  return true;
}
