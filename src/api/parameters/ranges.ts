import { civilDateOf, dayNumberOf, MS_PER_DAY } from '../../common/civil.ts';
import { unreadable } from '../../common/errors.ts';
import type { Lifetime } from '../../http/response.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { dateAndTimeOf, instantOf } from '../../operations/instant.ts';
import type { InstantRange } from '../../operations/local_times.ts';
import { ZONES } from '../../operations/served_data.ts';
import type { Target } from '../../operations/target.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import { momentAt } from '../../text/time_payload.ts';
import type { Disambiguation } from '../../zones/local_time.ts';
import { group, type InputFactory, type ParameterSchema, parsedValue, text } from '../inputs.ts';
import { bracketedPlace, DisambiguationText, decodeDisambiguation, readsOfBrackets } from './timestamps.ts';

export type EndName = 'from' | 'to';

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

/** A range of instants: a year from or to the end that is supplied, without any the current year. */
export const instantRange = rangeInput({
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
});

/** A range of instants, with the schemas of its ends, whose local times `disambiguation` resolves. */
export function rangeInput(
  ends: Readonly<Record<EndName, ParameterSchema>>,
): InputFactory<RequestedInstants> {
  return group({
    parameters: { ...ends, disambiguation: DisambiguationText },
    reads: ZONES,
    readsIn: query => readsOfBrackets(query.peek('from')) | readsOfBrackets(query.peek('to')),
    decode(query, { snapshot }) {
      const endOf = (name: EndName) => parsedValue(query, name, value => parseEnd(value, name, snapshot));
      const [from, to] = [endOf('from'), endOf('to')];
      const disambiguation = decodeDisambiguation(query);
      return { from: from && { ...from, disambiguation }, to: to && { ...to, disambiguation } };
    },
  });
}

/** The lifetime of a response for a range, which without ends is the current year. */
export function lifetimeOfRange({ range }: { readonly range: RequestedInstants }): Lifetime {
  return range.from === null && range.to === null ? 'moment' : 'fixed';
}

/** Parses an end, whose local time is resolved by default. Throws `INVALID_PARAMETER`. */
export function parseEnd(value: string, name: string, snapshot: Snapshot): RangeEnd {
  const iso = parseIsoTimestamp(value, name);
  return { name, iso, place: bracketedPlace(iso, name, snapshot), disambiguation: 'compatible' };
}

/** The instant of an end in milliseconds; `target` is the place of a local time without one of its own. */
export function instantOfRangeEnd({ name, iso, place, disambiguation }: RangeEnd, target: Target): number {
  const hint = place ?? (iso.offset === null ? target : null);
  return instantOf(iso, name, hint, disambiguation).epochMs;
}

/**
 * The instants of a range in a target. Throws `INVALID_PARAMETER` if it ends before it starts, or is longer than `maxYears`; for
 * the latter, wall-clock times are compared as written, so offsets make no difference.
 */
export function rangeIn(
  target: Target,
  { from, to }: RequestedInstants,
  maxYears: number,
  context: { readonly nowMs: number },
): InstantRange {
  const [first, end] = endsIn(target, { from, to }, context);
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
  context: { readonly nowMs: number },
): readonly [RangeEnd, RangeEnd] {
  if (from !== null) return [from, to ?? yearFrom(from, 1, target)];
  if (to !== null) return [yearFrom(to, -1, target), to];
  const { year } = momentAt(context.nowMs, target);
  const startOf = (first: number) => localEnd(dayNumberOf(first, 1, 1) * MS_PER_DAY, 'to', null);
  return [startOf(year), startOf(year + 1)];
}

/** The same local date and time `years` later, or earlier if negative. */
function yearFrom(end: RangeEnd, years: number, target: Target): RangeEnd {
  const frame = end.place ?? target;
  const { dayNumber, msOfDay } = dateAndTimeOf({ epochMs: instantOfRangeEnd(end, target), frame });
  return localEnd(yearsAfter(dayNumber * MS_PER_DAY + msOfDay, years), end.name, end.place);
}

function localEnd(localMs: number, name: string, place: Target | null): RangeEnd {
  return { name, iso: { localMs, offset: null, zone: null }, place, disambiguation: 'compatible' };
}

function yearsAfter(localMs: number, years: number): number {
  const dayNumber = Math.floor(localMs / MS_PER_DAY);
  const { year, month, day } = civilDateOf(dayNumber);
  return localMs + (dayNumberOf(year + years, month, day) - dayNumber) * MS_PER_DAY;
}
