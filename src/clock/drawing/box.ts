/** What a digital face is made of, as data; the stylesheet says where each is and what it looks like. */
export type Box =
  /** Boxes in a box, which the stylesheet knows as `sc-name`. */
  | { readonly box: string; readonly items: readonly Box[] }
  /** Where lines of the time are, by their names; a format that was asked for is the line `time` and stands alone. */
  | { readonly time: readonly string[] }
  /** A live line of text. */
  | { readonly line: string }
  | { readonly words: string; readonly name: string }
  | { readonly place: 'capitals' | 'small' | 'plain' }
  | { readonly gauge: Gauge };

/** Dots around the face, a bar, the days of the week, a block that blinks, or nothing but the word to turn the lines over. */
export type Gauge = 'dots' | 'bar' | 'week' | 'cursor' | 'turn';
