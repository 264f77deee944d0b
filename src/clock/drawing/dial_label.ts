import { BoundedCache } from '../../common/caching.ts';
import {
  DEEP_ROW,
  type FigureLine,
  type FigureSet,
  type LineWriter,
  moved,
  tenths,
} from '../figures/glyph_line.ts';
import type { Letters } from '../styles/style.ts';

const [TOP, HEIGHT] = DEEP_ROW;
/** The distance of rows. */
const PITCH = 138;

/** How much larger letters must become to justify another row. */
const WORTH_A_ROW = 1.1;

const rowsByName = new BoundedCache<string, readonly string[]>(128);

/** Breaks a name after spaces, hyphens and slashes into the rows that allow the largest letters. */
export function rowsOfName(name: string): readonly string[] {
  if (name.length <= ROW) return [name];
  return rowsByName.getOrInsertComputed(name, () => {
    const parts = name.split(/(?<=[-/ ])/);
    const broken = Array.from({ length: name.length }, (_, limit) => packed(parts, limit));
    return broken.reduce((best, rows) => (scoreOf(rows) > scoreOf(best) ? rows : best), [name]);
  });
}

/** Breaks a name on a digital face into two rows of about the same length if it has more than `columns` characters. */
export function twoRowsOf(name: string, columns: number): readonly string[] {
  if (name.length <= columns) return [name];
  const parts = name.split(/(?<=[-/ ])/);
  const half = Math.ceil(name.length / 2);
  const broken = Array.from({ length: name.length - half }, (_, at) => packed(parts, half + at));
  return broken.find(rows => rows.length <= 2) ?? [name];
}

/** Draws left-aligned rows; undefined if any must be set in type. */
export function stackedLines(lines: readonly FigureLine[]): FigureLine | undefined {
  if (lines.some(({ type }) => type)) return undefined;
  const width = Math.max(...lines.map(({ viewBox }) => Number(viewBox.split(' ')[2])));
  return {
    viewBox: `0 ${TOP} ${width} ${HEIGHT + (lines.length - 1) * PITCH}`,
    lit: lines.map(({ lit, tail }, index) => moved(lit + tail, 0, index * PITCH)).join(''),
    tail: '',
    unlit: '',
  };
}

/** Rows of at most `limit` characters, if the parts are short enough. */
function packed(parts: readonly string[], limit: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const part of parts) {
    if (row !== '' && (row + part).trimEnd().length > limit) {
      rows.push(row.trimEnd());
      row = '';
    }
    row += part;
  }
  return [...rows, row.trimEnd()];
}

function scoreOf(rows: readonly string[]): number {
  return scaleOf(rows) / WORTH_A_ROW ** rows.length;
}

/** The size of letters in rows, as a share of the full one. */
function scaleOf(rows: readonly string[]): number {
  return Math.min(BOX_HEIGHT / heightOf(rows.length), ROW / Math.max(...rows.map(row => row.length)));
}

function heightOf(rows: number): number {
  return Math.max(BOX_HEIGHT, HEIGHT + (rows - 1) * PITCH);
}

/**
 * Draws the name of a place on a dial, in rows if it is long, as large as its box allows; its last row ends at the lower edge.
 * Rows with characters that the alphabet lacks are returned as `types`, to be set in type around the middle.
 */
export function dialLabel(name: string, letters: Letters, writerIn: (set: FigureSet) => LineWriter) {
  const rows = rowsOfName(name);
  const write = writerIn(dialSetOf(name));
  const lines = rows.map((row, index) => {
    const { viewBox, lit, tail, type } = write(written(row, letters));
    return { path: lit + tail, type, width: Number(viewBox.split(' ')[2]), y: index * PITCH };
  });
  const width = Math.max(...lines.map(line => line.width));
  const height = heightOf(rows.length);
  const bottom = TOP + HEIGHT + (rows.length - 1) * PITCH;
  return {
    viewBox: `${tenths(-width / 2)} ${bottom - height} ${width} ${height}`,
    d: lines.map(line => moved(line.path, -line.width / 2, line.y)).join(''),
    types: lines.flatMap(line =>
      line.type ? [{ text: line.type, y: line.y + 100, length: line.width }] : [],
    ),
  };
}

/** Characters in a full-size row on a dial. */
const ROW = 12;
/** The height of the box of a name on a dial, in hundredths of the full height of capitals. */
export const BOX_HEIGHT = 320;

/** The set for names on dials. */
export function dialSetOf(name: string): 'letters' | 'narrow' {
  return name.length > ROW ? 'narrow' : 'letters';
}

/** The flaps of a row. */
const FLAPS = 18;

/** The name of a place in the form written on a face. */
export function written(place: string, letters: Letters): string {
  if (letters === 'plain') return place;
  if (letters === 'small') return place.toLowerCase();
  return letters === 'row' ? place.toUpperCase().padEnd(FLAPS) : place.toUpperCase();
}

/** The view box of a row on a dial, which ends at the lower edge of its box. */
export function inBox(viewBox: string): string {
  const [left, top, width, height] = viewBox.split(' ').map(Number);
  return [left, top! + height! - BOX_HEIGHT, width, BOX_HEIGHT].join(' ');
}
