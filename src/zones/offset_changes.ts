import type { Zone } from './zone.ts';

/** A period in which a zone has different UTC offsets in two releases. */
export interface OffsetChange {
  /** The first second of the period; `-Infinity` if it has no beginning. */
  readonly fromEpochSeconds: number;
  /** The first second after the period; `Infinity` if it has no end. */
  readonly untilEpochSeconds: number;
  readonly oldOffsetSeconds: number;
  readonly newOffsetSeconds: number;
}

/** Before any transition. */
const BEGINNING = -8.64e12;

/** The periods, in order, that begin before an instant and in which two versions of a zone have different offsets. */
export function offsetChanges(before: Zone, after: Zone, untilEpochSeconds: number): OffsetChange[] {
  if (before.sharesTimelineWith(after)) return [];
  const changes: OffsetChange[] = [];
  let at = BEGINNING;
  while (at < untilEpochSeconds) {
    const old = before.periodAt(at);
    const current = after.periodAt(at);
    const end = Math.min(old.untilEpochSeconds, current.untilEpochSeconds);
    if (old.offsetSeconds !== current.offsetSeconds) {
      append(changes, {
        fromEpochSeconds: at === BEGINNING ? -Infinity : at,
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
