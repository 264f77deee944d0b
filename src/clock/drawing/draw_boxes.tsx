import { Html } from '@elysiajs/html';
import { WEEKDAYS_SHORT } from '../../text/names.ts';
import type { FigureSet } from '../figures/figure_set.ts';
import { flapsOf } from '../figures/layout.ts';
import { dotsAround } from '../figures/paths.ts';
import { thicknessOf } from '../figures/stroke_line.ts';
import type { LiveFace } from '../live_parts.ts';
import type { Box, DigitalDefinition, Gauge } from '../styles/style.ts';
import { slot } from './slots.ts';

/** Draws the boxes of a digital face, with slots for its live parts. */
export function drawBoxes(
  boxes: readonly Box[],
  face: LiveFace,
  renderer: DigitalDefinition['renderer'],
): JSX.Element {
  return (
    <div class={face.figures === undefined ? 'sc-face sc-typed' : 'sc-face'} aria-hidden="true">
      {boxes.map(box => drawBox(box, face, renderer))}
    </div>
  );
}

function drawBox(box: Box, face: LiveFace, renderer: DigitalDefinition['renderer']): JSX.Element {
  if ('box' in box)
    return <div class={`sc-${box.box}`}>{box.items.map(item => drawBox(item, face, renderer))}</div>;
  if ('time' in box) {
    const names = face.timeLines.filter(name => box.time.includes(name));
    return <>{names.map(name => drawTime(name, face, renderer))}</>;
  }
  if ('gauge' in box) return drawGauge(box.gauge);
  if ('words' in box) {
    return (
      <span class={`sc-${box.name}`} safe>
        {box.words}
      </span>
    );
  }
  if ('place' in box) {
    return (
      <span class={`sc-place sc-${box.place}`} data-long={slot('long')}>
        {slot('place')}
      </span>
    );
  }
  return (
    <span class={`sc-${box.line}`} data-part={box.line}>
      {slot(box.line)}
    </span>
  );
}

function drawTime(name: string, { figures }: LiveFace, renderer: DigitalDefinition['renderer']): JSX.Element {
  if (figures !== undefined) return drawFigures(name, figures);
  const common = { 'data-part': name, 'data-fit': slot(`${name}@data-fit`) };
  if (renderer === 'flap') {
    return (
      <span class={`${classesOf(name)} sc-flaps`} {...common} data-text={slot(name)}>
        {slot(`flaps ${name}`)}
      </span>
    );
  }
  return (
    <span class={`${classesOf(name)} sc-type`} {...common}>
      <span class="sc-live">{slot(name)}</span>
    </span>
  );
}

function classesOf(name: string): string {
  return name === 'time' ? 'sc-time' : `sc-time sc-${name}`;
}

function drawFigures(name: string, set: FigureSet): JSX.Element {
  const isStrokes = set !== 'bars' && set !== 'thin' && set !== 'dots';
  const id = set === 'tube' ? `${slot('id')}-${name}` : undefined;
  return (
    <svg
      class={`${classesOf(name)} sc-figures sc-${isStrokes ? 'strokes' : set}`}
      data-part={name}
      viewBox={slot(`${name}@viewBox`)}
      aria-hidden="true"
    >
      {/* The group sets the stroke width, so that the core can have a smaller one. */}
      <g {...(isStrokes ? { 'stroke-width': thicknessOf(set) } : {})}>
        {isStrokes ? '' : drawUnlit(name, set)}
        <g class="sc-lit" {...(id === undefined ? {} : { id })}>
          <path data-part={`${name}-lit`} d={slot(`${name}-lit@d`)} />
          <path data-part={`${name}-tail`} d={slot(`${name}-tail@d`)} />
        </g>
        {id === undefined ? '' : <use class="sc-core" href={`#${id}`} />}
      </g>
    </svg>
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

function drawGauge(gauge: Gauge): JSX.Element {
  if (gauge === 'week') {
    return (
      <span class="sc-week" data-part="week" data-day={slot('week@data-day')}>
        {WEEKDAYS_SHORT.map(name => (
          <i safe>{name}</i>
        ))}
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
  return flapsOf(text)
    .map(flap =>
      flap.kind === 'card' ? (
        <span class="sc-card">
          <b safe>{flap.character}</b>
          <b safe>{flap.character}</b>
        </span>
      ) : (
        <span class={`sc-${flap.kind}`} />
      ),
    )
    .join('');
}
