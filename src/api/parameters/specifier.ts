import { quoted, unreadable } from '../../common/service_error.ts';
import type { Query } from '../../http/query.ts';
import type { Services } from '../../http/services.ts';
import { type Instant, instantOf } from '../../operations/instant.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import type { Disambiguation } from '../../zones/local_time.ts';
import { hintNames, parseSelector, type SelectorNames } from './selector.ts';
import {
  parseUnix,
  parseUnixMs,
  readDisambiguation,
  readIso,
  readPlaceOf,
  rejectHint,
  rejectSeveralHints,
  type WallTime,
} from './timestamp.ts';

/** One end of `diff`: its parameter, and those of its hint. */
export interface SpecifierNames {
  readonly value: string;
  readonly hint: SelectorNames;
}

/** One end of `diff`: an instant, or where `epochMs` is null that of the request. */
export interface End {
  readonly epochMs: number | null;
  readonly frame: Target;
}

/** Whether an end is the instant of the request. */
export function isPresent({ epochMs }: End): boolean {
  return epochMs === null;
}

/** The instant of an end, in a request made at `nowMs`. */
export function instantOfEnd({ epochMs, frame }: End, nowMs: number): Instant {
  return { epochMs: epochMs ?? nowMs, frame };
}

/** The start of `diff`. */
const FROM_NAMES: SpecifierNames = { value: 'from', hint: hintNames('from_') };
/** The end of `diff`. */
const TO_NAMES: SpecifierNames = { value: 'to', hint: hintNames('to_') };

/**
 * The two ends of `diff`. Hints that several were given of are ambiguous, and told first; a fault of either end is
 * told before one of a hint, and that before one of `disambiguation`, as the parameters stand in the route's table.
 */
export function readSpecifiers(query: Query, services: Services): { from: End; to: End } {
  for (const { hint } of [FROM_NAMES, TO_NAMES]) rejectSeveralHints(query, hint);
  const from = readSpecifier(query, FROM_NAMES, services);
  const to = readSpecifier(query, TO_NAMES, services);
  const fromPlace = readPlace(query, FROM_NAMES, from, services);
  const toPlace = readPlace(query, TO_NAMES, to, services);
  const disambiguation = readDisambiguation(query);
  return {
    from: endOf(from, 'from', fromPlace, disambiguation),
    to: endOf(to, 'to', toPlace, disambiguation),
  };
}

/** What the value of one end says by itself: its hint is read when both values are. */
function readSpecifier(query: Query, names: SpecifierNames, services: Services): End | WallTime {
  const text = query.get(names.value);
  if (text === undefined) throw unreadable(names.value, `it is missing: ${WANTED}`);
  if (text.startsWith(ISO_FORM))
    return readIso(query, text.slice(ISO_FORM.length), names.value, names.hint, services);
  return parseSpecifier(text, names.value, services);
}

const ISO_FORM = 'iso=';

/** The place that an end's wall time is read in, null without one; an end that is no wall time takes no hint. */
function readPlace(
  query: Query,
  { value, hint }: SpecifierNames,
  end: End | WallTime,
  services: Services,
): Target | null {
  if ('iso' in end) return readPlaceOf(end, query, hint, services);
  const text = query.get(value) ?? '';
  const reason = text.startsWith(ISO_FORM)
    ? `'${value}' has an offset of its own`
    : `it is a hint for a local '${value}=iso=…', and '${value}' is ${quoted(text)}`;
  rejectHint(query, hint, reason);
  return null;
}

/** An end whose place is known; `parameter` is what messages call it. */
function endOf(
  end: End | WallTime,
  parameter: string,
  place: Target | null,
  disambiguation: Disambiguation,
): End {
  return 'iso' in end ? instantOf(end.iso, parameter, place, disambiguation) : end;
}

const WANTED =
  "give 'now', 'unix=<seconds>', 'unix_ms=<milliseconds>', 'iso=<ISO 8601>', 'tz=<zone>', 'ip=<address>' or 'offset=<offset>'";

function parseSpecifier(text: string, parameter: string, services: Services): End {
  if (text === 'now') return { epochMs: null, frame: NO_TARGET };
  const equals = text.indexOf('=');
  const form = text.slice(0, Math.max(equals, 0));
  const value = text.slice(equals + 1);
  switch (form) {
    case 'unix':
      return parseUnix(value, parameter);
    case 'unix_ms':
      return parseUnixMs(value, parameter);
    case 'tz':
    case 'ip':
    case 'offset':
      return { epochMs: null, frame: parseSelector(form, value, parameter, services) };
    default:
      throw unreadable(parameter, `${quoted(text)} is no instant: ${WANTED}`);
  }
}
