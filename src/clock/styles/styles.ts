import { DIALS } from './dials.ts';
import { DISPLAYS } from './displays.ts';
import type { Box, PlaceLook, Style } from './style.ts';

export type StyleName = keyof typeof DIALS | keyof typeof DISPLAYS;

/** The registry of styles, in listing order; `analog-slate` and `digital-slate` are two different ones. */
export const STYLES: Readonly<Record<StyleName, Style>> = { ...DIALS, ...DISPLAYS };

export const STYLE_NAMES = Object.keys(STYLES) as readonly StyleName[];

/** The look of the place's name; undefined if it is set in type. */
export function placeLookOf(style: Style): PlaceLook | undefined {
  if ('dial' in style) {
    const label = style.dial.under.find(mark => 'label' in mark);
    return label && { letters: label.label, set: 'dial', columns: Number.POSITIVE_INFINITY };
  }
  const { figures, letters: own = 'letters' } = style.definition;
  const box = figures && placeIn(style.boxes);
  if (box === undefined) return undefined;
  const { place: letters, set = own, columns = COLUMNS } = box;
  return { letters, set, columns };
}

/** The maximum number of characters in one row on a digital face, unless its style says otherwise. */
const COLUMNS = 34;

type PlaceBox = Extract<Box, { readonly place: unknown }>;

function placeIn(boxes: readonly Box[]): PlaceBox | undefined {
  for (const box of boxes) {
    const found = 'place' in box ? box : 'box' in box ? placeIn(box.items) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
