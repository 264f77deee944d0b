/** A count with its noun, whose plural ends in s: `1 day`, `2 days`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
