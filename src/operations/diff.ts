import type { Static } from '@sinclair/typebox';
import { joinedSchema } from '../common/joined_schema.ts';
import type { Json } from '../common/json.ts';
import { DiffSpan, diffSpanJson } from '../text/span_payload.ts';
import type { Instant } from './instant.ts';
import { SpanExtras, type SpanOptions, withExtras } from './span.ts';

export const DiffPayload = joinedSchema([DiffSpan, SpanExtras], {
  $id: 'Diff',
  description: 'The time between two instants, never negative.',
});
export type DiffPayload = Static<typeof DiffPayload>;

/** The time from one instant to another; magnitudes are absolute, `direction` has the sign. */
export function diff(from: Instant, to: Instant, options: SpanOptions): Json<DiffPayload> {
  return withExtras(diffSpanJson(from.epochMs, to.epochMs), from, to, options);
}
