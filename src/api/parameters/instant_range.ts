import { civilDateOf, dayNumberOf } from '../../common/civil.ts';
import { unreadable } from '../../common/service_error.ts';
import type { Lifetime } from '../../http/freshness.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { instantOf } from '../../operations/instant.ts';
import type { Target } from '../../operations/target.ts';
import type { InstantRange } from '../../operations/transitions.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import { momentAt } from '../../text/time_payload.ts';
import { group, type InputFactory } from './input.ts';
import { text } from './schemas.ts';
import { bracketedPlace } from './timestamps.ts';

/** An end of a range: a timestamp, which is local in the target where it has no offset. */
export interface RangeEnd {
  readonly name: string;
  readonly iso: IsoTimestamp;
  /** The zone in its brackets, null without. */
  readonly place: Target | null;
}

/** A range of instants; an end is null where it was not supplied. */
export interface RequestedInstants {
  readonly from: RangeEnd | null;
  readonly to: RangeEnd | null;
}

/** A range of instants, by default that of the current year. */
export const instantRange: InputFactory<RequestedInstants> = group({
  parameters: {
    from: text(
      'First instant: an ISO 8601 timestamp or date, without an offset local in the target. By default the beginning of the ' +
        'current year.',
      '2026-01-01',
    ),
    to: text(
      'The instant before which the range ends, like `from`. By default the end of the current year.',
      '2027-01-01',
    ),
  },
  decode: (query, { snapshot }) => ({
    from: readEnd('from', query, snapshot),
    to: readEnd('to', query, snapshot),
  }),
});

/** The lifetime of what is computed for a range, which begins and ends with the current year by default. */
export function lifetimeOfRange({ range }: { readonly range: RequestedInstants }): Lifetime {
  return range.from === null || range.to === null ? 'moment' : 'fixed';
}

export function readEnd(name: string, query: Query, snapshot: Snapshot): RangeEnd | null {
  const value = query.get(name);
  if (value === undefined) return null;
  const iso = parseIsoTimestamp(value, name);
  return { name, iso, place: bracketedPlace(iso, name, snapshot) };
}

/** The instant of an end in milliseconds. */
export function instantOfRangeEnd({ name, iso, place }: RangeEnd, target: Target): number {
  const hint = place ?? (iso.offset === null ? target : null);
  return instantOf(iso, name, hint, 'compatible').epochMs;
}

const MS_PER_DAY = 86_400_000;

/**
 * The instants of a range in a target. Throws `INVALID_PARAMETER` for an end before the beginning, and for more than
 * `maxYears`, by the wall clock as written, so that offsets make no difference.
 */
export function rangeIn(
  target: Target,
  { from, to }: RequestedInstants,
  maxYears: number,
  nowMs: () => number,
): InstantRange {
  const first = from ?? startOfYear(momentAt(nowMs(), target).year);
  const end = to ?? startOfYear(momentAt(nowMs(), target).year + 1);
  const range = { fromMs: instantOfRangeEnd(first, target), toMs: instantOfRangeEnd(end, target) };
  if (range.toMs < range.fromMs) throw unreadable('to', 'it is before the start of the range');
  if (end.iso.localMs > yearsAfter(first.iso.localMs, maxYears)) {
    throw unreadable(
      'to',
      `it is more than ${maxYears} years after the start of the range, which is the maximum`,
    );
  }
  return range;
}

function startOfYear(year: number): RangeEnd {
  const iso = { localMs: dayNumberOf(year, 1, 1) * MS_PER_DAY, offset: null, zone: null };
  return { name: 'to', iso, place: null };
}

function yearsAfter(localMs: number, years: number): number {
  const dayNumber = Math.floor(localMs / MS_PER_DAY);
  const { year, month, day } = civilDateOf(dayNumber);
  return localMs + (dayNumberOf(year + years, month, day) - dayNumber) * MS_PER_DAY;
}
