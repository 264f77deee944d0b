/** Moves a path whose parts each begin absolute, with `M`, and go on relative. */
export function moved(path: string, right: number, down: number): string {
  return path.replace(
    /M(-?[\d.]+) (-?[\d.]+)/g,
    (_, x, y) => `M${tenths(Number(x) + right)} ${tenths(Number(y) + down)}`,
  );
}

/** The shapes of a line's characters, as paths: the last two by themselves, since those change at every second. */
export function litBy(shapes: readonly string[]): { readonly lit: string; readonly tail: string } {
  return { lit: shapes.slice(0, -2).join(''), tail: shapes.slice(-2).join('') };
}

/** As fine as any path here wants to be. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
