/** More than this finds no room on a face. */
const MOST_CHARACTERS = 240;
const LONGEST_ROW = 14;
/** How many characters a row has for each row, so that a block of them fills a face. */
const PROPORTION = 4;

/** Breaks a long text into rows that fill a face; line feeds and other white space become spaces. */
export function rowsOf(text: string): string[] {
  const characters = [...text.replace(/\s/g, ' ')];
  const shown =
    characters.length > MOST_CHARACTERS ? [...characters.slice(0, MOST_CHARACTERS - 1), '_'] : characters;
  const columns =
    shown.length <= LONGEST_ROW
      ? LONGEST_ROW
      : Math.max(LONGEST_ROW, Math.ceil(Math.sqrt(shown.length * PROPORTION)));
  const rows: string[] = [];
  for (let at = 0; at === 0 || at < shown.length; at += columns)
    rows.push(shown.slice(at, at + columns).join(''));
  return rows;
}
