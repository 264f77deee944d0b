import { type Static, Type } from '@sinclair/typebox';
import { civilDateOf, daysInMonth } from '../common/civil.ts';
import { unreadable } from '../common/errors.ts';
import { dateText, localText } from '../common/iso_text.ts';
import { nullable, objectSchema } from '../common/json.ts';
import { MAX_EPOCH_MS, requireInRange } from '../common/moment.ts';
import {
  type BusinessDaySequence,
  businessDaysOf,
  isOnWeekend,
  requireWithin,
} from '../holidays/business_days.ts';
import type { HolidayCalendar } from '../holidays/holiday_calendar.ts';
import type { OpenTime } from '../schedules/open_time.ts';
import { MAX_RANGE_MS, WorkingTime } from '../schedules/working_time.ts';
import type { IsoDuration } from '../text/duration.ts';
import { momentAt } from '../text/time_payload.ts';
import { businessDaysBetween, checkCoverage, type UsedCalendars } from './business_days.ts';
import { INSTANT, instantMembers } from './details.ts';
import { DayDate, DayNames, type DayRange } from './holidays.ts';
import { dateAndTimeOf, type Instant } from './instant.ts';
import { NO_TARGET, type Target } from './target.ts';

/** A schedule with the calendars whose holidays its `PH` stands for. */
export interface WorkSchedule extends UsedCalendars {
  readonly open: OpenTime;
  readonly usesHolidays: boolean;
}

