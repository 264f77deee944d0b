import { Html } from '@elysiajs/html';

/**
 * Markup with slots. A face is drawn once with slots and split at them; rendering it for a request then only joins the
 * pieces with the values of the slots.
 */
export interface Template {
  /** Markup and slot names alternately, beginning and ending with markup. */
  readonly pieces: readonly string[];
}

/** Marks both ends of a slot name. Templates contain no text from clients, so it occurs nowhere else. */
const MARK = '\u0001';

/** A slot, as part of markup. */
export function slot(name: string): string {
  return MARK + name + MARK;
}

const BEYOND_EIGHT_BITS = /[\u{100}-\u{10ffff}]/gu;

/**
 * Converts text that may come from a client to markup: escaped, without anything that could be mistaken for a slot, and with
 * character references instead of characters beyond U+00FF, which would double the memory of the whole markup.
 */
export function textMarkup(text: string): string {
  const escaped = Html.escapeHtml(text.replaceAll(MARK, ''));
  return escaped.replace(BEYOND_EIGHT_BITS, found => `&#${found.codePointAt(0)};`);
}

export function templateOf(markup: string): Template {
  return { pieces: markup.split(MARK) };
}

export function fill({ pieces }: Template, markupFor: (slotName: string) => string): string {
  let markup = pieces[0]!;
  for (let at = 1; at < pieces.length; at += 2) markup += markupFor(pieces[at]!) + pieces[at + 1]!;
  return markup;
}
