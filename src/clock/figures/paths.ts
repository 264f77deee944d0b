/** Moves a path whose parts each begin absolute, with `M`, and go on relative. */
export function moved(path: string, right: number, down: number): string {
  return path.replace(
    /M(-?[\d.]+) (-?[\d.]+)/g,
    (_, x, y) => `M${tenths(Number(x) + right)} ${tenths(Number(y) + down)}`,
  );
}

/** As fine as any path here wants to be. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
