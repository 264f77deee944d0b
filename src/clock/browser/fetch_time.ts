import type { ClockConfig } from '../clock_config.ts';
import { type Change, type Offset, parseOffset } from './local_offset.ts';
import type { Stopwatch } from './stopwatch.ts';

export interface ServerTime {
  /** The instant at which the stopwatch showed `readMs`. */
  readonly epochMs: number;
  readonly readMs: number;
  readonly offset: Offset;
  /** The next change of the offset; undefined if it was not requested. */
  readonly transition: Change | null | undefined;
}

export class FetchFailure extends Error {
  /** 0 without a response. */
  readonly status: number;
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs = 0) {
    super(`Status ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const TIMEOUT_MS = 10_000;

/**
 * Fetches the time and, with `withTransition`, the next change of the offset.
 * @throws FetchFailure
 */
export async function fetchTime(
  refresh: ClockConfig['refresh'],
  withTransition: boolean,
  stopwatch: Stopwatch,
  signal: AbortSignal,
): Promise<ServerTime> {
  const sentMs = stopwatch.read();
  const response = await get(urlOf(refresh, withTransition), signal);
  const readMs = stopwatch.read();
  const roundTripMs = readMs - sentMs;
  const { ok, status, headers } = response;
  if (!ok) throw new FetchFailure(status, Number(headers.get('Retry-After')) * 1000);
  // After such a long time, or after sleep, the round trip is too loose a bound for the error.
  if (roundTripMs > TIMEOUT_MS) throw new FetchFailure(0);
  const time = parseTime(await response.json().catch(() => null));
  if (time === undefined) throw new FetchFailure(status);
  return {
    ...time,
    // The server read its clock about half a round trip ago.
    epochMs: time.epochMs + roundTripMs / 2,
    readMs,
    transition: withTransition ? time.transition : undefined,
  };
}

async function get(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      credentials: 'omit',
      cache: 'no-store',
      // Browsers before 2024 lack AbortSignal.any, and use their own timeout.
      signal: AbortSignal.any?.([signal, AbortSignal.timeout(TIMEOUT_MS)]) ?? signal,
    });
  } catch {
    throw new FetchFailure(0);
  }
}

function urlOf({ path, selector }: ClockConfig['refresh'], withTransition: boolean): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(selector)) if (name !== 'kind') query.set(name, String(value));
  query.set('format', '%Z');
  if (withTransition) query.set('details', 'true');
  return `${path}?${query}`;
}

type ParsedTime = Pick<ServerTime, 'epochMs' | 'offset'> & { readonly transition: Change | null };

/** Parses a response; undefined for anything else, such as the sign-in page of a network. */
function parseTime(json: unknown): ParsedTime | undefined {
  if (!isObject(json)) return undefined;
  const { unix_ms: epochMs, iso_local: local, formatted: abbreviation, details } = json;
  if (!Number.isSafeInteger(epochMs) || typeof abbreviation !== 'string') return undefined;
  const offset_seconds = local === null ? 0 : offsetIn(String(local), epochMs as number);
  if (offset_seconds === undefined) return undefined;
  return {
    epochMs: epochMs as number,
    offset: { offset_seconds, abbreviation },
    transition: parseTransition(details),
  };
}

/** The offset at the end of a local time; undefined unless it is the local time of the instant. */
function offsetIn(local: string, epochMs: number): number | undefined {
  const match = /^(.+T\d\d:\d\d:\d\d)(.+)$/.exec(local);
  const offsetSeconds = parseOffset(match?.[2] ?? '');
  if (offsetSeconds === undefined) return undefined;
  const isConsistent = Date.parse(`${match![1]}Z`) / 1000 - offsetSeconds === Math.floor(epochMs / 1000);
  return isConsistent ? offsetSeconds : undefined;
}

/** The transition in `details.zone.next_transition`. */
function parseTransition(details: unknown): Change | null {
  const zone = isObject(details) ? details['zone'] : undefined;
  const json = isObject(zone) ? zone['next_transition'] : undefined;
  if (!isObject(json)) return null;
  const { unix, offset_after: minutes, abbreviation_after: abbreviation } = json;
  if (typeof unix !== 'number' || typeof minutes !== 'number') return null;
  return {
    unix_ms: unix * 1000,
    offset_seconds: Math.round(minutes * 60),
    abbreviation: String(abbreviation),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
