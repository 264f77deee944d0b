import { Html } from '@elysiajs/html';
import { BoundedCache } from '../../common/caching.ts';
import type { FigureLine, FigureSet, StrokeSet } from '../figures/glyph_line.ts';
import { isDisplay, lineIn, STROKES } from '../figures/glyph_sets.ts';
import type { FigureLook } from '../styles/style.ts';
import { colourOf, drawStop } from './dial.tsx';
import {
  type DialLabel,
  dialLabel,
  type Letters,
  stackedLines,
  type TypeRow,
  twoRowsOf,
  written,
} from './dial_label.ts';
import { slot, textMarkup } from './slots.ts';

/** The classes of a line of type or figures that belongs to the time. */
export function classesOf(name: string): string {
  return name === 'time' ? 'sc-time' : `sc-time sc-${name}`;
}

/** A live line of letters, as high as its font size and as wide as it is. */
export function drawLine(name: string, set: StrokeSet): JSX.Element {
  return (
    <svg class={`sc-line sc-${name}`} data-part={name} viewBox={slot(`${name}@viewBox`)} aria-hidden="true">
      {set === 'board' && drawUnlit(name, set)}
      {drawLettering(name)}
    </svg>
  );
}

/** The strokes of a line, and the type for a text with characters that the alphabet lacks. */
export function drawLettering(name: string, colour = 'currentColor'): JSX.Element {
  return (
    <>
      {drawPaths(name)}
      {drawLiveType(name, colour)}
    </>
  );
}

function drawLiveType(name: string, colour: string): JSX.Element {
  const part = `${name}-type`;
  return drawType(slot(part), slot(`${part}@textLength`), { fill: colour, 'data-part': part });
}

function drawType(text: string, length: string, attributes: Readonly<Record<string, string>>): JSX.Element {
  return (
    <text y="100" lengthAdjust="spacingAndGlyphs" textLength={length} {...attributes}>
      {text}
    </text>
  );
}

/** The maximum number of characters in one row on a digital face, unless its style says otherwise. */
const COLUMNS = 34;

/** The name of the place, which never changes. Its slots begin with `place` and are filled by `placeMarkup`. */
export function placeSlot(
  part: 'viewBox' | 'fit' | 'd' | 'unlit' | 'type' | 'textLength',
  letters: Letters,
  set: StrokeSet | 'dial',
  columns = COLUMNS,
): string {
  return slot(`place ${part} ${letters} ${set} ${columns}`);
}

/** The name on a digital face. */
export function drawPlace(letters: Letters, set: StrokeSet, columns?: number): JSX.Element {
  const at = (part: Parameters<typeof placeSlot>[0]) => placeSlot(part, letters, set, columns);
  return (
    <svg
      class="sc-line sc-place"
      data-place={`${letters} ${set}`}
      data-fit={at('fit')}
      viewBox={at('viewBox')}
      aria-hidden="true"
    >
      {set === 'board' && <path class="sc-unlit" d={at('unlit')} />}
      <path d={at('d')} />
      {drawType(at('type'), at('textLength'), { fill: 'currentColor' })}
    </svg>
  );
}

const places = new BoundedCache<string, FigureLine>(128);

/** The markup for a slot of a place's name. */
export function placeMarkup(slotName: string, place: string): string {
  const [, part, letters, set, columns] = slotName.split(' ') as [
    string,
    string,
    Letters,
    StrokeSet | 'dial',
    string,
  ];
  if (set === 'dial') return dialMarkup(part, letters, place);
  const rows = set === 'board' ? [place] : twoRowsOf(place, Number(columns));
  const line = places.getOrInsertComputed(`${set} ${letters} ${columns} ${place}`, () => {
    const [whole, ...parts] = [place, ...rows].map(row => lineIn(set)(written(row, letters)));
    return (rows.length > 1 && stackedLines(parts)) || whole!;
  });
  if (part === 'fit') return rows.length > 1 && !line.type ? 'rows' : '';
  const { viewBox, lit, tail, unlit, type = '', length = 0 } = line;
  if (part === 'viewBox') return viewBox;
  if (part === 'd') return lit + tail;
  if (part === 'unlit') return unlit;
  return part === 'type' ? textMarkup(type) : String(length);
}

const dialLabels = new BoundedCache<string, DialLabel>(128);

