/**
 * What a dial is made of, as data. The origin is the middle of the dial, 100 units are its half, and the y axis points
 * down. Marks are painted in their order.
 */
export interface Dial {
  readonly definitions?: readonly Shade[];
  readonly under: readonly Mark[];
  readonly hour: readonly Mark[];
  readonly minute: readonly Mark[];
  readonly second: readonly Mark[];
  /** Where the second hand turns, where that is not the middle: a small seconds dial. */
  readonly secondAt?: readonly [x: number, y: number];
  /** The shadow of the hands. */
  readonly shadow?: Shadow;
}

/** A gradient; `from` … `to` are shares of the box of what it paints. */
export type Shade =
  | {
      readonly shade: 'linear';
      readonly name: string;
      readonly from: readonly [x: number, y: number];
      readonly to: readonly [x: number, y: number];
      readonly stops: readonly Stop[];
    }
  | {
      readonly shade: 'radial';
      readonly name: string;
      readonly at: readonly [x: number, y: number];
      readonly radius: number;
      readonly stops: readonly Stop[];
    };

/** A share of the gradient's length from 0 to 1, a colour, and optionally its opacity: `0.5 #fff 0.8`. */
export type Stop = `${number} ${Colour}`;

/** A colour; `name=#rrggbb` is one that a page may set anew as the custom property `--service-clock-name`, `@name` a shade. */
export type Colour = string;

/** How far a shadow falls and how wide it blurs, in units of the dial. */
export interface Shadow {
  readonly down: number;
  readonly blur: number;
  readonly opacity: number;
}

/** How a mark is painted: filled, drawn with a line of a width in units of the dial, or both. */
export interface Paint {
  readonly fill?: Colour;
  readonly stroke?: Colour;
  readonly width?: number;
  readonly cap?: 'round' | 'square';
  readonly join?: 'round' | 'bevel';
  readonly opacity?: number;
  readonly dash?: string;
  /** A class of the stylesheet, without its prefix. */
  readonly look?: string;
}

/** Something on a dial; angles and distances are from its middle unless `at` says otherwise. */
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
  | Writing;

/** Lines from one distance of the middle to another, `of` of them in a round. */
export type Ticks = {
  readonly mark: 'ticks';
  readonly of: number;
  readonly from: number;
  readonly to: number;
  /** Every how many there is none, since longer ones are there: 5 leaves out the hours of sixty. */
  readonly omitEvery?: number;
  readonly omit?: readonly number[];
  /** On a square, distances are of its sides. */
  readonly square?: boolean;
  readonly at?: readonly [x: number, y: number];
} & Paint;

/** A polygon at twelve o'clock, repeated around the middle. */
export type Wedges = {
  readonly mark: 'wedges';
  readonly of: number;
  /** As an SVG polygon has them: `x,y x,y`. */
  readonly points: string;
  readonly omit?: readonly number[];
  readonly only?: readonly number[];
  readonly omitEvery?: number;
} & Paint;

/** Texts around the dial, the first at `start` (default: the first step after twelve o'clock … the last at twelve). */
export type Numerals = {
  readonly mark: 'numerals';
  /** An empty text is left out. The first is at one o'clock where there are twelve. */
  readonly texts: readonly string[];
  readonly radius: number;
  readonly size: number;
  readonly font: Font;
  /** Upright, or with the head to the rim. */
  readonly radial?: boolean;
  readonly at?: readonly [x: number, y: number];
  /** By how much each is moved, for the eye, by its index. */
  readonly nudges?: Readonly<Record<number, readonly [right: number, down: number]>>;
  /** A share of the width, for condensed figures. */
  readonly condense?: number;
} & Paint;

/** A line of text on the dial, in its middle: the place, the offset, the date, or fixed words. */
export type Writing = {
  readonly mark: 'writing';
  readonly text: 'place' | 'offset' | 'date' | { readonly words: string };
  readonly at: readonly [x: number, y: number];
  readonly size: number;
  readonly font: Font;
  readonly spacing?: number;
  /** The most units that a place may take. */
  readonly room?: number;
  readonly letters?: 'capitals' | 'small';
  readonly anchor?: 'start' | 'end';
} & Paint;

/** A stack of fonts that the stylesheet names, and a weight. */
export type Font = readonly [
  stack: 'sans' | 'ui' | 'serif' | 'geometric' | 'narrow' | 'mono',
  weight: number,
  italic?: boolean,
];
