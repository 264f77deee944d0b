import { Type } from '@sinclair/typebox';
import { ErrorBody, errorBody } from '../http/errors.ts';
import type { Target } from '../operations/target.ts';
import { TimePayload } from '../operations/time_payload.ts';
import { timeJson } from '../text/json_text.ts';
import type { Strftime } from '../text/strftime.ts';
import { type Answer, atInstant } from './answer.ts';
import type { FailedEntry, Targets } from './parameters/bulk.ts';

/** In place of an entry of a bulk that failed. */
const FailedItem = Type.Composite(
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
 * Answers with the time payload of an instant, or without one of the request's, in one target or in each of a bulk;
 * `without` stands in where none was given. Where an entry of a bulk names no place the answer bears the id of the request;
 * it is not kept, since its errors take much room.
 */
export function timesAnswer(
  epochMs: number | undefined,
  targets: Targets,
  without: Target,
  format: Strftime | null,
): Answer {
  if ('single' in targets) {
    const target = targets.single ?? without;
    return atInstant(epochMs, atMs => timeJson(atMs, target, format));
  }
  const { bulk } = targets;
  // Only failures bear the id.
  if (!bulk.some(entry => 'error' in entry))
    return atInstant(epochMs, atMs => bulkJson(atMs, bulk, format, ''));
  const answer = (now: () => number, requestId: string) =>
    bulkJson(epochMs ?? now(), bulk, format, requestId);
  return Object.assign(answer, { isForOne: true });
}

/** The JSON of the time payloads of an instant in each of a bulk. */
function bulkJson(
  epochMs: number,
  bulk: readonly (Target | FailedEntry)[],
  format: Strftime | null,
  requestId: string,
): string {
  const entries = bulk.map(entry =>
    'error' in entry
      ? JSON.stringify({ ...errorBody(entry.error, requestId), item: entry.item })
      : timeJson(epochMs, entry, format),
  );
  return `[${entries.join(',')}]`;
}
