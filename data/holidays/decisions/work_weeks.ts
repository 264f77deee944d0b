import type { WorkWeekPeriod } from '../../../src/holidays/holiday_pack.ts';
import { dayNumberOfIso, lineageOf, WEEKDAYS } from '../dates.ts';
import { parseDecisionFile } from './decision_file.ts';

/** The source of the weekends, for the pack's header. */
export const WORK_WEEKS_SOURCE = 'CLDR 48, corrected';

/** A period with its source. */
export interface CitedWorkWeek extends WorkWeekPeriod {
  readonly source: string;
}

const SATURDAY_AND_SUNDAY: readonly WorkWeekPeriod[] = [{ firstDay: 0, weekend: [6, 7] }];

/** Parses `work_weeks.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseWorkWeeks(text?: string): ReadonlyMap<string, readonly CitedWorkWeek[]> {
  const calendars = new Map<string, CitedWorkWeek[]>();
  parseDecisionFile('work_weeks.txt', text, ({ code, text: content, isHeading }) => {
    if (isHeading) {
      calendars.set(code, []);
      return;
    }
    const periods = calendars.get(code);
    const period = parsePeriod(content);
    const previous = periods?.at(-1);
    const isInOrder =
      previous === undefined ? period?.firstDay === 0 : previous.firstDay < (period?.firstDay ?? 0);
    if (periods === undefined || period === null || !isInOrder) throw new Error(`cannot parse '${content}'`);
    periods.push(period);
  });
  return calendars;
}

function parsePeriod(content: string): CitedWorkWeek | null {
  const [, date, weekdays, source] = /^(\d{4}-\d\d-\d\d) ((?:[A-Z][a-z]{2} )+)= (.+)$/.exec(content) ?? [];
  if (date === undefined) return null;
  const names = weekdays!.trim().split(' ');
  if (!names.every(name => WEEKDAYS.includes(name))) return null;
  const weekend = names.map(name => WEEKDAYS.indexOf(name) || 7);
  return { firstDay: dayNumberOfIso(date), weekend, source: source! };
}

/** The work week of a calendar: its own, else that of the calendar above it. */
export function workWeekOf(
  code: string,
  table: ReadonlyMap<string, readonly CitedWorkWeek[]>,
): readonly WorkWeekPeriod[] {
  const cited = lineageOf(code).find(above => table.has(above));
  if (cited === undefined) return SATURDAY_AND_SUNDAY;
  return table.get(cited)!.map(({ firstDay, weekend }) => ({ firstDay, weekend }));
}
