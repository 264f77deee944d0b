import type { FigureSet, StrokeSet } from '../figures/glyph_line.ts';

/** A style: the contents of its face, and the data from which the server renders it. */
export type Style = AnalogStyle | DigitalStyle;

export interface AnalogStyle {
  readonly definition: AnalogDefinition;
  readonly dial: Dial;
}

type AnalogData = Omit<AnalogDefinition, 'family' | 'renderer' | 'spots'> & Dial & { readonly spots: string };

/** An analog style. The `spots` of its label are written as in an SVG polygon: `x,y x,y`. */
export function analogStyle({ manner, date, tail, spots, hasSector, ...dial }: AnalogData): AnalogStyle {
  const definition: AnalogDefinition = {
    family: 'analog',
    renderer: 'svg',
    manner,
    ...(date !== undefined && { date }),
    tail,
    spots: spots.split(' ').map(spot => spot.split(',').map(Number) as [number, number]),
    ...(hasSector && { hasSector }),
  };
  return { definition, dial };
}

/** A dial as data. The origin is its centre, its half-width is 100 units, y points down. Marks are painted in order. */
export interface Dial {
  /** As `#rrggbb` or `#rgb`. */
  readonly palette: Readonly<Record<'ground' | 'ink' | 'accent', string>>;
  readonly shades?: Readonly<Record<string, Shade>>;
  readonly under: readonly Mark[];
  readonly hour: readonly Mark[];
  readonly minute: readonly Mark[];
  readonly second: readonly Mark[];
  /** The centre of the second hand, if it has a small dial. */
  readonly secondAt?: Point;
  readonly shadow?: Shadow;
}

type Point = readonly [x: number, y: number];

/** A linear or radial gradient; coordinates are shares of the box of the painted shape. */
export type Shade = { readonly stops: readonly Stop[] } & (
  | { readonly linear: readonly [x1: number, y1: number, x2: number, y2: number] }
  | { readonly radial: readonly [x: number, y: number, radius: number] }
);

/** A share of the gradient's length from 0 to 1, and a colour: `0.5 #fff`. */
export type Stop = `${number} ${Colour}`;

/**
 * A colour: `#fff`, or `ink`, `ground` or `accent`, which pages override with the custom property `--service-clock-ink`, and
 * which are those of the palette unless given, as in `ink=#111`. `ink 60% #fff` is mixed with another; `@name` is a shade.
 */
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
  readonly cap?: 'round';
  readonly opacity?: number;
}

/** An element of a dial, centred on it unless `at` is given. */
export type Mark =
  /** The radius. */
  | ({ readonly circle: number; readonly at?: Point } & Paint)
  | ({
      readonly rect: readonly [x: number, y: number, width: number, height: number];
      readonly round?: number;
    } & Paint)
  | ({ readonly path: string } & Paint)
  | Ticks
  | Wedges
  | Numerals
  | Label
  | DateMark
  /** A sector of the dial that grows with the quarter of an hour. */
  | ({ readonly sector: true } & Paint);

/** A number of lines around the centre, from one distance from it to another. */
export type Ticks = {
  readonly ticks: number;
  readonly from: number;
  readonly to: number;
  /** Omits every n-th tick, where there are longer ones: 5 omits the hours among sixty minutes. */
  readonly omitEvery?: number;
  readonly omit?: readonly number[];
  /** Distances are to the sides of a square. */
  readonly square?: boolean;
  readonly at?: Point;
} & Paint;

/** A polygon at twelve o'clock, repeated a number of times around the centre. */
export type Wedges = {
  readonly wedges: number;
  /** In the form of an SVG polygon: `x,y x,y`. */
  readonly points: string;
  readonly omit?: readonly number[];
} & Paint;

/** Texts around the centre, the last at twelve o'clock: the first of twelve is at one. */
export interface Numerals {
  /** Separated by spaces; `-` leaves a place empty. */
  readonly numerals: string;
  readonly radius: number;
  /** The height of figures and capitals. */
  readonly size: number;
  /** Stroke width as a percentage of the size; Roman numerals have their own strokes. */
  readonly weight: number | 'roman';
  /** With their tops towards the rim instead of upright. */
  readonly radial?: boolean;
  readonly at?: Point;
  /** Horizontal scale for condensed figures. */
  readonly condense?: number;
  /** By default, the ink. */
  readonly fill?: Colour;
  readonly opacity?: number;
}

