import { type DisplaySet, inTurn, tenths } from './glyph_line.ts';

type Point = readonly [x: number, y: number];

/** The size of a figure; the origin is at its upper left. */
const WIDTH = 54;
const HEIGHT = 100;
const MIDDLE_X = WIDTH / 2;
const MIDDLE_Y = HEIGHT / 2;

/** Bevelled segments as paths, in the order of the bits of `FOURTEEN`, `thick` units wide, with gaps of `gap` units. */
function segmentShapes(thick: number, gap: number) {
  const cut = thick / 4;
  const a: Point[] = [
    [gap + cut, cut],
    [gap + 2 * cut, 0],
    [WIDTH - gap - 2 * cut, 0],
    [WIDTH - gap - cut, cut],
    [WIDTH - gap - thick, thick],
    [gap + thick, thick],
  ];
  const f: Point[] = [
    [cut, gap + cut],
    [0, gap + 2 * cut],
    [0, MIDDLE_Y - gap],
    [thick / 2, MIDDLE_Y - gap],
    [thick, MIDDLE_Y - thick / 2 - gap],
    [thick, gap + thick],
  ];
  const middle = bar(thick / 2 + gap, WIDTH - thick / 2 - gap, thick);
  const left = bar(thick / 2 + gap, MIDDLE_X - gap / 2, thick);
  const upright: Point[] = [
    [MIDDLE_X - thick / 2, thick + gap],
    [MIDDLE_X + thick / 2, thick + gap],
    [MIDDLE_X + thick / 2, MIDDLE_Y - thick / 2 - gap],
    [MIDDLE_X, MIDDLE_Y - gap],
    [MIDDLE_X - thick / 2, MIDDLE_Y - thick / 2 - gap],
  ];
  const slanting = slant(thick, gap);
  const outer = [a, across(f), across(down(f)), down(a), down(f), f];
  const dot = thick * 1.1;
  return {
    seven: [...outer, middle].map(closed),
    fourteen: [
      ...outer,
      left,
      across(left),
      slanting,
      upright,
      across(slanting),
      down(slanting),
      down(upright),
      across(down(slanting)),
    ].map(closed),
    colon: closed(square(0, HEIGHT * 0.3, dot)) + closed(square(0, HEIGHT * 0.7, dot)),
    point: closed(square(0, HEIGHT - dot / 2, dot)),
    dotWidth: dot,
  };
}

function bar(from: number, to: number, thick: number): Point[] {
  const half = thick / 2;
  return [
    [from, MIDDLE_Y],
    [from + half, MIDDLE_Y - half],
    [to - half, MIDDLE_Y - half],
    [to, MIDDLE_Y],
    [to - half, MIDDLE_Y + half],
    [from + half, MIDDLE_Y + half],
  ];
}

/** The upper left diagonal. */
function slant(thick: number, gap: number): Point[] {
  const [left, top] = [thick + gap, thick + gap];
  const [right, bottom] = [MIDDLE_X - thick / 2 - gap, MIDDLE_Y - thick / 2 - gap];
  const wide = thick * 0.45;
  const high = (wide * (bottom - top)) / (right - left);
  return [
    [left, top],
    [left + wide, top],
    [right, bottom - high],
    [right, bottom],
    [right - wide, bottom],
    [left, top + high],
  ];
}

function square(left: number, middle: number, size: number): Point[] {
  const half = size / 2;
  return [
    [left, middle - half],
    [left + size, middle - half],
    [left + size, middle + half],
    [left, middle + half],
  ];
}

function across(points: readonly Point[]): Point[] {
  return points.map(([x, y]) => [WIDTH - x, y]);
}

function down(points: readonly Point[]): Point[] {
  return points.map(([x, y]) => [x, HEIGHT - y]);
}

/** A closed path that continues with relative commands, so that moving it changes only its first point. */
function closed(points: readonly Point[]): string {
  let path = '';
  let [fromX, fromY] = [0, 0];
  for (const [index, point] of points.entries()) {
    const [x, y] = [tenths(point[0]), tenths(point[1])];
    path += index === 0 ? `M${x} ${y}` : `l${tenths(x - fromX)} ${tenths(y - fromY)}`;
    [fromX, fromY] = [x, y];
  }
  return `${path}z`;
}

