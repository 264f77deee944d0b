import type { Moment } from '../common/moment.ts';
import { TWO_DIGITS, yearText } from './digits.ts';
import { MONTHS_SHORT, WEEKDAYS_SHORT } from './names.ts';

/**
 * A date-time of RFC 2822 §3.3: `Wed, 15 Apr 2026 13:30:47 -0400`. The format has no room for an offset's seconds:
 * they are left out, as `date -R` does. Years outside 0000–9999 are `±YYYYYY`.
 */
export function rfc2822Text(moment: Moment): string {
  const { offsetSeconds } = moment;
  const offsetMinutes = Math.floor(Math.abs(offsetSeconds) / 60);
  const offsetMinute = offsetMinutes % 60;
  const date = `${WEEKDAYS_SHORT[moment.weekday]}, ${TWO_DIGITS[moment.day]} ${MONTHS_SHORT[moment.month - 1]} ${yearText(moment.year)}`;
  const clock = `${TWO_DIGITS[moment.hour]}:${TWO_DIGITS[moment.minute]}:${TWO_DIGITS[moment.second]}`;
  const sign = offsetSeconds < 0 ? '-' : '+';
  return `${date} ${clock} ${sign}${TWO_DIGITS[(offsetMinutes - offsetMinute) / 60]}${TWO_DIGITS[offsetMinute]}`;
}
