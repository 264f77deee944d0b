import { type Static, Type } from '@sinclair/typebox';
import { isoWeekOf } from '../common/civil.ts';
import { encode, type Json, joinedSchema } from '../common/json.ts';
import { ENGLISH_NAMES, type TimeNames } from '../text/languages.ts';
import { momentAt, TimePayload } from '../text/time_payload.ts';
import type { Target } from './target.ts';

const CalendarDate = Type.Object({
  year: Type.Integer({ description: "Year in the target's zone." }),
  month: Type.Integer({ minimum: 1, maximum: 12, description: 'Month: 1 is January.' }),
  month_name: Type.String({ description: 'Name of the month, in English or the language of `lang`.' }),
  day: Type.Integer({ minimum: 1, maximum: 31, description: 'Day of the month.' }),
  week_number: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 53, description: 'ISO 8601 week; with `week=true`.' }),
  ),
});
export type CalendarDate = Static<typeof CalendarDate>;

export const CalendarPayload = joinedSchema([TimePayload, CalendarDate], {
  $id: 'CalendarDay',
  description: "A time with its date in the target's zone.",
});

/** The local date in a target; `withWeek` adds the number of the ISO 8601 week. Without `names` the month is in English. */
export function calendarDate(
  epochMs: number,
  target: Target,
  withWeek: boolean,
  names: TimeNames | null,
): Json<CalendarDate> {
  const { year, month, day, dayNumber } = momentAt(epochMs, target);
  const { loneMonthsFull } = names ?? ENGLISH_NAMES;
  const date: CalendarDate = { year, month, month_name: loneMonthsFull[month - 1]!, day };
  if (withWeek) date.week_number = isoWeekOf(dayNumber).week;
  return encode(date);
}
