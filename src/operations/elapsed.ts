import { type Static, Type } from '@sinclair/typebox';
import { joinedSchema } from '../common/joined_schema.ts';
import { humanDuration } from '../text/duration.ts';
import type { Instant } from './instant.ts';
import { addExtras, SpanExtras, type SpanOptions, SpanPayload, SpanText, spanBetween } from './span.ts';

export const ElapsedPayload = joinedSchema(
  [
    SpanPayload,
    Type.Object({
      human: SpanText,
      direction: Type.Union([Type.Literal('passed'), Type.Literal('left')], {
        description: '`passed` when the reference is in the past, `left` when it is in the future.',
      }),
    }),
    SpanExtras,
  ],
  { $id: 'Elapsed', description: 'How long a reference is past, or still to come.' },
);
export type ElapsedPayload = Static<typeof ElapsedPayload>;

/** How long a reference is past, or still to come, at the instant that it is compared with. */
export function elapsed(reference: Instant, comparison: Instant, options: SpanOptions): ElapsedPayload {
  const { seconds, minutes, hours, days } = spanBetween(reference.epochMs, comparison.epochMs);
  const isLeft = reference.epochMs > comparison.epochMs;
  const payload: ElapsedPayload = {
    seconds,
    minutes,
    hours,
    days,
    human: `${humanDuration(seconds)} ${isLeft ? 'left' : 'ago'}`,
    direction: isLeft ? 'left' : 'passed',
  };
  return addExtras(payload, reference, comparison, options);
}
