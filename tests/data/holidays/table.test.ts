import { expect, test } from 'bun:test';
import Holidays from 'date-holidays';
import accuracy from '../../../data/holidays/accuracy.json';
import { type CompiledCalendar, compileCalendars } from '../../../data/holidays/calendars.ts';
import { changesOf } from '../../../data/holidays/checks/changes.ts';
import { faultsOf } from '../../../data/holidays/checks/checks.ts';
import { lunarFaults } from '../../../data/holidays/checks/lunar.ts';
import { statusFaults } from '../../../data/holidays/checks/names.ts';
import { countryOf } from '../../../data/holidays/codes.ts';
import { withCoverage } from '../../../data/holidays/coverage.ts';
import {
  isWithin,
  SNAPSHOT_YEAR,
  TABLE_YEARS,
  type Years,
  yearOf,
  yearsIn,
} from '../../../data/holidays/dates.ts';
import { parseCalendars } from '../../../data/holidays/decisions/calendars.ts';
import type { Evidence } from '../../../data/holidays/decisions/evidence.ts';
import { holidaysManifest, readHolidayPack } from '../../../data/holidays/embedded.ts';
import { encodeHolidayPack } from '../../../data/holidays/pack.ts';
import {
  type AccuracyReport,
  accuracyReport,
  accuracyTable,
  summaryOf,
} from '../../../data/holidays/report.ts';
import type { SourceDay } from '../../../data/holidays/source_days.ts';
import { readDateHolidays } from '../../../data/holidays/sources/date_holidays.ts';
import { computeDateHolidays, listLibraryCalendars } from '../../../data/holidays/sources/library_days.ts';
import { LAST_LIBRARY_YEARS, monthStarts } from '../../../data/holidays/sources/library_months.ts';
import { packCalendars, packHeader } from '../../../data/holidays/table.ts';
import { calendar as hebrew } from '../../../node_modules/date-holidays-parser/src/internal/hebrew-calendar.js';
import { calendar as islamic } from '../../../node_modules/date-holidays-parser/src/internal/hijri-calendar.js';
import { dayNumberOf } from '../../../src/common/civil.ts';
import {
  type Coverage,
  type DayList,
  decodeHolidayPack,
  readHolidayPackHeader,
} from '../../../src/holidays/holiday_pack.ts';
import { dayList, isoDate, tableOf } from '../../holidays/table_of.ts';
import { documentation } from '../../support/documentation.ts';
import { expectNoDifferences, IS_PROOF, sample, sampleNumbers } from '../../support/proof.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

/** Timeout for reading the sources on a busy machine. */
const SLOW_TEST_MS = 60_000;
/** Computing all days with date-holidays takes minutes. */
const PROOF_MS = 3_600_000;
/** Calendars whose lunar arithmetic takes date-holidays a tenth of a second or more per year. */
const SLOW = ['TW', 'HK', 'VN', 'CN', 'MY', 'SG', 'KR'];
const compiled = compileCalendars();
const libraryCalendars = listLibraryCalendars();
const dateHolidays = new Map(readDateHolidays().map(calendar => [calendar.code, calendar]));

test('the table matches the sources and decisions in the tree; otherwise run make holidays', () => {
  expect(readHolidayPackHeader(readHolidayPack())).toEqual(packHeader());
  expect(Bun.SHA256.hash(packCalendars(compiled), 'hex')).toBe(holidaysManifest.sha256);
});

test('every difference between the sources is decided, and no rule of the compiler is violated', () => {
  expect(faultsOf(compiled)).toEqual([]);
});

test('the accuracy report matches the tree; otherwise run make holidays-report', async () => {
  const written: unknown = await Bun.file(
    new URL('../../../data/holidays/accuracy.json', import.meta.url),
  ).json();
  expect(written).toEqual(accuracyReport(compiled));
});

