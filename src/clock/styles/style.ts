import type { Dial } from '../drawing/dial.ts';
import type { FigureSet } from '../figures/figure_set.ts';

/** A style: what its face shows, and what the server draws it from. */
export type Style = AnalogStyle | DigitalStyle;

export interface AnalogStyle {
  readonly definition: AnalogDefinition;
  readonly dial: Dial;
}

export interface DigitalStyle {
  readonly definition: DigitalDefinition;
  readonly boxes: readonly Box[];
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
}

/**
 * How hands move: `tick` once a second; `sweep` four times, as a watch with 14,400 vibrations an hour, which a page of a
 * hundred clocks can still afford; `station` as at a railway station, where the second hand waits for the full minute.
 */
export type HandManner = 'tick' | 'sweep' | 'station';

export interface DigitalDefinition {
  readonly family: 'digital';
  readonly renderer: 'segment' | 'matrix' | 'stroke' | 'flap' | 'text';
  /** The strftime patterns of the lines of the time, by name. The format of a request replaces them all as `time`. */
  readonly time: Readonly<Record<string, string>>;
  /** The strftime patterns of other lines of text, by name. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The figures of the lines of the time, which otherwise are text. */
  readonly figures?: FigureSet;
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
  | { readonly place: 'capitals' | 'small' | 'plain' }
  | { readonly gauge: Gauge };

/** Dots around the face, a bar, the days of the week, a blinking block, or an invisible mark that makes lines turn over. */
export type Gauge = 'dots' | 'bar' | 'week' | 'cursor' | 'turn';
