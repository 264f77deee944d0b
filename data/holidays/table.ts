import { createHash } from 'node:crypto';
import { isOnWeekend } from '../../src/holidays/business_days.ts';
import type { DayList, PackHeader, Substitutes, TableEntry } from '../../src/holidays/holiday_pack.ts';
import { isPartOf, isWithin, SNAPSHOT_YEAR, TABLE_YEARS } from './dates.ts';
import { readDecisionFile } from './decisions/decision_file.ts';
import { splitLabel } from './decisions/names.ts';
import { WORK_WEEKS_SOURCE } from './decisions/work_weeks.ts';
import { encodeHolidayPack } from './pack.ts';
import { DATE_HOLIDAYS_SOURCE } from './sources/date_holidays.ts';
import { PYTHON_HOLIDAYS_SOURCE } from './sources/python_holidays.ts';
import { translationsOf } from './sources/translations.ts';
import type { CompiledCalendar, CountryNames, Draft, SourceDay, Years } from './types.ts';

/** The SHA-256 of a text or of bytes, in hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The files in the digest of the pack's header. */
const DECISION_FILES = ['calendars.txt', 'names.txt', 'reviews.txt', 'work_weeks.txt'];

/** The description of the sources in the pack. */
export function packHeader(): PackHeader {
  return {
    library: `${DATE_HOLIDAYS_SOURCE}, ${PYTHON_HOLIDAYS_SOURCE}`,
    corrections: sha256Of(DECISION_FILES.map(readDecisionFile).join('')),
    weekends: WORK_WEEKS_SOURCE,
    firstYear: TABLE_YEARS.firstYear,
    lastYear: TABLE_YEARS.lastYear,
  };
}

/** Makes a table of compiled calendars, and packs it. */
export function packCalendars(calendars: readonly CompiledCalendar[]): Uint8Array {
  return encodeHolidayPack({
    ...packHeader(),
    countries: calendars
      .filter(({ code }) => !code.includes('-'))
      .map(country => {
        const parts = calendars.filter(({ code }) => isPartOf(code, country.code));
        const holidays = [country, ...parts].flatMap(({ days }) => days.holidays);
        const translations = translationsOf(
          country.code,
          holidays.map(({ name }) => name),
          country.names,
        );
        const substitutes = substitutesOf(holidays, country.names);
        return {
          ...tableEntry(country),
          readTranslations: () => translations,
          readSubstitutes: () => substitutes,
          subdivisionsDiffer: parts.some(part => isDifferent(country, part)),
          subdivisions: parts.map(tableEntry),
        };
      }),
  });
}

/** The holiday of each substitute; one that has its holiday's name is not in `names.txt`. */
function substitutesOf(holidays: readonly SourceDay[], { substitutes }: CountryNames): Substitutes {
  return new Map(
    holidays
      .filter(day => day.isSubstitute)
      .map(({ name, nameEn }) => {
        const holiday = substitutes.has(name) ? substitutes.get(name)! : name;
        const holidayEn = nameEn && (splitLabel(nameEn)?.stem ?? nameEn);
        return [name, holiday === null ? null : { name: holiday, nameEn: holidayEn }];
      }),
  );
}

/** Collects the days of each name within the years of the table. */
export function toLists({ holidays, workdays }: Draft, years: Years = TABLE_YEARS): DayList[] {
  const lists = new Map<string, DayList & { dayNumbers: number[] }>();
  for (const [days, isWorkday] of [[holidays, false] as const, [workdays, true] as const]) {
    for (const { dayNumber, ...kind } of days) {
      if (!isWithin(dayNumber, years)) continue;
      const key = JSON.stringify([isWorkday, Object.values(kind)]);
      const list = lists.get(key) ?? { ...kind, isWorkday, dayNumbers: [] };
      lists.set(key, list);
      list.dayNumbers.push(dayNumber);
    }
  }
  return [...lists.values()].map(list => ({
    ...list,
    dayNumbers: [...new Set(list.dayNumbers)].sort((a, b) => a - b),
  }));
}

function tableEntry({ code, name, aliases, coverage, workWeek, days }: CompiledCalendar): TableEntry {
  const lists = toLists(days);
  const partCode = code.includes('-') ? code.slice(3) : code;
  return { code: partCode, name, aliases, coverage, workWeek, readDays: () => lists };
}

/** Whether a subdivision's working days differ from its country's, in the years around the present. */
function isDifferent(country: CompiledCalendar, part: CompiledCalendar): boolean {
  if (country.workWeek.at(-1)!.weekend.join() !== part.workWeek.at(-1)!.weekend.join()) return true;
  const own = workingDaysOff(country);
  return own.symmetricDifference(workingDaysOff(part)).size > 0;
}

function workingDaysOff({ days, workWeek }: CompiledCalendar): Set<number> {
  const years = { firstYear: SNAPSHOT_YEAR - 6, lastYear: SNAPSHOT_YEAR + 4 };
  return new Set(
    days.holidays
      .map(day => day.dayNumber)
      .filter(day => isWithin(day, years) && !isOnWeekend(workWeek, day)),
  );
}
