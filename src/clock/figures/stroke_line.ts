import type { FigureLine, StrokeSet } from './figure_set.ts';
import { rowsOf } from './layout.ts';
import { litBy, moved, placedShapes, tenths } from './paths.ts';

interface Strokes {
  readonly glyphs: Glyphs;
  readonly width: number;
  readonly thick: number;
  readonly gap: number;
  readonly placed: ReturnType<typeof placedShapes>;
}

const ROW_GAP = 40;

const STROKES: Readonly<Record<StrokeSet, Strokes>> = {
  heavy: strokes(roundGlyphs, 40, 18, 13),
  medium: strokes(roundGlyphs, 48, 11.5, 17),
  tube: strokes(roundGlyphs, 50, 13, 17),
  hair: strokes(roundGlyphs, 60, 2.4, 22),
  block: strokes(blockGlyphs, 124, 36, 14),
};

function strokes(glyphsOf: (width: number) => Glyphs, width: number, thick: number, gap: number): Strokes {
  return { glyphs: glyphsOf(width), width, thick, gap, placed: placedShapes() };
}

/** Stroke width of a set, in units of which figures are 100 high between the centres of strokes. */
export function thicknessOf(set: StrokeSet): number {
  return STROKES[set].thick;
}

/** Draws digits as strokes; unknown characters leave a gap. */
export function strokeLine(set: StrokeSet, text: string): FigureLine {
  const { glyphs, width, thick, gap, placed } = STROKES[set];
  const rows = rowsOf(text);
  const shapes: string[] = [];
  let widest = 0;
  for (const [row, characters] of rows.entries()) {
    const y = row * (100 + thick + ROW_GAP);
    let x = 0;
    for (const character of characters) {
      const isDot = character === ':' || character === '.';
      const shape = isDot ? dots(character, thick) : (glyphs.get(character) ?? '');
      shapes.push(placed.getOrInsertComputed(`${character} ${x} ${y}`, () => moved(shape, x, y)));
      x += (isDot ? 0 : width) + thick + gap;
    }
    widest = Math.max(widest, x - gap - thick);
  }
  const height = rows.length * (100 + thick + ROW_GAP) - ROW_GAP;
  const edge = tenths(-thick / 2);
  const viewBox = `${edge} ${edge} ${tenths(widest + thick)} ${tenths(height)}`;
  return { viewBox, ...litBy(shapes), unlit: '' };
}

/** The dots of a colon or point: as wide as a stroke, but at least visible. */
function dots(character: string, thick: number): string {
  const dot = (middle: number) =>
    thick < 5 ? `M-1.5 ${middle}a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0` : `M${-thick / 2} ${middle}h${thick}`;
  return character === '.' ? dot(100) : dot(28) + dot(72);
}

/** Strokes between 0 and 100 by character. */
type Glyphs = ReadonlyMap<string, string>;

/** Round digits like those of road signs, `width` units wide. */
function roundGlyphs(width: number): Glyphs {
  const w = (share: number) => Math.round(share * width * 10) / 10;
  const half = w(0.5);
  const bowl = (rx: number, ry: number) => `a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`;
  const quarter = (rx: number, ry: number, right: number, down: number) =>
    `a${rx} ${ry} 0 0 1 ${right} ${down}`;
  return new Map([
    [
      '0',
      `M0 ${half}${quarter(half, half, half, -half)}${quarter(half, half, half, half)}v${100 - width}` +
        `${quarter(half, half, -half, half)}${quarter(half, half, -half, -half)}z`,
    ],
    ['1', `M${w(0.16)} 22l${w(0.46)} -22v100`],
    [
      '2',
      `M0 ${half}${quarter(half, half, half, -half)}${quarter(half, half, half, half)}` +
        `c0 14 ${w(-0.22)} 25 ${w(-0.4)} ${62 - half}l${w(-0.6)} 38h${width}`,
    ],
    [
      '3',
      `M${w(0.03)} 20c${w(0.05)} -12 ${w(0.22)} -20 ${w(0.45)} -20${quarter(half, 24, w(0.46), 24)}${quarter(w(0.46), 24, w(-0.46), 24)}h${w(-0.14)}` +
        `M${w(0.48)} 48${quarter(half, 26, w(0.52), 26)}${quarter(half, 26, w(-0.52), 26)}c${w(-0.25)} 0 ${w(-0.42)} -9 ${w(-0.48)} -22`,
    ],
    ['4', `M${w(0.58)} 0l${w(-0.58)} 70h${width}M${w(0.76)} 44v56`],
    [
      '5',
      `M${w(0.92)} 0h${w(-0.8)}l${w(-0.06)} 47c${w(0.1)} -7 ${w(0.24)} -10 ${w(0.42)} -10` +
        `${quarter(w(0.52), 31, w(0.52), 31)}${quarter(w(0.52), 32, w(-0.52), 32)}c${w(-0.23)} 0 ${w(-0.4)} -7 ${w(-0.46)} -19`,
    ],
    ['6', `M${w(0.68)} 0c${w(-0.3)} 22 ${w(-0.68)} 42 ${w(-0.68)} 69${bowl(half, 31)}`],
    ['7', `M0 0h${width}l${w(-0.64)} 100`],
    ['8', `M${w(0.05)} 24${bowl(w(0.45), 24)}M0 74${bowl(half, 26)}`],
    [
      '9',
      `M${w(0.32)} 100c${w(0.3)} -22 ${w(0.68)} -42 ${w(0.68)} -69a${half} 31 0 1 0 ${-2 * half} 0a${half} 31 0 1 0 ${2 * half} 0`,
    ],
    ['-', `M${w(0.1)} 50h${w(0.8)}`],
  ]);
}

/** Digits of right angles. */
function blockGlyphs(w: number): Glyphs {
  return new Map([
    ['0', `M0 0h${w}v100h${-w}z`],
    ['1', `M${w * 0.06} 0h${w * 0.44}v100M0 100h${w}`],
    ['2', `M0 0h${w}v50h${-w}v50h${w}`],
    ['3', `M0 0h${w}v100h${-w}M${w * 0.2} 50h${w * 0.8}`],
    ['4', `M0 0v50h${w}M${w} 0v100`],
    ['5', `M${w} 0h${-w}v50h${w}v50h${-w}`],
    ['6', `M${w} 0h${-w}v100h${w}v-50h${-w}`],
    ['7', `M0 0h${w}v100`],
    ['8', `M0 0h${w}v100h${-w}zM0 50h${w}`],
    ['9', `M${w} 50h${-w}v-50h${w}v100h${-w}`],
    ['-', `M${w * 0.1} 50h${w * 0.8}`],
  ]);
}