/**
 * The lit segments of the characters from the space to the backquote as bits, the lowest first, in the order a b c d e f g1 g2 h
 * i j k l m: four hexadecimal digits each.
 */
const FOURTEEN =
  '00001006020212ce12ed0c24235d0200240009003fc012c0080000c000000c00' +
  '003f000600db00cf00e600ed00fd000700ff00ef12000a00240000c809001083' +
  '02bb00f7128f0039120f00f900f100bd00f61209001e2470003805362136003f' +
  '00f3203f20f300ed1201003e0c3028362d0015000c0900392100000f28000008' +
  '0100';
const BRACES: Readonly<Record<string, number>> = { '{': 0x949, '|': 0x1200, '}': 0x2489, '~': 0xc0 };

/** The lit segments of a character as bits, lowest for a. Lower case is shown as capitals, unknown characters as blank. */
export function segmentBits(character: string): number {
  const at = (character.toUpperCase().charCodeAt(0) - 32) * 4;
  return BRACES[character] ?? (Number.parseInt(FOURTEEN.slice(at, at + 4), 16) || 0);
}

const [BROAD, NARROW] = [segmentShapes(11, 1.4), segmentShapes(7.5, 1.4)];
/** Space between characters. */
export const SEGMENT_GAP = 20;
const ALL = 0x3fff;

export type SegmentSet = Exclude<DisplaySet, 'dots'>;

function shapesOf(set: SegmentSet) {
  const { seven, fourteen, ...dots } = set.startsWith('bars') ? BROAD : NARROW;
  return { ...dots, segments: set.endsWith('14') ? fourteen : seven };
}

/** A character as its advance and a path. */
export function segmentGlyph(character: string, set: SegmentSet): string {
  const { dotWidth, colon, point, segments } = shapesOf(set);
  if (character === ':' || character === '.')
    return tenths(dotWidth + SEGMENT_GAP) + (character === ':' ? colon : point);
  return WIDTH + SEGMENT_GAP + segmentsPath(segments, segmentBits(character));
}

/** All segments of a figure. */
export function unlitSegments(set: SegmentSet): string {
  return segmentsPath(shapesOf(set).segments, ALL);
}

/** Only the start is absolute: moving a long text takes a tenth of the time of moving each segment. */
function segmentsPath(segments: readonly string[], bits: number): string {
  const lit = segments.filter((_, index) => bits & (1 << index));
  return lit.length === 0 ? '' : `M0 0${inTurn(lit)}`;
}

/**
 * The characters from the space to `~` in five by seven dots, as on common display modules: five columns from the left, of two
 * hexadecimal digits each; bit 0 is at the top.
 */
const COLUMNS =
  '000000000000005f00000007000700147f147f14242a7f2a12231308646236495620500005030000' +
  '001c2241000041221c002a1c7f1c2a08083e08080050300000080808080800606000002010080402' +
  '3e5149453e00427f400042615149462141454b311814127f1027454545393c4a4949300171090503' +
  '3649494936064949291e003636000000563600000814224100141414141400412214080201510906' +
  '324979413e7e1111117e7f494949363e414141227f4141221c7f494949417f090909013e4149497a' +
  '7f0808087f00417f41002040413f017f081422417f404040407f020c027f7f0408107f3e4141413e' +
  '7f090909063e4151215e7f09192946464949493101017f01013f4040403f1f2040201f3f4038403f' +
  '631408146307087008076151494543007f41410002040810200041417f0004020102044040404040' +
  '000102040020545454787f484444383844444420384444487f3854545418087e0901020c5252523e' +
  '7f0804047800447d40002040443d007f1028440000417f40007c041804787c080404783844444438' +
  '7c14141408081414187c7c080404084854545420043f4440203c4040207c1c2040201c3c4030403c' +
  '44281028440c5050503c4464544c44000836410000007f000000413608001008081008';

const COLUMNS_PER_CHARACTER = 5;
const ROWS = 7;

