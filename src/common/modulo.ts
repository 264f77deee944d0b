/** The remainder of a division, from 0 to before the divisor also for negative values. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
