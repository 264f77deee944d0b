import { Html } from '@elysiajs/html';
import type { Dial, Mark, Numerals, Paint, Place, Shade, Shadow, Ticks, Wedges, Writing } from './dial.ts';
import { slot } from './slots.ts';

const VIEW_BOX = '-100 -100 200 200';

/**
 * Draws a dial, with slots for its live parts. The hands are separate pictures above the dial, so that moving them does
 * not repaint it; turning the box around the second hand does not even repaint the hand.
 */
export function drawDial(dial: Dial): JSX.Element {
  const { shades, under, hour, minute, second, shadow, secondAt } = dial;
  const shaded = shadow ? { filter: `url(#${slot('id')}-shadow)` } : {};
  const secondHand = (
    <div class="sc-turned">
      <svg class="sc-dial" viewBox={VIEW_BOX} aria-hidden="true">
        <g {...(secondAt ? { transform: `translate(${secondAt.join(' ')})` } : shaded)}>
          {drawHand('second', second)}
        </g>
      </svg>
    </div>
  );
  return (
    <>
      <svg class="sc-dial" viewBox={VIEW_BOX} aria-hidden="true">
        {(shades || shadow) && (
          <defs>
            {Object.entries(shades ?? {}).map(drawShade)}
            {shadow && drawShadow(shadow)}
          </defs>
        )}
        {under.map(drawMark)}
      </svg>
      {secondAt ? secondHand : ''}
      <svg class="sc-dial" viewBox={VIEW_BOX} aria-hidden="true">
        <g {...shaded}>
          {drawHand('hour', hour)}
          {drawHand('minute', minute)}
        </g>
      </svg>
      {secondAt ? '' : secondHand}
    </>
  );
}

function drawShadow({ down, blur, opacity }: Shadow): JSX.Element {
  return (
    <filter
      id={`${slot('id')}-shadow`}
      x="-100"
      y="-100"
      width="200"
      height="200"
      filterUnits="userSpaceOnUse"
    >
      <feDropShadow dx="0" dy={down} stdDeviation={blur} flood-opacity={opacity} />
    </filter>
  );
}

function drawHand(name: string, marks: readonly Mark[]): JSX.Element {
  return (
    <g data-part={name} transform={slot(`${name}@transform`)}>
      {marks.map(drawMark)}
    </g>
  );
}

function drawShade([name, shade]: readonly [string, Shade]): JSX.Element {
  const id = `${slot('id')}-${name}`;
  const stops = shade.stops.map(stop => {
    const [share, colour] = stop.split(' ') as [string, string];
    return <stop offset={share} stop-color={colourOf(colour)} />;
  });
  if ('radius' in shade) {
    const [cx, cy] = shade.at;
    return (
      <radialGradient id={id} cx={cx} cy={cy} r={shade.radius}>
        {stops}
      </radialGradient>
    );
  }
  const [[x1, y1], [x2, y2]] = [shade.from, shade.to];
  return (
    <linearGradient id={id} x1={x1} y1={y1} x2={x2} y2={y2}>
      {stops}
    </linearGradient>
  );
}

function drawMark(mark: Mark): JSX.Element {
  switch (mark.mark) {
    case 'circle': {
      const [cx, cy] = mark.at ?? [0, 0];
      return <circle {...(mark.at ? { cx, cy } : {})} r={mark.r} {...paintOf(mark)} />;
    }
    case 'rect': {
      const [x, y, width, height] = mark.box;
      const rounding = mark.round === undefined ? {} : { rx: mark.round };
      return <rect x={x} y={y} width={width} height={height} {...rounding} {...paintOf(mark)} />;
    }
    case 'path':
      return <path d={mark.d} {...paintOf(mark)} />;
    case 'ticks':
      return <path d={ticksPath(mark)} {...paintOf(mark)} />;
    case 'wedges':
      return <path d={wedgesPath(mark)} {...paintOf(mark)} />;
    case 'numerals':
      return drawNumerals(mark);
    case 'place':
      return drawPlace(mark);
    default:
      return drawWriting(mark);
  }
}

function paintOf({ fill, stroke, width, cap, opacity, look }: Paint): Record<string, string> {
  const paint: Record<string, string> = {};
  if (look !== undefined) paint['class'] = `sc-${look}`;
  paint['fill'] = fill === undefined ? 'none' : colourOf(fill);
  if (stroke !== undefined) paint['stroke'] = colourOf(stroke);
  if (width !== undefined) paint['stroke-width'] = String(width);
  if (cap !== undefined) paint['stroke-linecap'] = cap;
  // The opacity of the whole mark would make the browser composite it as a group.
  if (opacity !== undefined) paint[`${stroke === undefined ? 'fill' : 'stroke'}-opacity`] = String(opacity);
  return paint;
}

