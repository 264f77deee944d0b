import { Html } from '@elysiajs/html';
import { BoundedCache } from '../../common/caching.ts';
import type { StrokeSet } from '../figures/glyph_line.ts';
import { lineIn } from '../figures/glyph_sets.ts';
import type { Letters, Style } from '../styles/style.ts';
import { placeLookOf } from '../styles/styles.ts';
import { dialLabel, stackedLines, twoRowsOf, written } from './dial_label.ts';
import { slot, textMarkup } from './markup.tsx';

/** The strokes of a line, and the type for a text with characters that the alphabet lacks. */
export function drawLettering(name: string, colour?: string): string {
  return drawPaths(name) + drawLiveType(name, colour);
}

export function drawLiveType(name: string, fill = 'currentColor'): string {
  const part = `${name}-type`;
  return drawType(slot(part), slot(`${part}@textLength`), { fill, 'data-part': part });
}

export function drawType(text: string, length: string, attributes: Readonly<Record<string, string>>): string {
  return String(
    <text y="100" lengthAdjust="spacingAndGlyphs" textLength={length} {...attributes}>
      {text}
    </text>,
  );
}

export function drawPaths(name: string): string {
  const parts = [`${name}-lit`, `${name}-tail`];
  return parts.map(part => <path class="sc-shape" data-part={part} d={slot(`${part}@d`)} />).join('');
}

const places = new BoundedCache<string, Readonly<Record<string, string>>>(128);

/** The slots of a place's name, on a face that does not set it in type. */
export function placeParts(style: Style, place: string): Readonly<Record<string, string>> {
  const look = placeLookOf(style);
  if (look === undefined) return {};
  const { letters, set, columns } = look;
  return places.getOrInsertComputed(`${letters} ${set} ${columns} ${place}`, () => {
    const parts = set === 'dial' ? nameOnDial(place, letters) : nameInLine(place, letters, set, columns);
    return Object.fromEntries(Object.entries(parts).map(([name, value]) => [`place@${name}`, value]));
  });
}

function nameOnDial(place: string, letters: Letters) {
  const { viewBox, d, types } = dialLabel(place, letters, lineIn);
  const rows = types.map(({ text, y, length }) => {
    const lengths = `lengthAdjust="spacingAndGlyphs" textLength="${length}"`;
    return `<text x="${-length / 2}" y="${y}" ${lengths}>${textMarkup(text)}</text>`;
  });
  return { viewBox, d, type: rows.join('') };
}

function nameInLine(place: string, letters: Letters, set: StrokeSet, columns: number) {
  const rows = set === 'board' ? [place] : twoRowsOf(place, columns);
  const [whole, ...parts] = [place, ...rows].map(row => lineIn(set)(written(row, letters)));
  const line = (rows.length > 1 && stackedLines(parts)) || whole!;
  const { viewBox, lit, tail, unlit, type = '', length = 0 } = line;
  const fit = rows.length > 1 && type === '' ? 'rows' : '';
  return { viewBox, d: lit + tail, unlit, fit, type: textMarkup(type), textLength: String(length) };
}
