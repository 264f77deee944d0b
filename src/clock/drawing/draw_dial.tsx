import { Html } from '@elysiajs/html';
import { moved } from '../figures/glyph_line.ts';
import { lineIn } from '../figures/glyph_sets.ts';
import type { Palette } from '../palette.ts';
import type {
  AnalogStyle,
  DateMark,
  Label,
  Mark,
  Numerals,
  Paint,
  Shade,
  Shadow,
  Ticks,
  Wedges,
} from '../styles/style.ts';
import { BOX_HEIGHT } from './dial_label.ts';
import { drawLettering } from './lettering.tsx';
import { colourOf, drawStop, slot } from './markup.tsx';

const VIEW_BOX = '-100 -100 200 200';

/**
 * Draws a dial, with slots for its live parts. The hands are separate pictures above the dial, so that moving them does
 * not repaint it; turning the box around the second hand does not even repaint the hand.
 */
export function drawDial({ dial, definition }: AnalogStyle): JSX.Element {
  const { palette, shades = {}, under, hour, minute, second, shadow, secondAt } = dial;
  const shaded = shadow ? { filter: `url(#${slot('id')}-shadow)` } : {};
  // Gliding hands turn with their boxes, and their shadows would turn, too.
  const hasStillShadow = definition.manner === 'tick';
  const hasDefinitions = dial.shades !== undefined || shadow !== undefined;
  const hand = (name: string, marks: readonly Mark[]) => (
    <g data-part={name} transform={slot(`${name}@transform`)}>
      {marks.map(mark => drawMark(mark, palette))}
    </g>
  );
  const secondHand = (
    <div class="sc-turned">
      <svg class="sc-dial" viewBox={VIEW_BOX} aria-hidden="true">
        <g {...(secondAt ? { transform: `translate(${secondAt.join(' ')})` } : hasStillShadow ? shaded : {})}>
          {hand('second', second)}
        </g>
      </svg>
    </div>
  );
  return (
    <>
      <svg class="sc-dial" viewBox={VIEW_BOX} aria-hidden="true">
        {hasDefinitions && (
          <defs>
            {Object.entries(shades).map(([name, shade]) => drawShade(name, shade, palette))}
            {shadow && drawShadow(shadow)}
          </defs>
        )}
        {under.map(mark => drawMark(mark, palette))}
      </svg>
      {secondAt ? secondHand : ''}
      <svg class="sc-dial" viewBox={VIEW_BOX} aria-hidden="true">
        <g {...shaded}>
          {hand('hour', hour)}
          {hand('minute', minute)}
        </g>
      </svg>
      {secondAt ? '' : secondHand}
    </>
  );
}

function drawShadow({ down, blur, opacity }: Shadow): JSX.Element {
  const area = { x: '-100', y: '-100', width: '200', height: '200', filterUnits: 'userSpaceOnUse' };
  return (
    <filter id={`${slot('id')}-shadow`} {...area}>
      <feDropShadow dx="0" dy={down} stdDeviation={blur} flood-opacity={opacity} />
    </filter>
  );
}

function drawShade(name: string, shade: Shade, palette: Palette): JSX.Element {
  const id = `${slot('id')}-${name}`;
  const stops = shade.stops.map(stop => drawStop(stop, palette));
  if ('radial' in shade) {
    const [cx, cy, r] = shade.radial;
    return <radialGradient {...{ id, cx, cy, r }}>{stops}</radialGradient>;
  }
  const [x1, y1, x2, y2] = shade.linear;
  return <linearGradient {...{ id, x1, y1, x2, y2 }}>{stops}</linearGradient>;
}

function drawMark(mark: Mark, palette: Palette): JSX.Element {
  if ('numerals' in mark) return drawNumerals(mark, palette);
  if ('label' in mark) return drawLabel(mark, palette);
  if ('date' in mark) return drawDate(mark);
  const paint = paintOf(mark, palette);
  if ('sector' in mark) return <path data-part="sector" d={slot('sector@d')} {...paint} />;
  if ('circle' in mark) {
    const [cx, cy] = mark.at ?? [];
    return <circle cx={cx} cy={cy} r={mark.circle} {...paint} />;
  }
  if ('rect' in mark) {
    const [x, y, width, height] = mark.rect;
    return <rect {...{ x, y, width, height }} rx={mark.round} {...paint} />;
  }
  const d = 'path' in mark ? mark.path : 'ticks' in mark ? ticksPath(mark) : wedgesPath(mark);
  return <path d={d} {...paint} />;
}

