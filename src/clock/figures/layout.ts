/** Longer texts do not fit on a face. */
const MAX_CHARACTERS = 240;
const SHORTEST_ROW = 18;
/** Characters per row divided by rows: a row is taller than a character is wide. */
const PROPORTION = 9;

/** A text in one row; white space becomes spaces. */
export function rowOf(text: string): string {
  return [...text.slice(0, 2 * MAX_CHARACTERS).replace(/\s/g, ' ')].slice(0, MAX_CHARACTERS).join('');
}

/** Breaks a long text into rows that fill a face, between words if possible. */
export function rowsOf(text: string): string[] {
  const characters = [...rowOf(text)];
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

/** An element of a row of flaps: a card that turns, a colon that does not, or a gap between words. */
export interface Flap {
  readonly kind: 'card' | 'colon' | 'gap';
  readonly character: string;
}

const MAX_FLAPS = 200;
/** AM or PM has its own flap. */
const CARDS = /[AP]M$|./gsu;

/** The flaps of a text; departure boards have only capitals. */
export function flapsOf(text: string): Flap[] {
  const characters = text.toUpperCase().match(CARDS) ?? [];
  return characters.slice(0, MAX_FLAPS).map(character => {
    return { kind: character === ':' ? 'colon' : /\s/.test(character) ? 'gap' : 'card', character };
  });
}
