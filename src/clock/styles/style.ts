import type { Dial, Stop } from '../drawing/dial.ts';
import type { FigureSet, StrokeSet } from '../figures/figure_set.ts';

/** A style: what its face shows, and what the server draws it from. */
export type Style = AnalogStyle | DigitalStyle;

export interface AnalogStyle {
  readonly definition: AnalogDefinition;
  readonly dial: Dial;
}

export interface DigitalStyle {
  readonly definition: DigitalDefinition;
  readonly boxes: readonly Box[];
  readonly look?: FigureLook;
}

/** How the figures of strokes of a style are painted. */
export interface FigureLook {
  /** Colours of the strokes from the top to the bottom: `0.5 #fff`. */
  readonly shade?: readonly Stop[];
  /** Strokes have a thinner core, in another colour. */
  readonly hasCore?: boolean;
  /** Strokes are broken up like those of chalk. */
  readonly isRough?: boolean;
}

/**
 * What a face shows at a moment, and how it moves: all that the browser script needs to know about a style. It is part of
 * the config of each clock, so the script contains no table of styles.
 */
export type StyleDefinition = AnalogDefinition | DigitalDefinition;

export interface AnalogDefinition {
  readonly family: 'analog';
  readonly renderer: 'svg';
  readonly manner: HandManner;
  /** The date window's strftime pattern. */
  readonly date?: string;
  /** How far the hands of hours and minutes reach behind the middle. */
  readonly tail: number;
  /** Where the label may be, the best first: the first is taken that no hand covers. */
  readonly spots: readonly Spot[];
  /** A sector shows how much of the quarter of an hour has passed. */
  readonly hasSector?: boolean;
}

/** The middle of a label, from the middle of the dial. */
export type Spot = readonly [right: number, down: number];

/**
 * How the second hand moves: `tick` once a second; `sweep` evenly; `station` as at a railway station, where it waits for the
 * full minute. The last two glide, as animations that the browser's compositor runs.
 */
export type HandManner = 'tick' | 'sweep' | 'station';

export interface DigitalDefinition {
  readonly family: 'digital';
  readonly renderer: 'segment' | 'matrix' | 'stroke' | 'flap' | 'text';
  /** The strftime patterns of the lines of the time, by name. The format of a request replaces them all as `time`. */
  readonly time: Readonly<Record<string, string>>;
  /** The strftime patterns of other lines of text, by name. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The figures of the lines of the time, which otherwise are type, in the page's own font. */
  readonly figures?: FigureSet;
  /** The strokes of other lines: `letters` unless given. */
  readonly letters?: StrokeSet;
  /** What shows the seconds or the day as dots or a bar, shows the weekday, blinks, or turns at the minute. */
  readonly gauge?: 'dots' | 'seconds' | 'day' | 'week' | 'cursor' | 'turn';
}

/** The structure of a digital face; the stylesheet defines positions and looks. */
export type Box =
  /** A group with the class `sc-NAME`. */
  | { readonly box: string; readonly items: readonly Box[] }
  /** Those of the named lines of the time that exist: with the format of a request, only `time` does. */
  | { readonly time: readonly string[] }
  /** A live line of text. */
  | { readonly line: string }
  | { readonly words: string; readonly name: string }
  /** An empty element with the class `sc-NAME`. */
  | { readonly block: string }
  /** A name of more characters than `columns` is in two rows. */
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
