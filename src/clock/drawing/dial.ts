/** A dial as data. The origin is its middle, its half is 100 units, y points down. Marks are painted in their order. */
export interface Dial {
  readonly definitions?: readonly Shade[];
  readonly under: readonly Mark[];
  readonly hour: readonly Mark[];
  readonly minute: readonly Mark[];
  readonly second: readonly Mark[];
  /** The centre of a small seconds dial. */
  readonly secondAt?: readonly [x: number, y: number];
  /** The shadow of the hands. */
  readonly shadow?: Shadow;
}

/** A gradient; coordinates are shares of the box of the painted shape. */
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

/** A colour; pages override `name=#rrggbb` with the custom property `--service-clock-name`; `@name` is a shade. */
export type Colour = string;

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
  readonly cap?: 'round' | 'square';
  readonly join?: 'round' | 'bevel';
  readonly opacity?: number;
  readonly dash?: string;
  /** A class of the stylesheet, without its prefix. */
  readonly look?: string;
}

/** Something on a dial; its centre is that of the dial unless `at` says otherwise. */
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

/** `of` lines around the centre, from one distance from it to another. */
export type Ticks = {
  readonly mark: 'ticks';
  readonly of: number;
  readonly from: number;
  readonly to: number;
  /** Omits every so many, where there are longer ones: 5 leaves out the hours of sixty minutes. */
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
  /** As an SVG polygon has them: `x,y x,y`. */
  readonly points: string;
  readonly omit?: readonly number[];
  readonly only?: readonly number[];
  readonly omitEvery?: number;
} & Paint;

/** Texts around the centre, the last at twelve o'clock: the first of twelve is at one. */
export type Numerals = {
  readonly mark: 'numerals';
  /** An empty text is left out. */
  readonly texts: readonly string[];
  readonly radius: number;
  readonly size: number;
  readonly font: Font;
  /** With the head to the rim instead of upright. */
  readonly radial?: boolean;
  readonly at?: readonly [x: number, y: number];
  /** Optical corrections, by index. */
  readonly nudges?: Readonly<Record<number, readonly [right: number, down: number]>>;
  /** Horizontal scale for condensed figures. */
  readonly condense?: number;
} & Paint;

/** A line of text on the dial. */
export type Writing = {
  readonly mark: 'writing';
  readonly text: 'place' | 'offset' | 'date' | { readonly words: string };
  readonly at: readonly [x: number, y: number];
  readonly size: number;
  readonly font: Font;
  readonly spacing?: number;
  /** Maximum width of a place name, in units. */
  readonly room?: number;
  readonly letters?: 'capitals' | 'small';
  readonly anchor?: 'start' | 'end';
} & Paint;

/** A font stack of the stylesheet, and a weight. */
export type Font = readonly [
  stack: 'sans' | 'ui' | 'serif' | 'geometric' | 'narrow' | 'mono',
  weight: number,
  italic?: boolean,
];
