/** The days to which a rule applies: weekdays, dates or public holidays. */
export interface DaySelector {
  /** Bit n is set for weekday n: 0 is Sunday. */
  readonly weekdays: number;
  /** Dates of every year as {@link dateCode}. */
  readonly dates: readonly number[];
  readonly includesHolidays: boolean;
}

/** A time span in minutes since the start of its day; beyond 1440 it extends into the next day. */
export interface TimeSpan {
  readonly fromMinute: number;
  readonly untilMinute: number;
}

/** One rule of a schedule. */
export interface ScheduleRule {
  /** Null for every day. */
  readonly days: DaySelector | null;
  /** Empty for the whole day. */
  readonly spans: readonly TimeSpan[];
  /** False for `off`. */
  readonly isOpen: boolean;
  /** Whether it adds to the preceding rules instead of overriding them. */
  readonly isAdditional: boolean;
}

/** A parsed schedule: its rules in order. */
export interface Schedule {
  readonly rules: readonly ScheduleRule[];
  /** Whether it depends on public holidays. */
  readonly usesHolidays: boolean;
}

export const MINUTES_PER_DAY = 1440;

/** A date without its year as one number; `month` is 1–12. */
export function dateCode(month: number, day: number): number {
  return month * 32 + day;
}
