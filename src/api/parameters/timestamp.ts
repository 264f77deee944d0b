import { quoted, ServiceError, unreadable } from '../../common/service_error.ts';
import { type Query, rejectSeveral } from '../../http/query.ts';
import type { Services } from '../../http/services.ts';
import { checkRange, type Instant, instantOf } from '../../operations/instant.ts';
import { NO_TARGET, offsetTarget, type Target, zoneTarget } from '../../operations/target.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import type { Disambiguation } from '../../zones/local_time.ts';
import { parseWholeNumber } from './number.ts';
import { findZone, hintNames, readSelector, type SelectorNames, suppliedSelectors } from './selector.ts';

/** The names of the parameters that give one timestamp. */
export interface TimestampNames {
  readonly unix: string;
  readonly unixMs: string;
  readonly iso: string;
  readonly hint: SelectorNames;
}

/** The timestamp of `convert`, `add`, `calendar`, `elapsed` and the clock. */
export const TIMESTAMP_NAMES: TimestampNames = {
  unix: 'unix',
  unixMs: 'unix_ms',
  iso: 'iso',
  hint: hintNames('source_'),
};

/** The timestamp that `elapsed` compares with. */
export const COMPARISON_NAMES: TimestampNames = {
  unix: 'compare_unix',
  unixMs: 'compare_unix_ms',
  iso: 'compare_iso',
  hint: hintNames('compare_source_'),
};

/** The forms of a timestamp that were supplied. */
export function suppliedForms(query: Query, names: TimestampNames): string[] {
  const supplied: string[] = [];
  if (query.has(names.unix)) supplied.push(names.unix);
  if (query.has(names.unixMs)) supplied.push(names.unixMs);
  if (query.has(names.iso)) supplied.push(names.iso);
  return supplied;
}

/** `AMBIGUOUS_TARGET` for more than one form of a timestamp, or more than one hint for it. */
export function rejectSeveralTimestamps(query: Query, names: TimestampNames): void {
  rejectSeveral(suppliedForms(query, names), 'a timestamp takes one of them');
  rejectSeveralHints(query, names.hint);
}

/** `AMBIGUOUS_TARGET` for more than one hint for a timestamp. */
export function rejectSeveralHints(query: Query, names: SelectorNames): void {
  rejectSeveral(suppliedSelectors(query, names), 'a timestamp takes one hint');
}

/** The timestamp that a request gives, or null. Expects that several forms and hints were refused before. */
export function readTimestamp(query: Query, names: TimestampNames, services: Services): Instant | null {
  const unix = query.get(names.unix);
  const unixMs = query.get(names.unixMs);
  const iso = query.get(names.iso);
  if (iso !== undefined) return readIsoTimestamp(query, iso, names, services);
  const instant =
    unix !== undefined
      ? parseUnix(unix, names.unix)
      : unixMs !== undefined
        ? parseUnixMs(unixMs, names.unixMs)
        : null;
  rejectHint(query, names.hint, `it is a hint for a local '${names.iso}', and there is none`);
  readDisambiguation(query);
  return instant;
}

function readIsoTimestamp(query: Query, text: string, names: TimestampNames, services: Services): Instant {
  const read = readIso(query, text, names.iso, names.hint, services);
  if ('iso' in read) {
    const place = readPlaceOf(read, query, names.hint, services);
    return instantOf(read.iso, names.iso, place, readDisambiguation(query));
  }
  rejectHint(query, names.hint, `'${names.iso}' has an offset of its own`);
  readDisambiguation(query);
  return read;
}

/** The same where there must be one: `INVALID_TIMESTAMP` where there is none. */
export function readRequiredTimestamp(query: Query, names: TimestampNames, services: Services): Instant {
  // Before all else, or a lonely hint would be what is told of.
  const instant = suppliedForms(query, names).length === 0 ? null : readTimestamp(query, names, services);
  if (instant !== null) return instant;
  throw new ServiceError(
    'INVALID_TIMESTAMP',
    `A timestamp is missing: give '${names.unix}', '${names.unixMs}' or '${names.iso}'`,
  );
}

/** Reads whole seconds since the epoch. */
export function parseUnix(text: string, parameter: string): Instant {
  const epochSeconds = parseWholeNumber(text, parameter, 'seconds');
  return { epochMs: checkRange(epochSeconds * 1000, parameter), frame: NO_TARGET };
}

/** Reads whole milliseconds since the epoch. */
export function parseUnixMs(text: string, parameter: string): Instant {
  const epochMs = parseWholeNumber(text, parameter, 'milliseconds');
  return { epochMs: checkRange(epochMs, parameter), frame: NO_TARGET };
}

/** A wall time, whose instant depends on parameters that follow it; `place` is that of its brackets, null without. */
export interface WallTime {
  readonly iso: IsoTimestamp;
  readonly place: Target | null;
}

/**
 * What an ISO 8601 timestamp says by itself: an instant where it has an offset, else a wall time. The parameters of its
 * hint, `names`, are not read yet, so that a fault in them is told after those of whatever stands before them.
 */
export function readIso(
  query: Query,
  text: string,
  parameter: string,
  names: SelectorNames,
  services: Services,
): Instant | WallTime {
  const iso = parseIsoTimestamp(text, parameter);
  if (iso.zone !== null) rejectHintBesideBrackets(query, names, parameter);
  const place = bracketedPlace(iso, parameter, services);
  return iso.offset === null ? { iso, place } : instantOf(iso, parameter, place, 'compatible');
}

function rejectHintBesideBrackets(query: Query, names: SelectorNames, parameter: string): void {
  const [hintName] = suppliedSelectors(query, names);
  if (hintName === undefined) return;
  throw new ServiceError(
    'AMBIGUOUS_TARGET',
    `'${parameter}' names its zone in brackets, and '${hintName}' names one too: give one of them`,
  );
}

/** The place of a wall time: that of its brackets or of its hint, of which `names` are the parameters; else null. */
export function readPlaceOf(
  { place }: WallTime,
  query: Query,
  names: SelectorNames,
  services: Services,
): Target | null {
  return place ?? readSelector(query, names, services, null);
}

/** `INVALID_PARAMETER` where a hint was supplied, whatever its value. */
export function rejectHint(query: Query, names: SelectorNames, reason: string): void {
  const [name] = suppliedSelectors(query, names);
  if (name !== undefined) throw unreadable(name, reason);
}

function bracketedPlace(iso: IsoTimestamp, parameter: string, services: Services): Target | null {
  const { zone } = iso;
  if (zone === null) return null;
  if ('name' in zone) return zoneTarget(findZone(zone.name, parameter, services.zones));
  return offsetTarget(zone.offsetSeconds);
}

/** How a local time that a clock change skips or repeats is read. */
export function readDisambiguation(query: Query): Disambiguation {
  const text = query.get('disambiguation');
  switch (text) {
    case undefined:
      return 'compatible';
    case 'compatible':
    case 'earlier':
    case 'later':
    case 'reject':
      return text;
    default:
      throw unreadable(
        'disambiguation',
        `${quoted(text)} is not 'compatible', 'earlier', 'later' or 'reject'`,
      );
  }
}
