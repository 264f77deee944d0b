import type { StyleDefinition } from './styles/style.ts';
import type { StyleName } from './styles/styles.ts';

/** What a place adds to UTC. */
export interface ClockOffset {
  /** In minutes, rounded: before 1972 there were offsets with seconds. */
  readonly offset_minutes: number;
  /** The same, exactly, in seconds. */
  readonly offset_seconds: number;
}

/** What a clock starts from: the JSON that stands beside its face, and that the script reads. */
export interface ClockConfig extends ClockOffset {
  readonly version: 'v1';
  readonly style: StyleName;
  readonly styleDefinition: StyleDefinition;
  /** The instant that the clock was drawn at, in milliseconds since the epoch. */
  readonly unix_ms: number;
  /** What `%Z` gives. */
  readonly abbreviation: string;
  /** The canonical name, `UTC` without a place, `UTC-04:00` for an offset. */
  readonly timezone: string;
  readonly timezone_label: string;
  /** The strftime pattern asked for, or null for what the style has of its own. */
  readonly format: string | null;
  /** The clock was given an instant: it runs on from there and asks nobody. */
  readonly pinned: boolean;
  /** The next change of the offset or the abbreviation, or null where none comes. */
  readonly transition: ClockTransition | null;
  readonly refresh: { readonly path: string; readonly selector: ClockSelector };
}

/** A change of what a clock shows, and what it shows from then on. */
export interface ClockTransition extends ClockOffset {
  readonly unix_ms: number;
  readonly abbreviation: string;
}

/** The selector of the request, for asking again. */
export type ClockSelector =
  | { readonly kind: 'tz'; readonly tz: string }
  | { readonly kind: 'ip'; readonly ip: string }
  | { readonly kind: 'offset'; readonly offset: string }
  | { readonly kind: 'coordinates'; readonly lat: number; readonly lon: number }
  | { readonly kind: 'none' };

type Labelled = Pick<ClockConfig, 'timezone_label'>;

/**
 * What a face has as its place. A digital one that is named by its offset has `UTC`, and the rest beside it; a dial has
 * the whole name, since a small one shows no more than that.
 */
export function placeOf(config: Pick<ClockConfig, 'timezone_label' | 'styleDefinition'>): string {
  if (!isNamedByOffset(config)) return nameOf(config);
  return config.styleDefinition.family === 'digital' ? 'UTC' : nameOf(config).replace('-', '\u2212');
}

/** Whether a clock is called `UTC` or `UTC-04:00`, which the offset need not say again. */
export function isNamedByOffset({ timezone_label: label }: Labelled): boolean {
  return /^UTC([+-]\d.*)?$/.test(label);
}

/** The name of a place: the city of a zone that is labelled with its own name, else the label as it is. */
export function nameOf({ timezone_label: label }: Labelled): string {
  if (!/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(label)) return label;
  return label.slice(label.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

/** Where the time is asked for. */
export const CURRENT_PATH = '/v1/time/current';

/** Where clocks are asked for. */
export const CLOCK_PATH = '/v1/time/clock';

/** Where a page finds what brings its clocks to life. */
export interface AssetPaths {
  readonly stylesheet: string;
  readonly script: string;
}

/** Where that is on a server. */
export const ASSET_PATHS: AssetPaths = {
  stylesheet: '/v1/time/clock/assets/v1/clock.css',
  script: '/v1/time/clock/assets/v1/clock.js',
};
