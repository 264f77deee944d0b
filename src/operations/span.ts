import { type Static, Type } from '@sinclair/typebox';
import type { DurationTemplate } from '../text/duration.ts';
import { isoDurationText } from '../text/iso_duration.ts';
import { businessDaysBetween, type UsedCalendars } from './business_days.ts';
import { type CalendarUnit, durationUntil } from './calendar_duration.ts';
import { type Instant, wholeSecondsBetween } from './instant.ts';

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

function units(name: string) {
  return Type.Optional(Type.Integer({ minimum: 0, description: `Whole ${name}.` }));
}

/** A duration in units of the calendar. */
const CalendarSpan = Type.Object(
  {
    years: units('years'),
    months: units('months'),
    weeks: units('weeks; only where `largest_unit` is `week`'),
    days: units('days of the calendar, which have 23 or 25 hours where the clock changes'),
    hours: units('hours'),
    minutes: units('minutes'),
    seconds: units('seconds'),
  },
  {
    $id: 'CalendarSpan',
    description:
      'A duration in units of the calendar, from `largest_unit` down: each the rest that the larger ones leave.',
  },
);

/** What a request can have beside the span. */
export const SpanExtras = Type.Object({
  business_days: Type.Optional(
    Type.Integer({ description: 'The days from the earlier date to before the later that are worked.' }),
  ),
  calendar: Type.Optional(CalendarSpan),
  duration: Type.Optional(
    Type.String({ description: 'The same as an ISO 8601 duration; with `largest_unit`.' }),
  ),
  formatted: Type.Optional(Type.String({ description: 'The duration in the template of `format`.' })),
});
export type SpanExtras = Static<typeof SpanExtras>;

/** The time between two instants. */
export function spanBetween(oneMs: number, otherMs: number): SpanPayload {
  const seconds = wholeSecondsBetween(oneMs, otherMs);
  return {
    seconds,
    minutes: Math.floor(seconds / 60),
    hours: Math.floor(seconds / 3600),
    days: Math.floor(seconds / 86_400),
  };
}

/** What a request asks for beside the span; null for nothing. */
export interface SpanOptions {
  readonly businessDays: UsedCalendars | null;
  readonly largestUnit: CalendarUnit | null;
  readonly format: DurationTemplate | null;
}

/** Adds the optional members of the span from one instant to another, whose calendar is that of the first. */
export function addExtras<Payload extends SpanPayload & SpanExtras>(
  payload: Payload,
  from: Instant,
  to: Instant,
  { businessDays, largestUnit, format }: SpanOptions,
): Payload {
  if (businessDays !== null) payload.business_days = businessDaysBetween(from, to, businessDays);
  if (largestUnit !== null) {
    payload.calendar = durationUntil(from, to.epochMs, largestUnit);
    payload.duration = isoDurationText(payload.calendar);
  }
  if (format !== null) payload.formatted = format.format(payload.seconds);
  return payload;
}
