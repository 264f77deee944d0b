import { Type } from '@sinclair/typebox';
import type { Target } from '../operations/target.ts';
import { TimePayload } from '../operations/time_payload.ts';
import type { Strftime } from '../text/strftime.ts';
import { ErrorBody, errorBody } from './errors.ts';
import { JsonText, timeJson } from './json_text.ts';
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

/** The time payload of an instant in one target, or in each of a bulk; `without` stands in where none was given. */
export function timePayloads(
  epochMs: number,
  targets: Targets,
  without: Target,
  format: Strftime | null,
  requestId: string,
): JsonText {
  if ('single' in targets) return new JsonText(timeJson(epochMs, targets.single ?? without, format));
  const entries = targets.bulk.map(entry =>
    'error' in entry
      ? JSON.stringify({ ...errorBody(entry.error, requestId), item: entry.item })
      : timeJson(epochMs, entry, format),
  );
  return new JsonText(`[${entries.join(',')}]`);
}
