import { quoted, unreadable } from '../../common/service_error.ts';
import type { Instant } from '../../operations/instant.ts';
import { NO_TARGET, type Target } from '../../operations/target.ts';
import { type IsoTimestamp, parseIsoTimestamp } from '../../text/iso_timestamp.ts';
import type { Disambiguation } from '../../zones/local_time.ts';
import type { Query } from '../query.ts';
import type { Services } from '../services.ts';
import { hintNames, parseSelector, type SelectorNames } from './selector.ts';
import {
  parseUnix,
  parseUnixMs,
  placeIso,
  readDisambiguation,
  rejectHint,
  rejectSeveralHints,
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
 * told before one of a hint, as the parameters stand in the route's table.
 */
export function readSpecifiers(query: Query, services: Services): { from: End; to: End } {
  for (const { hint } of [FROM_NAMES, TO_NAMES]) rejectSeveralHints(query, hint);
  const from = readSpecifier(query, FROM_NAMES, services);
  const to = readSpecifier(query, TO_NAMES, services);
  const disambiguation = readDisambiguation(query);
  return { from: from(disambiguation), to: to(disambiguation) };
}

/** Reads the value of one end; the function that it gives reads the hint and yields the end. */
function readSpecifier(
  query: Query,
  { value, hint }: SpecifierNames,
  services: Services,
): (disambiguation: Disambiguation) => End {
  const text = query.get(value);
  if (text === undefined) throw unreadable(value, `it is missing: ${WANTED}`);
  const specified = parseSpecifier(text, value, services);
  return disambiguation => {
    if ('frame' in specified) {
      rejectHint(query, hint, `it is a hint for a local '${value}=iso=…', and '${value}' is ${quoted(text)}`);
      return specified;
    }
    return placeIso(query, specified, value, hint, disambiguation, services);
  };
}

const WANTED =
  "give 'now', 'unix=<seconds>', 'unix_ms=<milliseconds>', 'iso=<ISO 8601>', 'tz=<zone>', 'ip=<address>' or 'offset=<offset>'";

function parseSpecifier(text: string, parameter: string, services: Services): End | IsoTimestamp {
  if (text === 'now') return { epochMs: null, frame: NO_TARGET };
  const equals = text.indexOf('=');
  const form = text.slice(0, Math.max(equals, 0));
  const value = text.slice(equals + 1);
  switch (form) {
    case 'unix':
      return parseUnix(value, parameter);
    case 'unix_ms':
      return parseUnixMs(value, parameter);
    case 'iso':
      return parseIsoTimestamp(value, parameter);
    case 'tz':
    case 'ip':
    case 'offset':
      return { epochMs: null, frame: parseSelector(form, value, parameter, services) };
    default:
      throw unreadable(parameter, `${quoted(text)} is no instant: ${WANTED}`);
  }
}