test('a table copied from year to year, a day in another phase of the moon, and a table that ends, are faults', () => {
  const moon = compiled.find(({ code }) => code === 'TH')!;
  const years = [2026, 2027, 2028];
  const copied = moon.days.holidays.filter(
    ({ dayNumber, name }) => name === 'วันวิสาขบูชา' && !years.includes(yearOf(dayNumber)),
  );
  const [model] = copied;
  const withCopies = years.map(year => ({ ...model!, dayNumber: dayNumberOf(year, 5, 31) }));
  expect(lunarFaults({ ...moon, days: { ...moon.days, holidays: [...copied, ...withCopies] } })).toContain(
    'TH: วันวิสาขบูชา is on 5-31 in three years running',
  );
  const moved = moon.days.holidays.map(day =>
    day.name === 'วันวิสาขบูชา' && yearOf(day.dayNumber) === 2031
      ? { ...day, dayNumber: day.dayNumber + 10 }
      : day,
  );
  expect(lunarFaults({ ...moon, days: { ...moon.days, holidays: moved } })).toContain(
    'TH: วันวิสาขบูชา is on 2031-06-14, after 2030-05-16',
  );
  const ended = moon.days.holidays.filter(({ dayNumber }) => dayNumber < dayNumberOf(2040, 1, 1));
  expect(lunarFaults({ ...moon, days: { ...moon.days, holidays: ended } })).toContain(
    'TH: วันวิสาขบูชา is missing from 2040 on, within its coverage',
  );
});

test('announced Islamic days stay, and added days have the English names of the sources', () => {
  const calendarOf = (code: string) => compiled.find(calendar => calendar.code === code)!;
  const dayIn = (code: string, date: string) =>
    calendarOf(code).days.holidays.find(({ dayNumber }) => isoDate(dayNumber) === date);
  expect(dayIn('SG', '2026-03-21')).toMatchObject({ name: 'Hari Raya Puasa', status: 'announced' });
  expect(dayIn('SG', '2028-02-26')).toMatchObject({ name: 'Hari Raya Puasa', status: 'estimated' });
  expect(dayIn('BD', '2026-09-04')).toMatchObject({ nameEn: 'Janmashtami (Vaishnava)', status: 'announced' });
});

test('an unmarked substitute is a fault', () => {
  const emirates = compiled.find(({ code }) => code === 'AE')!;
  const feast = emirates.days.holidays.find(
    ({ dayNumber, name }) => dayNumber > dayNumberOf(2030, 1, 1) && name === 'عيد الفطر',
  )!;
  const withDay = (day: Partial<typeof feast>) =>
    statusFaults({ ...emirates, days: { ...emirates.days, holidays: [feast, { ...feast, ...day }] } });
  expect(withDay({})).toEqual([]);
  expect(withDay({ name: "New Year's Day (observed)" })).toEqual([
    `AE: ${isoDate(feast.dayNumber)} New Year's Day (observed) is a substitute by its name`,
  ]);
});

/** The faults of a calendar with changes, on its own. */
function faultsWith(code: string, change: (calendar: CompiledCalendar) => Partial<CompiledCalendar>): string {
  const calendar = compiled.find(each => each.code === code)!;
  return faultsOf([{ ...calendar, ...change(calendar) }]).join('\n');
}

test('undecided names, differences, substitutes and lunisolar dates are faults, and so are unknown calendars', () => {
  const feast = { ...compiled[0]!.days.holidays[0]!, name: 'Feast', dayNumber: dayNumberOf(2027, 7, 7) };
  const withDays = ({ days }: CompiledCalendar, change: (days: readonly SourceDay[]) => SourceDay[]) => ({
    days: { ...days, holidays: change(days.holidays) },
  });
  const unnamed = faultsWith('AT', at => withDays(at, days => [...days, feast]));
  expect(unnamed).toContain("[AT] lacks 'Feast'");
  const undecided = faultsWith('BB', ({ pythonHolidays: python }) => ({
    pythonHolidays: { ...python!, holidays: [...python!.holidays, feast] },
  }));
  expect(undecided).toContain('differences.txt does not decide [BB] Feast, only in python-holidays, 2027');
  const shifted = faultsWith('CN', cn =>
    withDays(cn, days => days.map(day => ({ ...day, dayNumber: day.dayNumber + 1 }))),
  );
  expect(shifted).toContain('CN: 端午节 of 2030 is not on day 5 of month 5');
  for (const file of ['calendars', 'names', 'evidence', 'differences'])
    expect(shifted).toContain(`${file}.txt: there is no calendar [AR]`);
  expect(shifted).toContain('work_weeks.txt: there is no calendar [AE]');
  const unsubstituted = faultsWith('GB-ENG', gb =>
    withDays(gb, days => days.filter(day => !day.isSubstitute)),
  );
  expect(unsubstituted).toContain('GB-ENG: 2032-12-27 is a substitute by the law, and not in the table');
});

test('one country compiled into the table gives the same bytes', () => {
  const others = decodeHolidayPack(readHolidayPack()).countries;
  expect(Bun.SHA256.hash(packCalendars(compileCalendars('AT'), others), 'hex')).toBe(holidaysManifest.sha256);
});

