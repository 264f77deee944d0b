import { BoundedCache } from '../../common/caching.ts';
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

/** The glyphs of a set. Those of live lines are in the config of their clock, so that the browser script contains none. */
export interface Glyphs extends GlyphMetrics {
  /** A character as its advance and an SVG path, whose subpaths begin absolute and go on relative: `63M0 0v100`. */
  readonly shapes: Readonly<Record<string, string>>;
}

/** The glyphs of a clock by the name of their set. */
export type GlyphTables = Readonly<Partial<Record<FigureSet, Glyphs>>>;

export interface GlyphMetrics {
  /** Space between characters, included in their advance. */
  readonly gap: number;
  /** The margins of a line: left of the first and right of the last character. */
  readonly sides: readonly [left: number, right: number];
  /** Where a row begins and how high it is. */
  readonly row: readonly [top: number, height: number];
  /** The same for a line with accents or descenders. */
  readonly deepRow?: readonly [top: number, height: number];
  /** Distance between rows; sets without it do not break lines. */
  readonly rowGap?: number;
  /** The factor by which everything is painted wider, including upright strokes. */
  readonly stretch?: number;
  /** A path behind each character except colons and points. */
  readonly unlit?: string;
  /** The shape of unknown characters; without it, a text with unknown characters is set in type. */
  readonly unknown?: string;
}

/** A row of strokes with space for accents and descenders. */
export const DEEP_ROW = [-32, 164] as const;

export type LineWriter = (text: string) => FigureLine;

/** Characters that may need a deep row. */
const DEEP = /[^\dA-Z:.+\-\u2212 ]/;

/** Returns a function that draws lines of text. Without a glyph for each character, a text is returned as `type`, to be set in a font. */
export function glyphWriter(
  metrics: GlyphMetrics,
  shapeOf: (character: string) => string | undefined,
): LineWriter {
  const { gap, sides, row, deepRow = row, rowGap, stretch = 1, unlit, unknown } = metrics;
  // Most characters are soon moved to the same positions again.
  const placed = new BoundedCache<string, string>(256);
  const place = (character: string, path: string, x: number, y: number) =>
    placed.getOrInsertComputed(`${x} ${y} ${character}`, () => moved(path, x, y));
  return text => {
    const rows = rowGap === undefined ? [rowOf(text)] : rowsOf(text);
    const [top, height] = DEEP.test(text) ? deepRow : row;
    const advance = height + (rowGap ?? 0);
    const glyphs = rows.flatMap((characters, index) =>
      glyphsIn(characters, index * advance, character => shapeOf(character) ?? unknown),
    );
    const widest = Math.max(gap + 1, ...glyphs.map(({ endX }) => endX));
    const width = tenths((widest - gap + sides[0] + sides[1]) * stretch);
    const line = {
      viewBox: `${tenths(-sides[0] * stretch)} ${top} ${width} ${tenths(rows.length * advance - (rowGap ?? 0))}`,
      unlit: glyphs.map(({ isDot, x, y }) => (isDot || !unlit ? '' : place('', unlit, x, y))).join(''),
    };
    const isType = glyphs.some(({ path }) => path === undefined);
    if (isType) return { ...line, lit: '', tail: '', type: rowOf(text), length: width };
    const paths = glyphs.map(({ character, path, x, y }) => place(character, path!, x, y));
    return { ...line, lit: paths.slice(0, -2).join(''), tail: paths.slice(-2).join('') };
  };
}

/** The characters of a row: where each begins and ends, and its path, which is undefined if the set lacks it. */
function glyphsIn(row: string, y: number, shapeOf: (character: string) => string | undefined) {
  let x = 0;
  return [...row].map(character => {
    const shape = shapeOf(character);
    const startX = x;
    x += shape === undefined ? typeWidth(character) : Number.parseFloat(shape);
    const path = shape?.slice(shape.search(/M|$/));
    return { character, path, x: startX, y, endX: x, isDot: /[:.]/.test(character) };
  });
}

/** The width of a character of a font, about 138 units high: those of East Asia, and emoji, are square. */
function typeWidth(character: string): number {
  return character.codePointAt(0)! >= 0x1100 ? 138 : 76;
}

/** Longer texts do not fit on a face. */
const MAX_CHARACTERS = 240;
const SHORTEST_ROW = 18;
/** Characters per row divided by rows: a row is taller than a character is wide. */
const PROPORTION = 9;

/** A text in one row; white space becomes spaces. */
function rowOf(text: string): string {
  return [...text.slice(0, 2 * MAX_CHARACTERS).replace(/\s/g, ' ')].slice(0, MAX_CHARACTERS).join('');
}

/** Breaks a long text into rows that fill a face, between words if possible. */
export function rowsOf(text: string): string[] {
  const characters = [...rowOf(text)];
  const columns = Math.max(SHORTEST_ROW, Math.ceil(Math.sqrt(characters.length * PROPORTION)));
  const rows: string[] = [];
  let rest = characters;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > 0 ? space : columns;
    rows.push(rest.slice(0, end).join(''));
    rest = rest.slice(space > 0 ? end + 1 : end);
  }
  return [...rows, rest.join('')];
}

/** An element of a row of flaps: a card that turns, a colon that does not, or a gap between words. */
export interface Flap {
  readonly kind: 'card' | 'colon' | 'gap';
  readonly character: string;
}

const MAX_FLAPS = 200;
/** AM or PM has its own flap. */
const CARDS = /[AP]M$|./gsu;

/** The flaps of a text; departure boards have only capitals. */
export function flapsOf(text: string): Flap[] {
  const characters = text.toUpperCase().match(CARDS) ?? [];
  return characters.slice(0, MAX_FLAPS).map(character => {
    return { kind: character === ':' ? 'colon' : /\s/.test(character) ? 'gap' : 'card', character };
  });
}

/** Moves a path whose subpaths each begin with an absolute `M` and continue with relative commands. */
export function moved(path: string, right: number, down: number): string {
  return path.replace(
    /M(-?[\d.]+) (-?[\d.]+)/g,
    (_, x, y) => `M${tenths(Number(x) + right)} ${tenths(Number(y) + down)}`,
  );
}

/** Concatenates closed paths, with relative commands only: after each, the next begins relative to its starting point. */
export function inTurn(paths: readonly string[]): string {
  let [fromX, fromY] = [0, 0];
  return paths
    .map(path => {
      const [start, x, y] = /^M(-?[\d.]+) (-?[\d.]+)/.exec(path)!; // every path here begins like this
      const move = `m${tenths(Number(x) - fromX)} ${tenths(Number(y) - fromY)}`;
      [fromX, fromY] = [Number(x), Number(y)];
      return move + path.slice(start.length);
    })
    .join('');
}

/** Rounds to tenths, the precision of all paths here. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Distance between the dots of a minute on the edge of a box of 240 by 90 with rounded corners. */
const STEP = 10.714;

/** The dots of seconds `from` … `to` - 1, clockwise from the middle of the top, as a path around the origin. */
export function dotsAround(from: number, to: number): string {
  let path = '';
  for (let index = from; index < to; index++) {
    // All four quarters have the same fifteen.
    const half = index % 30;
    const nth = Math.min(half, 30 - half);
    const [x, y] = nth < 11 ? [nth * STEP, 45] : nth > 11 ? [120, (15 - nth) * STEP] : [117.1, 42.1];
    const isUpper = (index + 15) % 60 < 30;
    path += `M${tenths(index < 30 ? x : -x)} ${tenths(isUpper ? -y : y)}h0`;
  }
  return path;
}