/** The place with the offset below it, at a spot that no hand covers. */
export interface Label {
  readonly label: 'capitals' | 'small' | 'plain';
  /** The height of capitals in the place's name; the offset is slightly smaller. */
  readonly size: number;
  readonly weight: number;
  /** The colour of the offset: by default, that of the ink on the ground with 84 %. */
  readonly second?: Colour;
  /** The available width for lines, 50 by default. */
  readonly room?: number;
  /** A background that separates it from the dial. */
  readonly patch?: Colour;
}

/** A date window's figures, which no page recolours. */
export interface DateMark {
  readonly date: Point;
  readonly size: number;
  readonly weight: number;
  readonly fill: Colour;
}

export interface DigitalStyle {
  readonly definition: DigitalDefinition;
  readonly boxes: readonly Box[];
  readonly look?: FigureLook;
}

/** How a style's stroke figures are painted. */
export interface FigureLook {
  /** Colours of the strokes from the top to the bottom: `0.5 #fff`. */
  readonly shade?: readonly Stop[];
  /** Whether strokes have a thinner core in another colour. */
  readonly hasCore?: boolean;
  /** Whether strokes are rough, like chalk. */
  readonly isRough?: boolean;
}

/** The contents and motion of a face. It is part of each clock's config, so that the browser script contains no table of styles. */
export type StyleDefinition = AnalogDefinition | DigitalDefinition;

export interface AnalogDefinition {
  readonly family: 'analog';
  readonly renderer: 'svg';
  readonly manner: HandManner;
  /** The date window's strftime pattern. */
  readonly date?: string;
  /** How far the hour and minute hands extend behind the centre. */
  readonly tail: number;
  /** Possible positions of the label, best first; the first one not covered by a hand is used. */
  readonly spots: readonly Spot[];
  /** Whether a sector shows the elapsed part of the quarter hour. */
  readonly hasSector?: boolean;
}

/** The centre of a label, relative to the centre of the dial. */
export type Spot = readonly [right: number, down: number];

/**
 * How the second hand moves: `tick` once a second; `sweep` evenly; `station` as in a railway station, where it waits for the full
 * minute. The last two glide, by animations that run in the browser's compositor.
 */
export type HandManner = 'tick' | 'sweep' | 'station';

export interface DigitalDefinition {
  readonly family: 'digital';
  readonly renderer: 'segment' | 'matrix' | 'stroke' | 'flap' | 'text';
  /** The strftime patterns of the time lines, by name. A requested format replaces all of them as `time`. */
  readonly time: Readonly<Record<string, string>>;
  /** The strftime patterns of other lines of text, by name. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The figures of the time lines; without them, they are set in type, in the page's font. */
  readonly figures?: FigureSet;
  /** The strokes of other lines; the default is `letters`. */
  readonly letters?: StrokeSet;
  readonly gauge?: Gauge;
}

/** An element that shows the seconds as dots or a bar, the day as a bar, or the weekday, blinks, or turns lines over at the minute. */
export type Gauge = 'dots' | 'seconds' | 'day' | 'week' | 'cursor' | 'turn';

/** The structure of a digital face; the stylesheet defines positions and looks. */
export type Box =
  /** A group with the class `sc-NAME`. */
  | { readonly box: string; readonly items: readonly Box[] }
  /** The named time lines that exist; with a requested format, only `time` does. */
  | { readonly time: readonly string[] }
  /** A live line of text. */
  | { readonly line: string }
  | { readonly words: string; readonly name: string }
  /** An empty element with the class `sc-NAME`. */
  | { readonly block: string }
  /** A name with more than `columns` characters is in two rows. */
  | { readonly place: Letters; readonly set?: StrokeSet; readonly columns?: number }
  /** An ornament behind everything, in a box of 250 by 100. */
  | {
      readonly drawing: string;
      readonly paths: () => readonly { readonly d: string; readonly transform?: string }[];
    }
  | { readonly gauge: Gauge };

/** How the name of a place is written: its letters, its strokes, or those of dials, and the columns beyond which it is in two rows. */
export interface PlaceLook {
  readonly letters: Letters;
  readonly set: StrokeSet | 'dial';
  readonly columns: number;
}

/** The case of a place's name; a `row` of flaps is padded with blanks. */
export type Letters = 'capitals' | 'small' | 'plain' | 'row';
