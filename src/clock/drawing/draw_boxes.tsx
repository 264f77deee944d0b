import { Html } from '@elysiajs/html';
import { WEEKDAYS_SHORT } from '../../text/languages.ts';
import { dotsAround, flapsOf } from '../figures/glyph_line.ts';
import { lineIn } from '../figures/glyph_sets.ts';
import type { LiveFace } from '../live_parts.ts';
import type { Box, DigitalStyle, Gauge } from '../styles/style.ts';
import { classesOf, drawFigures, drawLine, drawPlace, drawWords } from './draw_lines.tsx';
import { slot } from './slots.ts';

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
    const { place, set = letters, columns } = box;
    if (figures === undefined) return <span class="sc-place">{slot('place')}</span>;
    return drawPlace(place, set, columns);
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
  const lines = timeLines
    .filter(name => names.includes(name))
    .map(name => {
      if (definition.renderer === 'flap') return drawFlapRow(name);
      return figures === undefined ? drawType(name) : drawFigures(name, figures, look);
    });
  if (form !== 'halved' || definition.renderer === 'flap') return <>{lines}</>;
  return (
    <div class="sc-halved">
      {lines}
      {drawLine('half', definition.letters ?? 'letters')}
    </div>
  );
}

function drawFlapRow(name: string): JSX.Element {
  return (
    <span
      class={`${classesOf(name)} sc-flaps`}
      data-part={name}
      data-fit={slot(`${name}@data-fit`)}
      data-text={slot(name)}
    >
      {slot(`flaps ${name}`)}
    </span>
  );
}

function drawType(name: string): JSX.Element {
  return (
    <span class={`${classesOf(name)} sc-type`} data-part={name} data-fit={slot(`${name}@data-fit`)}>
      <span class="sc-live">{slot(name)}</span>
    </span>
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

/** Draws a row of flaps at rest. */
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
