import { TABLE_YEARS, yearsIn } from '../dates.ts';
import type { AddedRule, Cited } from '../decisions/calendars.ts';
import type { SourceDay } from '../source_days.ts';
import { openRule, publicDaysOf } from '../sources/library.ts';
import { dayOfLongitude, lunisolarDay, UTC_OFFSETS, WINTER_SOLSTICE } from './lunisolar.ts';

/**
 * The days of a rule in all years of the table, cached since a lunar rule takes seconds and applies to all calendars of a country.
 * Throws an `Error` with the number of its line if date-holidays does not understand it.
 */
export function daysOfRule(added: Cited<AddedRule>): readonly SourceDay[] {
  const days = DAYS.get(added) ?? computeDays(added);
  DAYS.set(added, days);
  return days;
}

const DAYS = new WeakMap<Cited<AddedRule>, readonly SourceDay[]>();

function computeDays({ rule, name, source, fault }: Cited<AddedRule>): SourceDay[] {
  const isSubstitute = rule.startsWith('substitutes ');
  const dayNumbers =
    chineseDays(rule) ?? (LUNISOLAR.test(rule) ? null : libraryDays(rule, name, isSubstitute));
  if (dayNumbers === null) throw fault(`there are no rules such as '${rule}'`);
  const day = { name, nameEn: null, status: 'statutory', isSubstitute, source } as const;
  return dayNumbers.map(dayNumber => ({ dayNumber, ...day }));
}

const YEARS = yearsIn(TABLE_YEARS);

function libraryDays(rule: string, name: string, isSubstitute: boolean): number[] | null {
  const library = openRule(rule, name, isSubstitute);
  return library && YEARS.flatMap(year => publicDaysOf(library, year).map(({ dayNumber }) => dayNumber));
}

/** Rules for which date-holidays takes a tenth of a second a year, and is wrong before some leap months. */
const LUNISOLAR = /\b(chinese|korean|vietnamese)\b/;

/** The days of a rule of the Chinese calendar (`05-0-05`, or `22-01 solarterm` for the winter solstice); null for other rules. */
function chineseDays(rule: string): number[] | null {
  const [, term, month, day, first, end = '9999'] =
    /^chinese (?:(22-01 solarterm)|(0[1-9]|1[0-2])-0-(0[1-9]|[12]\d|30)) since (\d{4})(?: and prior to (\d{4}))?$/.exec(
      rule,
    ) ?? [];
  if (first === undefined) return null;
  const years = YEARS.filter(year => year >= Number(first) && year < Number(end));
  return years.map(year =>
    term === undefined
      ? lunisolarDay(year, Number(month), Number(day), UTC_OFFSETS.chinese)
      : dayOfLongitude(WINTER_SOLSTICE, year, 12, UTC_OFFSETS.chinese),
  );
}
