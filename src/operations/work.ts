import { type Static, Type } from '@sinclair/typebox';
import { unreadable } from '../common/errors.ts';
import { localText, utcText } from '../common/iso_text.ts';
import { nullable, objectSchema } from '../common/json.ts';
import { MAX_EPOCH_MS, requireInRange } from '../common/moment.ts';
import { requireWithin } from '../holidays/business_days.ts';
import type { OpenTime } from '../schedules/working_time.ts';
import { MAX_RANGE_MS, WorkingTime } from '../schedules/working_time.ts';
import type { IsoDuration } from '../text/duration.ts';
import { momentAt } from '../text/time_payload.ts';
import { businessDaysBetween, checkCoverage, localDayNumber, type UsedCalendars } from './business_days.ts';
import type { Instant } from './instant.ts';
import { NO_TARGET, type Target } from './target.ts';

/** A schedule with the calendars whose holidays its `PH` stands for. */
export interface WorkSchedule extends UsedCalendars {
  readonly open: OpenTime;
  readonly usesHolidays: boolean;
}

const WorkInstant = objectSchema('WorkInstant', 'An instant at which a schedule opens or closes.', {
  unix: Type.Integer({ description: 'Seconds since 1970-01-01T00:00:00Z.' }),
  utc: Type.String({ format: 'date-time', description: 'ISO 8601 time in UTC.' }),
  iso_local: nullable(Type.String(), 'ISO 8601 local time with its offset; null without a selector.'),
});
type WorkInstant = Static<typeof WorkInstant>;

function change(description: string) {
  return nullable(
    WorkInstant,
    `${description}; null for none within 400 years, the range of times and the years of the calendars.`,
  );
}

export const WorkStatusPayload = objectSchema('WorkStatus', 'Whether a schedule is open at an instant.', {
  open: Type.Boolean({ description: 'Whether the schedule is open.' }),
  since: change('Since when it is open or closed'),
  until: change('Until when'),
  next_open: change('When it opens next'),
  next_close: change('When it closes next'),
});
export type WorkStatusPayload = Static<typeof WorkStatusPayload>;

export const WorkDiffPayload = objectSchema('WorkDiff', 'The working time between two instants.', {
  work_seconds: Type.Integer({ description: 'Whole seconds of working time, never negative.' }),
  work_hours: Type.Number({ description: 'The same in hours, with at most four decimals.' }),
  business_days: Type.Integer({
    description:
      'Business days according to the calendars, from the earlier date up to, and not including, the later.',
  }),
});
export type WorkDiffPayload = Static<typeof WorkDiffPayload>;

/** Whether a schedule is open at an instant, since and until when. */
export function workStatus(epochMs: number, target: Target, schedule: WorkSchedule): WorkStatusPayload {
  requireDays(schedule, target, epochMs, epochMs);
  const time = new WorkingTime(schedule.open, target);
  const open = time.isOpenAt(epochMs);
  const until = time.next(epochMs, !open);
  const then = until === null ? null : time.next(until, open);
  const shown = (instant: number | null) => workInstant(instant, target, schedule);
  return {
    open,
    since: shown(time.previousEnd(epochMs, !open)),
    until: shown(until),
    next_open: shown(open ? then : until),
    next_close: shown(open ? until : then),
  };
}

/** The instant at which an amount of working time has elapsed since another. */
export function addWorkingTime(
  epochMs: number,
  duration: IsoDuration,
  target: Target,
  schedule: WorkSchedule,
): number {
  const time = new WorkingTime(schedule.open, target);
  const sum = time.add(epochMs, duration.seconds * 1000 + duration.milliseconds);
  if (sum === null) {
    const isNeverOpen = time.next(epochMs, true) === null && time.previousEnd(epochMs, true) === null;
    const reason = isNeverOpen
      ? 'the schedule is never open'
      : 'the schedule is not open that long in 400 years';
    throw unreadable('duration', reason);
  }
  requireInRange(sum, 'duration');
  requireDays(schedule, target, Math.min(epochMs, sum), Math.max(epochMs, sum));
  return sum;
}

/** The working time between two instants. The dates of ends without a zone are those in the target. */
export function workDiff(
  from: Instant,
  to: Instant,
  target: Target,
  schedule: WorkSchedule,
): WorkDiffPayload {
  const [earlierMs, laterMs] = [Math.min(from.epochMs, to.epochMs), Math.max(from.epochMs, to.epochMs)];
  if (laterMs - earlierMs > MAX_RANGE_MS) throw unreadable('to', "it is more than 400 years from 'from'");
  requireDays(schedule, target, earlierMs, laterMs);
  const workMs = new WorkingTime(schedule.open, target).msBetween(earlierMs, laterMs);
  const workSeconds = Math.floor(workMs / 1000);
  const [one, other] = [from, to].map(end => (end.frame === NO_TARGET ? { ...end, frame: target } : end));
  return {
    work_seconds: workSeconds,
    work_hours: Math.round((workSeconds * 10_000) / 3600) / 10_000,
    business_days: businessDaysBetween(one!, other!, schedule),
  };
}

function workInstant(epochMs: number | null, target: Target, schedule: WorkSchedule): WorkInstant | null {
  if (epochMs === null || Math.abs(epochMs) > MAX_EPOCH_MS) return null;
  if (!isKnown(schedule, localDayNumber({ epochMs, frame: target }))) return null;
  return {
    unix: Math.floor(epochMs / 1000),
    utc: utcText(epochMs),
    iso_local: target.hasLocalTime ? localText(momentAt(epochMs, target)) : null,
  };
}

/** Whether holidays are known for a day, or irrelevant. */
function isKnown({ usesHolidays, calendars }: WorkSchedule, day: number): boolean {
  return !usesHolidays || calendars.every(({ bounds }) => day >= bounds.firstDay && day < bounds.endDay);
}

/** Throws if a schedule with holidays is used in years for which they are unknown, or not covered as required. */
function requireDays(schedule: WorkSchedule, frame: Target, firstMs: number, lastMs: number): void {
  const { calendars, usesHolidays } = schedule;
  const days = [firstMs, lastMs].map(epochMs => localDayNumber({ epochMs, frame })) as [number, number];
  if (usesHolidays) for (const day of days) for (const { bounds } of calendars) requireWithin(bounds, day);
  checkCoverage(schedule, ...days);
}