test('each line of evidence that makes a claim changes the coverage of a calendar', () => {
  const decisions = parseCalendars();
  for (const { code, evidence, days, coverage, names } of compiled) {
    if (evidence === undefined) continue;
    const coverageWith = (changes: Partial<Evidence>) =>
      withCoverage(
        days,
        decisions.get(code),
        decisions.get(countryOf(code)),
        { ...evidence, ...changes },
        names,
      ).coverage;
    const { laws, recurring, lists, complete, decidedYearly } = evidence;
    const isAhead = (law: Years) => law.firstYear <= SNAPSHOT_YEAR && law.lastYear > SNAPSHOT_YEAR;
    // A list before the rules begin claims nothing, nor does one after a gap, of a year that follows from law.
    const isClaim = ({ year }: { readonly year: number }) =>
      year >= coverage.from &&
      year <= coverage.to &&
      (coverage.basis !== 'law' || year < SNAPSHOT_YEAR || year <= coverage.announcedThrough!);
    const removed: (readonly [string, Partial<Evidence>])[] = [
      ...lists
        .filter(isClaim)
        .map(list => [`list of ${list.year}`, { lists: lists.filter(each => each !== list) }] as const),
      ...complete.map(
        years =>
          [`complete ${years.firstYear}`, { complete: complete.filter(each => each !== years) }] as const,
      ),
      ...(decidedYearly === null || !recurring.some(isAhead)
        ? []
        : [['yearly', { decidedYearly: null }] as const]),
      ...(coverage.basis === 'law'
        ? recurring
            .filter(isAhead)
            .map(
              law =>
                [`law from ${law.firstYear}`, { recurring: recurring.filter(each => each !== law) }] as const,
            )
        : []),
      ...(laws.length > 0 && lists.length === 0 ? [['laws', { laws: [], recurring: [] }] as const] : []),
    ];
    for (const [line, changes] of removed)
      expect({ code, line, changes: !Bun.deepEquals(coverageWith(changes), coverage) }).toEqual({
        code,
        line,
        changes: true,
      });
  }
});

test('what differs between two packs is listed', () => {
  const pack = (list: DayList) => encodeHolidayPack(tableOf({ DE: [list], 'DE-BY': [list] }));
  const changes = (before: DayList, after: DayList) => changesOf(pack(before), pack(after)).join('; ');
  const day = dayNumberOf(2026, 11, 30);
  expect(changes(dayList('A', [day]), dayList('A', [day + 1]))).toBe(
    'DE DE-BY 2026-11-30 removed: A; DE DE-BY 2026-12-01 added, statutory: A',
  );
  expect(changes(dayList('A', [day]), dayList('B', [day], { status: 'announced' }))).toBe(
    'DE DE-BY 2026-11-30 renamed, announced: A → B',
  );
});

test('every substitute by name replaces a holiday', () => {
  for (const { code: country, subdivisions } of embeddedCalendars.countries) {
    for (const part of [null, ...subdivisions.map(({ code }) => code)]) {
      const lacking = embeddedCalendars
        .calendar(country, part)
        .holidaysOf(1970, 2100)
        .filter(({ name, substituteFor }) => /\(observed\)$/.test(name) && substituteFor === null)
        .map(({ dayNumber, name }) => `${isoDate(dayNumber)} ${name}`);
      expect({ country, part, lacking }).toEqual({ country, part, lacking: [] });
    }
  }
});

test('a claim that a calendar loses is listed', () => {
  const day = dayList('A', [dayNumberOf(2026, 11, 30)]);
  const table = tableOf({ DE: [day] });
  const pack = (coverage: Partial<Coverage>) =>
    encodeHolidayPack({
      ...table,
      countries: table.countries.map(each => ({ ...each, coverage: { ...each.coverage, ...coverage } })),
    });
  const law = 'by law, certain 2026-2029, announced through 2026, rules 1990-2100, read 2026-11';
  expect(
    changesOf(pack({}), pack({ basis: null, certain: [], announcedThrough: null, reviewed: null })),
  ).toEqual([`DE claim lost: rules 1990-2100, never read, was ${law}`]);
  expect(changesOf(pack({}), pack({ certain: [{ from: 2024, to: 2029 }] }))).toEqual([
    `DE coverage: ${law.replace('2026-2029', '2024-2029')}, was ${law}`,
  ]);
});

