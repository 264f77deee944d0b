import type { ReadTime } from '../driver.ts';

/** Reads a face from the rendered geometry, independently of the drawing code. */
export function readFace(face: Element): ReadTime {
  if (face.querySelector('[data-part="hour"]') !== null) return readHands(face);
  const figures = [...face.querySelectorAll('.sc-time')].map(readLine).join(':');
  const [hour = -1, minute = -1, second = readBar(face)] = figures.split(':').map(Number);
  return { hour, minute, second };
}

function readHands(face: Element): ReadTime {
  // On station clocks the second hand takes 58.5 seconds per revolution, and the minute hand jumps.
  const isStation = face.matches('[data-style="analog-station"]');
  const second = Math.round(angleOf(face, 'second') / (isStation ? 360 / 58.5 : 6)) % 60;
  const minute = Math.round(angleOf(face, 'minute') / 6 - (isStation ? 0 : second / 60) + 60) % 60;
  const hour = Math.round((angleOf(face, 'hour') - minute / 2) / 30 + 12) % 12;
  return { hour, minute, second };
}

/** The direction of a hand on the screen, in degrees clockwise from the top. */
function angleOf(face: Element, name: string): number {
  const hand = face.querySelector<SVGGElement>(`[data-part="${name}"]`)!;
  const matrix = hand.getScreenCTM()!;
  const degrees = (Math.atan2(-matrix.c, matrix.d) / Math.PI) * 180;
  return (degrees + 360) % 360;
}

/** The seconds of a bar that is full at the end of the minute. */
function readBar(face: Element): number {
  const bar = face.querySelector('.sc-bar');
  if (bar === null) return -1;
  const room = bar.parentElement!.getBoundingClientRect();
  return Math.round((bar.getBoundingClientRect().width / room.width) * 60) - 1;
}

function readLine(line: Element): string {
  if (line.matches('.sc-dots')) return readDots(line);
  if (line.matches('.sc-figures')) return readShapes(line);
  if (line.matches('.sc-flaps')) return readFlaps(line);
  return isInSight(line) ? line.textContent! : '';
}

function isInSight(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && getComputedStyle(element).visibility === 'visible';
}

function readFlaps(row: Element): string {
  return [...row.children]
    .map(cell => {
      const [upper, lower] = cell.children;
      if (upper === undefined || lower === undefined) return ':';
      const [above, below] = [upper.getBoundingClientRect(), lower.getBoundingClientRect()];
      const adjoin = Math.abs(above.bottom - below.top) < 1 && Math.abs(above.left - below.left) < 1;
      const [one, other] = [upper, lower].map(half => half.querySelector('path')!);
      const isWhole = adjoin && one!.getAttribute('d') === other!.getAttribute('d');
      return isWhole ? readFigure(one!) : '?';
    })
    .join('');
}

function readFigure(path: SVGPathElement): string {
  const ink = inkOf(path);
  const { x, y, width, height } = path.getBBox();
  const columns = range(x - 20, x + width + 20, 1);
  const rows = range(y - 20, y + height + 20, 1);
  const inkedColumns = columns.filter(column => rows.some(row => ink(column, row)));
  const inkedRows = rows.filter(row => columns.some(column => ink(column, row)));
  const spanOf = (inked: readonly number[]) => ({ from: inked[0]!, to: inked.at(-1)! });
  return readStrokes(ink, spanOf(inkedColumns), spanOf(inkedRows), 1);
}

/** Whether there is ink at a point, in the drawing's own coordinates. */
type Ink = (x: number, y: number) => boolean;

/** The margin around a path, and pixels per unit. */
const MARGIN = 24;
const SCALE = 2;

