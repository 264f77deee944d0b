import { civilDateOf } from '../../src/common/civil.ts';
import type {
  Coverage,
  DayList,
  HolidayTable,
  Substitutes,
  Translations,
} from '../../src/holidays/holiday_pack.ts';

/** A statutory holiday with `changes`. */
export function dayList(
  name: string,
  dayNumbers: readonly number[],
  changes: Partial<DayList> = {},
): DayList {
  return {
    name,
    nameEn: null,
    source: 'library',
    status: 'statutory',
    isSubstitute: false,
    isWorkday: false,
    dayNumbers,
    ...changes,
  };
}

const UNREVIEWED: Coverage = {
  basis: null,
  expected: null,
  certain: [],
  from: 1990,
  to: 2100,
  announcedThrough: null,
  reviewed: null,
};
/** The coverage of Germany and its Länder. */
export const REVIEWED: Coverage = {
  ...UNREVIEWED,
  basis: 'law',
  certain: [{ from: 2026, to: 2029 }],
  announcedThrough: 2026,
  reviewed: '2026-11',
};

/** A little table for tests: `{ DE: lists, 'DE-BY': lists }`; the weekend of `SA` is Friday and Saturday. All countries share names. */
export function tableOf(
  calendars: Readonly<Record<string, readonly DayList[]>>,
  translations: Translations = new Map(),
  substitutes: Substitutes = new Map(),
): HolidayTable {
  const codes = Object.keys(calendars);
  const entry = (code: string, full: string) => ({
    code,
    name: `Place ${full}`,
    aliases: [`Alias ${full}`],
    coverage: { ...UNREVIEWED, ...(full.startsWith('DE') ? REVIEWED : {}) },
    workWeek: [{ firstDay: 0, weekend: full === 'SA' ? [5, 6] : [6, 7] }],
    readDays: () => [...calendars[full]!],
  });
  return {
    library: 'date-holidays 0.0.0',
    corrections: '00',
    weekends: 'CLDR 0',
    firstYear: 1970,
    lastYear: 2100,
    countries: codes
      .filter(code => code.length === 2)
      .map(code => ({
        ...entry(code, code),
        readTranslations: () => translations,
        readSubstitutes: () => substitutes,
        subdivisionsDiffer: code === 'DE',
        subdivisions: codes
          .filter(full => full.startsWith(`${code}-`))
          .map(full => entry(full.slice(code.length + 1), full)),
      })),
  };
}

/** `2026-12-24`, for test messages; years 1000 to 9999. */
export function isoDate(dayNumber: number): string {
  const { year, month, day } = civilDateOf(dayNumber);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
