import { Type } from '@sinclair/typebox';
import type { Target } from '../operations/target.ts';
import { TimePayload } from '../operations/time_payload.ts';
import type { Strftime } from '../text/strftime.ts';
import { type Answer, atInstant } from './answer.ts';
import { ErrorBody, errorBody } from './errors.ts';
import { timeJson } from './json_text.ts';
import type { Targets } from './parameters/bulk.ts';

/** In place of an entry of a bulk that failed. */
export const FailedItem = Type.Composite(
  [ErrorBody, Type.Object({ item: Type.String({ description: 'The entry, as it was given.' }) })],
  { $id: 'FailedEntry', description: 'In place of an entry of a list that names no place.' },
);

/** A time payload, or for a bulk an array of them in the order of the list. */
export const BulkPayload = Type.Union([
  TimePayload,
  Type.Array(Type.Union([TimePayload, FailedItem]), {
    description: 'For a list, the answers to its entries in their order.',
  }),
]);

/**
 * Answers with the time payload of an instant, or without one of the request's, in each of some targets. Where an entry
 * names no place the answer bears the id of the request, and is for this only; its errors would take much room, too.
 */
export function timesAnswer(
  epochMs: number | undefined,
  targets: Targets,
  without: Target,
  format: Strftime | null,
  forThisOnly: () => void,
): Answer {
  const bodyAt = (atMs: number, requestId: string) => timesJson(atMs, targets, without, format, requestId);
  const hasFailures = 'bulk' in targets && targets.bulk.some(entry => 'error' in entry);
  if (!hasFailures) return atInstant(epochMs, atMs => bodyAt(atMs, ''));
  forThisOnly();
  return (now, requestId) => bodyAt(epochMs ?? now(), requestId);
}

/** The JSON of the time payload of an instant in one target, or in each of a bulk; `without` stands in where none was given. */
function timesJson(
  epochMs: number,
  targets: Targets,
  without: Target,
  format: Strftime | null,
  requestId: string,
): string {
  if ('single' in targets) return timeJson(epochMs, targets.single ?? without, format);
  const entries = targets.bulk.map(entry =>
    'error' in entry
      ? JSON.stringify({ ...errorBody(entry.error, requestId), item: entry.item })
      : timeJson(epochMs, entry, format),
  );
  return `[${entries.join(',')}]`;
}
