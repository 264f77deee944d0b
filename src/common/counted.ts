/** A number of things in words, whose plural ends in s: `1 day`, `2 days`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
