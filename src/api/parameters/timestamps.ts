import { civilDateOf, dayNumberOf, MS_PER_DAY } from '../../common/civil.ts';
import { ServiceError, unreadable } from '../../common/errors.ts';
import { MAX_EPOCH_MS } from '../../common/moment.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Lifetime } from '../../http/response.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { checkRange, dateAndTimeOf, type Instant, instantOf } from '../../operations/instant.ts';
import type { InstantRange } from '../../operations/local_times.ts';
import { type DataSets, ZONES } from '../../operations/served_data.ts';
import { NO_TARGET, offsetTarget, type Target, zoneTarget } from '../../operations/target.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import { momentAt } from '../../text/time_payload.ts';
import { DISAMBIGUATIONS, type Disambiguation } from '../../zones/local_time.ts';
import {
  choice,
  type DecodeContext,
  group,
  type InputFactory,
  type ParameterSchema,
  parseChoice,
  parsedValue,
  parseWholeNumber,
  text,
  whole,
} from '../inputs.ts';
import { Hints } from './hints.ts';
import { findZone } from './names.ts';
import type { Selection } from './selectors.ts';

export const DisambiguationText = choice(
  DISAMBIGUATIONS,
  'How to resolve a local time that a clock change skips or repeats; `reject` rejects both. ' +
    'By default a skipped time moves forward by the gap, and a repeated one is the earlier instant.',
  'later',
);

interface SelectedTimestamp {
  readonly form: string | undefined;
  readonly hint: Selection | null;
}

/** An input for a timestamp, whose parameters have a prefix. */
function timestampInput(prefix: '' | 'compare_') {
  const [unix, unixMs, iso] = [`${prefix}unix`, `${prefix}unix_ms`, `${prefix}iso`] as const;
  const hints = new Hints(`${prefix}source_`, iso);

  /** The form that was supplied. Throws `AMBIGUOUS_TARGET` for several. */
  function formOf(query: Query): string | undefined {
    const supplied = [unix, unixMs, iso].filter(name => query.has(name));
    rejectSeveral(supplied, 'a timestamp takes one of them');
    return supplied[0];
  }

  function parse(query: Query, form: string | undefined, snapshot: Snapshot): Instant | WallTime | null {
    const value = form && query.get(form);
    if (form === undefined || value === undefined) return null;
    if (form === iso) return parseIso(query, value, form, hints, snapshot);
    return (form === unix ? parseUnix : parseUnixMs)(value, form);
  }

  return {
    parameters: {
      [unix]: whole('Seconds since 1970-01-01T00:00:00Z.', 1_776_274_247, MAX_EPOCH_MS / 1000),
      [unixMs]: whole('Milliseconds since 1970-01-01T00:00:00Z.', 1_776_274_247_123, MAX_EPOCH_MS),
      [iso]: text(
        'ISO 8601 timestamp with an offset or `Z`, or a local time without; RFC 9557 brackets can name its zone.',
        '2026-04-15T13:30:47-04:00',
      ),
      ...hints.parameters,
      ...(prefix === '' ? { disambiguation: DisambiguationText } : {}),
    },
    reads: hints.reads,
    usage: `'${unix}', '${unixMs}' or '${iso}'`,
    formOf,
    select: (query: Query): SelectedTimestamp => ({ form: formOf(query), hint: hints.select(query) }),
    readsIn: (query: Query, { hint }: SelectedTimestamp, snapshot: Snapshot) =>
      readsOfBrackets(query.peek(iso)) | hints.readsIn(query, hint, snapshot),
    decode(query: Query, context: DecodeContext, { form, hint }: SelectedTimestamp): Instant | null {
      const parsed = parse(query, form, context.snapshot);
      if (parsed !== null && 'iso' in parsed) {
        const place = parsed.place ?? hints.decode(query, hint, context);
        return instantOf(parsed.iso, iso, place, decodeDisambiguation(query));
      }
      if (hint !== null) {
        const reason =
          form === iso
            ? `'${iso}' has an offset of its own`
            : `it is a hint for a local '${iso}', and there is none`;
        throw hints.unwanted(query, reason);
      }
      decodeDisambiguation(query);
      return parsed;
    },
  };
}

