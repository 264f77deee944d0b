/** The first integer from `first` to before `end` from which on a condition holds, by binary search; `end` if there is none. */
export function firstWhere(first: number, end: number, holds: (index: number) => boolean): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the first of some ascending numbers that is at least `limit`; their count for none. */
export function indexFrom(numbers: readonly number[], limit: number): number {
  // Sums over years make many of these searches: with `firstWhere` they take three times as long.
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of ascending numbers that are at most `limit`. */
export function countUpTo(numbers: Float64Array, limit: number): number {
  return firstWhere(0, numbers.length, index => numbers[index]! > limit);
}

/** The order of texts by their UTF-16 code units. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
