import { type Static, Type } from '@sinclair/typebox';
import { type Json, withMembers } from '../common/json.ts';
import { type DurationTemplate, wholeSecondsBetween } from '../text/duration.ts';
import { isoDurationText } from '../text/iso_duration.ts';
import { businessDaysBetween, type UsedCalendars } from './business_days.ts';
import { type CalendarUnit, durationUntil } from './calendar_duration.ts';
import type { Instant } from './instant.ts';

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

/** What a request asks for beside the span; null for nothing. */
export interface SpanOptions {
  readonly businessDays: UsedCalendars | null;
  readonly largestUnit: CalendarUnit | null;
  readonly format: DurationTemplate | null;
}

/** Appends the optional members of the span from one instant to another, whose calendar is that of the first. */
export function withExtras<Span extends object>(
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
