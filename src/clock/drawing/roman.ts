/** Roman numerals as filled paths, 100 high: upright strokes are thick, and so are those that fall to the right. */

/** Half the width of thick and thin strokes, and the serifs. */
const [THICK, THIN, SERIF, SERIF_HEIGHT] = [10, 2.6, 9, 5];
const GAP = 9;

interface Numeral {
  readonly width: number;
  readonly strokes: readonly (readonly [fromX: number, toX: number, half: number])[];
  /** Where strokes end at the top and at the bottom. */
  readonly top: readonly number[];
  readonly bottom: readonly number[];
}

const NUMERALS: Readonly<Record<string, Numeral>> = {
  I: { width: 38, strokes: [[19, 19, THICK]], top: [19], bottom: [19] },
  V: {
    width: 88,
    strokes: [
      [18, 44, THICK],
      [74, 46, THIN],
    ],
    top: [18, 74],
    bottom: [],
  },
  X: {
    width: 92,
    strokes: [
      [18, 74, THICK],
      [76, 16, THIN],
    ],
    top: [18, 76],
    bottom: [16, 74],
  },
};

/** A Roman numeral as a path, and its width. */
export function romanGlyph(text: string): readonly [path: string, width: number] {
  let path = '';
  let x = 0;
  for (const character of text) {
    const { width, strokes, top, bottom } = NUMERALS[character]!; // dials have no others
    for (const [from, to, half] of strokes) {
      path += `M${x + from - half} 0h${2 * half}l${to - from} 100h${-2 * half}z`;
    }
    for (const middle of top) path += serif(x + middle, 0);
    for (const middle of bottom) path += serif(x + middle, 100 - SERIF_HEIGHT);
    x += width + GAP;
  }
  return [path, x - GAP];
}

function serif(middle: number, y: number): string {
  return `M${middle - THICK - SERIF} ${y}h${2 * (THICK + SERIF)}v${SERIF_HEIGHT}h${-2 * (THICK + SERIF)}z`;
}
