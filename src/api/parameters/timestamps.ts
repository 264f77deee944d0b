import { Type } from '@sinclair/typebox';
import { quoted, ServiceError, unreadable } from '../../common/service_error.ts';
import { MAX_EPOCH_MS } from '../../common/time_range.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Snapshot } from '../../http/snapshot.ts';
import { checkRange, type Instant, instantOf } from '../../operations/instant.ts';
import { NO_TARGET, offsetTarget, type Target, zoneTarget } from '../../operations/target.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import { DISAMBIGUATIONS, type Disambiguation } from '../../zones/local_time.ts';
import { type DecodeContext, group, type Input, type InputFactory, type ParameterSchema } from './input.ts';
import { parseWholeNumber, text, whole } from './schemas.ts';
import { findZone } from './selectors.ts';
import { dataOfHint, decodeHint, hintParameters, rejectSeveralHints, suppliedHint } from './targets.ts';

/** The parameter `disambiguation`. */
export const DisambiguationText = Type.String({
  description:
    'How a local time that a clock change skips or repeats is resolved; `reject` rejects both. ' +
    'By default a skipped time moves forward by the gap and a repeated one is the earlier.',
  enum: [...DISAMBIGUATIONS],
  examples: ['later'],
}) as unknown as ParameterSchema;

/** The names of the forms of a timestamp, and the prefix of its hints. */
interface Names {
  readonly unix: string;
  readonly unixMs: string;
  readonly iso: string;
  readonly hintPrefix: string;
}

const NAMES: Names = { unix: 'unix', unixMs: 'unix_ms', iso: 'iso', hintPrefix: 'source_' };
const COMPARISON_NAMES: Names = {
  unix: 'compare_unix',
  unixMs: 'compare_unix_ms',
  iso: 'compare_iso',
  hintPrefix: 'compare_source_',
};

/** A timestamp; null without one. */
export const timestamp: InputFactory<Instant | null> = group(timestampInput(NAMES));

/** A timestamp that is required. */
export const requiredTimestamp: InputFactory<Instant> = group(required(timestampInput(NAMES), NAMES));

/** The timestamp that another is compared with; null without one. */
export const comparison: InputFactory<Instant | null> = group(timestampInput(COMPARISON_NAMES));

function timestampInput(names: Names): Input<Instant | null> {
  return {
    parameters: {
      [names.unix]: whole('Seconds since 1970-01-01T00:00:00Z.', 1_776_274_247, MAX_EPOCH_MS / 1000),
      [names.unixMs]: whole('Milliseconds since 1970-01-01T00:00:00Z.', 1_776_274_247_123, MAX_EPOCH_MS),
      [names.iso]: text(
        'ISO 8601 timestamp, with an offset or `Z`, or a local time without; RFC 9557 brackets name its zone.',
        '2026-04-15T13:30:47-04:00',
      ),
      ...hintParameters(names.hintPrefix, names.iso),
      ...(names === NAMES ? { disambiguation: DisambiguationText } : {}),
    },
    rejectAmbiguity(query) {
      rejectSeveral(suppliedForms(query, names), 'a timestamp takes one of them');
      rejectSeveralHints(query, names.hintPrefix);
    },
    needs: (query, snapshot) => dataOfHint(query, names.hintPrefix, snapshot),
    decode: (query, context) => decodeTimestamp(query, names, context),
  };
}

function required(input: Input<Instant | null>, names: Names): Input<Instant> {
  return {
    ...input,
    decode(query, context) {
      // Without a timestamp, rather than with a complaint about a hint for none.
      const instant = suppliedForms(query, names).length === 0 ? null : input.decode(query, context);
      if (instant !== null) return instant;
      throw new ServiceError(
        'INVALID_TIMESTAMP',
        `A timestamp is missing: give '${names.unix}', '${names.unixMs}' or '${names.iso}'`,
      );
    },
  };
}

/** The parameter of the comparison that was supplied. */
export function suppliedComparison(query: Query): string | undefined {
  return suppliedForms(query, COMPARISON_NAMES)[0];
}

