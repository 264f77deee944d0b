import { Html } from '@elysiajs/html';
import { WEEKDAYS_SHORT } from '../../text/languages.ts';
import { dotsAround, type FigureSet, flapsOf, type StrokeSet } from '../figures/glyph_line.ts';
import { isDisplay, lineIn, STROKES } from '../figures/glyph_sets.ts';
import type { LiveFace } from '../live_parts.ts';
import type { Box, DigitalStyle, FigureLook, Gauge, PlaceLook } from '../styles/style.ts';
import { placeLookOf } from '../styles/styles.ts';
import { drawLettering, drawLiveType, drawPaths, drawType } from './lettering.tsx';
import { drawStop, slot } from './markup.tsx';

/** Draws the boxes of a digital face, with slots for its live parts. */
export function drawBoxes(style: DigitalStyle, face: LiveFace): JSX.Element {
  const isTyped = face.figures === undefined || style.definition.renderer === 'flap';
  return (
    <div class={isTyped ? 'sc-face sc-typed' : 'sc-face'} aria-hidden="true">
      {style.boxes.map(box => drawBox(box, face, style))}
    </div>
  );
}

function drawBox(box: Box, face: LiveFace, style: DigitalStyle): JSX.Element {
  const { letters = 'letters', figures } = style.definition;
  if ('box' in box)
    return <div class={`sc-${box.box}`}>{box.items.map(item => drawBox(item, face, style))}</div>;
  if ('time' in box) return drawTime(box.time, face, style);
  if ('gauge' in box) return drawGauge(box.gauge);
  if ('words' in box) return drawWords(box.words, box.name, letters);
  if ('block' in box) return <span class={`sc-${box.block}`} />;
  if ('drawing' in box) {
    return (
      <svg class={`sc-drawing sc-${box.drawing}`} viewBox="0 0 250 100" aria-hidden="true">
        {box.paths().map(path => (
          <path {...path} />
        ))}
      </svg>
    );
  }
  if ('place' in box) {
    const look = placeLookOf(style);
    return look === undefined ? <span class="sc-place">{slot('place')}</span> : drawPlace(look);
  }
  if (figures !== undefined) return drawLine(box.line, letters);
  return (
    <span class={`sc-${box.line}`} data-part={box.line}>
      {slot(box.line)}
    </span>
  );
}

/** The named time lines that the face has, and AM or PM. */
function drawTime(names: readonly string[], face: LiveFace, { definition, look }: DigitalStyle): JSX.Element {
  const { figures, form, timeLines } = face;
  const isFlaps = definition.renderer === 'flap';
  const lines = timeLines
    .filter(name => names.includes(name))
    .map(name => {
      const typed = { 'data-part': name, 'data-fit': slot(`${name}@data-fit`) };
      if (isFlaps) {
        return (
          <span class={`${classesOf(name)} sc-flaps`} {...typed} data-text={slot(name)}>
            {slot(`${name}@flaps`)}
          </span>
        );
      }
      if (figures !== undefined) return drawFigures(name, figures, look);
      return (
        <span class={`${classesOf(name)} sc-type`} {...typed}>
          <span class="sc-live">{slot(name)}</span>
        </span>
      );
    });
  if (form !== 'halved' || isFlaps) return <>{lines}</>;
  return (
    <div class="sc-halved">
      {lines}
      {drawLine('half', definition.letters ?? 'letters')}
    </div>
  );
}

function drawGauge(gauge: Gauge): JSX.Element {
  if (gauge === 'week') {
    return (
      <span class="sc-week" data-part="week" data-day={slot('week@data-day')}>
        {WEEKDAYS_SHORT.map(name => drawWords(name.toUpperCase(), 'weekday', 'letters'))}
      </span>
    );
  }
  if (gauge === 'cursor') {
    return <span class="sc-cursor" data-part="cursor" data-dim={slot('cursor@data-dim')} />;
  }
  if (gauge === 'turn') return <i data-part="turn" data-turn={slot('turn@data-turn')} />;
  if (gauge === 'dots') {
    return (
      <svg class="sc-dots" viewBox="-125 -50 250 100" aria-hidden="true">
        <path class="sc-unlit" d={dotsAround(0, 60)} />
        <path data-part="dots" d={slot('dots@d')} />
        <path data-part="dots-tail" d={slot('dots-tail@d')} />
      </svg>
    );
  }
  return (
    <svg class="sc-gauge" aria-hidden="true">
      <rect class="sc-bar" data-part="bar" height="100%" width={slot('bar@width')} />
    </svg>
  );
}

export function drawFlaps(text: string): string {
  const line = lineIn('heavy');
  return flapsOf(text)
    .map(flap => {
      if (flap.kind !== 'card') return <span class={`sc-${flap.kind}`} />;
      const { viewBox, tail } = line(flap.character);
      const half = (
        <b>
          <svg viewBox={viewBox} aria-hidden="true">
            <path d={tail} />
          </svg>
        </b>
      );
      return <span class="sc-card">{[half, half]}</span>;
    })
    .join('');
}

/** The classes of a line of type or figures that belongs to the time. */
function classesOf(name: string): string {
  return name === 'time' ? 'sc-time' : `sc-time sc-${name}`;
}

/** A live line of letters, as high as its font size and as wide as it is. */
function drawLine(name: string, set: StrokeSet): JSX.Element {
  return (
    <svg class={`sc-line sc-${name}`} data-part={name} viewBox={slot(`${name}@viewBox`)} aria-hidden="true">
      {set === 'board' && drawUnlit(name, set)}
      {drawLettering(name)}
    </svg>
  );
}

/** The name of the place, which never changes. */
function drawPlace({ letters, set }: PlaceLook): JSX.Element {
  return (
    <svg
      class="sc-line sc-place"
      data-place={`${letters} ${set}`}
      data-fit={slot('place@fit')}
      viewBox={slot('place@viewBox')}
      aria-hidden="true"
    >
      {set === 'board' && <path class="sc-unlit" d={slot('place@unlit')} />}
      <path d={slot('place@d')} />
      {drawType(slot('place@type'), slot('place@textLength'), { fill: 'currentColor' })}
    </svg>
  );
}

function drawWords(words: string, name: string, set: StrokeSet): JSX.Element {
  const { viewBox, lit, tail } = lineIn(set)(words);
  return (
    <svg class={`sc-line sc-${name}`} viewBox={viewBox} aria-hidden="true">
      <path d={lit + tail} />
    </svg>
  );
}

function drawFigures(name: string, set: FigureSet, look: FigureLook = {}): JSX.Element {
  return (
    <svg
      class={`${classesOf(name)} sc-figures sc-${isDisplay(set) || set === 'block' ? set.replace('14', '') : 'strokes'}`}
      data-part={name}
      viewBox={slot(`${name}@viewBox`)}
      aria-hidden="true"
    >
      {isDisplay(set) ? (
        <g>
          {drawUnlit(name, set)}
          <g class="sc-lit">{drawPaths(name)}</g>
        </g>
      ) : (
        drawStrokes(name, set, look)
      )}
      {drawLiveType(name)}
    </svg>
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
          {shade.map(stop => drawStop(stop))}
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
