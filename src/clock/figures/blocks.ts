import { tenths } from './paths.ts';

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
  return tenths((width + GAP) * X) + polygons.split('|').map(closed).join('');
}

/** Tenths of modules between figures. */
const GAP = 3;

function closed(polygon: string): string {
  let [fromX, fromY] = [0, 0];
  const points = polygon.split(',').map((point, index) => {
    const [x, y] = point.split(' ').map(Number) as [number, number];
    const path = `${index === 0 ? 'M' : 'l'}${tenths((x - fromX) * X)} ${tenths((y - fromY) * Y)}`;
    [fromX, fromY] = [x, y];
    return path;
  });
  return `${points.join('')}z`;
}
