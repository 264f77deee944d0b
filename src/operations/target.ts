import type { Place } from '../places/gazetteer.ts';
import { offsetName } from '../text/offset.ts';
import { period, type ZonePeriod } from '../zones/timeline.ts';
import type { Zone } from '../zones/zone.ts';
import type { Location } from './places.ts';

/** The place whose local time a response has. */
export interface Target {
  /** `timezone` in responses: the canonical name, `UTC` for `utc=true`, null for an offset or no target. */
  readonly timezone: string | null;
  /** The zone text in `human`. */
  readonly zoneText: string;
  /** Whether responses have `iso_local`: false without a selector. */
  readonly hasLocalTime: boolean;
  /** The zone; null for a fixed offset or no target. */
  readonly zone: Zone | null;
  readonly periodAt: (epochSeconds: number) => ZonePeriod;
  /** The place that selected the zone; absent for other selectors. */
  readonly place?: Place;
  /** Describes the address or the coordinates that selected the zone; only for `details=true`. */
  readonly location?: Location;
}

/** An unlimited period, for fixed offsets. */
function unending(offsetSeconds: number, abbreviation: string): ZonePeriod {
  return period(-Infinity, Infinity, { offsetSeconds, abbreviation, isDst: false });
}

const UTC_PERIOD = unending(0, 'UTC');

/** No selector given: UTC, without a local time. */
export const NO_TARGET: Target = {
  timezone: null,
  zoneText: 'UTC',
  hasLocalTime: false,
  zone: null,
  periodAt: () => UTC_PERIOD,
};

/** `utc=true` */
export const UTC_TARGET: Target = { ...NO_TARGET, timezone: 'UTC', hasLocalTime: true };

// One target per zone and offset, so that decoding a long list allocates none.
const targetOfZone = new WeakMap<Zone, Target>();
const targetOfOffset = new Map<number, Target>();

export function zoneTarget(zone: Zone): Target {
  const known = targetOfZone.get(zone);
  if (known !== undefined) return known;
  const target: Target = {
    timezone: zone.canonicalName,
    zoneText: zone.canonicalName,
    hasLocalTime: true,
    zone,
    periodAt: epochSeconds => zone.periodAt(epochSeconds),
  };
  targetOfZone.set(zone, target);
  return target;
}

/** The target for the zone of a place, or of an address or coordinates. */
export function selectedTarget(zone: Zone, selected: Pick<Target, 'place' | 'location'>): Target {
  return { ...zoneTarget(zone), ...selected };
}

export function offsetTarget(offsetSeconds: number): Target {
  const known = targetOfOffset.get(offsetSeconds);
  if (known !== undefined) return known;
  const name = offsetName(offsetSeconds);
  const always = unending(offsetSeconds, name);
  const target = { timezone: null, zoneText: name, hasLocalTime: true, zone: null, periodAt: () => always };
  // There are 2,879 offsets of whole minutes; offsets with seconds are numerous, but rarely used.
  if (offsetSeconds % 60 === 0) targetOfOffset.set(offsetSeconds, target);
  return target;
}
