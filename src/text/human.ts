import { TWO_DIGITS, yearText } from '../common/digits.ts';
import type { Moment } from '../common/moment.ts';
import { MONTHS_FULL } from './names.ts';

/** Display text, not to be parsed: `April 15, 2026, 1:30 PM America/New_York`; `zoneText` is what stands last. */
export function humanText(moment: Moment, zoneText: string): string {
  const { hour } = moment;
  const date = `${MONTHS_FULL[moment.month - 1]} ${moment.day}, ${yearText(moment.year)}`;
  return `${date}, ${hour % 12 || 12}:${TWO_DIGITS[moment.minute]} ${hour < 12 ? 'AM' : 'PM'} ${zoneText}`;
}
