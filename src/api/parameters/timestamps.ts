import { ServiceError } from '../../common/errors.ts';
import { MAX_EPOCH_MS } from '../../common/moment.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Lifetime } from '../../http/response.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { checkRange, type Instant, instantOf } from '../../operations/instant.ts';
import { type DataSets, ZONES } from '../../operations/served_data.ts';
import { NO_TARGET, offsetTarget, type Target, zoneTarget } from '../../operations/target.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import { DISAMBIGUATIONS, type Disambiguation } from '../../zones/local_time.ts';
import {
  choice,
  type DecodeContext,
  group,
  type InputFactory,
  parseChoice,
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

/** A timestamp. Throws `INVALID_TIMESTAMP` without one. */
export const requiredTimestamp: InputFactory<Instant> = group({
  ...TIMESTAMP,
  decode(query, context, selected) {
    // Reported before anything else, in particular before a hint without a timestamp.
    const instant = selected.form === undefined ? null : TIMESTAMP.decode(query, context, selected);
    if (instant !== null) return instant;
    throw new ServiceError('INVALID_TIMESTAMP', `A timestamp is missing: give ${TIMESTAMP.usage}`);
  },
});

/** The lifetime of a response for a timestamp, by default the current time. */
export function lifetimeOfTimestamp({ instant }: { readonly instant: Instant | null }): Lifetime {
  return instant === null ? 'moment' : 'fixed';
}

/** The name of the parameter that the comparison was supplied with; undefined without one. */
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
export function bracketedPlace({ zone }: IsoTimestamp, parameter: string, snapshot: Snapshot): Target | null {
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