const TIMESTAMP = timestampInput('');
const COMPARISON = timestampInput('compare_');

/** A timestamp; null without one. */
export const timestamp: InputFactory<Instant | null> = group({ ...TIMESTAMP, absent: null });

/** The timestamp that another is compared with; null without one. */
export const comparison: InputFactory<Instant | null> = group({ ...COMPARISON, absent: null });

export const requiredTimestamp: InputFactory<Instant> = group({
  ...TIMESTAMP,
  decode(query, context, selected) {
    // Reported before anything else, in particular before a hint without a timestamp.
    const instant = selected.form === undefined ? null : TIMESTAMP.decode(query, context, selected);
    if (instant !== null) return instant;
    throw new ServiceError('INVALID_TIMESTAMP', `A timestamp is missing: give ${TIMESTAMP.usage}`);
  },
});

/** The lifetime of what is computed for a timestamp, by default the current time. */
export function lifetimeOfTimestamp({ instant }: { readonly instant: Instant | null }): Lifetime {
  return instant === null ? 'moment' : 'fixed';
}

export function suppliedComparison(query: Query): string | undefined {
  return COMPARISON.formOf(query);
}

export const parseUnix = epochParser('seconds', 1000);
export const parseUnixMs = epochParser('milliseconds', 1);

/** Parses a number of a unit since 1970-01-01T00:00:00Z. */
function epochParser(unit: string, msPerUnit: number) {
  return (value: string, parameter: string): Instant => {
    const epochMs = parseWholeNumber(value, parameter, unit) * msPerUnit;
    return { epochMs: checkRange(epochMs, parameter), frame: NO_TARGET };
  };
}

/** A local time, whose instant depends on further parameters; `place` is from its brackets, null if it has none. */
export interface WallTime {
  readonly iso: IsoTimestamp;
  readonly place: Target | null;
}

/** Parses an ISO 8601 timestamp: an instant if it has an offset, otherwise a local time, whose hint is not decoded yet. */
export function parseIso(
  query: Query,
  value: string,
  parameter: string,
  hints: Hints,
  snapshot: Snapshot,
): Instant | WallTime {
  const iso = parseIsoTimestamp(value, parameter);
  const hint = iso.zone === null ? undefined : hints.suppliedParameter(query);
  if (hint !== undefined) {
    const reason = `'${parameter}' names its zone in brackets, and '${hint}' names one too: give one of them`;
    throw new ServiceError('AMBIGUOUS_TARGET', reason, { parameter: hint });
  }
  const place = bracketedPlace(iso, parameter, snapshot);
  return iso.offset === null ? { iso, place } : instantOf(iso, parameter, place, 'compatible');
}

/** The target in a timestamp's brackets, null if it has none. */
function bracketedPlace({ zone }: IsoTimestamp, parameter: string, snapshot: Snapshot): Target | null {
  if (zone === null) return null;
  if ('name' in zone) return zoneTarget(findZone(zone.name, parameter, snapshot.zones));
  return offsetTarget(zone.offsetSeconds);
}

/** The data sets that a timestamp reads, which can name a zone in brackets. */
export function readsOfBrackets(value: string): DataSets {
  return value.includes('[') ? ZONES : 0;
}

/** Decodes `disambiguation`; `compatible` by default. */
export function decodeDisambiguation(query: Query): Disambiguation {
  const value = query.get('disambiguation');
  return value === undefined ? 'compatible' : parseChoice(value, 'disambiguation', DISAMBIGUATIONS);
}

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

/** The lifetime of what is computed for a range, which without ends is the current year. */
export function lifetimeOfRange({ range }: { readonly range: RequestedInstants }): Lifetime {
  return range.from === null && range.to === null ? 'moment' : 'fixed';
}

/** An end with the default disambiguation. */
export function parseEnd(value: string, name: string, snapshot: Snapshot): RangeEnd {
  const iso = parseIsoTimestamp(value, name);
  return { name, iso, place: bracketedPlace(iso, name, snapshot), disambiguation: 'compatible' };
}

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
  const startOf = (someYear: number) => localEnd(dayNumberOf(someYear, 1, 1) * MS_PER_DAY, 'to', null);
  return [startOf(year), startOf(year + 1)];
}

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

export type EndName = 'from' | 'to';
