/**
 * The names that are a slip away from what was typed: at most `count`, the nearest first, none that differs in more
 * than a third of its letters. Letter case does not count. Meant for short lists and short names.
 */
export function nearest(typed: string, names: readonly string[], count: number): string[] {
  const wanted = typed.slice(0, MAX_LENGTH).toLowerCase();
  return names
    .map(name => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

const MAX_LENGTH = 64;

/** Insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, beforeLast[j - 2]! + 1);
      }
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