function dialMarkup(part: string, letters: Letters, place: string): string {
  const { viewBox, d, types } = dialLabels.getOrInsertComputed(`${letters} ${place}`, () =>
    dialLabel(place, letters, lineIn),
  );
  if (part === 'viewBox') return viewBox;
  return part === 'd' ? d : types.map(typeRow).join('');
}

function typeRow({ text, y, length }: TypeRow): string {
  const lengths = `lengthAdjust="spacingAndGlyphs" textLength="${length}"`;
  return `<text x="${-length / 2}" y="${y}" ${lengths}>${textMarkup(text)}</text>`;
}

/** Words that never change. */
export function drawWords(words: string, name: string, set: StrokeSet): JSX.Element {
  const { viewBox, lit, tail } = lineIn(set)(words);
  return (
    <svg class={`sc-line sc-${name}`} viewBox={viewBox} aria-hidden="true">
      <path d={lit + tail} />
    </svg>
  );
}

/** A line of the time. */
export function drawFigures(name: string, set: FigureSet, look: FigureLook = {}): JSX.Element {
  return (
    <svg
      class={`${classesOf(name)} sc-figures sc-${isDisplay(set) || set === 'block' ? set.replace('14', '') : 'strokes'}`}
      data-part={name}
      viewBox={slot(`${name}@viewBox`)}
      aria-hidden="true"
    >
      {isDisplay(set) ? drawDisplay(name, set) : drawStrokes(name, set, look)}
      {drawLiveType(name, 'currentColor')}
    </svg>
  );
}

function drawDisplay(name: string, set: FigureSet): JSX.Element {
  return (
    <g>
      {drawUnlit(name, set)}
      <g class="sc-lit">{drawPaths(name)}</g>
    </g>
  );
}

function drawPaths(name: string): JSX.Element {
  return (
    <>
      <path class="sc-shape" data-part={`${name}-lit`} d={slot(`${name}-lit@d`)} />
      <path class="sc-shape" data-part={`${name}-tail`} d={slot(`${name}-tail@d`)} />
    </>
  );
}

/** Strokes in a group that sets the stroke width, so that the core can have a smaller one. */
function drawStrokes(name: string, set: StrokeSet, { shade, hasCore, isRough }: FigureLook): JSX.Element {
  const id = `${slot('id')}-${name}`;
  const { thick, stretch = 1, isRound } = STROKES[set];
  return (
    <>
      {shade && (
        <linearGradient id={`${id}-shade`} gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="0" y2="100">
          {shade.map(drawStop)}
        </linearGradient>
      )}
      {isRough && (
        <filter id={`${id}-rough`} x="-5%" y="-10%" width="110%" height="120%">
          <feTurbulence type="fractalNoise" baseFrequency="1.1" numOctaves="3" seed="7" result="sc-grain" />
          <feColorMatrix in="sc-grain" type="matrix" values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -4.5 3.4" />
          <feComposite in="SourceGraphic" operator="in" />
        </filter>
      )}
      <g
        stroke-width={thick}
        {...(isRound ? { 'stroke-linecap': 'round', 'stroke-linejoin': 'round' } : {})}
        {...(stretch === 1 ? {} : { transform: `scale(${stretch} 1)` })}
        {...(shade ? { stroke: `url(#${id}-shade)` } : {})}
        {...(isRough ? { filter: `url(#${id}-rough)` } : {})}
      >
        {set === 'board' && drawUnlit(name, set)}
        <g class="sc-lit sc-shape" {...(hasCore ? { id } : {})}>
          {drawPaths(name)}
        </g>
        {hasCore && <use class="sc-core" href={`#${id}`} />}
      </g>
    </>
  );
}

/** The unlit segments, or a pattern of unlit dots. */
function drawUnlit(name: string, set: FigureSet): JSX.Element {
  if (set !== 'dots') {
    return <path class="sc-unlit" data-part={`${name}-unlit`} d={slot(`${name}-unlit@d`)} />;
  }
  const id = `${slot('id')}-${name}-dots`;
  return (
    <>
      <pattern id={id} x="-0.5" y="-0.5" width="1" height="1" patternUnits="userSpaceOnUse">
        <circle cx="0.5" cy="0.5" r="0.42" />
      </pattern>
      <rect class="sc-unlit" x="-1.55" y="-1.55" width="100%" height="100%" fill={`url(#${id})`} />
    </>
  );
}
