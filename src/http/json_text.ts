import type { Target } from '../operations/target.ts';
import { momentAt, timePayload } from '../operations/time_payload.ts';
import type { Strftime } from '../text/strftime.ts';

/** The time payload of a target within one second: all but its milliseconds and the closing brace. */
interface WrittenSecond {
  readonly epochSeconds: number;
  readonly beforeMs: string;
  readonly afterMs: string;
}

// Within a second no more than the milliseconds of a payload changes, and writing it anew takes 2 µs of the 10 that an
// answer takes in all. It lives as long as the target, of which there is one for each zone and each offset of whole minutes.
const latestSecond = new WeakMap<Target, WrittenSecond>();

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
  const { beforeMs, afterMs } = secondOf(epochMs, target);
  let text = beforeMs + epochMs + afterMs;
  if (format !== null) {
    text += `,"formatted":${JSON.stringify(format.format(momentAt(epochMs, target)))}`;
  }
  if (members !== undefined && Object.keys(members).length > 0)
    text += `,${JSON.stringify(members).slice(1, -1)}`;
  return `${text}}`;
}

function secondOf(epochMs: number, target: Target): WrittenSecond {
  const epochSeconds = Math.floor(epochMs / 1000);
  const latest = latestSecond.get(target);
  if (latest?.epochSeconds === epochSeconds) return latest;
  const written = writeSecond(epochSeconds, target);
  latestSecond.set(target, written);
  return written;
}

function writeSecond(epochSeconds: number, target: Target): WrittenSecond {
  const { unix, unix_ms: _, ...rest } = timePayload(momentAt(epochSeconds * 1000, target), target);
  return {
    epochSeconds,
    beforeMs: `{"unix":${unix},"unix_ms":`,
    afterMs: `,${JSON.stringify(rest).slice(1, -1)}`,
  };
}
