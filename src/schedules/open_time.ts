import { once } from '../common/caching.ts';
import { civilDateOf, dayNumberOf, isLeapYear, weekdayOf } from '../common/civil.ts';
import type { DaySet } from '../common/day_set.ts';
import { firstWhere } from '../common/sorted_list.ts';
import { type DayPlan, DayPlans, type HolidayState } from './day_plans.ts';
import { MINUTES_PER_DAY, type Schedule } from './opening_hours.ts';
import { indexFrom, YEARS_PER_CYCLE } from './year_types.ts';

const MS_PER_MINUTE = 60_000;
export const MS_PER_DAY = MINUTES_PER_DAY * MS_PER_MINUTE;
/** The days in 400 years: times that do not occur within them never do. */
const HORIZON_DAYS = 146_097;

/**
 * The open time of a schedule in local milliseconds: milliseconds of local time since 1970-01-01T00:00. Amounts are differences
 * of prefix sums over days, and the inverse is a binary search, so the cost does not depend on the length of a range.
 */
export class OpenTime {
  readonly #plans: DayPlans;
  readonly #holidays: DaySet;
  /** The days whose plan differs because of a holiday, ascending, and for each the total difference in minutes before it. */
  readonly #changedDays = once(() => this.#findChangedDays());
  /** The open minutes before each of the 400 years from 2000 on, and of all of them, ignoring holidays. */
  readonly #minutesBeforeYear = once(() => {
    const sums = [0];
    for (let year = 0; year < YEARS_PER_CYCLE; year++)
      sums.push(sums[year]! + this.#yearTable(2000 + year).at(-1)!);
    return sums;
  });
  /** By first weekday and length of a year, the open minutes before each of its days, and of all of them, ignoring holidays. */
  readonly #yearTables: Uint32Array[] = [];

  /** The year of the last sum, since most sums are in the same year. */
  #latest: SummedYear = { firstDay: 0, endDay: 0, minutesBefore: 0, table: new Uint32Array() };

  /** `holidays`: the holidays of the calendars used. */
  constructor(schedule: Schedule, holidays: DaySet) {
    this.#plans = new DayPlans(schedule);
    this.#holidays = holidays;
  }

  /** Whether the schedule is open. */
  isOpenAt(localMs: number): boolean {
    const { day, minute } = split(localMs);
    const { changes } = this.#planOf(day);
    return changes.findLastIndex(change => change <= minute) % 2 === 0;
  }

  /** The open milliseconds from one time to a later one. */
  msBetween(fromLocalMs: number, untilLocalMs: number): number {
    return this.#msBefore(untilLocalMs) - this.#msBefore(fromLocalMs);
  }

  /** The earliest time at which `openMs` of open time has passed since another; null if it is after `lastLocalMs`. */
  advance(localMs: number, openMs: number, lastLocalMs: number): number | null {
    const wantedMs = this.#msBefore(localMs) + openMs;
    // The first day by whose end that much has passed.
    const day = firstDay(
      split(localMs).day,
      split(lastLocalMs).day,
      next => this.#minutesBefore(next + 1) * MS_PER_MINUTE >= wantedMs,
    );
    const found = day === null ? null : this.#timeAfter(day, wantedMs, true);
    return found !== null && found <= lastLocalMs ? found : null;
  }

  /** The latest time from which `openMs` of open time passes until another; null if it is before `firstLocalMs`. */
  retreat(localMs: number, openMs: number, firstLocalMs: number): number | null {
    const wantedMs = this.#msBefore(localMs) - openMs;
    // The last day at whose start that much has not passed.
    const day = lastDay(
      split(firstLocalMs).day,
      split(localMs).day,
      next => this.#minutesBefore(next) * MS_PER_MINUTE <= wantedMs,
    );
    const found = day === null ? null : this.#timeAfter(day, wantedMs, false);
    return found !== null && found >= firstLocalMs ? found : null;
  }

  /** The first time from another on at which the schedule is open or closed; null if not within 400 years. */
  next(localMs: number, isOpen: boolean): number | null {
    const { day, minute } = split(localMs);
    const today = statesOf(this.#planOf(day), isOpen).find(([, until]) => until > minute);
    if (today !== undefined) return Math.max(localMs, day * MS_PER_DAY + today[0] * MS_PER_MINUTE);
    const found = firstDay(
      day + 1,
      day + HORIZON_DAYS,
      end => this.#minutesBetween(day + 1, end + 1, isOpen) > 0,
    );
    if (found === null) return null;
    return found * MS_PER_DAY + statesOf(this.#planOf(found), isOpen)[0]![0] * MS_PER_MINUTE;
  }

  /** The end of the last span before a time in which the schedule is open or closed; null if not within 400 years. */
  previousEnd(localMs: number, isOpen: boolean): number | null {
    const { day, minute } = split(localMs);
    const today = statesOf(this.#planOf(day), isOpen).findLast(([from]) => from < minute);
    if (today !== undefined) return Math.min(localMs, day * MS_PER_DAY + today[1] * MS_PER_MINUTE);
    const found = lastDay(day - HORIZON_DAYS, day - 1, start => this.#minutesBetween(start, day, isOpen) > 0);
    if (found === null) return null;
    return found * MS_PER_DAY + statesOf(this.#planOf(found), isOpen).at(-1)![1] * MS_PER_MINUTE;
  }

  /** The earliest or latest time of a day before which the open time since 2000-01-01 is `wantedMs`. */
  #timeAfter(day: number, wantedMs: number, isEarliest: boolean): number {
    let restMs = wantedMs - this.#minutesBefore(day) * MS_PER_MINUTE;
    for (const [opens, closes] of spansOf(this.#planOf(day))) {
      const spanMs = (closes - opens) * MS_PER_MINUTE;
      if (isEarliest ? restMs <= spanMs : restMs < spanMs)
        return day * MS_PER_DAY + opens * MS_PER_MINUTE + restMs;
      restMs -= spanMs;
    }
    throw new Error('The day does not have that much open time');
  }

  #planOf(day: number): DayPlan {
    const state = (this.#holidays.has(day) ? 2 : 0) + (this.#holidays.has(day - 1) ? 1 : 0);
    return this.#plans.planOf(day, state as HolidayState);
  }

  /** The open milliseconds from 2000-01-01 to a time, negative before. */
  #msBefore(localMs: number): number {
    const { day, minute } = split(localMs);
    const { changes } = this.#planOf(day);
    let minutes = this.#minutesBefore(day);
    for (let index = 0; index < changes.length && changes[index]! < minute; index += 2) {
      minutes += Math.min(minute, changes[index + 1]!) - changes[index]!;
    }
    // Rounded, since the fraction of a minute is binary.
    return Math.round(minutes * MS_PER_MINUTE);
  }

  /** The open or closed minutes from one day up to the day before another. */
  #minutesBetween(from: number, until: number, isOpen: boolean): number {
    const openMinutes = this.#minutesBefore(until) - this.#minutesBefore(from);
    return isOpen ? openMinutes : (until - from) * MINUTES_PER_DAY - openMinutes;
  }

  /** The open minutes of all days before one, counted from 2000-01-01. */
  #minutesBefore(day: number): number {
    if (day < this.#latest.firstDay || day >= this.#latest.endDay) this.#latest = this.#summedYear(day);
    const { firstDay, minutesBefore, table } = this.#latest;
    return minutesBefore + table[day - firstDay]! + this.#holidayMinutesBefore(day);
  }

  #summedYear(day: number): SummedYear {
    const { year } = civilDateOf(day);
    const cycles = Math.floor((year - 2000) / YEARS_PER_CYCLE);
    const sums = this.#minutesBeforeYear();
    return {
      firstDay: dayNumberOf(year, 1, 1),
      endDay: dayNumberOf(year + 1, 1, 1),
      minutesBefore: cycles * sums[YEARS_PER_CYCLE]! + sums[year - 2000 - cycles * YEARS_PER_CYCLE]!,
      table: this.#yearTable(year),
    };
  }

  #yearTable(year: number): Uint32Array {
    const firstDay = dayNumberOf(year, 1, 1);
    // Years with the same weekdays and length have the same plans, except for holidays.
    const kind = weekdayOf(firstDay) + (isLeapYear(year) ? 7 : 0);
    const known = this.#yearTables[kind];
    if (known !== undefined) return known;
    const table = new Uint32Array(dayNumberOf(year + 1, 1, 1) - firstDay + 1);
    for (let index = 1; index < table.length; index++) {
      table[index] = table[index - 1]! + this.#plans.planOf(firstDay + index - 1, 0).openMinutes;
    }
    this.#yearTables[kind] = table;
    return table;
  }

  /** The number of minutes by which holidays change the open time of all days before one. */
  #holidayMinutesBefore(day: number): number {
    const { days, minutesBefore } = this.#changedDays();
    return minutesBefore[indexFrom(days, day)]!;
  }

  #findChangedDays() {
    const days: number[] = [];
    const minutesBefore = [0];
    const add = (day: number) => {
      const change = this.#planOf(day).openMinutes - this.#plans.planOf(day, 0).openMinutes;
      if (change === 0) return;
      days.push(day);
      minutesBefore.push(minutesBefore.at(-1)! + change);
    };
    for (const day of this.#holidays.toArray()) {
      add(day);
      if (this.#plans.haveTails && !this.#holidays.has(day + 1)) add(day + 1);
    }
    return { days, minutesBefore };
  }
}

