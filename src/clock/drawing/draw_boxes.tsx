import { Html } from '@elysiajs/html';
import type { LiveFace } from '../live_parts.ts';
import type { Box } from './box.ts';
import { slot } from './slots.ts';

/** Draws the boxes of a digital face, with slots for its live parts. */
export function drawBoxes(boxes: readonly Box[], face: LiveFace): JSX.Element {
  return (
    <div class="sc-face" aria-hidden="true">
      {boxes.map(box => drawBox(box, face))}
    </div>
  );
}

function drawBox(box: Box, face: LiveFace): JSX.Element {
  if ('box' in box) return <div class={`sc-${box.box}`}>{box.items.map(item => drawBox(item, face))}</div>;
  if ('time' in box) return <>{linesIn(box.time, face).map(name => drawTime(name, face))}</>;
  if ('line' in box) {
    return (
      <span class={`sc-${box.line}`} data-part={box.line}>
        {slot(box.line)}
      </span>
    );
  }
  if ('words' in box) {
    return (
      <span class={`sc-${box.name}`} safe>
        {box.words}
      </span>
    );
  }
  if ('place' in box)
    return <span class={`sc-place${box.place === 'capitals' ? ' sc-capitals' : ''}`}>{slot('place')}</span>;
  return drawGauge(box.gauge);
}

/** Where a format was asked for it stands where the first of the style's own lines does. */
function linesIn(names: readonly string[], { timeLines }: LiveFace): readonly string[] {
  return timeLines.filter(name => names.includes(name));
}

function drawTime(name: string, { figures }: LiveFace): JSX.Element {
  if (figures === undefined) {
    return (
      <span class={`sc-time sc-${name}`} data-part={name} data-fit={slot(`${name}@data-fit`)}>
        {slot(name)}
      </span>
    );
  }
  return (
    <svg
      class={`sc-time sc-${name} sc-figures`}
      data-part={name}
      viewBox={slot(`${name}@viewBox`)}
      aria-hidden="true"
    >
      <g>
        <path class="sc-unlit" data-part={`${name}-unlit`} d={slot(`${name}-unlit@d`)} />
        <path class="sc-lit" data-part={`${name}-lit`} d={slot(`${name}-lit@d`)} />
      </g>
    </svg>
  );
}

function drawGauge(gauge: 'dots' | 'bar'): JSX.Element {
  if (gauge === 'dots') return <></>;
  return (
    <svg class="sc-gauge" aria-hidden="true">
      <rect class="sc-bar" data-part="bar" height="100%" width={slot('bar@width')} />
    </svg>
  );
}
