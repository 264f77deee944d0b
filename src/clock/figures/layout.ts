/** More than this finds no room on a face. */
const MOST_CHARACTERS = 240;
const SHORTEST_ROW = 14;
/** How much longer a block is than high, in characters and rows: a row is taller than a character is wide. */
const PROPORTION = 4.5;

/** Breaks a long text into rows that fill a face, between words where it can; all white space is spaces. */
export function rowsOf(text: string): string[] {
  const characters = [...text.replace(/\s/g, ' ')].slice(0, MOST_CHARACTERS);
  const columns = Math.max(SHORTEST_ROW, Math.ceil(Math.sqrt(characters.length * PROPORTION)));
  const rows: string[] = [];
  let rest = characters;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > 0 ? space : columns;
    rows.push(rest.slice(0, end).join(''));
    rest = rest.slice(space > 0 ? end + 1 : end);
  }
  return [...rows, rest.join('')];
}

/** What stands beside what in a row of flaps: cards that turn; colons, which do not; and room between words. */
export interface Flap {
  readonly kind: 'card' | 'colon' | 'gap';
  readonly character: string;
}

/** More than this finds no room on a face. */
const MOST_FLAPS = 200;

/** The flaps that a text wants; departure boards have capitals alone. */
export function flapsOf(text: string): Flap[] {
  return [...text.toUpperCase()].slice(0, MOST_FLAPS).map(character => {
    return { kind: character === ':' ? 'colon' : /\s/.test(character) ? 'gap' : 'card', character };
  });
}