function paintOf({ fill, stroke, width, cap, opacity }: Paint, palette: Palette): Record<string, string> {
  return {
    fill: fill === undefined ? 'none' : colourOf(fill, palette),
    ...(stroke !== undefined && { stroke: colourOf(stroke, palette) }),
    ...(width !== undefined && { 'stroke-width': String(width) }),
    ...(cap !== undefined && { 'stroke-linecap': cap }),
    // The opacity of the whole mark would make the browser composite it as a group.
    ...(opacity !== undefined && {
      [`${stroke === undefined ? 'fill' : 'stroke'}-opacity`]: String(opacity),
    }),
  };
}

function ticksPath(ticks: Ticks): string {
  const [right, down] = ticks.at ?? [0, 0];
  const { omit, omitEvery } = ticks;
  let path = '';
  for (let index = 0; index < ticks.ticks; index++) {
    if ((omitEvery && index % omitEvery === 0) || omit?.includes(index)) continue;
    const radians = (index / ticks.ticks) * 2 * Math.PI;
    const [x, y] = [Math.sin(radians), -Math.cos(radians)];
    const stretch = ticks.square ? 1 / Math.max(Math.abs(x), Math.abs(y)) : 1;
    const [from, to] = [ticks.from * stretch, ticks.to * stretch];
    path += `M${fine(right + x * from)} ${fine(down + y * from)}L${fine(right + x * to)} ${fine(down + y * to)}`;
  }
  return path;
}

function wedgesPath(wedges: Wedges): string {
  let path = '';
  for (let index = 0; index < wedges.wedges; index++) {
    if (wedges.omit?.includes(index)) continue;
    const radians = (index / wedges.wedges) * 2 * Math.PI;
    const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
    const turned = wedges.points.split(' ').map(point => {
      const [x, y] = point.split(',').map(Number) as [number, number];
      return `${fine(x * cosine - y * sine)} ${fine(x * sine + y * cosine)}`;
    });
    path += `M${turned.join('L')}z`;
  }
  return path;
}

function drawNumerals(mark: Numerals, palette: Palette): JSX.Element {
  const { radius, size, weight, fill = 'ink', opacity, radial = false, condense = 1 } = mark;
  const [right, down] = mark.at ?? [0, 0];
  const isRoman = weight === 'roman';
  const scale = size / (100 + (isRoman ? 0 : weight));
  const paths = mark.numerals.split(' ').map((text, index, { length }) => {
    if (text === '-') return '';
    const degrees = ((index + 1) / length) * 360;
    const radians = (degrees / 180) * Math.PI;
    const [path, width] = isRoman ? romanGlyph(text) : figuresOf(text);
    return placedPath(moved(path, -width / 2, -50), {
      scale: [scale * condense, scale],
      degrees: radial ? degrees : 0,
      at: [right + Math.sin(radians) * radius, down - Math.cos(radians) * radius],
    });
  });
  const paint: Paint = isRoman ? { fill } : { stroke: fill, width: fine(weight * scale), cap: 'round' };
  return <path d={paths.join('')} {...paintOf({ ...paint, ...(opacity && { opacity }) }, palette)} />;
}

function figuresOf(text: string): readonly [path: string, width: number] {
  const { viewBox, lit, tail } = lineIn('letters')(text);
  return [lit + tail, Number(viewBox.split(' ')[2])];
}

/** The height of a line of letters as a multiple of the height of its capitals, and their middle. */
const LINE = 1.64;

function drawLabel(mark: Label, palette: Palette): JSX.Element {
  const { label: letters, size, weight, second = 'ink 84% ground', room = 50, patch } = mark;
  const [ink, offsetInk] = [colourOf('ink', palette), colourOf(second, palette)];
  return (
    <g class="sc-spot" data-part="label" transform={slot('label@transform')} stroke-width={weight}>
      {patch && <path data-part="patch" d={slot('patch@d')} fill={colourOf(patch, palette)} />}
      <svg
        class="sc-line sc-place"
        data-place={`${letters} dial`}
        aria-hidden="true"
        {...nameBox(room, size)}
        viewBox={slot('place@viewBox')}
        stroke={ink}
      >
        <path d={slot('place@d')} />
        <g fill={ink}>{slot('place@type')}</g>
      </svg>
      <svg
        class="sc-line sc-offset"
        aria-hidden="true"
        data-part="offset"
        {...lineBox(room, 0.84 * size, 0.85 * size)}
        viewBox={slot('offset@viewBox')}
        stroke={offsetInk}
      >
        {drawLettering('offset', offsetInk)}
      </svg>
    </g>
  );
}

function drawDate({ date: [x, y], size, weight, fill }: DateMark): JSX.Element {
  const box = { ...lineBox(2 * size, 0, size), viewBox: slot('date@viewBox') };
  return (
    <g transform={`translate(${x} ${y})`} stroke-width={weight} stroke={fill}>
      <svg class="sc-line" aria-hidden="true" data-part="date" {...box}>
        {drawLettering('date', fill)}
      </svg>
    </g>
  );
}

