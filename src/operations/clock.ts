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
import { MAX_EPOCH_MS, type Moment } from '../common/moment.ts';
import type { ZonePeriod } from '../zones/timeline.ts';
import type { Target } from './target.ts';

interface ClockRequest {
  readonly style: StyleName;
  readonly target: Target;
  /** The selector of the target. */
  readonly selector: ClockSelector;
  readonly format: string | null;
  /** Replaces the name of the place. */
  readonly label?: string | null;
  readonly options?: ClockOptions | undefined;
  /** Whether it starts from a given instant. */
  readonly isPinned: boolean;
  /** The URL at which pages on other hosts reach this server, without a trailing slash; empty for its own pages. */
  readonly publicUrl: string;
}

/** The config of a clock rendered at a moment in its target. */
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
 * The label of a clock: the last part of a zone's name, such as `Buenos Aires`, or the name of an offset. Zones such as
 * `Etc/GMT+5`, whose inverted sign would be misleading, are labelled with their offset.
 */
function labelOf(zoneText: string): string {
  const area = /^Etc\/GMT([+-])([0-9]+)$/.exec(zoneText);
  if (area !== null) return `UTC${area[1] === '+' ? '-' : '+'}${area[2]!.padStart(2, '0')}:00`;
  return nameOfZone(zoneText);
}

/** After this many periods alike no change is assumed to follow: a custom rule may change only the DST flag, year after year. */
const MAX_PERIODS_ALIKE = 16;

/** The next visible change of a clock. Pages do not get later ones. */
function nextVisibleChange({ zone, periodAt }: Target, epochSeconds: number): ClockTransition | null {
  if (zone === null) return null;
  const now = periodAt(epochSeconds);
  let next = zone.periodAfter(now);
  for (let alike = 1; next !== null && isShownAlike(now, next); alike++) {
    next = alike < MAX_PERIODS_ALIKE ? zone.periodAfter(next) : null;
  }
  if (next === null || next.fromEpochSeconds * 1000 > MAX_EPOCH_MS) return null;
  const { fromEpochSeconds, offsetSeconds, abbreviation } = next;
  return { unix_ms: fromEpochSeconds * 1000, ...clockOffset(offsetSeconds), abbreviation };
}

function clockOffset(offsetSeconds: number): ClockOffset {
  return { offset_minutes: Math.round(offsetSeconds / 60), offset_seconds: offsetSeconds };
}

function isShownAlike(a: ZonePeriod, b: ZonePeriod): boolean {
  return a.offsetSeconds === b.offsetSeconds && a.abbreviation === b.abbreviation;
}
