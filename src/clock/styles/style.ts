import type { Dial, Stop } from '../drawing/dial.tsx';
import type { FigureSet, StrokeSet } from '../figures/glyph_line.ts';

/** A style: the contents of its face, and the data from which the server renders it. */
export type Style = AnalogStyle | DigitalStyle;

export interface AnalogStyle {
  readonly definition: AnalogDefinition;
  readonly dial: Dial;
}

/** An analog style. The `spots` of its label are written as in an SVG polygon: `x,y x,y`. */
export function analogStyle(
  definition: Omit<AnalogDefinition, 'family' | 'renderer' | 'spots'> & { readonly spots: string },
  dial: Dial,
): AnalogStyle {
  const spots = definition.spots.split(' ').map(spot => spot.split(',').map(Number) as [number, number]);
  return { definition: { family: 'analog', renderer: 'svg', ...definition, spots }, dial };
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

/**
 * The contents and motion of a face: everything that the browser script needs to know about a style. It is part of each clock's
 * config, so the script contains no table of styles.
 */
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
  /** Elements that show the seconds or the day as dots or a bar, show the weekday, blink, or turn at the minute. */
  readonly gauge?: 'dots' | 'seconds' | 'day' | 'week' | 'cursor' | 'turn';
}

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
  | {
      readonly place: 'capitals' | 'small' | 'plain' | 'row';
      readonly set?: StrokeSet;
      readonly columns?: number;
    }
  /** An ornament behind everything, in a box of 250 by 100. */
  | {
      readonly drawing: string;
      readonly paths: () => readonly { readonly d: string; readonly transform?: string }[];
    }
  | { readonly gauge: Gauge };

/** Dots around the face, a bar, the days of the week, a blinking block, or an invisible mark that makes lines turn over. */
export type Gauge = 'dots' | 'bar' | 'week' | 'cursor' | 'turn';
