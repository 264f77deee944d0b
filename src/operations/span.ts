import { type Static, Type } from '@sinclair/typebox';
import type { DurationTemplate } from '../text/duration.ts';

/** How long it is between two instants, each unit by itself and never negative. */
export const SpanPayload = Type.Object({
  seconds: Type.Integer({ description: 'Whole seconds.' }),
  minutes: Type.Integer({ description: 'Whole minutes.' }),
  hours: Type.Integer({ description: 'Whole hours.' }),
  days: Type.Integer({ description: 'Whole days of 24 hours.' }),
});
export type SpanPayload = Static<typeof SpanPayload>;

/** A duration in words. */
export const SpanText = Type.String({ description: 'For people to read; not to be parsed.' });

/** What a request can have beside the span. */
export const SpanExtras = Type.Object({
  business_days: Type.Optional(
    Type.Integer({ description: 'The days from the earlier date to before the later that are worked.' }),
  ),
  formatted: Type.Optional(Type.String({ description: 'The duration in the template of `format`.' })),
});
export type SpanExtras = Static<typeof SpanExtras>;

/**
 * The time between two instants. Counted in seconds and a rest of milliseconds, since the distance of the ends of time in
 * milliseconds is more than a number holds exactly.
 */
export function spanBetween(oneMs: number, otherMs: number): SpanPayload {
  const [earlierMs, laterMs] = oneMs < otherMs ? [oneMs, otherMs] : [otherMs, oneMs];
  const earlierSeconds = Math.floor(earlierMs / 1000);
  const laterSeconds = Math.floor(laterMs / 1000);
  const isUnfinished = laterMs - laterSeconds * 1000 < earlierMs - earlierSeconds * 1000;
  const seconds = laterSeconds - earlierSeconds - (isUnfinished ? 1 : 0);
  return {
    seconds,
    minutes: Math.floor(seconds / 60),
    hours: Math.floor(seconds / 3600),
    days: Math.floor(seconds / 86_400),
  };
}

/** Adds the optional members of a span; null for those that were not requested. */
export function addExtras<Payload extends SpanPayload & SpanExtras>(
  payload: Payload,
  businessDays: number | null,
  template: DurationTemplate | null,
): Payload {
  if (businessDays !== null) payload.business_days = businessDays;
  if (template !== null) payload.formatted = template.format(payload.seconds);
  return payload;
}