function suppliedForms(query: Query, { unix, unixMs, iso }: Names): string[] {
  return [unix, unixMs, iso].filter(name => query.has(name));
}

function decodeTimestamp(query: Query, names: Names, context: DecodeContext): Instant | null {
  const unix = query.get(names.unix);
  if (unix !== undefined) return withoutHint(query, names, parseUnix(unix, names.unix));
  const unixMs = query.get(names.unixMs);
  if (unixMs !== undefined) return withoutHint(query, names, parseUnixMs(unixMs, names.unixMs));
  const iso = query.get(names.iso);
  if (iso === undefined) return withoutHint(query, names, null);
  const parsed = parseIso(query, iso, names.iso, names.hintPrefix, context.snapshot);
  if (!('iso' in parsed)) {
    rejectHint(query, names.hintPrefix, `'${names.iso}' has an offset of its own`);
    decodeDisambiguation(query);
    return parsed;
  }
  const place = parsed.place ?? decodeHint(query, names.hintPrefix, context);
  return instantOf(parsed.iso, names.iso, place, decodeDisambiguation(query));
}

function withoutHint<Value>(query: Query, names: Names, instant: Value): Value {
  rejectHint(query, names.hintPrefix, `it is a hint for a local '${names.iso}', and there is none`);
  decodeDisambiguation(query);
  return instant;
}

/** Parses whole seconds since the epoch. */
export function parseUnix(value: string, parameter: string): Instant {
  const epochSeconds = parseWholeNumber(value, parameter, 'seconds');
  return { epochMs: checkRange(epochSeconds * 1000, parameter), frame: NO_TARGET };
}

/** Parses whole milliseconds since the epoch. */
export function parseUnixMs(value: string, parameter: string): Instant {
  const epochMs = parseWholeNumber(value, parameter, 'milliseconds');
  return { epochMs: checkRange(epochMs, parameter), frame: NO_TARGET };
}

/** A local time, whose instant depends on further parameters; `place` is that of its brackets, null without. */
export interface WallTime {
  readonly iso: IsoTimestamp;
  readonly place: Target | null;
}

/** Parses an ISO 8601 timestamp: an instant where it has an offset, else a local time, whose hint is not decoded yet. */
export function parseIso(
  query: Query,
  value: string,
  parameter: string,
  hintPrefix: string,
  snapshot: Snapshot,
): Instant | WallTime {
  const iso = parseIsoTimestamp(value, parameter);
  if (iso.zone !== null) rejectHintBesideBrackets(query, hintPrefix, parameter);
  const place = bracketedPlace(iso, parameter, snapshot);
  return iso.offset === null ? { iso, place } : instantOf(iso, parameter, place, 'compatible');
}

function rejectHintBesideBrackets(query: Query, hintPrefix: string, parameter: string): void {
  const hint = suppliedHint(query, hintPrefix);
  if (hint === undefined) return;
  throw new ServiceError(
    'AMBIGUOUS_TARGET',
    `'${parameter}' names its zone in brackets, and '${hint}' names one too: give one of them`,
    { parameter: hint },
  );
}

/** Throws `INVALID_PARAMETER` where a hint was supplied, whatever its value. */
export function rejectHint(query: Query, hintPrefix: string, reason: string): void {
  const name = suppliedHint(query, hintPrefix);
  if (name !== undefined) throw unreadable(name, reason);
}

function bracketedPlace({ zone }: IsoTimestamp, parameter: string, { zones }: Snapshot): Target | null {
  if (zone === null) return null;
  if ('name' in zone) return zoneTarget(findZone(zone.name, parameter, zones));
  return offsetTarget(zone.offsetSeconds);
}

/** The disambiguation of local times. */
export function decodeDisambiguation(query: Query): Disambiguation {
  const value = query.get('disambiguation');
  if (value === undefined) return 'compatible';
  const known = DISAMBIGUATIONS.find(name => name === value);
  if (known !== undefined) return known;
  throw unreadable('disambiguation', `${quoted(value)} is not 'compatible', 'earlier', 'later' or 'reject'`);
}
