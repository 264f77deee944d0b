import { BoundedCache } from '../../common/bounded_cache.ts';
import type { FigureLine, FigureSet } from './figure_set.ts';
import { rowOf, rowsOf } from './layout.ts';
import { litBy, moved, tenths } from './paths.ts';

/**
 * The glyphs of a set. Glyphs that the live lines of a clock may need are in its config, so that the browser script contains
 * none.
 */
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

/** Draws a line of text. */
export type LineWriter = (text: string) => FigureLine;

/** Characters that may need a deep row. */
const DEEP = /[^\dA-Z:.+\-\u2212 ]/;

/**
 * Returns a function that draws lines of text with glyphs. A text with a character without a glyph is returned as `type`, to be
 * set in `length` units of a font.
 */
export function glyphWriter(
  metrics: GlyphMetrics,
  shapeOf: (character: string) => string | undefined,
): LineWriter {
  const { gap, sides, row, deepRow = row, rowGap, stretch = 1, unlit, unknown } = metrics;
  const place = placer();
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
      unlit:
        unlit === undefined
          ? ''
          : glyphs.map(({ isDot, x, y }) => (isDot ? '' : place('', unlit, x, y))).join(''),
    };
    const isType = glyphs.some(({ path }) => path === undefined);
    if (isType) return { ...line, lit: '', tail: '', type: rowOf(text), length: width };
    return { ...line, ...litBy(glyphs.map(({ character, path, x, y }) => place(character, path!, x, y))) };
  };
}

/** A character of a line. */
interface PlacedGlyph {
  readonly character: string;
  /** Undefined if the set lacks the character. */
  readonly path: string | undefined;
  readonly x: number;
  readonly y: number;
  /** The start of the next one. */
  readonly endX: number;
  readonly isDot: boolean;
}

function glyphsIn(row: string, y: number, shapeOf: (character: string) => string | undefined): PlacedGlyph[] {
  let x = 0;
  return [...row].map(character => {
    const shape = shapeOf(character);
    const startX = x;
    x += shape === undefined ? typeWidth(character) : Number.parseFloat(shape);
    const path = shape?.slice(shape.search(/M|$/));
    return { character, path, x: startX, y, endX: x, isDot: /[:.]/.test(character) };
  });
}

/** Moves the paths of characters, with a cache, since most are soon moved to the same positions again. */
function placer(): (character: string, path: string, x: number, y: number) => string {
  const placed = new BoundedCache<string, string>(256);
  return (character, path, x, y) =>
    placed.getOrInsertComputed(`${x} ${y} ${character}`, () => moved(path, x, y));
}

/** The width of a character of a font, about 138 units high: those of East Asia, and emoji, are square. */
function typeWidth(character: string): number {
  return character.codePointAt(0)! >= 0x1100 ? 138 : 76;
}
