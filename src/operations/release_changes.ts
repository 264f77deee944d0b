import { type Static, Type } from '@sinclair/typebox';
import { nullable, objectSchema } from '../common/json.ts';
import type { Zone } from '../zones/zone.ts';
import type { ZoneDatabase } from '../zones/zone_database.ts';
import { INSTANT, instantMembers, minutes } from './details.ts';

export interface OffsetChange {
  /** The first second of the period; `-Infinity` if it has no beginning. */
  readonly fromEpochSeconds: number;
  /** The first second after the period; `Infinity` if it has no end. */
  readonly untilEpochSeconds: number;
  readonly oldOffsetSeconds: number;
  readonly newOffsetSeconds: number;
}

/** The periods, in order, that begin before an instant and in which two versions of a zone have different offsets. */
function offsetChanges(before: Zone, after: Zone, untilEpochSeconds: number): OffsetChange[] {
  if (before.sharesTimelineWith(after)) return [];
  const changes: OffsetChange[] = [];
  let at = -Infinity;
  while (at < untilEpochSeconds) {
    const old = before.periodAt(at);
    const current = after.periodAt(at);
    const end = Math.min(old.untilEpochSeconds, current.untilEpochSeconds);
    if (old.offsetSeconds !== current.offsetSeconds) {
      append(changes, {
        fromEpochSeconds: at,
        untilEpochSeconds: end,
        oldOffsetSeconds: old.offsetSeconds,
        newOffsetSeconds: current.offsetSeconds,
      });
    }
    at = end;
  }
  return changes;
}

/** Appends a period, merging it with the last one if it continues that, since the abbreviation can change within. */
function append(changes: OffsetChange[], change: OffsetChange): void {
  const last = changes.at(-1);
  const continues =
    last?.untilEpochSeconds === change.fromEpochSeconds &&
    last.oldOffsetSeconds === change.oldOffsetSeconds &&
    last.newOffsetSeconds === change.newOffsetSeconds;
  if (continues) changes[changes.length - 1] = { ...last, untilEpochSeconds: change.untilEpochSeconds };
  else changes.push(change);
}

/** Periods that begin later are not compared, since yearly rules have infinitely many. 2100-01-01, in epoch seconds. */
const LAST_COMPARED_SECONDS = 4_102_444_800;

const Bound = (description: string) => nullable(Type.Object(INSTANT), description);

export const ZoneChanges = objectSchema('ZoneChanges', 'The changes to a zone between two tzdata releases.', {
  timezone: Type.String({ description: 'Canonical IANA name in the later release.' }),
  changes: Type.Array(
    Type.Object({
      since: Bound('First second; null where the span has no beginning.'),
      until: Bound('First second after it; null where the span has no end.'),
      old_offset: minutes('Offset in the earlier release'),
      new_offset: minutes('Offset in the later release'),
    }),
    { description: 'The periods in which the offset differs, in order.' },
  ),
});
export type ZoneChanges = Static<typeof ZoneChanges>;

export interface ReleaseComparison {
  readonly zones: readonly { readonly zone: Zone; readonly changes: readonly OffsetChange[] }[];
  /** The names of zones that the earlier release lacks under any name. */
  readonly added: readonly string[];
}

/** Compares canonical or given zones of the later of two releases; other requests are served after each that may differ. */
export async function compareReleases(
  before: ZoneDatabase,
  after: ZoneDatabase,
  compared: readonly Zone[] = after.canonicalZones(),
): Promise<ReleaseComparison> {
  const zones: ReleaseComparison['zones'][number][] = [];
  const added: string[] = [];
  for (const zone of compared) {
    const old = before.find(zone.name) ?? before.find(zone.canonicalName);
    if (old === undefined) added.push(zone.canonicalName);
    if (old === undefined || old.sharesTimelineWith(zone)) continue;
    const changes = offsetChanges(old, zone, LAST_COMPARED_SECONDS);
    if (changes.length > 0) zones.push({ zone, changes });
    await new Promise(setImmediate);
  }
  return { zones, added };
}

/** The changes to a zone that overlap a period, in epoch seconds. */
export function zoneChanges(
  zone: Zone,
  changes: readonly OffsetChange[],
  afterSeconds: number,
  beforeSeconds: number,
): ZoneChanges {
  const overlapping = changes.filter(
    change => change.untilEpochSeconds > afterSeconds && change.fromEpochSeconds < beforeSeconds,
  );
  return {
    timezone: zone.canonicalName,
    changes: overlapping.map(change => ({
      since: boundOf(change.fromEpochSeconds),
      until: boundOf(change.untilEpochSeconds),
      old_offset: change.oldOffsetSeconds / 60,
      new_offset: change.newOffsetSeconds / 60,
    })),
  };
}

function boundOf(epochSeconds: number) {
  return Number.isFinite(epochSeconds) ? instantMembers(epochSeconds) : null;
}
