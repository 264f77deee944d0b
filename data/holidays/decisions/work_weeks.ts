import type { WorkWeekPeriod } from '../../../src/holidays/holiday_pack.ts';
import { lineageOf } from '../codes.ts';
import { dayNumberOfIso } from '../dates.ts';
import { cannotParse, parseDecisionFile, WEEKDAYS } from './decision_file.ts';

/** The source of the weekends, for the pack's header. */
export const WORK_WEEKS_SOURCE = 'CLDR 48, corrected';

const SATURDAY_AND_SUNDAY: readonly WorkWeekPeriod[] = [{ firstDay: 0, weekend: [6, 7] }];

/** Parses `work_weeks.txt`, which describes itself. Throws an `Error` with the number of a line that it rejects. */
export function parseWorkWeeks(text?: string): ReadonlyMap<string, readonly WorkWeekPeriod[]> {
  return parseDecisionFile(
    'work_weeks.txt',
    text,
    (): WorkWeekPeriod[] => [],
    (periods, line) => {
      const period = parsePeriod(line);
      const previous = periods.at(-1);
      if (previous === undefined && period.firstDay !== 0) throw new Error('the first period begins in 1970');
      if (previous !== undefined && period.firstDay <= previous.firstDay) {
        throw new Error('this period does not begin after the one above');
      }
      periods.push(period);
    },
  );
}

/** `2006-09-01 Fri Sat = TEXT` */
function parsePeriod(line: string): WorkWeekPeriod {
  const [, date, weekdays] = /^(\d{4}-\d\d-\d\d) ((?:[A-Z][a-z]{2} )+)= .{4,}$/.exec(line) ?? [];
  const names = weekdays?.trim().split(' ') ?? [];
  if (date === undefined || !names.every(name => WEEKDAYS.includes(name))) throw cannotParse(line);
  const weekend = names.map(name => WEEKDAYS.indexOf(name) || 7);
  return { firstDay: dayNumberOfIso(date), weekend };
}

/** The work week of a calendar: its own, else that of the calendar above it. */
export function workWeekOf(
  code: string,
  table: ReadonlyMap<string, readonly WorkWeekPeriod[]>,
): readonly WorkWeekPeriod[] {
  const cited = lineageOf(code).find(above => table.has(above));
  return cited === undefined ? SATURDAY_AND_SUNDAY : table.get(cited)!;
}
