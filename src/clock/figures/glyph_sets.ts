import { BoundedCache } from '../../common/caching.ts';
import { glyphOf, type Lettering } from './alphabet.ts';
import {
  blockGlyph,
  dotGlyph,
  SEGMENT_GAP,
  type SegmentSet,
  segmentGlyph,
  unlitSegments,
} from './built_glyphs.ts';
import {
  DEEP_ROW,
  type DisplaySet,
  type FigureSet,
  type GlyphMetrics,
  type Glyphs,
  glyphWriter,
  type LineWriter,
  type StrokeSet,
} from './glyph_line.ts';

interface GlyphSource extends GlyphMetrics {
  /** The glyph of every character that the set has. */
  readonly shapeOf: (character: string) => string | undefined;
}

/** The strokes of all faces; those with a label's margin are not broken into rows. */
export const STROKES: Readonly<Record<StrokeSet, Lettering>> = {
  letters: { figure: 46, thick: 13, gap: 15, isRound: true },
  narrow: { figure: 38, thick: 12, gap: 12, condense: 0.76, isRound: true },
  spaced: { figure: 46, thick: 12, gap: 36, isRound: true },
  mono: { figure: 46, thick: 11, gap: 0, isRound: true, cell: 70 },
  board: { figure: 44, thick: 12, gap: 0, isRound: true, cell: 72 },
  heavy: { figure: 40, thick: 18, gap: 13, condense: 0.8 },
  medium: { figure: 48, thick: 11.5, gap: 17, condense: 0.95 },
  bold: { figure: 46, thick: 17, gap: 12, condense: 0.95 },
  soft: { figure: 48, thick: 16, gap: 15, isRound: true },
  chalk: { figure: 48, thick: 10, gap: 19, isRound: true },
  tube: { figure: 50, thick: 13, gap: 17, isRound: true },
  inlay: { figure: 15, thick: 5, gap: 5, condense: 0.3, stretch: 3.4 },
  block: { figure: 117, thick: 0, gap: 11.7 },
};
const LABELS = new Set<FigureSet>(['letters', 'narrow', 'spaced', 'mono', 'board']);

const ROW_GAP = 40;
/** The halves of a flap of the board. */
const FLAP = 'M3 -24h66v72h-66zM3 52h66v72h-66z';

/** There are eighteen. */
const sources = new BoundedCache<FigureSet, GlyphSource>(32);

function sourceOf(set: FigureSet): GlyphSource {
  return sources.getOrInsertComputed(set, () => {
    const source = newSource(set);
    const shapes = new BoundedCache<string, string>(512);
    const shapeOf = (character: string) =>
      shapes.getOrInsertComputed(character, () => source.shapeOf(character) ?? '') || undefined;
    return { ...source, shapeOf };
  });
}

function newSource(set: FigureSet): GlyphSource {
  if (set === 'dots') {
    const unknown = dotGlyph('?');
    return { gap: 1, sides: [1.55, 0.55], row: [-1.55, 9.1], rowGap: -0.1, unknown, shapeOf: dotGlyph };
  }
  return isDisplay(set) ? segmentSource(set) : strokeSource(set, STROKES[set]);
}

export function isDisplay(set: FigureSet): set is DisplaySet {
  return !(set in STROKES);
}

function segmentSource(set: SegmentSet): GlyphSource {
  return {
    gap: SEGMENT_GAP,
    // Figures are slanted to the right.
    sides: [1, 12],
    row: [-1, 102],
    rowGap: 38,
    unlit: unlitSegments(set),
    unknown: segmentGlyph(' ', set),
    shapeOf: character => segmentGlyph(character, set),
  };
}

function strokeSource(set: StrokeSet, lettering: Lettering): GlyphSource {
  const { thick, gap, stretch } = lettering;
  const isLabel = LABELS.has(set);
  return {
    gap,
    sides: [0, 0],
    row: isLabel ? DEEP_ROW : [-thick / 2, 100 + thick],
    ...(isLabel ? {} : { deepRow: DEEP_ROW, rowGap: ROW_GAP }),
    ...(stretch === undefined ? {} : { stretch }),
    ...(set === 'board' ? { unlit: FLAP } : {}),
    shapeOf: character => (set === 'block' ? blockGlyph(character) : glyphOf(character, lettering)),
  };
}

const writers = new BoundedCache<FigureSet, LineWriter>(32);

/** Draws a line of text in a set, with every character that it has. */
export function lineIn(set: FigureSet): LineWriter {
  return writers.getOrInsertComputed(set, () => {
    const { shapeOf, ...metrics } = sourceOf(set);
    return glyphWriter(metrics, shapeOf);
  });
}

/** The glyphs of some characters, for the config of a clock. */
export function glyphsOf(set: FigureSet, characters: Iterable<string>): Glyphs {
  const { shapeOf, ...metrics } = sourceOf(set);
  const shapes: Record<string, string> = {};
  for (const character of [...new Set(characters)].sort()) {
    const shape = shapeOf(character);
    if (shape !== undefined && shape !== metrics.unknown) shapes[character] = shape;
  }
  return { ...metrics, shapes };
}
