import { civilDateOf, dayNumberOf } from '../../common/civil.ts';
import { unreadable } from '../../common/errors.ts';
import type { Lifetime } from '../../http/freshness.ts';
import type { Query } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import type { InstantRange } from '../../operations/dst.ts';
import { dateAndTimeOf, instantOf } from '../../operations/instant.ts';
import type { Target } from '../../operations/target.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import { momentAt } from '../../text/time_payload.ts';
import { DISAMBIGUATIONS, type Disambiguation } from '../../zones/local_time.ts';
import { group, type InputFactory } from './input.ts';
import { choice, text } from './schemas.ts';
import { bracketedPlace, decodeDisambiguation } from './timestamps.ts';

/** An end of a range: a timestamp, which is local time in the target if it has no offset. */
export interface RangeEnd {
  readonly name: string;
  readonly iso: IsoTimestamp;
  /** The zone in its brackets, null if it has none. */
  readonly place: Target | null;
  /** Of a local time that occurs twice or never. */
  readonly disambiguation: Disambiguation;
}

/** A range of instants; an end is null if it was not supplied. */
export interface RequestedInstants {
  readonly from: RangeEnd | null;
  readonly to: RangeEnd | null;
}

/** The parameter `disambiguation` of a range. */
export const RangeDisambiguation = choice(
  DISAMBIGUATIONS,
  'How a local `from` or `to` that a clock change skips or repeats is resolved; `reject` rejects both. ' +
    'By default a skipped time moves forward by the gap and a repeated one is the earlier.',
  'later',
);

/** A range of instants: a year from or to the end that is supplied, without any the current year. */
export const instantRange: InputFactory<RequestedInstants> = group({
  parameters: {
    from: text(
      'First instant: an ISO 8601 timestamp or date, without an offset local in the target. By default a year before `to`, and ' +
        'without `to` the beginning of the current year.',
      '2026-01-01',
    ),
    to: text(
      'The instant before which the range ends, like `from`. By default a year after `from`, and without `from` the end of ' +
        'the current year.',
      '2027-01-01',
    ),
    disambiguation: RangeDisambiguation,
  },
  decode: (query, { snapshot }) => readEnds(query, snapshot),
});

/** The lifetime of what is computed for a range, which without ends is the current year. */
export function lifetimeOfRange({ range }: { readonly range: RequestedInstants }): Lifetime {
  return range.from === null && range.to === null ? 'moment' : 'fixed';
}

/** The ends of a range in `from` and `to`, whose local times `disambiguation` resolves. */
export function readEnds(query: Query, snapshot: Snapshot): RequestedInstants {
  const [from, to] = [readEnd('from', query, snapshot), readEnd('to', query, snapshot)];
  const disambiguation = decodeDisambiguation(query);
  return { from: from && { ...from, disambiguation }, to: to && { ...to, disambiguation } };
}

/** An end in a parameter, with the default disambiguation. */
export function readEnd(name: string, query: Query, snapshot: Snapshot): RangeEnd | null {
  const value = query.get(name);
  if (value === undefined) return null;
  const iso = parseIsoTimestamp(value, name);
  return { name, iso, place: bracketedPlace(iso, name, snapshot), disambiguation: 'compatible' };
}

/** The instant of an end in milliseconds. */
export function instantOfRangeEnd({ name, iso, place, disambiguation }: RangeEnd, target: Target): number {
  const hint = place ?? (iso.offset === null ? target : null);
  return instantOf(iso, name, hint, disambiguation).epochMs;
}

const MS_PER_DAY = 86_400_000;

/**
 * The instants of a range in a target. Throws `INVALID_PARAMETER` if it ends before it starts, or is longer than `maxYears`; for
 * the latter, wall-clock times are compared as written, so offsets make no difference.
 */
export function rangeIn(
  target: Target,
  { from, to }: RequestedInstants,
  maxYears: number,
  nowMs: () => number,
): InstantRange {
  const [first, end] = endsIn(target, { from, to }, nowMs);
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

/** Both ends of a range, of which one defaults to the same local date a year from the other. */
function endsIn(
  target: Target,
  { from, to }: RequestedInstants,
  nowMs: () => number,
): readonly [RangeEnd, RangeEnd] {
  if (from !== null) return [from, to ?? yearFrom(from, 1, target)];
  if (to !== null) return [yearFrom(to, -1, target), to];
  const { year } = momentAt(nowMs(), target);
  return [startOfYear(year), startOfYear(year + 1)];
}

/** The local time of an end on the same date of another year. */
function yearFrom(end: RangeEnd, years: number, target: Target): RangeEnd {
  const frame = end.place ?? target;
  const { dayNumber, msOfDay } = dateAndTimeOf({ epochMs: instantOfRangeEnd(end, target), frame });
  const localMs = yearsAfter(dayNumber * MS_PER_DAY + msOfDay, years);
  const iso = { localMs, offset: null, zone: null };
  return { name: end.name, iso, place: end.place, disambiguation: 'compatible' };
}

function startOfYear(year: number): RangeEnd {
  const iso = { localMs: dayNumberOf(year, 1, 1) * MS_PER_DAY, offset: null, zone: null };
  return { name: 'to', iso, place: null, disambiguation: 'compatible' };
}

function yearsAfter(localMs: number, years: number): number {
  const dayNumber = Math.floor(localMs / MS_PER_DAY);
  const { year, month, day } = civilDateOf(dayNumber);
  return localMs + (dayNumberOf(year + years, month, day) - dayNumber) * MS_PER_DAY;
}