/** The dots of a character, as columns (0–4) and rows (0–6); an unknown character is a question mark. */
export function dotsOf(character: string): readonly (readonly [column: number, row: number])[] {
  const code = character.charCodeAt(0);
  const first = ((code >= 32 && code < 127 ? code : 63) - 32) * COLUMNS_PER_CHARACTER;
  const dots: [number, number][] = [];
  for (let column = 0; column < COLUMNS_PER_CHARACTER; column++) {
    const at = (first + column) * 2;
    const bits = Number.parseInt(COLUMNS.slice(at, at + 2), 16);
    for (let row = 0; row < ROWS; row++) if (bits & (1 << row)) dots.push([column, row]);
  }
  return dots;
}

/** Distances from one character to the next, in dots. */
const [ADVANCE, NARROW_ADVANCE] = [6, 4];

/** A character as its advance and a path: each dot is a line of length 0 with round caps, centred at whole coordinates. */
export function dotGlyph(character: string): string {
  if (character === ' ') return String(ADVANCE);
  const isColon = character === ':';
  const path = dotsOf(character).map(([column, row]) => `M${isColon ? column - 1 : column} ${row}h0`);
  return (isColon ? NARROW_ADVANCE : ADVANCE) + path.join('');
}

/**
 * Block figures on three by five modules of ten units, as polygons with holes. Cut corners distinguish figures that would
 * otherwise differ only by a notch: 2, 3, 5, 6, 8 and 9.
 */
const BLOCKS: Readonly<Record<string, string>> = {
  '0': '8 0,22 0,30 8,30 42,22 50,8 50,0 42,0 8|10 12,10 38,20 38,20 12',
  '1': '5 12,15 0,21 0,21 40,29 40,29 50,2 50,2 40,11 40,11 14,5 20',
  '2': '0 0,22 0,30 8,30 22,13 39,13 40,30 40,30 50,0 50,0 37,20 18,20 10,0 10',
  '3': '0 0,23 0,30 7,30 19,25 25,30 31,30 43,23 50,0 50,0 40,20 40,20 30,6 30,6 20,20 20,20 10,0 10',
  '4': '15 0,25 0,25 29,30 29,30 39,25 39,25 50,15 50,15 39,0 39,0 29|15 15,8 29,15 29',
  '5': '0 0,29 0,29 10,10 10,10 18,22 18,30 26,30 42,22 50,0 50,0 40,20 40,20 28,0 28',
  '6': '14 0,26 0,14 18,22 18,30 26,30 42,22 50,8 50,0 42,0 22|10 28,10 40,20 40,20 28',
  '7': '0 0,30 0,30 10,15 50,4 50,19 10,0 10',
  '8': '8 0,22 0,29 7,29 19,25 24.5,30 30,30 42,22 50,8 50,0 42,0 30,5 24.5,1 19,1 7|10.5 10,10.5 20,19.5 20,19.5 10|10 30,10 40,20 40,20 30',
  '9': '16 50,4 50,16 32,8 32,0 24,0 8,8 0,22 0,30 8,30 28|20 22,20 10,10 10,10 22',
  ':': '0 12,10 12,10 22,0 22|0 32,10 32,10 42,0 42',
  '-': '2 20,28 20,28 30,2 30',
};

/** Units of a glyph to a tenth of a module: figures are wide. */
const [X, Y] = [3.9, 2];

/** A block figure as its advance and an SVG path to be filled. */
export function blockGlyph(character: string): string | undefined {
  const polygons = BLOCKS[character];
  if (polygons === undefined) return undefined;
  const width = character === ':' ? 10 : 30;
  return tenths((width + GAP) * X) + polygons.split('|').map(closedPolygon).join('');
}

/** Tenths of modules between figures. */
const GAP = 3;

function closedPolygon(polygon: string): string {
  let [fromX, fromY] = [0, 0];
  const points = polygon.split(',').map((point, index) => {
    const [x, y] = point.split(' ').map(Number) as [number, number];
    const path = `${index === 0 ? 'M' : 'l'}${tenths((x - fromX) * X)} ${tenths((y - fromY) * Y)}`;
    [fromX, fromY] = [x, y];
    return path;
  });
  return `${points.join('')}z`;
}
