/** A world of equal cells, rows from north to south, and the region of each; beyond its edges there is no region. */
export interface Grid {
  readonly width: number;
  readonly height: number;
  /** The region number of each cell; 0 for none. */
  readonly regions: Uint16Array;
}

type Corner = readonly [x: number, y: number];

/** East, south, west and north, with y to the south: each is a right turn from the previous one. */
const STEPS: readonly Corner[] = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
];
/** The cells to the right and to the left of a step from a corner, relative to the corner. */
const RIGHT: readonly Corner[] = [
  [0, 0],
  [-1, 0],
  [-1, -1],
  [0, -1],
];
const LEFT: readonly Corner[] = [
  [0, -1],
  [0, 0],
  [-1, 0],
  [-1, -1],
];

/**
 * The outlines of the regions as closed rings of corners, by region number. Borders are simplified once for both
 * of their sides: a corner is in the rings of all regions around it, or of none, so that there are no gaps or overlaps between
 * neighbours. `tolerance` is the distance in cells that a border may move.
 */
export function traceOutlines(grid: Grid, tolerance: number): Map<number, Corner[][]> {
  const borders = new Borders(grid);
  const kept = borders.simplify(tolerance);
  const outlines = new Map<number, Corner[][]>();
  for (const { region, ring } of borders.rings()) {
    const corners = ring.filter(([x, y]) => kept[borders.indexOf(x, y)] === 1);
    if (corners.length >= 3) outlines.set(region, [...(outlines.get(region) ?? []), corners]);
  }
  return outlines;
}

class Borders {
  readonly #grid: Grid;
  readonly #columns: number;

  constructor(grid: Grid) {
    this.#grid = grid;
    this.#columns = grid.width + 1;
  }

  indexOf(x: number, y: number): number {
    return y * this.#columns + x;
  }

  /** The corners that remain: junctions of borders, and the corners between them that give each border its shape. */
  simplify(tolerance: number): Uint8Array {
    const { height } = this.#grid;
    const kept = new Uint8Array(this.#columns * (height + 1));
    const walked = new Uint8Array(kept.length * STEPS.length);
    const simplifyFrom = (x: number, y: number, direction: number) => {
      if (walked[this.indexOf(x, y) * 4 + direction] === 1) return;
      const border = this.#borderFrom(x, y, direction, walked);
      for (const [keptX, keptY] of simplifyLine(border, tolerance)) kept[this.indexOf(keptX, keptY)] = 1;
    };
    this.#forEachBorderStep((x, y, direction) => {
      if (this.#isJunction(x, y)) simplifyFrom(x, y, direction);
    });
    this.#forEachBorderStep(simplifyFrom); // the remaining rings have no junctions
    return kept;
  }

  /** Walks around each region, keeping it on the right. */
  *rings(): Generator<{ readonly region: number; readonly ring: readonly Corner[] }> {
    const walked = new Uint8Array(this.#columns * (this.#grid.height + 1) * STEPS.length);
    const starts: (readonly [number, number, number])[] = [];
    this.#forEachBorderStep((x, y, direction) => starts.push([x, y, direction]));
    for (const [startX, startY, startDirection] of starts) {
      const region = this.#regionBeside(startX, startY, RIGHT[startDirection]!);
      if (region === 0 || walked[this.indexOf(startX, startY) * 4 + startDirection] === 1) continue;
      const ring: Corner[] = [];
      let [x, y, direction] = [startX, startY, startDirection];
      do {
        walked[this.indexOf(x, y) * 4 + direction] = 1;
        ring.push([x, y]);
        x += STEPS[direction]![0];
        y += STEPS[direction]![1];
        if (this.#regionBeside(x, y, RIGHT[direction]!) !== region) direction = (direction + 1) % 4;
        else if (this.#regionBeside(x, y, LEFT[direction]!) === region) direction = (direction + 3) % 4;
      } while (x !== startX || y !== startY || direction !== startDirection);
      yield { region, ring };
    }
  }

  /** The corners from one along its border to the next junction, or back to itself. */
  #borderFrom(startX: number, startY: number, startDirection: number, walked: Uint8Array): Corner[] {
    const border: Corner[] = [[startX, startY]];
    let [x, y, direction] = [startX, startY, startDirection];
    for (;;) {
      walked[this.indexOf(x, y) * 4 + direction] = 1;
      x += STEPS[direction]![0];
      y += STEPS[direction]![1];
      border.push([x, y]);
      const back = (direction + 2) % 4;
      walked[this.indexOf(x, y) * 4 + back] = 1;
      if (this.#isJunction(x, y) || (x === startX && y === startY)) return border;
      direction = STEPS.findIndex((_, next) => next !== back && this.#isBorder(x, y, next));
    }
  }

  #forEachBorderStep(visit: (x: number, y: number, direction: number) => void): void {
    for (let y = 0; y <= this.#grid.height; y++) {
      for (let x = 0; x <= this.#grid.width; x++) {
        for (const direction of STEPS.keys()) if (this.#isBorder(x, y, direction)) visit(x, y, direction);
      }
    }
  }

  #isJunction(x: number, y: number): boolean {
    return STEPS.filter((_, direction) => this.#isBorder(x, y, direction)).length > 2;
  }

  #isBorder(x: number, y: number, direction: number): boolean {
    return this.#regionBeside(x, y, RIGHT[direction]!) !== this.#regionBeside(x, y, LEFT[direction]!);
  }

  #regionBeside(cornerX: number, cornerY: number, [byX, byY]: Corner): number {
    const { width, height, regions } = this.#grid;
    const [x, y] = [cornerX + byX, cornerY + byY];
    return x < 0 || y < 0 || x >= width || y >= height ? 0 : regions[y * width + x]!;
  }
}

/** The points of a line, including its ends, that keep it within a tolerance (Douglas–Peucker). For a ring, also the farthest point. */
function simplifyLine(line: readonly Corner[], tolerance: number): Corner[] {
  const kept = new Set([0, line.length - 1]);
  const spans: (readonly [number, number])[] = [[0, line.length - 1]];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const [first, last] = span;
    const { index, distance } = farthest(line, first, last);
    if (distance <= tolerance) continue;
    kept.add(index);
    spans.push([first, index], [index, last]);
  }
  return [...kept].map(index => line[index]!);
}

/** The point of a span farthest from the line between its ends, or from both ends if they coincide. */
function farthest(line: readonly Corner[], first: number, last: number) {
  const [fromX, fromY] = line[first]!;
  const alongX = line[last]![0] - fromX;
  const alongY = line[last]![1] - fromY;
  const length = Math.hypot(alongX, alongY);
  let found = { index: first, distance: 0 };
  for (let index = first + 1; index < last; index++) {
    const byX = line[index]![0] - fromX;
    const byY = line[index]![1] - fromY;
    const distance = length === 0 ? Math.hypot(byX, byY) : Math.abs(byX * alongY - byY * alongX) / length;
    if (distance > found.distance) found = { index, distance };
  }
  return found;
}
