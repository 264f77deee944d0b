import { moved, tenths } from './glyph_line.ts';

/**
 * The lettering of all faces: an alphabet of strokes, like those routed into instrument plates by engravers. It can be drawn in
 * any weight, needs no font and looks the same on every machine.
 *
 * A glyph consists of its width and the centre line of its strokes; capitals and figures range from 0 (top) to 100 (baseline),
 * small letters begin at 30 and descend to 128. `M x y`, `l dx dy`, `h`, `v` and `c` are as in SVG paths; `r dx dy` and
 * `u dx dy` are quarter ellipses, clockwise and anticlockwise; `o x y` is a dot.
 */
const GLYPHS: Readonly<Record<string, string>> = {
  A: '58M-2 100l31 -100l31 100M8 66h42',
  B: '51M0 48h26r25 26r-25 26h-26v-100h23r23 24r-23 24',
  C: '54M54 27u-27 -27u-27 27v46u27 27u27 -27',
  D: '54M0 0v100h24u30 -30v-40u-30 -30h-24',
  E: '45M45 0h-45v100h45M0 48h40',
  F: '42M44 0h-44v100M0 49h38',
  G: '56M56 26u-28 -26u-28 28v44u28 28u28 -28v-18h-24',
  H: '56M0 0v100M56 0v100M0 49h56',
  I: '0M0 0v100',
  J: '38M38 0v77r-19 23r-19 -19',
  K: '52M0 0v100M50 0l-50 60M18 39l36 61',
  L: '41M0 0v100h44',
  M: '68M0 100v-100l34 68l34 -68v100',
  N: '56M0 100v-100l56 100v-100',
  O: '58M0 29v42u29 29u29 -29v-42u-29 -29u-29 29',
  P: '50M0 100v-100h23r27 28r-27 28h-23',
  Q: '58M0 29v42u29 29u29 -29v-42u-29 -29u-29 29M36 74l24 31',
  R: '52M0 100v-100h24r26 28r-26 28h-24M25 56l28 44',
  S: '52M50 22c-4 -14 -13 -22 -25 -22c-14 0 -24 9 -24 24c0 15 12 20 26 25c14 5 25 9 25 26c0 16 -11 25 -26 25c-14 0 -23 -8 -26 -22',
  T: '52M-1 0h54M26 0v100',
  U: '56M0 0v72u28 28u28 -28v-72',
  V: '55M-3 0l31 100l31 -100',
  W: '82M-3 0l22 100l22 -96l22 96l22 -100',
  X: '54M0 0l54 100M54 0l-54 100',
  Y: '52M-3 0l29 52l29 -52M26 52v48',
  Z: '52M1 0h51l-52 100h53',
  a: '46M4 45c3 -10 10 -15 20 -15r22 20v50M46 63h-24u-22 18u20 19c12 0 20 -6 26 -14',
  b: '48M0 0v100M0 58r24 -28r24 28v14r-24 28r-24 -28',
  c: '43M43 52u-20 -22u-23 26v18u23 26u20 -21',
  d: '48M48 0v100M48 58u-24 -28u-24 28v14u24 28u24 -28',
  e: '48M0 64h48v-8u-24 -26u-24 26v18u24 26c11 0 18 -5 22 -14',
  f: '27M31 0h-5u-16 18v82M-3 32h31',
  g: '48M48 30v72r-24 26c-11 0 -18 -4 -22 -12M48 58u-24 -28u-24 28v12u24 28u24 -28',
  h: '47M0 0v100M0 57r24 -27r23 25v45',
  i: '0M0 30v70o0 4',
  j: '6M6 30v80r-18 18o6 4',
  k: '42M0 0v100M41 30l-41 42M15 57l28 43',
  l: '10M0 0v85u13 15',
  m: '76M0 30v70M0 54r20 -24r18 24v46M38 54r20 -24r18 24v46',
  n: '47M0 30v70M0 57r24 -27r23 25v45',
  o: '49M0 56v18u24.5 26u24.5 -26v-18u-24.5 -26u-24.5 26',
  p: '48M0 30v98M0 58r24 -28r24 28v14r-24 28r-24 -28',
  q: '48M48 30v98M48 58u-24 -28u-24 28v14u24 28u24 -28',
  r: '27M0 30v70M0 60c3 -19 12 -30 30 -29',
  s: '42M40 45c-4 -10 -10 -15 -20 -15c-11 0 -19 6 -19 17c0 11 9 14 21 17c12 3 21 7 21 18c0 12 -9 18 -22 18c-12 0 -18 -5 -21 -15',
  t: '28M9 8v75u15 17h5M-3 32h32',
  u: '47M0 30v45u23 25u24 -27M47 30v70',
  v: '43M-2 30l23.5 70l23.5 -70',
  w: '70M-2 30l19 70l18 -66l18 66l19 -70',
  x: '44M0 30l44 70M44 30l-44 70',
  y: '43M-2 30l24 70M46 30l-27 81c-4 12 -11 17 -21 16',
  z: '42M1 30h40l-41 70h43',
  '-': '30M0 54h30',
  '\u2212': '42M0 54h42',
  '+': '42M0 54h42M21 33v42',
  '=': '42M0 42h42M0 66h42',
  _: '50M0 116h50',
  '/': '36M0 106l36 -112',
  '\\': '36M0 -6l36 112',
  '|': '0M0 -14v128',
  '.': '0o0 100',
  ',': '0M1 98l-6 20',
  ':': '0o0 28o0 72',
  ';': '0M1 90l-6 20o0 40',
  '!': '0M0 0v68o0 100',
  '?': '44M0 24c1 -15 9 -24 22 -24c14 0 22 9 22 22c0 20 -22 22 -22 46o22 100',
  "'": '0M0 0v24',
  '"': '20M0 0v24M20 0v24',
  '`': '14M0 0l14 16',
  '^': '40M0 28l20 -28l20 28',
  '~': '44M0 60c6 -16 14 -14 22 -8c8 6 16 8 22 -6',
  '*': '40M20 8v44M1 19l38 22M39 19l-38 22',
  '(': '16M18 -10c-24 36 -24 84 0 120',
  ')': '16M-2 -10c24 36 24 84 0 120',
  '[': '18M20 -10h-20v120h20',
  ']': '18M-2 -10h20v120h-20',
  '{': '22M24 -10r-14 14v32r-10 14r10 14v32u14 14',
  '}': '22M-2 -10r14 14v32u10 14u-10 14v32r-14 14',
  '<': '44M44 24l-44 30l44 30',
  '>': '44M0 24l44 30l-44 30',
  '#': '56M20 0l-8 100M46 0l-8 100M4 32h52M0 68h52',
  $: '52M50 22c-4 -14 -13 -22 -25 -22c-14 0 -24 9 -24 24c0 15 12 20 26 25c14 5 25 9 25 26c0 16 -11 25 -26 25c-14 0 -23 -8 -26 -22M26 -14v128',
  '%': '78M64 0l-50 100M0 24u15 24u15 -24u-15 -24u-15 24M48 76u15 24u15 -24u-15 -24u-15 24',
  '&': '62M62 100l-46 -62c-14 -20 -6 -38 11 -38c20 0 25 24 6 36l-18 12c-24 18 -15 52 13 52c22 0 32 -20 34 -46',
  '@': '84M60 70c-6 10 -14 12 -20 12c-12 0 -18 -12 -16 -24c2 -14 12 -22 22 -22c10 0 16 8 14 20c-3 22 -1 27 8 26c10 -2 16 -14 16 -28c0 -32 -20 -54 -44 -54c-24 0 -40 26 -40 54c0 30 18 54 44 54c10 0 20 -2 28 -6',
};

