import { isOnWeekend } from '../../src/holidays/business_days.ts';
import type {
  CountryEntry,
  DayList,
  PackHeader,
  Substitutes,
  TableEntry,
} from '../../src/holidays/holiday_pack.ts';
import type { CompiledCalendar } from './calendars.ts';
import { isBelow, partOf } from './codes.ts';
import { YEARS_AHEAD } from './coverage.ts';
import { isWithin, SNAPSHOT_YEAR, TABLE_YEARS, type Years } from './dates.ts';
import { readDecisionFile } from './decisions/decision_file.ts';
import { type CountryNames, splitLabel } from './decisions/names.ts';
import { WORK_WEEKS_SOURCE } from './decisions/work_weeks.ts';
import { encodeHolidayPack } from './pack.ts';
import type { Draft, SourceDay } from './source_days.ts';
import { DATE_HOLIDAYS_SOURCE } from './sources/date_holidays.ts';
import { PYTHON_HOLIDAYS_SOURCE } from './sources/python_holidays.ts';
import { translationsOf } from './sources/translations.ts';

/** The decisions that change the table; the others only decide what the checks accept. */
const DECISION_FILES = ['calendars.txt', 'names.txt', 'evidence.txt', 'work_weeks.txt'];

/** The description of the sources in the pack. */
export function packHeader(): PackHeader {
  return {
    library: `${DATE_HOLIDAYS_SOURCE}, ${PYTHON_HOLIDAYS_SOURCE}`,
    corrections: Bun.SHA256.hash(DECISION_FILES.map(readDecisionFile).join(''), 'hex'),
    weekends: WORK_WEEKS_SOURCE,
    firstYear: TABLE_YEARS.firstYear,
    lastYear: TABLE_YEARS.lastYear,
    certainThrough: YEARS_AHEAD.lastYear,
  };
}

/** Makes a table of compiled calendars, with the countries of an existing table that are not among them, and packs it. */
export function packCalendars(
  calendars: readonly CompiledCalendar[],
  others: readonly CountryEntry[] = [],
): Uint8Array {
  const compiled = calendars.filter(({ code }) => partOf(code) === null);
  const partsOf = (country: CompiledCalendar) => calendars.filter(({ code }) => isBelow(code, country.code));
  const entries = new Map(others.map(country => [country.code, country]));
  for (const country of compiled) entries.set(country.code, countryEntry(country, partsOf(country)));
  return encodeHolidayPack({
    ...packHeader(),
    countries: [...entries.values()].sort((a, b) => (a.code < b.code ? -1 : 1)),
  });
}

function countryEntry(country: CompiledCalendar, parts: readonly CompiledCalendar[]): CountryEntry {
  const holidays = [country, ...parts].flatMap(({ days }) => days.holidays);
  const names = holidays.map(({ name }) => name);
  const translations = translationsOf(country.code, names, country.names);
  const substitutes = substitutesOf(holidays, country.names);
  return {
    ...tableEntry(country),
    readTranslations: () => translations,
    readSubstitutes: () => substitutes,
    subdivisionsDiffer: parts.some(part => isDifferent(country, part)),
    subdivisions: parts.map(tableEntry),
  };
}

/** The holiday of each substitute; one that has its holiday's name is not in `names.txt`. */
function substitutesOf(holidays: readonly SourceDay[], { substitutes }: CountryNames): Substitutes {
  return new Map(
    holidays
      .filter(day => day.isSubstitute)
      .map(({ name, nameEn }) => {
        const decided = substitutes.get(name);
        const holiday = decided === undefined ? name : decided;
        const holidayEn = nameEn && (splitLabel(nameEn)?.stem ?? nameEn);
        return [name, holiday === null ? null : { name: holiday, nameEn: holidayEn }];
      }),
  );
}

/** Collects the days of each name, status and source within the years of the table. */
export function toLists({ holidays, workdays }: Draft, years: Years = TABLE_YEARS): DayList[] {
  return [...listsOf(holidays, false, years), ...listsOf(workdays, true, years)];
}

function listsOf(days: readonly SourceDay[], isWorkday: boolean, years: Years): DayList[] {
  const ofTable = days.filter(({ dayNumber }) => isWithin(dayNumber, years));
  const groups = Map.groupBy(ofTable, ({ name, nameEn, status, isSubstitute, source }) =>
    JSON.stringify([name, nameEn, status, isSubstitute, source]),
  );
  return [...groups.values()].map(ofGroup => {
    const { name, nameEn, status, isSubstitute, source } = ofGroup[0]!;
    const dayNumbers = [...new Set(ofGroup.map(({ dayNumber }) => dayNumber))].sort((a, b) => a - b);
    return { name, nameEn, status, isSubstitute, source, isWorkday, dayNumbers };
  });
}

function tableEntry({ code, name, aliases, coverage, workWeek, days }: CompiledCalendar): TableEntry {
  const lists = toLists(days);
  return { code: partOf(code) ?? code, name, aliases, coverage, workWeek, readDays: () => lists };
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
