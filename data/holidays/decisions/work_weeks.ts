import type { WorkWeekPeriod } from '../../../src/holidays/holiday_pack.ts';
import { dayNumberOfIso, lineageOf } from '../dates.ts';
import { decisionLines } from './decision_file.ts';

/** The source of the weekends, for the pack's header. */
export const WORK_WEEKS_SOURCE = 'CLDR 48, corrected';

/** A period with its source. */
export interface CitedWorkWeek extends WorkWeekPeriod {
  readonly source: string;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const SATURDAY_AND_SUNDAY: readonly WorkWeekPeriod[] = [{ firstDay: 0, weekend: [6, 7] }];

/** Parses `work_weeks.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseWorkWeeks(text?: string): ReadonlyMap<string, readonly CitedWorkWeek[]> {
  const calendars = new Map<string, CitedWorkWeek[]>();
  for (const { code, text: content, isHeading, fault } of decisionLines('work_weeks.txt', text)) {
    if (isHeading) {
      calendars.set(code, []);
      continue;
    }
    const periods = calendars.get(code);
    const period = parsePeriod(content);
    const previous = periods?.at(-1);
    const isInOrder =
      previous === undefined ? period?.firstDay === 0 : previous.firstDay < (period?.firstDay ?? 0);
    if (periods === undefined || period === null || !isInOrder) throw fault(`cannot parse '${content}'`);
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
  const cited = lineageOf(code).find(above => table.has(above));
  if (cited === undefined) return SATURDAY_AND_SUNDAY;
  return table.get(cited)!.map(({ firstDay, weekend }) => ({ firstDay, weekend }));
}
