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
