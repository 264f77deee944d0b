import { BoundedCache } from '../../../src/common/caching.ts';
import { dayNumberOf, MS_PER_DAY } from '../../../src/common/civil.ts';
import { isWithin, SNAPSHOT_YEAR, TABLE_YEARS, yearOf } from '../dates.ts';
import type { SourceDay } from '../source_days.ts';

/** The last year of python-holidays' Islamic dates. */
const LAST_ISLAMIC_TABLE_YEAR = 2076;

const FORMAT = new Intl.DateTimeFormat('en-u-ca-islamic-umalqura', {
  timeZone: 'UTC',
  month: 'numeric',
  day: 'numeric',
});

/** The date in ICU's Umm al-Qura calendar: `10-1` for the first of Shawwal. */
function hijriDate(dayNumber: number): string {
  return HIJRI_DATES.getOrInsertComputed(dayNumber, () => {
    const parts = new Map(FORMAT.formatToParts(dayNumber * MS_PER_DAY).map(part => [part.type, part.value]));
    return `${parts.get('month')}-${parts.get('day')}`;
  });
}

/** The days from the snapshot to 2100. */
const HIJRI_DATES = new BoundedCache<number, string>(75 * 366);

/** Years in which all sources have the same Islamic dates, but for a few announced ones: a holiday's rule is derived from them. */
const LEARNING_YEARS = { firstYear: SNAPSHOT_YEAR + 1, lastYear: SNAPSHOT_YEAR + 6 };

/** A computed day can come this many days before the source's. */
const SIGHTING_DAYS = 3;

/** The result for a calendar's Islamic holidays. */
export interface IslamicDays {
  readonly holidays: readonly SourceDay[];
  /** The last year whose Islamic days, and all days that depend on them, can be computed. */
  readonly lastYear: number;
}

/**
 * Extends a calendar's Islamic holidays to 2100 with the Umm al-Qura calendar, as estimates. If no other day depends on
 * them, it also replaces python-holidays' estimates, which follow another calendar and sometimes differ by a day; if there
 * are substitutes for them, or days with another rule than a date of the Islamic year, the table is not changed and its
 * end limits the calendar. Announced days stay.
 */
export function carryIslamicDaysOn(holidays: readonly SourceDay[]): IslamicDays {
  const rules = rulesOf(holidays);
  if (rules.size === 0) return { holidays, lastYear: TABLE_YEARS.lastYear };
  const isComplete = [...rules.values()].every(({ dates }) => dates !== null);
  const firstYear = isComplete ? LEARNING_YEARS.firstYear : LAST_ISLAMIC_TABLE_YEAR + 1;
  const listed = holidays.filter(({ name, dayNumber }) => {
    const rule = rules.get(name);
    return !rule?.dates || yearOf(dayNumber) < firstYear || dayNumber < rule.estimatedFrom;
  });
  const computed = [...rules.values()].flatMap(({ model, dates, estimatedFrom }) =>
    daysOf(dates ?? new Set(), firstYear)
      .filter(dayNumber => dayNumber >= estimatedFrom - SIGHTING_DAYS)
      .map((dayNumber): SourceDay => ({ ...model, dayNumber, status: 'estimated' })),
  );
  const lastYear = isComplete ? TABLE_YEARS.lastYear : LAST_ISLAMIC_TABLE_YEAR;
  return { holidays: [...listed, ...computed], lastYear };
}

/** The rule of a holiday: its first day, with all properties, and its Islamic dates; null if they differ between years. */
interface IslamicRule {
  readonly model: SourceDay;
  /** The first day that is not announced: the first estimate, or the first day if the source does not distinguish. */
  readonly estimatedFrom: number;
  readonly dates: ReadonlySet<string> | null;
}

/** The rules of the holidays that end with the source's Islamic dates, by name. */
function rulesOf(holidays: readonly SourceDay[]): ReadonlyMap<string, IslamicRule> {
  const coming = holidays
    .filter(({ dayNumber }) => yearOf(dayNumber) >= LEARNING_YEARS.firstYear)
    .sort((a, b) => a.dayNumber - b.dayNumber);
  return new Map(
    [...Map.groupBy(coming, ({ name }) => name)].flatMap(([name, days]): [string, IslamicRule][] => {
      const lastYear = yearOf(days.at(-1)!.dayNumber);
      const isIslamic = lastYear >= LAST_ISLAMIC_TABLE_YEAR && lastYear <= LAST_ISLAMIC_TABLE_YEAR + 1;
      if (!isIslamic) return [];
      const model = days[0]!;
      const estimatedFrom = (days.find(({ status }) => status === 'estimated') ?? model).dayNumber;
      return [[name, { model, estimatedFrom, dates: datesOf(days) }]];
    }),
  );
}

function datesOf(days: readonly SourceDay[]): ReadonlySet<string> | null {
  if (days.some(day => day.isSubstitute)) return null;
  const learnt = days.map(day => day.dayNumber).filter(day => isWithin(day, LEARNING_YEARS));
  // Six civil years contain a date of the Islamic year six or seven times; all but two days must fall on it.
  const byDate = [...Map.groupBy(learnt, hijriDate)].filter(([, onDate]) => onDate.length >= 5);
  const explained = byDate.reduce((sum, [, onDate]) => sum + onDate.length, 0);
  return byDate.length > 0 && learnt.length - explained <= 2 ? new Set(byDate.map(([date]) => date)) : null;
}

function daysOf(dates: ReadonlySet<string>, firstYear: number): number[] {
  const days: number[] = [];
  for (let day = dayNumberOf(firstYear, 1, 1); day < dayNumberOf(TABLE_YEARS.lastYear + 1, 1, 1); day++) {
    if (dates.has(hijriDate(day))) days.push(day);
  }
  return days;
}
