import { type Static, Type } from '@sinclair/typebox';
import { joinedSchema } from '../common/joined_schema.ts';
import { humanDuration } from '../text/duration.ts';
import type { Instant } from './instant.ts';
import { addExtras, SpanExtras, type SpanOptions, SpanPayload, SpanText, spanBetween } from './span.ts';

const InstantPayload = Type.Object(
  { unix_ms: Type.Integer({ description: 'Milliseconds since 1970-01-01T00:00:00Z.' }) },
  { $id: 'SpecifiedInstant', description: 'The instant that a specifier stands for.' },
);

export const DiffPayload = joinedSchema(
  [
    SpanPayload,
    Type.Object({
      direction: Type.Union([Type.Literal('forward'), Type.Literal('backward'), Type.Literal('same')], {
        description: '`forward` when `to` is after `from`, `backward` when it is before, else `same`.',
      }),
      human: SpanText,
      from: InstantPayload,
      to: InstantPayload,
    }),
    SpanExtras,
  ],
  { $id: 'Diff', description: 'How long it is between two instants, never negative.' },
);
export type DiffPayload = Static<typeof DiffPayload>;

/** How long it is from one instant to another; magnitudes are absolute, `direction` has the sign. */
export function diff(from: Instant, to: Instant, options: SpanOptions): DiffPayload {
  const { seconds, minutes, hours, days } = spanBetween(from.epochMs, to.epochMs);
  const payload: DiffPayload = {
    seconds,
    minutes,
    hours,
    days,
    direction: directionOf(from.epochMs, to.epochMs),
    human: humanDuration(seconds),
    from: { unix_ms: from.epochMs },
    to: { unix_ms: to.epochMs },
  };
  return addExtras(payload, from, to, options);
}

function directionOf(fromMs: number, toMs: number): DiffPayload['direction'] {
  if (fromMs === toMs) return 'same';
  return fromMs < toMs ? 'forward' : 'backward';
}