/** Accents over letters, by combining character, centred at 0, at the height for small letters. */
const ACCENTS: Readonly<Record<string, string>> = {
  '\u0300': 'M-10 0l16 14',
  '\u0301': 'M10 0l-16 14',
  '\u0302': 'M-14 15l14 -14l14 14',
  '\u0303': 'M-18 12c4 -12 12 -10 18 -4c6 5 12 6 18 -5',
  '\u0304': 'M-16 9h32',
  '\u0306': 'M-15 1u15 13u15 -13',
  '\u0307': 'o0 8',
  '\u0308': 'o-13 8o13 8',
  '\u030a': 'M-10 6u10 10u10 -10u-10 -10u-10 10',
  '\u030b': 'M0 0l-12 14M20 0l-12 14',
  '\u030c': 'M-14 1l14 14l14 -14',
  '\u0327': 'M2 100v10r-14 14',
  '\u0328': 'M6 100c-14 12 -10 26 8 24',
};
/** The height difference between capitals and small letters, and between the accents over them. */
const CAPITAL_RISE = 27;

/** How a set of strokes is drawn from the alphabet. */
export interface Lettering {
  readonly figure: number;
  /** Widths of letters, as a multiple of the alphabet's. */
  readonly condense?: number;
  readonly thick: number;
  /** Space between the edges of characters. */
  readonly gap: number;
  readonly isRound?: boolean;
  /** The fixed width of every character. */
  readonly cell?: number;
  /** The factor by which everything is painted wider, including upright strokes. */
  readonly stretch?: number;
}

/** A character as its advance and an SVG path whose subpaths begin with an absolute and continue with relative commands; undefined if it has none. */
export function glyphOf(character: string, lettering: Lettering): string | undefined {
  if (character === ' ') return inCell(30, '', lettering);
  const figure = figurePath(character, lettering.figure);
  if (figure !== undefined) return inCell(lettering.figure, figure, lettering);
  const [base, ...marks] = character.normalize('NFD');
  const glyph = GLYPHS[base!];
  const accents = marks.map(mark => ACCENTS[mark]);
  if (glyph === undefined || accents.includes(undefined)) return undefined;
  const { width, path } = partsOf(glyph);
  const rise = /\p{Lu}/u.test(base!) ? CAPITAL_RISE : 0;
  const accented = path + accents.map(accent => placedAccent(accent!, width / 2, rise)).join('');
  const scale = scaleOf(width, lettering);
  return inCell(width * scale, svgPath(accented, scale, lettering), lettering);
}