const WorkInstant = objectSchema('WorkInstant', 'An instant at which a schedule opens or closes.', {
  ...INSTANT,
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
  const workSeconds = Math.floor(new WorkingTime(schedule.open, target).msBetween(earlierMs, laterMs) / 1000);
  const [one, other] = [from, to].map(end => (end.frame === NO_TARGET ? { ...end, frame: target } : end));
  return {
    work_seconds: workSeconds,
    work_hours: Math.round((workSeconds * 10_000) / 3600) / 10_000,
    business_days: businessDaysBetween(one!, other!, schedule),
  };
}

function workInstant(epochMs: number | null, target: Target, schedule: WorkSchedule): WorkInstant | null {
  if (epochMs === null || Math.abs(epochMs) > MAX_EPOCH_MS) return null;
  if (!isKnown(schedule, dateAndTimeOf({ epochMs, frame: target }).dayNumber)) return null;
  return {
    ...instantMembers(Math.floor(epochMs / 1000)),
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
  const dayOf = (epochMs: number) => dateAndTimeOf({ epochMs, frame }).dayNumber;
  const [first, last] = [dayOf(firstMs), dayOf(lastMs)];
  for (const { bounds } of usesHolidays ? calendars : []) {
    requireWithin(bounds, first);
    requireWithin(bounds, last);
  }
  checkCoverage(schedule, first, last);
}

const WorkDay = objectSchema('WorkDay', 'A day, and whether and why it is off.', {
  date: DayDate,
  kind: Type.Union(
    [Type.Literal('business'), Type.Literal('weekend'), Type.Literal('holiday'), Type.Literal('worked')],
    {
      description:
        '`business`; `weekend`; `holiday`, one that is not on a weekend; or `worked`, a business day that would otherwise ' +
        'be off.',
    },
  ),
  name: nullable(
    Type.String(),
    'Name of the holiday, even on a weekend, or of the worked day; otherwise null.',
  ),
});
type WorkDay = Static<typeof WorkDay>;
type Kind = WorkDay['kind'];

function daysOf(kind: string) {
  return Type.Integer({ minimum: 0, description: `Days that are \`${kind}\`.` });
}
const WorkMonth = objectSchema('WorkMonth', 'The listed days of a month by kind.', {
  month: Type.String({ description: 'Month, `YYYY-MM`.' }),
  business: daysOf('business'),
  weekend: daysOf('weekend'),
  holiday: daysOf('holiday'),
  worked: daysOf('worked'),
});
type WorkMonth = Static<typeof WorkMonth>;

export const WorkDays = objectSchema('WorkDays', 'The days of a range by kind.', {
  from: DayDate,
  to: DayDate,
  days: Type.Array(WorkDay, { description: 'One entry per day.' }),
  months: Type.Array(WorkMonth, {
    description: 'Monthly totals; `business` and `worked` are business days.',
  }),
});
export type WorkDays = Static<typeof WorkDays>;

/** The days of a range by kind, month by month. A day off in any calendar is off, and has the names of all of them. */
export class WorkDayListing {
  readonly from: string;
  readonly to: string;
  /** The months of the range; the first and last may be partial. */
  readonly months: readonly DayRange[];
  readonly #calendars: readonly HolidayCalendar[];
  readonly #businessDays: BusinessDaySequence;
  readonly #holidays = new Map<number, Set<string>>();
  readonly #workdays = new Map<number, Set<string>>();

  /** Names are local if `language` is null. Throws `INVALID_PARAMETER` if the calendars must cover the days and do not. */
  constructor(range: DayRange, used: UsedCalendars, language: string | null) {
    const { firstDay, lastDay } = range;
    checkCoverage(used, firstDay, lastDay);
    this.from = dateText(firstDay);
    this.to = dateText(lastDay);
    this.months = monthsOf(range);
    this.#calendars = used.calendars;
    this.#businessDays = businessDaysOf(used.calendars);
    for (const calendar of used.calendars) {
      const names = new DayNames(calendar, language);
      for (const day of calendar.datesBetween(firstDay, lastDay)) {
        addName(day.isWorkday ? this.#workdays : this.#holidays, day.dayNumber, names.nameOf(day));
      }
    }
  }

  /** The days of one of the months, and their number by kind. */
  month({ firstDay, lastDay }: DayRange): { readonly totals: WorkMonth; readonly days: WorkDay[] } {
    const month = dateText(firstDay).slice(0, -3);
    const totals = { month, business: 0, weekend: 0, holiday: 0, worked: 0 };
    const dayOfMonth = civilDateOf(firstDay).day;
    const days = Array.from({ length: lastDay - firstDay + 1 }, (_, index): WorkDay => {
      const kind = this.#kindOf(firstDay + index);
      totals[kind]++;
      const date = `${month}-${DAYS[dayOfMonth + index]}`;
      return { date, kind, name: this.#nameOf(firstDay + index, kind) };
    });
    return { totals, days };
  }

  #kindOf(dayNumber: number): Kind {
    if (this.#businessDays.isBusinessDay(dayNumber))
      return this.#workdays.has(dayNumber) ? 'worked' : 'business';
    return this.#isWeekend(dayNumber) ? 'weekend' : 'holiday';
  }

  #nameOf(dayNumber: number, kind: Kind): string | null {
    if (kind === 'business') return null;
    const names = (kind === 'worked' ? this.#workdays : this.#holidays).get(dayNumber);
    return names === undefined ? null : [...names].join('; ');
  }

  /** Whether a day off is on a weekend day that is not worked; always true without a calendar. */
  #isWeekend(dayNumber: number): boolean {
    const isIn = ({ workWeek, businessDays }: HolidayCalendar) =>
      isOnWeekend(workWeek, dayNumber) && !businessDays.isBusinessDay(dayNumber);
    return this.#calendars.length === 0 || this.#calendars.some(isIn);
  }
}

function addName(names: Map<number, Set<string>>, dayNumber: number, name: string): void {
  const ofDay = names.get(dayNumber) ?? new Set();
  names.set(dayNumber, ofDay.add(name));
}

function monthsOf({ firstDay, lastDay }: DayRange): DayRange[] {
  const months: DayRange[] = [];
  for (let start = firstDay; start <= lastDay; ) {
    const { year, month, day } = civilDateOf(start);
    const end = Math.min(start + daysInMonth(year, month) - day, lastDay);
    months.push({ firstDay: start, lastDay: end });
    start = end + 1;
  }
  return months;
}

/** `00` to `31` */
const DAYS = Array.from({ length: 32 }, (_, day) => String(day).padStart(2, '0'));

/** A range of days by kind, see {@link WorkDayListing}. */
export function listWorkDays(range: DayRange, used: UsedCalendars, language: string | null): WorkDays {
  const listing = new WorkDayListing(range, used, language);
  const months = listing.months.map(month => listing.month(month));
  return {
    from: listing.from,
    to: listing.to,
    days: months.flatMap(({ days }) => days),
    months: months.map(({ totals }) => totals),
  };
}