/** The sums of a year, ignoring holidays. */
interface SummedYear {
  readonly firstDay: number;
  readonly endDay: number;
  /** The open minutes before the year, and in it before each of its days. */
  readonly minutesBefore: number;
  readonly table: Uint32Array;
}

/** A local time as its day and the minutes since midnight, with a fraction. */
function split(localMs: number): { readonly day: number; readonly minute: number } {
  const day = Math.floor(localMs / MS_PER_DAY);
  return { day, minute: (localMs - day * MS_PER_DAY) / MS_PER_MINUTE };
}

type Span = readonly [fromMinute: number, untilMinute: number];

function spansOf({ changes }: DayPlan): Span[] {
  const spans: Span[] = [];
  for (let index = 0; index < changes.length; index += 2) spans.push([changes[index]!, changes[index + 1]!]);
  return spans;
}

/** The open or closed spans of a day. */
function statesOf(plan: DayPlan, isOpen: boolean): Span[] {
  if (isOpen) return spansOf(plan);
  const ends = [0, ...plan.changes, MINUTES_PER_DAY];
  return spansOf({ changes: ends, openMinutes: 0 }).filter(([from, until]) => from < until);
}

/** The first day of a range, ends included, from which a condition holds; null if there is none. */
function firstDay(first: number, last: number, holds: (day: number) => boolean): number | null {
  // Galloping search, since it is usually near.
  let low = first;
  let high = first;
  for (let step = 1; !holds(high); step *= 2) {
    if (high === last) return null;
    low = high + 1;
    high = Math.min(last, high + step);
  }
  return firstWhere(low, high, holds);
}

/** The last day of a range, ends included, up to which a condition holds; null if there is none. */
function lastDay(first: number, last: number, holds: (day: number) => boolean): number | null {
  const found = firstDay(-last, -first, day => holds(-day));
  return found === null ? null : -found;
}