function scaleOf(width: number, { condense = 1, cell, thick }: Lettering): number {
  return cell === undefined ? condense : Math.min(1, (cell - thick) / width);
}

function inCell(width: number, path: string, { cell, thick, gap }: Lettering): string {
  const advance = cell ?? width + thick;
  return `${tenths(advance + gap)}${path === '' ? '' : moved(path, (advance - width) / 2, 0)}`;
}

function partsOf(glyph: string): { readonly width: number; readonly path: string } {
  const [width] = /^\d+/.exec(glyph)!; // every glyph begins with its width
  return { width: Number(width), path: glyph.slice(width.length) };
}

function placedAccent(accent: string, middle: number, rise: number): string {
  // Cedilla and ogonek are below the baseline.
  const isBelow = accent.startsWith('M2 100') || accent.startsWith('M6 100');
  return accent.replace(
    /([Mo])(-?\d+) (-?\d+)/g,
    (_, command, x, y) => `${command}${Number(x) + middle} ${Number(y) - (isBelow ? 0 : rise)}`,
  );
}

/** A path of the alphabet as one of SVG, `scale` times as wide. */
function svgPath(path: string, scale: number, { thick, isRound, stretch = 1 }: Lettering): string {
  const dot = thick * stretch;
  return path.replace(/([Mlhvcruo])([-\d. ]*)/g, (_, command: string, text: string) => {
    const numbers = text
      .split(' ')
      .map((number, at) => (at % 2 === 0 && command !== 'v' ? scale : 1) * Number(number));
    const [x, y] = numbers as [number, number];
    if (command === 'o')
      return isRound ? `M${tenths(x)} ${y}h0` : `M${tenths(x)} ${tenths(y - dot / 2)}v${dot}`;
    const points = numbers.map(tenths).join(' ');
    if (command !== 'r' && command !== 'u') return command + points;
    return `a${tenths(Math.abs(x))} ${Math.abs(y)} 0 0 ${command === 'r' ? 1 : 0} ${points}`;
  });
}

/** Figures like those of road signs, as an SVG path between 0 and 100. */
function figurePath(figure: string, width: number): string | undefined {
  const w = (share: number) => tenths(share * width);
  const half = w(0.5);
  const quarter = (rx: number, ry: number, right: number, down: number) =>
    `a${rx} ${ry} 0 0 1 ${right} ${down}`;
  const bowl = (rx: number, ry: number) => `a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`;
  switch (figure) {
    case '0':
      return (
        `M0 ${half}${quarter(half, half, half, -half)}${quarter(half, half, half, half)}v${100 - width}` +
        `${quarter(half, half, -half, half)}${quarter(half, half, -half, -half)}z`
      );
    case '1':
      return `M${w(0.16)} 22l${w(0.46)} -22v100`;
    case '2':
      return (
        `M0 ${half}${quarter(half, half, half, -half)}${quarter(half, half, half, half)}` +
        `c0 14 ${w(-0.22)} 25 ${w(-0.4)} ${62 - half}l${w(-0.6)} 38h${width}`
      );
    case '3':
      return (
        `M${w(0.03)} 20c${w(0.05)} -12 ${w(0.22)} -20 ${w(0.45)} -20${quarter(half, 24, w(0.46), 24)}` +
        `${quarter(w(0.46), 24, w(-0.46), 24)}h${w(-0.14)}M${w(0.48)} 48${quarter(half, 26, w(0.52), 26)}` +
        `${quarter(half, 26, w(-0.52), 26)}c${w(-0.25)} 0 ${w(-0.42)} -9 ${w(-0.48)} -22`
      );
    case '4':
      return `M${w(0.58)} 0l${w(-0.58)} 70h${width}M${w(0.76)} 44v56`;
    case '5':
      return (
        `M${w(0.92)} 0h${w(-0.8)}l${w(-0.06)} 47c${w(0.1)} -7 ${w(0.24)} -10 ${w(0.42)} -10` +
        `${quarter(w(0.52), 31, w(0.52), 31)}${quarter(w(0.52), 32, w(-0.52), 32)}c${w(-0.23)} 0 ${w(-0.4)} -7 ${w(-0.46)} -19`
      );
    case '6':
      return `M${w(0.68)} 0c${w(-0.3)} 22 ${w(-0.68)} 42 ${w(-0.68)} 69${bowl(half, 31)}`;
    case '7':
      return `M0 0h${width}l${w(-0.64)} 100`;
    case '8':
      return `M${w(0.05)} 24${bowl(w(0.45), 24)}M0 74${bowl(half, 26)}`;
    case '9':
      return `M${w(0.32)} 100c${w(0.3)} -22 ${w(0.68)} -42 ${w(0.68)} -69a${half} 31 0 1 0 ${-2 * half} 0a${half} 31 0 1 0 ${2 * half} 0`;
    default:
      return undefined;
  }
}
