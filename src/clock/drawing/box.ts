/** What a digital face is made of, as data; the stylesheet says where each is and what it looks like. */
export type Box =
  /** Boxes in a box, which the stylesheet knows as `sc-name`. */
  | { readonly box: string; readonly items: readonly Box[] }
  /** Where the lines of the time are; several names are the lines that a format asked for stands in place of. */
  | { readonly time: readonly string[] }
  /** A live line of text. */
  | { readonly line: string }
  | { readonly words: string; readonly name: string }
  | { readonly place: 'capitals' | 'as it is' }
  | { readonly gauge: 'dots' | 'bar' };
