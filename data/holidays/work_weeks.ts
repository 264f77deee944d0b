import { readFileSync } from 'node:fs';
import type { WorkWeekPeriod } from '../../src/holidays/holiday_pack.ts';
import { dayNumberOfIso } from './source_calendar.ts';

/** The source of the weekends, for the pack's header. */
export const WORK_WEEKS_SOURCE = 'CLDR 48, corrected';

/** A period with its source. */
export interface CitedWorkWeek extends WorkWeekPeriod {
  readonly source: string;
}

/** Our work weeks in source form. */
export function readWorkWeeks(): string {
  return readFileSync(new URL('work_weeks.txt', import.meta.url), 'utf8');
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const SATURDAY_AND_SUNDAY: readonly WorkWeekPeriod[] = [{ firstDay: 0, weekend: [6, 7] }];

/** Parses `work_weeks.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseWorkWeeks(text: string): ReadonlyMap<string, readonly CitedWorkWeek[]> {
  const calendars = new Map<string, CitedWorkWeek[]>();
  let periods: CitedWorkWeek[] | undefined;
  for (const [index, content] of text.split('\n').entries()) {
    if (/^(#|$)/.test(content)) continue;
    const [, code] = /^\[([A-Z]{2}(?:-[A-Z0-9]+)*)\]$/.exec(content) ?? [];
    if (code !== undefined) {
      periods = [];
      calendars.set(code, periods);
      continue;
    }
    const period = parsePeriod(content);
    const previous = periods?.at(-1);
    const isInOrder =
      previous === undefined ? period?.firstDay === 0 : previous.firstDay < (period?.firstDay ?? 0);
    if (periods === undefined || period === null || !isInOrder) {
      throw new Error(`work_weeks.txt:${index + 1}: cannot parse '${content}'`);
    }
    periods.push(period);
  }
  return calendars;
}

function parsePeriod(content: string): CitedWorkWeek | null {
  const [, date, weekdays, source] = /^(\d{4}-\d\d-\d\d) ((?:[A-Z][a-z]{2} )+)= (.+)$/.exec(content) ?? [];
  if (date === undefined) return null;
  const weekend = weekdays!
    .trim()
    .split(' ')
    .map(name => WEEKDAYS.indexOf(name) + 1);
  if (weekend.includes(0)) return null;
  return { firstDay: dayNumberOfIso(date), weekend, source: source! };
}

/** The work week of a calendar: its own, else that of the calendar above it. */
export function workWeekOf(
  code: string,
  table: ReadonlyMap<string, readonly CitedWorkWeek[]>,
): readonly WorkWeekPeriod[] {
  const own = table.get(code);
  if (own !== undefined) return own.map(({ firstDay, weekend }) => ({ firstDay, weekend }));
  const end = code.lastIndexOf('-');
  return end === -1 ? SATURDAY_AND_SUNDAY : workWeekOf(code.slice(0, end), table);
}

/** Whether a day is on the weekend of a work week; days before 1970 are in its first period. */
export function isWeekend(dayNumber: number, periods: readonly WorkWeekPeriod[]): boolean {
  const period = periods.findLast(({ firstDay }) => firstDay <= dayNumber) ?? periods[0]!;
  return period.weekend.includes(((((dayNumber + 3) % 7) + 7) % 7) + 1);
}
