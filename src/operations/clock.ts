import {
  type ClockConfig,
  type ClockOffset,
  type ClockOptions,
  type ClockSelector,
  type ClockTransition,
  CURRENT_PATH,
  nameOfZone,
} from '../clock/clock_config.ts';
import { STYLES, type StyleName } from '../clock/styles/styles.ts';
import type { Moment } from '../common/moment.ts';
import { MAX_EPOCH_MS } from '../common/time_range.ts';
import type { ZonePeriod } from '../zones/zone.ts';
import type { Target } from './target.ts';

/** The parameters of a clock. */
export interface ClockRequest {
  readonly style: StyleName;
  readonly target: Target;
  /** The selector that named the target. */
  readonly selector: ClockSelector;
  readonly format: string | null;
  /** In place of the name of the place. */
  readonly label?: string | null;
  readonly options?: ClockOptions | undefined;
  /** Whether it starts from an instant of its own. */
  readonly isPinned: boolean;
  /** The URL that pages on other hosts reach this server by, without a slash at its end; empty for its own pages. */
  readonly publicUrl: string;
}

/** The config of a clock that is drawn at a moment of its target. */
export function clockConfig(request: ClockRequest, moment: Moment): ClockConfig {
  const { style, target, selector, format, label, options, isPinned, publicUrl } = request;
  return {
    version: 'v1',
    style,
    styleDefinition: STYLES[style].definition,
    unix_ms: moment.epochMs,
    ...clockOffset(moment.offsetSeconds),
    abbreviation: moment.abbreviation,
    timezone: target.zoneText,
    timezone_label: label ?? target.place?.name ?? labelOf(target.zoneText),
    format,
    pinned: isPinned,
    transition: nextVisibleChange(target, Math.floor(moment.epochMs / 1000)),
    refresh: { path: publicUrl + CURRENT_PATH, selector },
    ...(options && { options }),
  };
}

/**
 * What a clock is labelled: the last part of a zone's name, `Buenos Aires`; the name of an offset. The areas of
 * `Etc/GMT+5` count westward, which nobody reads so, and are labelled by their offset.
 */
function labelOf(zoneText: string): string {
  const area = /^Etc\/GMT([+-])([0-9]+)$/.exec(zoneText);
  if (area !== null) return `UTC${area[1] === '+' ? '-' : '+'}${area[2]!.padStart(2, '0')}:00`;
  return nameOfZone(zoneText);
}

/**
 * So many periods in a row may look alike before it is held that no other follows: a rule of an operator's own can
 * change the DST flag alone, year after year.
 */
const MAX_PERIODS_ALIKE = 16;

/** The next change of what a clock shows: no later one is sent to a page. */
function nextVisibleChange({ zone, periodAt }: Target, epochSeconds: number): ClockTransition | null {
  if (zone === null) return null;
  const now = periodAt(epochSeconds);
  const known = transitions.get(now);
  if (known !== undefined) return known;
  let next: ZonePeriod | null = zone.periodAfter(now);
  for (let alike = 1; next !== null && isShownAlike(now, next); alike++) {
    next = alike < MAX_PERIODS_ALIKE ? zone.periodAfter(next) : null;
  }
  const transition = next === null ? null : transitionTo(next);
  transitions.set(now, transition);
  return transition;
}

/** The change at the end of each period, cached by the period, which a zone caches itself. */
const transitions = new WeakMap<ZonePeriod, ClockTransition | null>();

function transitionTo({ fromEpochSeconds, offsetSeconds, abbreviation }: ZonePeriod): ClockTransition | null {
  if (fromEpochSeconds * 1000 > MAX_EPOCH_MS) return null;
  return { unix_ms: fromEpochSeconds * 1000, ...clockOffset(offsetSeconds), abbreviation };
}

function clockOffset(offsetSeconds: number): ClockOffset {
  return { offset_minutes: Math.round(offsetSeconds / 60), offset_seconds: offsetSeconds };
}

function isShownAlike(a: ZonePeriod, b: ZonePeriod): boolean {
  return a.offsetSeconds === b.offsetSeconds && a.abbreviation === b.abbreviation;
}