/** The box of the name above the offset, with capitals of height `size` if the name is short. */
function nameBox(width: number, size: number) {
  const height = (size * BOX_HEIGHT) / 100;
  return { x: -width / 2, y: fine(0.18 * size - height), width, height: fine(height) };
}

/** The box of a line of letters whose capitals are `size` high, around `middle`. */
function lineBox(width: number, middle: number, size: number) {
  const height = size * LINE;
  return { x: -width / 2, y: fine(middle - height / 2), width, height: fine(height) };
}

/** Where a path goes. */
interface Placement {
  readonly scale: readonly [across: number, down: number];
  readonly degrees: number;
  readonly at: readonly [x: number, y: number];
}

/**
 * Scales a path with the commands `M`, `l`, `h`, `v`, `c`, `a` and `z`, turns it clockwise around its origin, and moves it. With a
 * `transform` attribute, each would be a compositor layer, which on a page with many dials is most of the browser's work.
 */
export function placedPath(path: string, { scale: [across, down], degrees, at }: Placement): string {
  const radians = (degrees / 180) * Math.PI;
  const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
  const placed = (x: number, y: number, [right, below] = [0, 0]) => {
    const [wide, high] = [x * across, y * down];
    return `${fine(right + wide * cosine - high * sine)} ${fine(below + wide * sine + high * cosine)}`;
  };
  return path.replace(/([Mlhvcaz])([^a-z]*)/gi, (_, command: string, text: string) => {
    const numbers = text.match(/-?[\d.]+/g)?.map(Number) ?? [];
    const [x = 0, y = 0] = numbers;
    switch (command) {
      case 'M':
        return `M${placed(x, y, [...at])}`;
      case 'h':
        return `l${placed(x, 0)}`;
      case 'v':
        return `l${placed(0, x)}`;
      case 'a': {
        const [large, sweep, right, below] = numbers.slice(3) as [number, number, number, number];
        const radii = `${fine(Math.abs(x * across))} ${fine(Math.abs(y * down))}`;
        const direction = across * down < 0 ? 1 - sweep : sweep;
        return `a${radii} ${fine(degrees)} ${large} ${direction} ${placed(right, below)}`;
      }
      default: {
        const points = numbers.flatMap((number, at) =>
          at % 2 === 0 ? placed(number, numbers[at + 1]!) : [],
        );
        return command + points.join(' ');
      }
    }
  });
}

/** Rounds to hundredths, a fortieth of a pixel on a face of 480 px. */
function fine(value: number): number {
  return Math.round(value * 100) / 100 || 0;
}

/** Roman numerals are filled paths, 100 high. Half the width of thick (upright, or falling to the right) and thin strokes; the serifs. */
const [THICK, THIN, SERIF, SERIF_HEIGHT] = [10, 2.6, 9, 5];
const GAP = 9;

interface Numeral {
  readonly width: number;
  /** Where strokes begin at the top and end at the bottom. */
  readonly thick: readonly [fromX: number, toX: number];
  readonly thin?: readonly [fromX: number, toX: number];
  /** Where serifs are at the top and at the bottom. */
  readonly top: readonly number[];
  readonly bottom: readonly number[];
}

const NUMERALS: Readonly<Record<string, Numeral>> = {
  I: { width: 38, thick: [19, 19], top: [19], bottom: [19] },
  V: { width: 88, thick: [18, 44], thin: [74, 46], top: [18, 74], bottom: [] },
  X: { width: 92, thick: [18, 74], thin: [76, 16], top: [18, 76], bottom: [16, 74] },
};

export function romanGlyph(text: string): readonly [path: string, width: number] {
  let path = '';
  let x = 0;
  for (const character of text) {
    const { width, thick, thin, top, bottom } = NUMERALS[character]!; // dials have no others
    const stroke = ([from, to]: readonly [number, number], half: number) =>
      `M${x + from - half} 0h${2 * half}l${to - from} 100h${-2 * half}z`;
    path += stroke(thick, THICK) + (thin === undefined ? '' : stroke(thin, THIN));
    for (const middle of top) path += serif(x + middle, 0);
    for (const middle of bottom) path += serif(x + middle, 100 - SERIF_HEIGHT);
    x += width + GAP;
  }
  return [path, x - GAP];
}

function serif(middle: number, y: number): string {
  return `M${middle - THICK - SERIF} ${y}h${2 * (THICK + SERIF)}v${SERIF_HEIGHT}h${-2 * (THICK + SERIF)}z`;
}
