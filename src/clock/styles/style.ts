import type { Dial } from '../drawing/dial.ts';
import type { FigureSet } from '../figures/figure_set.ts';

/** A style: what its face shows, and what the server draws it from. */
export type Style = AnalogStyle | DigitalStyle;

/** A style with hands, and the dial that they turn on. */
export interface AnalogStyle {
  readonly definition: AnalogDefinition;
  readonly dial: Dial;
}

/** A style with figures, and the boxes that contain them. */
export interface DigitalStyle {
  readonly definition: DigitalDefinition;
  readonly boxes: readonly Box[];
}

/**
 * What a face shows at a moment, and how it moves: all that the browser script needs to know about a style. It is part of
 * the config of each clock, so the script contains no table of styles.
 */
export type StyleDefinition = AnalogDefinition | DigitalDefinition;

/** A dial with hands. */
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

/** Figures, and lines of text. */
export interface DigitalDefinition {
  readonly family: 'digital';
  readonly renderer: 'segment' | 'matrix' | 'stroke' | 'flap' | 'text';
  /** The lines of the time, by name, as strftime patterns. A format asked for takes the place of them all as `time`. */
  readonly time: Readonly<Record<string, string>>;
  /** Other lines of text, by name, as strftime patterns. */
  readonly texts?: Readonly<Record<string, string>>;
  /** What the lines of the time are drawn with; without it they are text. */
  readonly figures?: FigureSet;
  /** What grows with the second of the minute or with the day, shows the day of the week, blinks, or turns at the minute. */
  readonly gauge?: 'dots' | 'seconds' | 'day' | 'week' | 'cursor' | 'turn';
}

/** What a digital face is made of, as data; the stylesheet says where each is and what it looks like. */
export type Box =
  /** Boxes in a box, which the stylesheet knows as `sc-name`. */
  | { readonly box: string; readonly items: readonly Box[] }
  /** Where lines of the time are, by their names; a format that was asked for is the line `time` and stands alone. */
  | { readonly time: readonly string[] }
  /** A live line of text. */
  | { readonly line: string }
  | { readonly words: string; readonly name: string }
  | { readonly place: 'capitals' | 'small' | 'plain' }
  | { readonly gauge: Gauge };

/** Dots around the face, a bar, the days of the week, a block that blinks, or nothing but the word to turn the lines over. */
export type Gauge = 'dots' | 'bar' | 'week' | 'cursor' | 'turn';