/** `ink=#111` becomes `var(--service-clock-ink,#111)`, `@brass` a reference to the shade of that name. */
function colourOf(colour: string): string {
  if (colour.startsWith('@')) return `url(#${slot('id')}-${colour.slice(1)})`;
  const equals = colour.indexOf('=');
  if (equals === -1) return colour;
  return `var(--service-clock-${colour.slice(0, equals)},${colour.slice(equals + 1)})`;
}

function ticksPath(ticks: Ticks): string {
  const [right, down] = ticks.at ?? [0, 0];
  const { omit, omitEvery } = ticks;
  let path = '';
  for (let index = 0; index < ticks.of; index++) {
    if ((omitEvery && index % omitEvery === 0) || omit?.includes(index)) continue;
    const radians = (index / ticks.of) * 2 * Math.PI;
    const [x, y] = [Math.sin(radians), -Math.cos(radians)];
    const stretch = ticks.square ? 1 / Math.max(Math.abs(x), Math.abs(y)) : 1;
    const [from, to] = [ticks.from * stretch, ticks.to * stretch];
    path += `M${fine(right + x * from)} ${fine(down + y * from)}L${fine(right + x * to)} ${fine(down + y * to)}`;
  }
  return path;
}

function wedgesPath(wedges: Wedges): string {
  let path = '';
  for (let index = 0; index < wedges.of; index++) {
    if (wedges.omit?.includes(index)) continue;
    const radians = (index / wedges.of) * 2 * Math.PI;
    const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
    const turned = wedges.points.split(' ').map(point => {
      const [x, y] = point.split(',').map(Number) as [number, number];
      return `${fine(x * cosine - y * sine)} ${fine(x * sine + y * cosine)}`;
    });
    path += `M${turned.join('L')}z`;
  }
  return path;
}

/** From the middle of a capital or digit down to its baseline, as a share of the font size. */
const HALF_CAPITAL = 0.355;

function drawNumerals(numerals: Numerals): JSX.Element {
  const { texts, radius, size, font, radial, nudges = {}, condense } = numerals;
  const [right, down] = numerals.at ?? [0, 0];
  return (
    <g font-size={size} text-anchor="middle" {...fontOf(font)} {...paintOf(numerals)}>
      {texts.map((text, index) => {
        if (text === '') return '';
        const degrees = ((index + 1) / texts.length) * 360;
        const radians = (degrees / 180) * Math.PI;
        const [nudgeX, nudgeY] = nudges[index] ?? [0, 0];
        const x = right + Math.sin(radians) * radius + nudgeX;
        const y = down - Math.cos(radians) * radius + nudgeY;
        const baseline = fine(size * HALF_CAPITAL);
        if (!radial && condense === undefined) {
          return (
            <text x={fine(x)} y={fine(y + baseline)} safe>
              {text}
            </text>
          );
        }
        const turn = radial ? ` rotate(${fine(degrees)})` : '';
        const scale = condense === undefined ? '' : ` scale(${condense} 1)`;
        return (
          <text transform={`translate(${fine(x)} ${fine(y)})${turn}${scale}`} y={baseline} safe>
            {text}
          </text>
        );
      })}
    </g>
  );
}

function drawPlace(place: Place): JSX.Element {
  const { size, room, capitals, small } = place;
  const letters = capitals === undefined ? (small ? ' sc-small' : '') : ' sc-capitals';
  return (
    <text
      {...attributesOf(place, capitals)}
      font-size={slot(`fit ${size} ${room} ${capitals ?? 0}`)}
      class={`sc-place${letters}`}
      data-long={slot('long')}
    >
      {slot('place')}
    </text>
  );
}

function drawWriting(writing: Writing): JSX.Element {
  return (
    <text {...attributesOf(writing)} data-part={writing.mark} font-size={writing.size}>
      {slot(writing.mark)}
    </text>
  );
}

function attributesOf(writing: Omit<Writing, 'mark'>, spacing?: number) {
  const { at, size, font } = writing;
  return {
    x: at[0],
    y: fine(at[1] + size * HALF_CAPITAL),
    'text-anchor': 'middle',
    ...(spacing === undefined ? {} : { 'letter-spacing': spacing }),
    ...fontOf(font),
    ...paintOf(writing),
  };
}

function fontOf([stack, weight, italic]: Writing['font']): Record<string, string> {
  const look = { 'font-family': `var(--sc-${stack})`, 'font-weight': String(weight) };
  return italic ? { ...look, 'font-style': 'italic' } : look;
}

/** Rounds to hundredths, a fortieth of a pixel on a face of 480 px. */
function fine(value: number): number {
  return Math.round(value * 100) / 100 || 0;
}
