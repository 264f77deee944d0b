/**
 * A face is drawn once with slots in it, and cut there into pieces; drawing it for a request is then a matter of joining
 * the pieces with what the slots want.
 */
export interface Template {
  /** Markup and the names of slots by turns, beginning and ending with markup. */
  readonly pieces: readonly string[];
}

/** No text that comes from outside is in a template, so this character comes from nowhere else. */
const MARK = '\u0001';

/** The place in markup where something is to be written. */
export function slot(name: string): string {
  return MARK + name + MARK;
}

/** Text of a caller's, in which nothing is taken for a slot. */
export function withoutSlots(text: string): string {
  return text.replaceAll(MARK, '');
}

/** Cuts markup at its slots. */
export function templateOf(markup: string): Template {
  return { pieces: markup.split(MARK) };
}

/** Writes a template with the markup of its slots. */
export function fill({ pieces }: Template, markupFor: (slotName: string) => string): string {
  let markup = pieces[0]!;
  for (let at = 1; at < pieces.length; at += 2) markup += markupFor(pieces[at]!) + pieces[at + 1]!;
  return markup;
}
