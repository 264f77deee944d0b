import { once } from '../common/caching.ts';
import {
  civilDateOf,
  dayNumberOf,
  isLeapYear,
  MINUTES_PER_DAY,
  MS_PER_DAY,
  weekdayOf,
  YEARS_PER_CYCLE,
} from '../common/civil.ts';
import type { DaySet } from '../common/day_set.ts';
import { firstWhere, indexFrom } from '../common/sorted_list.ts';
import { type DayPlan, DayPlans } from './day_plans.ts';
import type { Schedule } from './opening_hours.ts';

const MS_PER_MINUTE = 60_000;
/** The year with which the prefix sums begin. */
const FIRST_YEAR = 2000;

/**
 * The open time of a schedule in local milliseconds: whole milliseconds of local time since 1970-01-01T00:00. Amounts are
 * differences of prefix sums over days, and the inverse is a binary search, so the cost does not depend on the length of a range.
 */
export class OpenTime {
  readonly #plans: DayPlans;
  readonly #holidays: DaySet;
  /** The days whose plan differs because of a holiday, ascending, and for each the total difference in minutes before it. */
  readonly #changedDays = once(() => this.#findChangedDays());
  /** The open minutes before each of the 400 years from {@link FIRST_YEAR} on, and of all of them, ignoring holidays. */
  readonly #minutesBeforeYear = once(() => {
    const sums = [0];
    for (let year = 0; year < YEARS_PER_CYCLE; year++)
      sums.push(sums[year]! + this.#yearTable(FIRST_YEAR + year).at(-1)!);
    return sums;
  });
  /** By first weekday and length of a year, the open minutes before each of its days, and of all of them, ignoring holidays. */
  readonly #yearTables: Uint32Array[] = [];

  /**
   * The years of the last sums, which are alternately in that of a request and that of the next clock change: sums over a century
   * take twice as long with only one year, and three times with none.
   */
  #latest: SummedYear = { firstDay: 0, endDay: 0, minutesBefore: 0, table: new Uint32Array() };
  #previous = this.#latest;

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

  /** The milliseconds from one time to a later one in which the schedule is open, or closed. */
  msBetween(fromLocalMs: number, untilLocalMs: number, isOpen = true): number {
    return this.#msBefore(untilLocalMs, isOpen) - this.#msBefore(fromLocalMs, isOpen);
  }

  /** The earliest time at which `ms` of open or closed time has passed since another; there must be that much. */
  after(localMs: number, ms: number, isOpen: boolean): number {
    return this.#timeOf(this.#msBefore(localMs, isOpen) + ms, isOpen, localMs);
  }

  /** The latest time from which `ms` of open or closed time passes until another; there must be that much. */
  before(localMs: number, ms: number, isOpen: boolean): number {
    // A millisecond later, one less passes.
    return this.#timeOf(this.#msBefore(localMs, isOpen) - ms + 1, isOpen, localMs) - 1;
  }

  /** The earliest time before which there are `wantedMs` of open or closed time, near another time. */
  #timeOf(wantedMs: number, isOpen: boolean, nearLocalMs: number): number {
    const day = firstDayWhere(
      split(nearLocalMs).day,
      next => this.#minutesBefore(next + 1, isOpen) * MS_PER_MINUTE >= wantedMs,
    );
    const { changes } = this.#planOf(day);
    const ends = isOpen ? changes : [0, ...changes, MINUTES_PER_DAY];
    let restMs = wantedMs - this.#minutesBefore(day, isOpen) * MS_PER_MINUTE;
    let index = 0;
    for (; restMs > (ends[index + 1]! - ends[index]!) * MS_PER_MINUTE; index += 2)
      restMs -= (ends[index + 1]! - ends[index]!) * MS_PER_MINUTE;
    return day * MS_PER_DAY + ends[index]! * MS_PER_MINUTE + restMs;
  }

  #planOf(day: number): DayPlan {
    return this.#plans.planOf(day, this.#holidays.has(day), this.#holidays.has(day - 1));
  }

  /** The open or closed milliseconds before a time, from a fixed one on. */
  #msBefore(localMs: number, isOpen: boolean): number {
    const { day, minute } = split(localMs);
    const { changes } = this.#planOf(day);
    let minutes = 0;
    for (let index = 0; index < changes.length && changes[index]! < minute; index += 2)
      minutes += Math.min(minute, changes[index + 1]!) - changes[index]!;
    if (!isOpen) minutes = minute - minutes;
    // Rounded, since the fraction of a minute is binary.
    return Math.round((this.#minutesBefore(day, isOpen) + minutes) * MS_PER_MINUTE);
  }

  /** The open or closed minutes of all days before one, from a fixed one on. */
  #minutesBefore(day: number, isOpen: boolean): number {
    if (!isIn(this.#latest, day)) {
      const year = isIn(this.#previous, day) ? this.#previous : this.#summedYear(day);
      this.#previous = this.#latest;
      this.#latest = year;
    }
    const { firstDay, minutesBefore, table } = this.#latest;
    const open = minutesBefore + table[day - firstDay]! + this.#holidayMinutesBefore(day);
    return isOpen ? open : day * MINUTES_PER_DAY - open;
  }

  #summedYear(day: number): SummedYear {
    const { year } = civilDateOf(day);
    const cycles = Math.floor((year - FIRST_YEAR) / YEARS_PER_CYCLE);
    const sums = this.#minutesBeforeYear();
    return {
      firstDay: dayNumberOf(year, 1, 1),
      endDay: dayNumberOf(year + 1, 1, 1),
      minutesBefore: cycles * sums[YEARS_PER_CYCLE]! + sums[year - FIRST_YEAR - cycles * YEARS_PER_CYCLE]!,
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
    for (let index = 1; index < table.length; index++)
      table[index] = table[index - 1]! + this.#plans.planOf(firstDay + index - 1, false, false).openMinutes;
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
      const change = this.#planOf(day).openMinutes - this.#plans.planOf(day, false, false).openMinutes;
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

function isIn({ firstDay, endDay }: SummedYear, day: number): boolean {
  return day >= firstDay && day < endDay;
}

/** A local time as its day and the minutes since midnight, with a fraction. */
function split(localMs: number): { readonly day: number; readonly minute: number } {
  const day = Math.floor(localMs / MS_PER_DAY);
  return { day, minute: (localMs - day * MS_PER_DAY) / MS_PER_MINUTE };
}

/** The first day from which on a condition holds, which is usually near another. */
function firstDayWhere(near: number, holds: (day: number) => boolean): number {
  // Galloping search.
  const direction = holds(near) ? -1 : 1;
  let [inner, outer] = [near, near + direction];
  for (let step = 2; holds(outer) === direction < 0; step *= 2)
    [inner, outer] = [outer, outer + direction * step];
  return firstWhere(Math.min(inner, outer) + 1, Math.max(inner, outer), holds);
}
