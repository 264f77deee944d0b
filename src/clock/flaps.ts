/** What stands beside what in a row of flaps: cards that turn, colons that do not, and room between words. */
export type Flap =
  | { readonly kind: 'card'; readonly character: string }
  | { readonly kind: 'colon' }
  | { readonly kind: 'gap' };

/** More than this finds no room on a face. */
const MOST_FLAPS = 200;

/** The flaps that a text wants; departure boards have capitals alone. */
export function flapsOf(text: string): Flap[] {
  return [...text.toUpperCase()].slice(0, MOST_FLAPS).map(character => {
    if (character === ':') return { kind: 'colon' };
    return /\s/.test(character) ? { kind: 'gap' } : { kind: 'card', character };
  });
}
