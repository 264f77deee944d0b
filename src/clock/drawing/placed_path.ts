/** Where a path goes: scaled, then turned clockwise around its origin, then moved. */
export interface Placement {
  readonly scale: readonly [across: number, down: number];
  readonly degrees: number;
  readonly at: readonly [x: number, y: number];
}

/**
 * Transforms a path with the commands `M`, `l`, `h`, `v`, `c`, `a` and `z`. Using a `transform` attribute instead would create a
 * separate compositor layer for each, which on a page with many dials is most of the browser's work.
 */
export function placedPath(path: string, { scale: [across, down], degrees, at }: Placement): string {
  const radians = (degrees / 180) * Math.PI;
  const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
  const placed = (x: number, y: number, [right, below] = [0, 0]) => {
    const [wide, high] = [x * across, y * down];
    return `${fine(right + wide * cosine - high * sine)} ${fine(below + wide * sine + high * cosine)}`;
  };
  return path.replace(/([Mlhvcaz])([^a-z]*)/gi, (_, command: string, text: string) => {
    const numbers = text.match(/-?[\d.]+/g)?.map(Number) ?? [];
    const [x = 0, y = 0] = numbers;
    switch (command) {
      case 'M':
        return `M${placed(x, y, [...at])}`;
      case 'h':
        return `l${placed(x, 0)}`;
      case 'v':
        return `l${placed(0, x)}`;
      case 'a': {
        const [large, sweep, right, below] = numbers.slice(3) as [number, number, number, number];
        const radii = `${fine(Math.abs(x * across))} ${fine(Math.abs(y * down))}`;
        const direction = across * down < 0 ? 1 - sweep : sweep;
        return `a${radii} ${fine(degrees)} ${large} ${direction} ${placed(right, below)}`;
      }
      default:
        return (
          command +
          pairsOf(numbers)
            .map(pair => placed(...pair))
            .join(' ')
        );
    }
  });
}

function pairsOf(numbers: readonly number[]): (readonly [x: number, y: number])[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < numbers.length; at += 2) pairs.push([numbers[at]!, numbers[at + 1]!]);
  return pairs;
}

/** Rounds to hundredths, a fortieth of a pixel on a face of 480 px. */
export function fine(value: number): number {
  return Math.round(value * 100) / 100 || 0;
}
