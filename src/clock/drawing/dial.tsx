import { Html } from '@elysiajs/html';
import { slot } from './slots.ts';

/** A dial as data. The origin is its centre, its half-width is 100 units, y points down. Marks are painted in order. */
export interface Dial {
  readonly shades?: Readonly<Record<string, Shade>>;
  readonly under: readonly Mark[];
  readonly hour: readonly Mark[];
  readonly minute: readonly Mark[];
  readonly second: readonly Mark[];
  readonly secondAt?: readonly [x: number, y: number];
  readonly shadow?: Shadow;
}

/** A linear or radial gradient; coordinates are shares of the box of the painted shape. */
export type Shade = { readonly stops: readonly Stop[] } & (
  | { readonly from: readonly [x: number, y: number]; readonly to: readonly [x: number, y: number] }
  | { readonly at: readonly [x: number, y: number]; readonly radius: number }
);

/** A share of the gradient's length from 0 to 1, and a colour: `0.5 #fff`. */
export type Stop = `${number} ${Colour}`;

/**
 * A colour; pages override `name=#rrggbb` with the custom property `--service-clock-name`; `name=#rrggbb 60% #fff` is mixed
 * with another; `@name` is a shade.
 */
type Colour = string;

/** The offset and blur of a shadow, in units of the dial. */
export interface Shadow {
  readonly down: number;
  readonly blur: number;
  readonly opacity: number;
}

/** Fill, stroke, or both; `width` in units of the dial. */
export interface Paint {
  readonly fill?: Colour;
  readonly stroke?: Colour;
  readonly width?: number;
  readonly cap?: 'round';
  readonly opacity?: number;
  /** A class of the stylesheet, without its prefix. */
  readonly look?: string;
}

/** An element of a dial, centred on it unless `at` is given. */
export type Mark =
  | ({ readonly mark: 'circle'; readonly r: number; readonly at?: readonly [x: number, y: number] } & Paint)
  | ({
      readonly mark: 'rect';
      readonly box: readonly [x: number, y: number, width: number, height: number];
      readonly round?: number;
    } & Paint)
  | ({ readonly mark: 'path'; readonly d: string } & Paint)
  | Ticks
  | Wedges
  | Numerals
  | Label
  | DateMark
  | Sector;

/** `of` lines around the centre, from one distance from it to another. */
export type Ticks = {
  readonly mark: 'ticks';
  readonly of: number;
  readonly from: number;
  readonly to: number;
  /** Omits every n-th tick, where there are longer ones: 5 omits the hours among sixty minutes. */
  readonly omitEvery?: number;
  readonly omit?: readonly number[];
  /** Distances are to the sides of a square. */
  readonly square?: boolean;
  readonly at?: readonly [x: number, y: number];
} & Paint;

/** A polygon at twelve o'clock, repeated `of` times around the centre. */
export type Wedges = {
  readonly mark: 'wedges';
  readonly of: number;
  /** In the form of an SVG polygon: `x,y x,y`. */
  readonly points: string;
  readonly omit?: readonly number[];
} & Paint;

/** Texts around the centre, the last at twelve o'clock: the first of twelve is at one. */
export type Numerals = {
  readonly mark: 'numerals';
  /** Empty texts are omitted. */
  readonly texts: readonly string[];
  readonly radius: number;
  /** The height of figures and capitals. */
  readonly size: number;
  /** Stroke width as a percentage of the size; Roman numerals have their own strokes. */
  readonly weight: number | 'roman';
  /** With their tops towards the rim instead of upright. */
  readonly radial?: boolean;
  readonly at?: readonly [x: number, y: number];
  /** Horizontal scale for condensed figures. */
  readonly condense?: number;
} & Paint;

/** The place with the offset below it, at a spot that no hand covers. */
export type Label = {
  readonly mark: 'label';
  /** The height of capitals in the place's name; the offset is slightly smaller. */
  readonly size: number;
  readonly weight: number;
  readonly fill: Colour;
  readonly second: Colour;
  readonly letters?: 'capitals' | 'small' | 'plain';
  /** The available width for lines, 50 by default. */
  readonly room?: number;
  /** A background that separates it from the dial. */
  readonly patch?: Colour;
};

export type DateMark = {
  readonly mark: 'date';
  readonly at: readonly [x: number, y: number];
  readonly size: number;
  readonly weight: number;
} & Paint;

/** A sector of the dial that grows with the quarter of an hour. */
type Sector = { readonly mark: 'sector' } & Paint;

/**
 * `ink=#111` becomes `var(--service-clock-ink,#111)`, `ink=#111 60% #fff` a mixture of that and another colour, `@brass` a
 * reference to the shade of that name.
 */
export function colourOf(colour: string): string {
  if (colour.startsWith('@')) return `url(#${slot('id')}-${colour.slice(1)})`;
  const [one, share, other] = colour.split(' ') as [string, string?, string?];
  if (other === undefined) return plainColour(one);
  const name = /^\w+(?==)/.exec(one)?.[0];
  const mixed = name === undefined || other.includes('=') ? plainColour(other) : tintOf(name, other);
  return `color-mix(in srgb,${plainColour(one)} ${share},${mixed})`;
}

/** A style's colour, to be mixed only slightly into a page's colour, since its contrast with the page's other colours is unknown. */
function tintOf(name: string, colour: string): string {
  return `color-mix(in srgb,var(--service-clock-${name},${colour}) 90%,${colour})`;
}

function plainColour(colour: string): string {
  const equals = colour.indexOf('=');
  if (equals === -1) return colour;
  return `var(--service-clock-${colour.slice(0, equals)},${colour.slice(equals + 1)})`;
}

export function drawStop(stop: Stop): JSX.Element {
  const at = stop.indexOf(' ');
  return <stop offset={stop.slice(0, at)} stop-color={colourOf(stop.slice(at + 1))} />;
}
