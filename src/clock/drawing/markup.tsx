import { Html } from '@elysiajs/html';
import type { Palette } from '../palette.ts';
import type { Colour, Stop } from '../styles/style.ts';

/**
 * Markup and slot names alternately, beginning and ending with markup. A face is drawn once with slots and split at them;
 * rendering it for a request then only joins the pieces with the values of the slots.
 */
export type Template = readonly string[];

/** Marks both ends of a slot name. Templates contain no text from clients, so it occurs nowhere else. */
const MARK = '\u0001';

/** A slot, as part of markup. */
export function slot(name: string): string {
  return MARK + name + MARK;
}

/** Everything but the characters of XML 1.0 §2.2. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const BEYOND_EIGHT_BITS = /[\u{100}-\u{10ffff}]/gu;

/**
 * Converts text that may come from a client to markup: escaped, without the characters that XML forbids, such as those that
 * could be mistaken for a slot, and with character references instead of characters beyond U+00FF, which would double the memory of the whole markup.
 */
export function textMarkup(text: string): string {
  const escaped = Html.escapeHtml(text.replace(FORBIDDEN, ''));
  return escaped.replace(BEYOND_EIGHT_BITS, found => `&#${found.codePointAt(0)};`);
}

export function templateOf(markup: string): Template {
  return markup.split(MARK);
}

export function fill(pieces: Template, markupFor: (slotName: string) => string): string {
  let markup = pieces[0]!;
  for (let at = 1; at < pieces.length; at += 2) markup += markupFor(pieces[at]!) + pieces[at + 1]!;
  return markup;
}

/** A colour as CSS: `ink=#111` as `var(--service-clock-ink,#111)`, `ink=#111 60% #fff` as a mixture, `@brass` as a reference to that shade. */
export function colourOf(colour: Colour, palette: Palette = {}): string {
  if (colour.startsWith('@')) return `url(#${slot('id')}-${colour.slice(1)})`;
  const [one, share, other] = colour.split(' ') as [string, string?, string?];
  const [name, plain] = plainColour(one, palette);
  if (other === undefined) return plain;
  const [otherName, otherPlain] = plainColour(other, palette);
  // A style's colour is mixed only slightly into a page's, since its contrast with the page's other colours is unknown.
  const isTint = name !== undefined && otherName === undefined;
  const tint = `color-mix(in srgb,var(--service-clock-${name},${other}) 90%,${other})`;
  return `color-mix(in srgb,${plain} ${share},${isTint ? tint : otherPlain})`;
}

/** The name of a colour, if pages can override it, and the colour. */
function plainColour(colour: Colour, palette: Palette): readonly [name: string | undefined, css: string] {
  if (colour.startsWith('#')) return [undefined, colour];
  const [name, own = palette[name as keyof Palette]] = colour.split('=') as [string, string?];
  return [name, `var(--service-clock-${name},${own})`];
}

export function drawStop(stop: Stop, palette?: Palette): JSX.Element {
  const at = stop.indexOf(' ');
  return <stop offset={stop.slice(0, at)} stop-color={colourOf(stop.slice(at + 1), palette)} />;
}
