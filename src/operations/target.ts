import type { Place } from '../places/gazetteer.ts';
import { offsetName } from '../text/offset.ts';
import type { TimePayloadTarget } from '../text/time_payload.ts';
import { period, type ZonePeriod } from '../zones/timeline.ts';
import type { Zone } from '../zones/zone.ts';
import type { Location } from './places.ts';
import type { DataSets } from './served_data.ts';

/** The place whose local time a response has; without a selector it is UTC, and responses have no `iso_local`. */
export interface Target extends TimePayloadTarget {
  readonly zone: Zone | null;
  readonly periodAt: (epochSeconds: number) => ZonePeriod;
  /** The place that selected the zone; absent for other selectors. */
  readonly place?: Place;
  /** Describes the address or the coordinates that selected the zone; only for `details=true`. */
  readonly location?: Location;
  /** The data sets in which the zone was found; absent for all that its selector may read. */
  readonly reads?: DataSets | undefined;
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

export function zoneTarget(zone: Zone, reads?: DataSets): Target {
  return {
    reads,
    timezone: zone.canonicalName,
    zoneText: zone.canonicalName,
    hasLocalTime: true,
    zone,
    periodAt: epochSeconds => zone.periodAt(epochSeconds),
  };
}

/** The target for the zone of a place, or of an address or coordinates. */
export function selectedTarget(zone: Zone, selected: Pick<Target, 'place' | 'location'>): Target {
  return { ...zoneTarget(zone), ...selected };
}

/** The target of each offset in use: caches of payload text are keyed by target, so an offset always has the same one. */
const targetOfOffset = new Map<number, Target>();

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
