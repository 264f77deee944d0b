import { withMembers } from '../common/json.ts';
import type { Strftime } from './strftime.ts';
import { momentAt, type TimePayloadTarget, timePayloadJson } from './time_payload.ts';

/** `timePayloadJson` with `formatted` where there is a `format`, and the further members of a route. */
export function timeJson(
  epochMs: number,
  target: TimePayloadTarget,
  format: Strftime | null,
  members: Readonly<Record<string, unknown>> = {},
): string {
  const formatted = format === null ? {} : { formatted: format.format(momentAt(epochMs, target)) };
  return withMembers(timePayloadJson(epochMs, target), { ...formatted, ...members });
}
