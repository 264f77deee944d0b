/** How the name of a place is written. */
export type Letters = 'capitals' | 'small' | 'plain' | 'row';

/** The flaps of a row. */
const ROW = 18;

/** The name of a place as a face writes it. */
export function written(place: string, letters: Letters): string {
  if (letters === 'plain') return place;
  if (letters === 'small') return place.toLowerCase();
  return letters === 'row' ? place.toUpperCase().padEnd(ROW) : place.toUpperCase();
}
