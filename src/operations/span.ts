import { type Static, Type } from '@sinclair/typebox';
import { type Json, joinedSchema, objectSchema, withMembers } from '../common/json.ts';
import { type DurationTemplate, isoDurationText, wholeSecondsBetween } from '../text/duration.ts';
import { DiffSpan, diffSpanJson, ElapsedSpan, elapsedSpanJson } from '../text/span_payload.ts';
import { businessDaysBetween, type UsedCalendars } from './business_days.ts';
import { type CalendarUnit, durationUntil } from './calendar_duration.ts';
import type { Instant } from './instant.ts';

function units(name: string) {
  return Type.Optional(Type.Integer({ minimum: 0, description: `Whole ${name}.` }));
}

/** A duration in calendar units. */
const CalendarSpan = objectSchema(
  'CalendarSpan',
  'A duration in calendar units, from `largest_unit` down; each is the remainder after the larger ones.',
  {
    years: units('years'),
    months: units('months'),
    weeks: units('weeks; only if `largest_unit` is `week`'),
    days: units('calendar days, which can have 23 or 25 hours when clocks change'),
    hours: units('hours'),
    minutes: units('minutes'),
    seconds: units('seconds'),
  },
);

/** The optional members of a span. */
const SpanExtras = Type.Object({
  business_days: Type.Optional(
    Type.Integer({ description: 'Business days from the earlier date to before the later one.' }),
  ),
  calendar: Type.Optional(CalendarSpan),
  duration: Type.Optional(
    Type.String({ description: 'The same as an ISO 8601 duration; with `largest_unit`.' }),
  ),
  formatted: Type.Optional(Type.String({ description: 'The duration in the requested `format`.' })),
});
type SpanExtras = Static<typeof SpanExtras>;

/** The requested optional members; null if not requested. */
export interface SpanOptions {
  readonly businessDays: UsedCalendars | null;
  readonly largestUnit: CalendarUnit | null;
  readonly format: DurationTemplate | null;
}

export const DiffPayload = joinedSchema([DiffSpan, SpanExtras], {
  $id: 'Diff',
  description: 'The time between two instants, never negative.',
});
export type DiffPayload = Static<typeof DiffPayload>;

/** The time from one instant to another; magnitudes are absolute, `direction` has the sign. */
export function diff(from: Instant, to: Instant, options: SpanOptions): Json<DiffPayload> {
  return withExtras(diffSpanJson(from.epochMs, to.epochMs), from, to, options);
}

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

/** Appends the optional members of the span from one instant to another; its calendar units are those in the frame of the first. */
function withExtras<Span extends object>(
  json: Json<Span>,
  from: Instant,
  to: Instant,
  { businessDays, largestUnit, format }: SpanOptions,
): Json<Span & SpanExtras> {
  if (businessDays === null && largestUnit === null && format === null)
    return json as Json<Span & SpanExtras>;
  const extras: SpanExtras = {};
  if (businessDays !== null) extras.business_days = businessDaysBetween(from, to, businessDays);
  if (largestUnit !== null) {
    extras.calendar = durationUntil(from, to.epochMs, largestUnit);
    extras.duration = isoDurationText(extras.calendar);
  }
  if (format !== null) extras.formatted = format.format(wholeSecondsBetween(from.epochMs, to.epochMs));
  return withMembers(json, extras);
}