test('the table has every country and subdivision of both sources', () => {
  const codes = new Set(
    embeddedCalendars.countries.flatMap(({ code, subdivisions }) => [
      code,
      ...subdivisions.map(part => `${code}-${part.code}`),
    ]),
  );
  expect(embeddedCalendars.countries.length).toBe(251);
  expect(codes).toEqual(new Set(compiled.map(({ code }) => code)));
  for (const [country, ...part] of libraryCalendars.map(({ path }) => path))
    embeddedCalendars.calendar(country, part.join('-') || null);
});

test(
  'the committed date-holidays days are what it computes',
  () => {
    const slow = libraryCalendars.filter(({ path }) => path[0] === 'KR');
    const quick = libraryCalendars.filter(({ path }) => !SLOW.includes(path[0]));
    const drawn = IS_PROOF ? libraryCalendars : [...sample(quick, 30), ...slow];
    const random = sampleNumbers();
    const wrong: string[] = [];
    let count = 0;
    for (const calendar of drawn) {
      const year = TABLE_YEARS.firstYear + Math.floor(random() * 131);
      const years = IS_PROOF ? TABLE_YEARS : { firstYear: year, lastYear: year };
      const [computed] = computeDateHolidays([calendar], years);
      const { code, days } = computed!;
      const again = daysWithin(
        Object.entries(days).flatMap(([name, numbers]) => numbers.map(dayNumber => ({ name, dayNumber }))),
        years,
      );
      const committed = daysWithin(dateHolidays.get(code)!.holidays, years);
      count += again.size;
      for (const day of again.symmetricDifference(committed)) wrong.push(`${code} ${day}`);
    }
    expectNoDifferences('days of date-holidays computed again', count, wrong, 500_000);
  },
  IS_PROOF ? PROOF_MS : SLOW_TEST_MS,
);

function daysWithin(days: readonly Pick<SourceDay, 'name' | 'dayNumber'>[], years: Years): Set<string> {
  const within = days.filter(({ dayNumber }) => isWithin(dayNumber, years));
  return new Set(within.map(({ dayNumber, name }) => `${isoDate(dayNumber)} ${name}`));
}

test('a date-holidays day is one it covers from midnight to midnight', () => {
  for (const [country, year] of Object.entries({ AT: 2026, IL: 2026, IS: 2027, TR: 2026 })) {
    const listed = dateHolidays.get(country)!.holidays.map(day => day.dayNumber);
    const ofYear = listed.filter(day => isWithin(day, { firstYear: year, lastYear: year }));
    expect(new Set(ofYear)).toEqual(fullDaysOf(country, year));
  }
});

/** Every civil day of a year that the library's holidays of any type cover from midnight to midnight. */
function fullDaysOf(country: string, year: number): Set<number> {
  const library = new Holidays(country, { timezone: 'UTC' });
  const days = new Set<number>();
  for (const holiday of [...library.getHolidays(year - 1), ...library.getHolidays(year)]) {
    if (holiday.type !== 'public') continue;
    // A holiday that begins in the evening belongs to the next day: its day begins six hours later.
    const shift = holiday.date.endsWith('-0600') ? 6 : 0;
    const beginsAt = holiday.start.getTime() / 3_600_000 + shift;
    const endsAt = holiday.end.getTime() / 3_600_000 + shift;
    for (let day = Math.floor(beginsAt / 24); (day + 1) * 24 <= endsAt; day++) {
      if (day * 24 >= beginsAt && isWithin(day, { firstYear: year, lastYear: year })) days.add(day);
    }
  }
  return days;
}

test("Islamic holidays continue to 2100 as estimates after the sources' tables end", () => {
  for (const country of ['AE', 'TR', 'MY', 'QA', 'IQ', 'PK', 'ID', 'EG']) {
    const calendar = embeddedCalendars.calendar(country, null);
    for (const year of [2060, 2078, 2090, 2100]) {
      const estimated = calendar.holidaysOf(year).filter(({ status }) => status === 'estimated');
      expect({ country, year, isThere: estimated.length >= 2 }).toEqual({ country, year, isThere: true });
    }
  }
});

test('estimated feasts follow the Umm al-Qura calendar', () => {
  const options = { timeZone: 'UTC', month: 'numeric', day: 'numeric' } as const;
  const days = embeddedCalendars.calendar('MA', null).holidaysOf(2060);
  const dates = days
    .filter(({ name }) => name === 'عيد الفطر')
    .map(({ dayNumber }) => new Date(dayNumber * 86_400_000))
    .map(date => date.toLocaleDateString('en-u-ca-islamic-umalqura', options).split(' ')[0]);
  expect(dates).toEqual(['10/1', '10/2']);
});

