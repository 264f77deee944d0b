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
