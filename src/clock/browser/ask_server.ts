import type { ClockConfig, ClockSelector } from '../clock_config.ts';
import { type Change, type Offset, parseOffset } from './local_offset.ts';
import type { Stopwatch } from './stopwatch.ts';

/** What the server says of the time in a place. */
export interface ServerTime {
  /** The instant at which the stopwatch showed `readMs`. */
  readonly epochMs: number;
  readonly readMs: number;
  readonly offset: Offset;
  /** The next change of the offset; undefined where it was not asked for. */
  readonly transition: Change | null | undefined;
}

/** An answer that is none. */
export class Refusal extends Error {
  /** 0 where there was no answer at all. */
  readonly status: number;
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs = 0) {
    super(`Refused: ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const PATIENCE_MS = 10_000;

/**
 * Asks the server of a clock for the time; `wantsChange` asks for the next change of the offset too.
 * @throws Refusal
 */
export async function askServer(
  refresh: ClockConfig['refresh'],
  wantsChange: boolean,
  stopwatch: Stopwatch,
  signal: AbortSignal,
): Promise<ServerTime> {
  const sentMs = stopwatch.read();
  const response = await get(urlOf(refresh, wantsChange), signal);
  const readMs = stopwatch.read();
  const tripMs = readMs - sentMs;
  if (!response.ok) throw new Refusal(response.status, Number(response.headers.get('Retry-After')) * 1000);
  // An answer that was so long on its way, or slept through, says too little.
  if (tripMs > PATIENCE_MS) throw new Refusal(0);
  const answer = readAnswer(await response.json().catch(() => null));
  if (answer === undefined) throw new Refusal(response.status);
  // The answer was made about half a trip before it came.
  return {
    ...answer,
    epochMs: answer.epochMs + tripMs / 2,
    readMs,
    transition: wantsChange ? answer.transition : undefined,
  };
}

async function get(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      credentials: 'omit',
      cache: 'no-store',
      // Browsers before 2024 wait as long as they like.
      signal: AbortSignal.any?.([signal, AbortSignal.timeout(PATIENCE_MS)]) ?? signal,
    });
  } catch {
    throw new Refusal(0);
  }
}

function urlOf({ path, selector }: ClockConfig['refresh'], wantsChange: boolean): string {
  const query = new URLSearchParams(queryOf(selector));
  query.set('format', '%Z');
  if (!wantsChange) return `${path}?${query}`;
  query.set('next', 'true');
  return `${path.replace(/current$/, 'dst')}?${query}`;
}

function queryOf(selector: ClockSelector): Record<string, string> {
  const { kind, ...values } = selector;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

type Answer = Pick<ServerTime, 'epochMs' | 'offset'> & { readonly transition: Change | null };

/** Reads an answer, or gives undefined for anything that is not one: a sign-in page of the network, say. */
function readAnswer(json: unknown): Answer | undefined {
  if (!isObject(json)) return undefined;
  const { unix_ms: epochMs, iso_local: local, formatted: abbreviation, transition } = json;
  if (!Number.isSafeInteger(epochMs) || typeof abbreviation !== 'string') return undefined;
  const offset_seconds = local === null ? 0 : offsetIn(String(local), epochMs as number);
  if (offset_seconds === undefined) return undefined;
  return {
    epochMs: epochMs as number,
    offset: { offset_seconds, abbreviation },
    transition: readTransition(transition),
  };
}

/** The offset at the end of a local time; undefined where it is not the local time of the instant. */
function offsetIn(local: string, epochMs: number): number | undefined {
  const match = /^(.+T\d\d:\d\d:\d\d)(.+)$/.exec(local);
  const offsetSeconds = parseOffset(match?.[2] ?? '');
  if (offsetSeconds === undefined) return undefined;
  const isItsOwn = Date.parse(`${match![1]}Z`) / 1000 - offsetSeconds === Math.floor(epochMs / 1000);
  return isItsOwn ? offsetSeconds : undefined;
}

function readTransition(json: unknown): Change | null {
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
