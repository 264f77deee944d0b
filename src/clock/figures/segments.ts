import { inTurn, tenths } from './paths.ts';

/** The segments of a figure as paths, in the order of the bits of `FOURTEEN`: a b c d e f g1 g2 h i j k l m. */
interface SegmentShapes {
  readonly seven: readonly string[];
  readonly fourteen: readonly string[];
  readonly colon: string;
  readonly point: string;
  readonly dotWidth: number;
}

type Point = readonly [x: number, y: number];

/** The size of a figure; the origin is at its upper left. */
const WIDTH = 54;
const HEIGHT = 100;
const MIDDLE_X = WIDTH / 2;
const MIDDLE_Y = HEIGHT / 2;

/** Bevelled segments, `thick` units wide, with gaps of `gap` units. */
function segmentShapes(thick: number, gap: number): SegmentShapes {
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

/** The lit segments of the characters from the space to the backquote as bits, lowest for a: four hexadecimal digits each. */
const FOURTEEN =
  '00001006020212ce12ed0c24235d0200240009003fc012c0080000c000000c00' +
  '003f000600db00cf00e600ed00fd000700ff00ef12000a00240000c809001083' +
  '02bb00f7128f0039120f00f900f100bd00f61209001e2470003805362136003f' +
  '00f3203f20f300ed1201003e0c3028362d0015000c0900392100000f28000008' +
  '0100';
const BRACES = new Map([
  ['{', 0x949],
  ['|', 0x1200],
  ['}', 0x2489],
  ['~', 0xc0],
]);

/** The lit segments of a character as bits, lowest for a. Lower case is shown as capitals, unknown characters as blank. */
export function segmentBits(character: string): number {
  const brace = BRACES.get(character);
  if (brace !== undefined) return brace;
  const at = (character.toUpperCase().charCodeAt(0) - 32) * 4;
  return Number.parseInt(FOURTEEN.slice(at, at + 4), 16) || 0;
}

const SHAPES = { broad: segmentShapes(11, 1.4), narrow: segmentShapes(7.5, 1.4) };
/** Space between characters. */
export const SEGMENT_GAP = 20;
const ALL = 0x3fff;

/** How a set of segments is drawn: seven to a figure or, where letters may occur, fourteen. */
export interface Segments {
  readonly weight: keyof typeof SHAPES;
  readonly kind: 'seven' | 'fourteen';
}

/** A character as its advance and a path. */
export function segmentGlyph(character: string, { weight, kind }: Segments): string {
  const { dotWidth, colon, point, [kind]: segments } = SHAPES[weight];
  if (character === ':' || character === '.')
    return tenths(dotWidth + SEGMENT_GAP) + (character === ':' ? colon : point);
  return WIDTH + SEGMENT_GAP + segmentsPath(segments, segmentBits(character));
}

/** All segments of a figure. */
export function unlitSegments({ weight, kind }: Segments): string {
  return segmentsPath(SHAPES[weight][kind], ALL);
}

/** Only the start is absolute: moving a long text takes a tenth of the time of moving each segment. */
function segmentsPath(segments: readonly string[], bits: number): string {
  const lit = segments.filter((_, index) => bits & (1 << index));
  return lit.length === 0 ? '' : `M0 0${inTurn(lit)}`;
}
