import type { Place } from '../places/gazetteer.ts';
import { offsetName } from '../text/offset.ts';
import { period, type ZonePeriod } from '../zones/timeline.ts';
import type { Zone } from '../zones/zone.ts';
import type { Location } from './locations.ts';

/** The place whose local time a response shows. */
export interface Target {
  /** `timezone` of responses: the canonical name, `UTC` for `utc=true`, null for an offset and for none. */
  readonly timezone: string | null;
  /** The zone text of `human`. */
  readonly zoneText: string;
  /** Whether responses have `iso_local`: all but those to a request without a selector. */
  readonly hasLocalTime: boolean;
  /** The zone, where there is one: a fixed offset and no target have none. */
  readonly zone: Zone | null;
  periodAt(epochSeconds: number): ZonePeriod;
  /** The place that named the zone; absent for other selectors. */
  readonly place?: Place;
  /** Describes the address or the coordinates that selected the zone; only for `details=true`. */
  readonly location?: Location;
}

/** A period without end: what holds for fixed offsets. */
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

// One target for each place, so that what was written for it is found again.
const targetOfZone = new WeakMap<Zone, Target>();
const targetOfOffset = new Map<number, Target>();

/** A zone of the database, however it was found. */
export function zoneTarget(zone: Zone): Target {
  const known = targetOfZone.get(zone);
  if (known !== undefined) return known;
  const target = {
    timezone: zone.canonicalName,
    zoneText: zone.canonicalName,
    hasLocalTime: true,
    zone,
    periodAt: (epochSeconds: number) => zone.periodAt(epochSeconds),
  };
  targetOfZone.set(zone, target);
  return target;
}

/** A place in a zone. */
export function placeTarget(place: Place, zone: Zone): Target {
  return { ...zoneTarget(zone), place };
}

/** The zone of an address or of coordinates, with the description of these for `details=true`. */
export function locatedTarget(zone: Zone, location: Location): Target {
  return { ...zoneTarget(zone), location };
}

export function offsetTarget(offsetSeconds: number): Target {
  const known = targetOfOffset.get(offsetSeconds);
  if (known !== undefined) return known;
  const name = offsetName(offsetSeconds);
  const always = unending(offsetSeconds, name);
  const target = { timezone: null, zoneText: name, hasLocalTime: true, zone: null, periodAt: () => always };
  // Those of whole minutes are 2,879; an offset with seconds, of which there are many, is rare.
  if (offsetSeconds % 60 === 0) targetOfOffset.set(offsetSeconds, target);
  return target;
}