test('the months that extend date-holidays calendars equal the library’s own where it has them', () => {
  const { hebrew: lastHebrew, islamic: lastIslamic } = LAST_LIBRARY_YEARS;
  const ownYears = yearsIn({ firstYear: 1971, lastYear: lastHebrew });
  expect([...monthStarts('hebrew', 1971, hebrew.year, lastHebrew)]).toEqual(
    ownYears.map(year => [year, hebrew[year]!]),
  );
  // Umm al-Qura tables differ from one another by a day; before 2000, under another rule, sometimes by two.
  for (const [year, months] of monthStarts('islamic-umalqura', 2000, islamic.year, lastIslamic)) {
    const days = (starts: typeof months) =>
      starts.flatMap((numbers, month) =>
        Array.from({ length: (numbers?.length ?? 0) / 3 }, (_, index) => ({
          key: `${month + 1} of year ${numbers![index * 3 + 2]}`,
          day: dayNumberOf(year, numbers![index * 3]! + 1, numbers![index * 3 + 1]!),
        })),
      );
    const ours = new Map(days(months).map(({ key, day }) => [key, day]));
    for (const { key, day } of days(islamic[year]!)) {
      expect(Math.abs((ours.get(key) ?? day) - day)).toBeLessThanOrEqual(1);
    }
  }
});

test('coverage is within the table, and begins where the sources do', () => {
  for (const { code, coverage } of compiled) {
    expect(coverage.from).toBeGreaterThanOrEqual(TABLE_YEARS.firstYear);
    expect(coverage.to).toBeLessThanOrEqual(TABLE_YEARS.lastYear);
    expect({ code, isOrdered: coverage.from <= coverage.to }).toEqual({ code, isOrdered: true });
  }
  const coverage = (country: string) => embeddedCalendars.calendar(country, null).coverage;
  expect(coverage('DE').from).toBe(1991);
  expect(coverage('LK')).toMatchObject({ from: 2003, to: 2027 });
  expect(coverage('IN').to).toBe(2035);
  expect(coverage('JP').to).toBe(2099);
  expect(coverage('NZ').to).toBe(2052);
});

test('coverage ends with the table of a movable Hindu or Tibetan holiday', () => {
  const ends = compiled.flatMap(({ code, days, coverage }) =>
    [...Map.groupBy(days.holidays, ({ name }) => name)].flatMap(([name, holidays]) => {
      const last = holidays.reduce((a, b) => (a.dayNumber > b.dayNumber ? a : b));
      const [end, years] = [yearOf(last.dayNumber), new Set(holidays.map(day => yearOf(day.dayNumber)))];
      const dates = new Set(holidays.map(day => isoDate(day.dayNumber).slice(5)));
      const isTable = dates.size > 2 && [1, 2].every(ago => years.has(end - ago));
      const isOfRule = last.status !== 'announced' && !last.isSubstitute;
      return isTable && isOfRule && end >= 2026 && end < 2076 ? [{ code, name, end, to: coverage.to }] : [];
    }),
  );
  expect(ends.filter(({ end, to }) => to > end)).toEqual([]);
  const lastYears = Object.fromEntries(ends.map(({ code, to }) => [code, to]));
  expect(lastYears).toMatchObject({ BT: 2035, FJ: 2035, GY: 2035, IN: 2035, MU: 2035, NP: 2032, SR: 2035 });
  expect(lastYears).toMatchObject({ 'IN-TS': 2027, 'RU-TY': 2026 });
});

const report = accuracy as unknown as AccuracyReport;

test('the table on the pages matches the report; otherwise run make holidays-report', () => {
  const table = documentation('src/site/guide/accuracy_table.md');
  expect(table).toBe(accuracyTable(report));
  // It adds to the size of each page that shows it.
  expect(Bun.markdown.html(table).length).toBeLessThan(28_000);
});

test("the README has the report's figures", () => {
  expect(documentation('README.md')).toContain(`\`\`\`text\n${summaryOf(report)}\`\`\``);
});

test('the report has every calendar with its coverage', () => {
  const calendars = embeddedCalendars.countries.flatMap(({ code, coverage, subdivisions }) => [
    { code, coverage },
    ...subdivisions.map(part => ({ code: `${code}-${part.code}`, coverage: part.coverage })),
  ]);
  const byCode = (list: readonly { readonly code: string; readonly coverage: unknown }[]) =>
    new Map(list.map(({ code, coverage }) => [code, coverage]));
  expect(byCode(report.calendars)).toEqual(byCode(calendars));
});
