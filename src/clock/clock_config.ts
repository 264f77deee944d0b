import type { TimeNames } from '../text/languages.ts';
import type { GlyphTables } from './figures/glyph_line.ts';
import type { Palette } from './palette.ts';
import type { StyleDefinition } from './styles/style.ts';
import type { StyleName } from './styles/styles.ts';

export interface ClockOffset {
  /** In minutes, rounded, since before 1972 there were offsets with seconds. */
  readonly offset_minutes: number;
  /** The exact offset in seconds. */
  readonly offset_seconds: number;
}

/** The data about a clock for the browser script: the JSON next to its face. */
export interface ClockConfig extends ClockOffset {
  readonly version: 'v1';
  readonly style: StyleName;
  readonly styleDefinition: StyleDefinition;
  /** Added by the fragment. */
  readonly glyphs?: GlyphTables;
  /** Whether the label of a dial has several rows; added by the fragment. */
  readonly in_rows?: boolean;
  /** The instant at which the clock was rendered, in milliseconds since the epoch. */
  readonly unix_ms: number;
  /** The text of `%Z`. */
  readonly abbreviation: string;
  /** The canonical name, `UTC` without a place, `UTC-04:00` for an offset. */
  readonly timezone: string;
  readonly timezone_label: string;
  /** The strftime pattern of the request; null for the patterns of the style. */
  readonly format: string | null;
  /** Whether the clock runs from an instant in the request and never fetches the time. */
  readonly pinned: boolean;
  /** The next change of the offset or the abbreviation; null if there is none. */
  readonly transition: ClockTransition | null;
  readonly refresh: { readonly path: string; readonly selector: ClockSelector };
  /** Absent if the request has none. */
  readonly options?: ClockOptions;
}

/** The options of a requested clock, other than style, place, label and format. */
export interface ClockOptions extends Palette {
  readonly hour12?: boolean;
  /** Shows the date in place of the offset, unless the style has a date field. */
  readonly date?: boolean;
  /** A language tag, and its names of weekdays and months. */
  readonly lang?: string;
  readonly names?: TimeNames;
  /** A CSS length. */
  readonly size?: string;
  /** The instant that a digital clock counts down to, in milliseconds since the epoch. */
  readonly countdown_unix_ms?: number;
}

/** The options that the stylesheet reads, each from the custom property `--service-clock-NAME` of the host. */
export const STYLED_OPTIONS = ['size', 'ground', 'ink', 'accent'] as const;

/** A change of the offset or abbreviation, with their new values. */
export type ClockTransition = ClockOffset & Pick<ClockConfig, 'unix_ms' | 'abbreviation'>;

/** The selector with which the browser script fetches the time; members other than `kind` are query parameters. */
export type ClockSelector =
  | { readonly kind: 'tz'; readonly tz: string }
  | { readonly kind: 'ip'; readonly ip: string }
  | { readonly kind: 'offset'; readonly offset: string }
  | { readonly kind: 'place'; readonly place: string }
  | { readonly kind: 'coordinates'; readonly lat: number; readonly lon: number }
  /** The zone of the visitor's browser. */
  | { readonly kind: 'visitor' }
  | { readonly kind: 'none' };

/** The name of the place on a face. Digital faces write `UTC-04:00` as `UTC` beside the offset, which small dials do not show. */
export function placeOf(config: Pick<ClockConfig, 'timezone_label' | 'styleDefinition'>): string {
  const { timezone_label: label, styleDefinition } = config;
  if (!isNamedByOffset(config)) return label;
  return styleDefinition.family === 'digital' ? 'UTC' : label.replace('-', '\u2212');
}

/** Whether a clock is named `UTC` or `UTC-04:00`, so that its face need not repeat the offset. */
export function isNamedByOffset({ timezone_label: label }: Pick<ClockConfig, 'timezone_label'>): boolean {
  return /^UTC([+-]\d.*)?$/.test(label);
}

export const CURRENT_PATH = '/v1/time/current';
export const CLOCK_PATH = '/v1/time/clock';

/** The files loaded by a page with clocks. */
export type AssetPaths = Readonly<Record<'stylesheet' | 'script', string>>;

export const ASSET_PATHS: AssetPaths = {
  stylesheet: '/v1/time/clock/assets/v1/clock.css',
  script: '/v1/time/clock/assets/v1/clock.js',
};

/** A cache key with everything that affects the contents of a face, except its style and place. */
export function contentKeyOf(config: ClockConfig): string {
  const { format, options: { hour12, date, lang, countdown_unix_ms } = {} } = config;
  return JSON.stringify([isNamedByOffset(config), format ?? '', hour12, date, lang, countdown_unix_ms]);
}

/** The last part of a zone's name, `Buenos Aires`. */
export function nameOfZone(zoneName: string): string {
  return zoneName.slice(zoneName.lastIndexOf('/') + 1).replaceAll('_', ' ');
}
