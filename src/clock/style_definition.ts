import type { FigureSet } from './figures/figure_set.ts';

/**
 * What a face shows at a moment, and in which manner: all that the script must know of a style. It goes into the config
 * of each clock, so the script needs no table of styles; how the style is drawn stays with the server.
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
