import type { Target } from '../operations/target.ts';
import { momentAt, timePayload } from '../operations/time_payload.ts';
import type { Strftime } from '../text/strftime.ts';

/** The second that a target was asked about last; once it is asked about again, its payload around the milliseconds. */
interface LatestSecond {
  epochSeconds: number;
  written: WrittenSecond | null;
}

interface WrittenSecond {
  readonly beforeMs: string;
  readonly afterMs: string;
}

// Within a second no more than the milliseconds of a payload changes, and writing it anew takes 2 µs of the 10 that an
// answer takes in all. To take it apart costs as much again, so it waits for the second question about one second. It
// lives as long as the target, of which there is one for each zone and each offset of whole minutes.
const latestSecond = new WeakMap<Target, LatestSecond>();

/**
 * The time payload of an instant in a target, written as JSON; `format` adds `formatted`, and `members` what a route has
 * beside it.
 */
export function timeJson(
  epochMs: number,
  target: Target,
  format: Strftime | null,
  members?: Readonly<Record<string, unknown>>,
): string {
  let text = payloadJson(epochMs, target);
  if (format !== null) {
    text = `${open(text)},"formatted":${JSON.stringify(format.format(momentAt(epochMs, target)))}}`;
  }
  if (members === undefined) return text;
  const more = JSON.stringify(members);
  return more === '{}' ? text : `${open(text)},${more.slice(1)}`;
}

/** An object written as JSON without its closing brace. */
function open(json: string): string {
  return json.slice(0, -1);
}

function payloadJson(epochMs: number, target: Target): string {
  const epochSeconds = Math.floor(epochMs / 1000);
  const latest = latestSecond.get(target);
  if (latest?.epochSeconds === epochSeconds) {
    latest.written ??= writeSecond(epochSeconds, target);
    const { beforeMs, afterMs } = latest.written;
    return beforeMs + epochMs + afterMs;
  }
  if (latest === undefined) {
    latestSecond.set(target, { epochSeconds, written: null });
  } else {
    latest.epochSeconds = epochSeconds;
    latest.written = null;
  }
  return JSON.stringify(timePayload(momentAt(epochMs, target), target));
}

function writeSecond(epochSeconds: number, target: Target): WrittenSecond {
  const { unix, unix_ms: _, ...rest } = timePayload(momentAt(epochSeconds * 1000, target), target);
  return { beforeMs: `{"unix":${unix},"unix_ms":`, afterMs: `,${JSON.stringify(rest).slice(1)}` };
}
