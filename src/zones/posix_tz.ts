import { SECONDS_PER_HOUR } from '../common/civil.ts';

/** A local time type (RFC 9636 §3.2): an offset from UTC, its abbreviation, and whether the data flags it as DST. */
export interface LocalTimeType {
  /** Seconds to add to UTC for local time; east is positive. */
  readonly offsetSeconds: number;
  readonly abbreviation: string;
  readonly isDst: boolean;
}

export function isSameType(a: LocalTimeType, b: LocalTimeType): boolean {
  return a.offsetSeconds === b.offsetSeconds && a.isDst === b.isDst && a.abbreviation === b.abbreviation;
}

/** A day of each year: `Jn` (1–365, never February 29), `n` (0–365), or `Mm.w.d` (week 5 is the last one). */
export type YearlyDay =
  | { readonly kind: 'julian'; readonly day: number }
  | { readonly kind: 'ordinal'; readonly day: number }
  | { readonly kind: 'weekday'; readonly month: number; readonly week: number; readonly weekday: number };

/** The yearly time of a change: on a day, by the clock before the change. */
export interface YearlyTime {
  readonly day: YearlyDay;
  /** Seconds after that day's 00:00, from −167 h to 167 h. */
  readonly secondsOfDay: number;
}

/** A yearly rule: standard time, with or without DST from `start` to `end`. */
export interface PosixTimeZone {
  readonly text: string;
  readonly standard: LocalTimeType;
  readonly daylight: {
    readonly type: LocalTimeType;
    readonly start: YearlyTime;
    readonly end: YearlyTime;
  } | null;
}

const NAME = '([A-Za-z]{3,32}|<[A-Za-z0-9+-]{3,32}>)';
const OFFSET = '([+-]?[0-9]{1,2}(?::[0-5][0-9]){0,2})';
const CHANGE = '([JM0-9.]{1,8})(?:/([+-]?[0-9]{1,3}(?::[0-5][0-9]){0,2}))?';
const PATTERN = new RegExp(`^${NAME}${OFFSET}(?:${NAME}${OFFSET}?,${CHANGE},${CHANGE})?$`);

const MAX_OFFSET_HOURS = 24;
const MAX_RULE_HOURS = 167; // RFC 9636 §3.3.2; POSIX itself ends at 24

/**
 * Parses a POSIX TZ string, as in the footer of a TZif file (RFC 9636 §3.3.2, POSIX.1-2024 §8.3): `UTC0`,
 * `EST5EDT,M3.2.0,M11.1.0`, `<-02>2<-01>,M3.5.0/-1,M10.5.0/0`. Throws an `Error` that quotes it if it is malformed.
 */
export function parsePosixTz(text: string): PosixTimeZone {
  const [match, name, offset, dstName, dstOffset, startDay, startTime, endDay, endTime] =
    PATTERN.exec(text) ?? [];
  if (match === undefined) throw malformed(text);
  // POSIX offsets are positive west of Greenwich. Not `-secondsOf`, which would turn 0 into −0.
  const offsetSeconds = 0 - secondsOf(offset!, MAX_OFFSET_HOURS, text);
  const standard = { offsetSeconds, abbreviation: unquoted(name!), isDst: false };
  if (dstName === undefined) return { text, standard, daylight: null };
  const type = {
    // DST defaults to one hour ahead.
    offsetSeconds:
      dstOffset === undefined
        ? offsetSeconds + SECONDS_PER_HOUR
        : 0 - secondsOf(dstOffset, MAX_OFFSET_HOURS, text),
    abbreviation: unquoted(dstName),
    isDst: true,
  };
  const start = changeOf(startDay!, startTime, text);
  return { text, standard, daylight: { type, start, end: changeOf(endDay!, endTime, text) } };
}

/** The time defaults to 02:00. */
function changeOf(day: string, time: string | undefined, text: string): YearlyTime {
  return { day: yearlyDayOf(day, text), secondsOfDay: secondsOf(time ?? '2', MAX_RULE_HOURS, text) };
}

function yearlyDayOf(day: string, text: string): YearlyDay {
  const [isWeekday, month, week, weekday] = /^M(0?[1-9]|1[0-2])\.([1-5])\.([0-6])$/.exec(day) ?? [];
  if (isWeekday)
    return { kind: 'weekday', month: Number(month), week: Number(week), weekday: Number(weekday) };
  if (/^J\d{1,3}$/.test(day)) return { kind: 'julian', day: within(Number(day.slice(1)), 1, 365, text) };
  if (/^\d{1,3}$/.test(day)) return { kind: 'ordinal', day: within(Number(day), 0, 365, text) };
  throw malformed(text);
}

/** `[+-]h[:mm[:ss]]` in seconds. */
function secondsOf(clock: string, maxHours: number, text: string): number {
  const [hours, minutes = 0, seconds = 0] = clock.replace(/^[+-]/, '').split(':').map(Number);
  const total = within(hours!, 0, maxHours, text) * SECONDS_PER_HOUR + minutes * 60 + seconds;
  return clock.startsWith('-') ? 0 - total : total;
}

function within(value: number, least: number, most: number, text: string): number {
  if (value < least || value > most) throw malformed(text);
  return value;
}

function unquoted(name: string): string {
  return name.startsWith('<') ? name.slice(1, -1) : name;
}

function malformed(text: string): Error {
  return new Error(`${JSON.stringify(text.slice(0, 80))} is not a POSIX TZ string`);
}
