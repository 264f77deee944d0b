import { type Static, Type } from '@sinclair/typebox';
import { isoWeekOf } from '../common/civil.ts';
import { localText } from '../common/iso_text.ts';
import { encode, type Json, nullable, objectSchema } from '../common/json.ts';
import { MAX_EPOCH_MS, Moment } from '../common/moment.ts';
import { ENGLISH_NAMES, type TimeNames } from '../text/languages.ts';
import { momentAt, TimePayload } from '../text/time_payload.ts';
import type { ZonePeriod } from '../zones/timeline.ts';
import type { Zone } from '../zones/zone.ts';
import { Transition, transitionOf } from './details.ts';
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
type CalendarDate = Static<typeof CalendarDate>;

export const CalendarPayload = objectSchema('CalendarDay', "A time with its date in the target's zone.", {
  ...TimePayload.properties,
  ...CalendarDate.properties,
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

const DstStatus = Type.Object({
  dst_active: Type.Boolean({
    description:
      'Whether daylight saving time is in force: the clock is ahead of its time in the rest of the year.',
  }),
  next_transition: Type.Optional(
    nullable(
      Type.String(),
      'With `next=true`: the next change, as local time in the offset before it; null if none is known.',
    ),
  ),
});
export type DstStatus = Static<typeof DstStatus>;

export const DstPayload = objectSchema('Dst', 'A time with the DST status of the target.', {
  ...TimePayload.properties,
  ...DstStatus.properties,
});

/** The status of each zone as last requested, with the next change: it is the same during a period of the clock. */
const latestStatuses = new WeakMap<Zone, { readonly period: ZonePeriod; readonly status: Json<DstStatus> }>();

/** Whether DST is in force in a target at an instant; `withNext` adds the next change. */
export function dstStatus(epochMs: number, target: Target, withNext: boolean): Json<DstStatus> {
  const epochSeconds = Math.floor(epochMs / 1000);
  const period = target.periodAt(epochSeconds);
  const { zone } = target;
  if (!withNext) return encode({ dst_active: period.isDst });
  const latest = zone === null ? undefined : latestStatuses.get(zone);
  if (latest?.period === period) return latest.status;
  const next_transition = nextTransitionText(epochSeconds, target);
  const status = encode({ dst_active: period.isDst, next_transition });
  if (zone !== null) latestStatuses.set(zone, { period, status });
  return status;
}

/** The next change as local time in the offset before it; null if none is known or it is outside the range of times. */
function nextTransitionText(epochSeconds: number, { zone }: Target): string | null {
  const change = zone?.nextTransition(epochSeconds) ?? null;
  if (change === null || change.epochSeconds * 1000 > MAX_EPOCH_MS) return null;
  const { offsetSeconds, abbreviation } = change.before;
  return localText(new Moment(change.epochSeconds * 1000, offsetSeconds, abbreviation));
}

/** The instants from `fromMs` up to, and not including, `toMs`. */
export interface InstantRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export const ZoneTransitions = objectSchema(
  'ZoneTransitions',
  "The changes of a zone's clock or DST flag in a range.",
  {
    timezone: nullable(Type.String(), 'Canonical IANA name; null for an offset, which has no changes.'),
    transitions: Type.Array(Transition, { description: 'The changes in the range, in order.' }),
  },
);
export type ZoneTransitions = Static<typeof ZoneTransitions>;

/** The changes of a target's clock or DST flag in a range. */
export function zoneTransitions({ timezone, zone }: Target, { fromMs, toMs }: InstantRange): ZoneTransitions {
  const changes = zone?.transitionsBetween(Math.ceil(fromMs / 1000), Math.ceil(toMs / 1000)) ?? [];
  return { timezone, transitions: changes.map(transitionOf).filter(change => change !== null) };
}