/** Paints a path, or the paths of a group, as the page does, on a canvas whose pixels can be read. */
function inkOf(path: SVGGraphicsElement): Ink {
  const box = path.getBBox();
  const { fill, strokeWidth, strokeLinecap } = getComputedStyle(path);
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil((box.width + 2 * MARGIN) * SCALE);
  canvas.height = Math.ceil((box.height + 2 * MARGIN) * SCALE);
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.scale(SCALE, SCALE);
  context.translate(MARGIN - box.x, MARGIN - box.y);
  const paths = path.matches('path') ? [path] : [...path.querySelectorAll('path')];
  const shape = new Path2D(paths.map(part => part.getAttribute('d')!).join(''));
  if (fill !== 'none') context.fill(shape);
  else {
    context.lineWidth = Number.parseFloat(strokeWidth);
    context.lineCap = strokeLinecap as CanvasLineCap;
    context.stroke(shape);
  }
  const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
  return (x, y) => {
    const column = Math.floor((x - box.x + MARGIN) * SCALE);
    const row = Math.floor((y - box.y + MARGIN) * SCALE);
    const isInside = column >= 0 && row >= 0 && column < width && row < height;
    return isInside && data[(row * width + column) * 4 + 3]! > 127;
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The positions of ink along a line. */
function spansOf(hasInk: (at: number) => boolean, { from, to }: Span, step: number): Span[] {
  const spans: Span[] = [];
  let begin: number | undefined;
  for (let at = from; at <= to + step; at += step) {
    const inked = at <= to && hasInk(at);
    if (inked && begin === undefined) begin = at;
    if (!inked && begin !== undefined) {
      spans.push({ from: begin, to: at - step });
      begin = undefined;
    }
  }
  return spans;
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** The segments of each digit, clockwise from the top, the middle one last. */
const SEVEN: Readonly<Record<string, string>> = {
  abcdef: '0',
  bc: '1',
  abdeg: '2',
  abcdg: '3',
  bcfg: '4',
  acdfg: '5',
  acdefg: '6',
  abc: '7',
  abcdefg: '8',
  abcdfg: '9',
};

function readShapes(line: Element): string {
  const lit = line.querySelector<SVGGraphicsElement>('.sc-lit')!;
  const hasSegments = line.matches('.sc-bars, .sc-thin');
  const unlit = hasSegments ? line.querySelector<SVGGraphicsElement>('.sc-unlit') : null;
  const { a, d } = lit.getCTM()!;
  const box = lit.getBBox();
  const ink = inkOf(lit);
  const dim = unlit === null ? ink : inkOf(unlit);
  const anyInk: Ink = (x, y) => ink(x, y) || dim(x, y);
  const whole = unlit === null ? box : union(box, unlit.getBBox());
  const rows = range(whole.y - 20, whole.y + whole.height + 20, 1);
  const columns = spansOf(
    x => rows.some(y => anyInk(x, y)),
    { from: whole.x - 20, to: whole.x + whole.width + 20 },
    1,
  );
  const inkedRows = columns.map(column =>
    rows.filter(y => range(column.from, column.to, 1).some(x => anyInk(x, y))),
  );
  const span = { from: Math.min(...inkedRows.flat()), to: Math.max(...inkedRows.flat()) };
  return columns
    .map((column, index) => {
      const isColon = inkedRows[index]!.some((y, at, all) => at > 0 && y - all[at - 1]! > 2);
      if (isColon) return ':';
      if (hasSegments) return readSegments(ink, column, span);
      return readStrokes(ink, column, { from: inkedRows[index]![0]!, to: inkedRows[index]!.at(-1)! }, a / d);
    })
    .join('');
}

function union(one: DOMRect, other: DOMRect): DOMRect {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const right = Math.max(one.x + one.width, other.x + other.width);
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  return new DOMRect(x, y, right - x, bottom - y);
}

function readSegments(ink: Ink, column: Span, row: Span): string {
  const at = (x: number, y: number) =>
    ink(column.from + (column.to - column.from) * x, row.from + (row.to - row.from) * y);
  const segments = {
    a: at(0.5, 0.06),
    b: at(0.94, 0.3),
    c: at(0.94, 0.7),
    d: at(0.5, 0.94),
    e: at(0.06, 0.7),
    f: at(0.06, 0.3),
    g: at(0.5, 0.5),
  };
  const names = Object.entries(segments).flatMap(([name, isLit]) => (isLit ? [name] : []));
  return SEVEN[names.join('')] ?? '?';
}

const GRID = { columns: 12, rows: 20 };

/** Stroke digits, `stretch` times as wide as high, are read as the font digits they resemble most. */
function readStrokes(ink: Ink, column: Span, row: Span, stretch: number): string {
  const [width, height] = [column.to - column.from, row.to - row.from];
  if (width * stretch < height * 0.37) return '1';
  const cells = cellsOf((x, y) => ink(column.from + width * x, row.from + height * y));
  const font = FONTS[stretch === 1 ? 'even' : 'modulated'];
  const likeness = [...'0123456789'].map(figure => ({
    figure,
    share: likenessOf(cells, lettered(figure, font)),
  }));
  return likeness.reduce((best, other) => (other.share > best.share ? other : best)).figure;
}

/** The blackness of each cell of a digit. */
function cellsOf(ink: (x: number, y: number) => boolean): number[] {
  const cells: number[] = [];
  for (let row = 0; row < GRID.rows; row++) {
    for (let column = 0; column < GRID.columns; column++) {
      let inked = 0;
      for (const right of [0.17, 0.5, 0.83])
        for (const down of [0.17, 0.5, 0.83])
          if (ink((column + right) / GRID.columns, (row + down) / GRID.rows)) inked++;
      cells.push(inked / 9);
    }
  }
  return blurred(cells);
}

/** Blurred, so that thin and thick strokes look alike. */
function blurred(cells: readonly number[]): number[] {
  return cells.map((_, index) => {
    const [column, row] = [index % GRID.columns, Math.floor(index / GRID.columns)];
    let sum = 0;
    for (const right of [-1, 0, 1]) {
      for (const down of [-1, 0, 1]) {
        const [x, y] = [column + right, row + down];
        if (x >= 0 && y >= 0 && x < GRID.columns && y < GRID.rows) sum += cells[y * GRID.columns + x]!;
      }
    }
    return sum / 9;
  });
}

/** The correlation of two images. */
function likenessOf(one: readonly number[], other: readonly number[]): number {
  const mean = (cells: readonly number[]) => cells.reduce((sum, cell) => sum + cell, 0) / cells.length;
  const [meanOne, meanOther] = [mean(one), mean(other)];
  let [both, squareOne, squareOther] = [0, 0, 0];
  for (const [index, cell] of one.entries()) {
    const [a, b] = [cell - meanOne, other[index]! - meanOther];
    both += a * b;
    squareOne += a * a;
    squareOther += b * b;
  }
  return both / Math.sqrt(squareOne * squareOther);
}

const letters = new Map<string, number[]>();

/** Fonts with even strokes, and with thick and thin ones. */
const FONTS = { even: '"Liberation Sans Narrow", Arial, sans-serif', modulated: 'serif' };

function lettered(figure: string, font: string): number[] {
  const known = letters.get(figure + font);
  if (known !== undefined) return known;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [200, 200];
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.font = `150px ${font}`;
  context.fillText(figure, 50, 160);
  const { data } = context.getImageData(0, 0, 200, 200);
  const isBlack = (x: number, y: number) => data[(Math.round(y) * 200 + Math.round(x)) * 4 + 3]! > 127;
  const all = range(0, 199, 1);
  const columns = all.filter(x => all.some(y => isBlack(x, y)));
  const rows = all.filter(y => all.some(x => isBlack(x, y)));
  const [left, top] = [columns[0]!, rows[0]!];
  const [width, height] = [columns.at(-1)! - left, rows.at(-1)! - top];
  const cells = cellsOf((x, y) => isBlack(left + width * x, top + height * y));
  letters.set(figure + font, cells);
  return cells;
}

/** The usual five-by-seven dot digits, row by row. */
const DOTS: Readonly<Record<string, string>> = {
  '.###.#...##..###.#.###..##...#.###.': '0',
  '..#...##....#....#....#....#...###.': '1',
  '.###.#...#....#...#...#...#...#####': '2',
  '#####...#...#.....#.....##...#.###.': '3',
  '...#...##..#.#.#..#.#####...#....#.': '4',
  '######....####.....#....##...#.###.': '5',
  '..##..#...#....####.#...##...#.###.': '6',
  '#####....#...#...#...#....#....#...': '7',
  '.###.#...##...#.###.#...##...#.###.': '8',
  '.###.#...##...#.####....#...#..##..': '9',
};

function readDots(line: Element): string {
  const lit = line.querySelector<SVGGraphicsElement>('.sc-lit')!;
  const ink = inkOf(lit);
  const box = lit.getBBox();
  const columns = range(Math.round(box.x), Math.round(box.x + box.width), 1);
  const rows = range(Math.round(box.y), Math.round(box.y) + 6, 1);
  let text = '';
  let figure: string[] = [];
  for (const x of [...columns, Number.NaN]) {
    const column = rows.map(y => (ink(x, y) ? '#' : '.')).join('');
    if (column.includes('#')) figure.push(column);
    else if (figure.length > 0) {
      text += dotFigure(figure);
      figure = [];
    }
  }
  return text;
}

function dotFigure(columns: readonly string[]): string {
  if (columns.length < 3) return ':';
  // The digit one is three dots wide.
  const padded = columns.length === 3 ? ['.......', ...columns, '.......'] : columns;
  const rows = range(0, 6, 1).map(row => padded.map(column => column[row]).join(''));
  return DOTS[rows.join('')] ?? '?';
}
