/** The media type. */
export const ICALENDAR_TYPE = 'text/calendar; charset=utf-8';

/** A property of a calendar component: its name with parameters, and its encoded value. */
export type Property = readonly [name: string, value: string];

/** Writes an iCalendar component: RFC 5545 §3.6. */
export function component(name: string, properties: readonly Property[], inner = ''): string {
  const lines = properties.map(([property, value]) => contentLine(`${property}:${value}`));
  return `BEGIN:${name}\r\n${lines.join('')}${inner}END:${name}\r\n`;
}

/** A calendar with its components. */
export function calendar(properties: readonly Property[], inner: string): string {
  return component('VCALENDAR', [['VERSION', '2.0'], ['PRODID', '-//meridian//EN'], ...properties], inner);
}

/** A value of the type TEXT: RFC 5545 §3.3.11. */
export function textValue(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n|\r/g, '\\n');
}

/** A time without its separators: `20260415T133047`. */
export function basicForm(isoText: string): string {
  return isoText.replace(/[-:]/g, '');
}

const MAX_LINE_BYTES = 75;
const UTF8 = new TextEncoder();

/** Matches most lines: ASCII, and not too long. */
const SHORT_LINE = /^[\x20-\x7e]{0,75}$/;

/** A line with its break, folded between characters: RFC 5545 §3.1. */
function contentLine(text: string): string {
  if (SHORT_LINE.test(text)) return `${text}\r\n`; // a feed of 200 days has 1,600 of them
  let folded = '';
  let bytes = 0;
  for (const character of text) {
    const length = UTF8.encode(character).length;
    if (bytes + length > MAX_LINE_BYTES) {
      folded += '\r\n ';
      bytes = 1; // the space
    }
    folded += character;
    bytes += length;
  }
  return `${folded}\r\n`;
}
