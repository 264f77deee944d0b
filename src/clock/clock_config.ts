import type { StyleDefinition } from './style_definition.ts';
import type { StyleName } from './style_names.ts';

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
