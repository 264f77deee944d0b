/** How the name of a place is written. */
export type Letters = 'capitals' | 'small' | 'plain' | 'row';

/** Characters in a full-size row on a dial. */
export const ROW = 12;
/** The height of the box of a name on a dial, in hundredths of the full height of capitals. */
export const BOX_HEIGHT = 320;

/** The set for names on dials. */
export function dialSetOf(name: string): 'letters' | 'narrow' {
  return name.length > ROW ? 'narrow' : 'letters';
}

/** The flaps of a row. */
const FLAPS = 18;

/** The name of a place in the form written on a face. */
export function written(place: string, letters: Letters): string {
  if (letters === 'plain') return place;
  if (letters === 'small') return place.toLowerCase();
  return letters === 'row' ? place.toUpperCase().padEnd(FLAPS) : place.toUpperCase();
}

/** The view box of a row on a dial, which ends at the lower edge of its box. */
export function inBox(viewBox: string): string {
  const [left, top, width, height] = viewBox.split(' ').map(Number);
  return [left, top! + height! - BOX_HEIGHT, width, BOX_HEIGHT].join(' ');
}
