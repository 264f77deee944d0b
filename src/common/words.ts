/** A count with its noun, whose plural ends in s: `1 day`, `2 days`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Words in a sentence: `a, b or c`; a single one is unchanged. */
export function listed(words: readonly string[], conjunction: 'and' | 'or'): string {
  const last = words.slice(-2).join(` ${conjunction} `);
  return [...words.slice(0, -2), last].join(', ');
}

/** The first names in a list, and the number of others. */
export function boundedList(names: readonly string[], limit = 3): string {
  const more = names.length > limit ? ` and ${names.length - limit} more` : '';
  return `${names.slice(0, limit).join(', ')}${more}`;
}

/**
 * The names most similar to what was typed: at most `count`, nearest first, each differing in at most a third of its letters,
 * ignoring case. For short lists of short names.
 */
export function nearest(typed: string, names: readonly string[], count: number): string[] {
  const wanted = typed.toLowerCase();
  return names
    .map(name => {
      const limit = Math.max(1, Math.floor(name.length / 3));
      return { name, limit, distance: editDistance(wanted, name.toLowerCase(), limit) };
    })
    .filter(({ distance, limit }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

/**
 * The number of insertions, deletions, substitutions and swaps of neighbours between two texts (optimal string
 * alignment), or `limit + 1` if it exceeds `limit`. Takes time proportional to the product of the lengths, unless they
 * differ by more than `limit`.
 */
export function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  // Distances from prefixes of `from` to all prefixes of `to`: the last three rows of the table.
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  let current: number[] = [];
  for (let row = 1; row <= from.length; row++) {
    current[0] = row;
    let least = row;
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const replaced = previous[column - 1]! + (isSame ? 0 : 1);
      let distance = Math.min(previous[column]! + 1, current[column - 1]! + 1, replaced);
      const canSwap = row > 1 && column > 1 && !isSame;
      if (canSwap && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        distance = Math.min(distance, beforePrevious[column - 2]! + 1);
      current[column] = distance;
      least = Math.min(least, distance);
    }
    if (least > limit) return limit + 1;
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
  }
  return Math.min(previous[to.length]!, limit + 1);
}

/** Letters that Unicode does not decompose, with their unaccented forms. */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ə: 'a',
};
const UNDECOMPOSED_LETTERS = new RegExp(`[${Object.keys(UNDECOMPOSED).join('')}]`, 'g');

/**
 * A place name for comparison: in lower case, without accents, apostrophes, quotation marks and full stops, and with a single
 * space for other punctuation. `Xi’an` becomes `xian`, `Saint-Étienne` becomes `saint etienne`.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}'’‘ʻʼʿʾ`´"“”.]/gu, '')
    .replace(UNDECOMPOSED_LETTERS, letter => UNDECOMPOSED[letter]!)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
