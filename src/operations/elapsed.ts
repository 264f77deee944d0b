import type { Static } from '@sinclair/typebox';
import { joinedSchema } from '../common/joined_schema.ts';
import type { Json } from '../common/json.ts';
import { ElapsedSpan, elapsedSpanJson } from '../text/span_payload.ts';
import type { Instant } from './instant.ts';
import { SpanExtras, type SpanOptions, withExtras } from './span.ts';

export const ElapsedPayload = joinedSchema([ElapsedSpan, SpanExtras], {
  $id: 'Elapsed',
  description: 'The time since a reference, or until it.',
});
export type ElapsedPayload = Static<typeof ElapsedPayload>;

/** The time since a reference, or until it, at the instant that it is compared with. */
export function elapsed(reference: Instant, comparison: Instant, options: SpanOptions): Json<ElapsedPayload> {
  const span = elapsedSpanJson(reference.epochMs, comparison.epochMs);
  return withExtras(span, reference, comparison, options);
}
