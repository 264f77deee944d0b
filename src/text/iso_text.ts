import { civilDateOf } from '../common/civil.ts';
import type { Moment } from '../common/moment.ts';
import { TWO_DIGITS, yearText } from './digits.ts';
import { formatOffset } from './offset.ts';

const SECONDS_PER_DAY = 86_400;

/**
 * UTC to the second: `2026-04-15T17:30:47Z`. Parts of a second floor toward the past.
 * `epochMs` lies within ±8.64e15.
 */
export function utcText(epochMs: number): string {
  const epochSeconds = Math.floor(epochMs / 1000);
  const dayNumber = Math.floor(epochSeconds / SECONDS_PER_DAY);
  const secondOfDay = epochSeconds - dayNumber * SECONDS_PER_DAY;
  const date = civilDateOf(dayNumber);
  const second = secondOfDay % 60;
  const minutes = (secondOfDay - second) / 60;
  const minute = minutes % 60;
  return `${dateTimeText(date.year, date.month, date.day, (minutes - minute) / 60, minute, second)}Z`;
}

/** Local time with its numeric offset, to the second: `2026-04-15T13:30:47-04:00`. */
export function localText(moment: Moment): string {
  const { year, month, day, hour, minute, second } = moment;
  return dateTimeText(year, month, day, hour, minute, second) + formatOffset(moment.offsetSeconds);
}

function dateTimeText(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): string {
  return `${yearText(year)}-${TWO_DIGITS[month]}-${TWO_DIGITS[day]}T${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]}`;
}
