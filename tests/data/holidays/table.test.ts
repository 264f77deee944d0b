import { expect, test } from 'bun:test';
import Holidays from 'date-holidays';
import { version } from 'date-holidays/package.json';
import fc from 'fast-check';
import { LIBRARY_SOURCE, readCorrections, sha256Of, TABLE_YEARS } from '../../../data/holidays/compile.ts';
import { compileCalendar, type Years } from '../../../data/holidays/compile_calendar.ts';
import { holidaysManifest, readHolidayPack } from '../../../data/holidays/embedded.ts';
import { extendCalendars, LAST_LIBRARY_YEARS, monthStarts } from '../../../data/holidays/extend_calendars.ts';
import { type LibraryCalendar, listLibraryCalendars } from '../../../data/holidays/library.ts';
import { parseCorrections } from '../../../data/holidays/parse_corrections.ts';
import { weekendOf } from '../../../data/holidays/weekends.ts';
import { calendar as hebrew } from '../../../node_modules/date-holidays-parser/src/internal/hebrew-calendar.js';
import { calendar as islamic } from '../../../node_modules/date-holidays-parser/src/internal/hijri-calendar.js';
import { dayNumberOf } from '../../../src/common/civil.ts';
import type { NamedDay } from '../../../src/holidays/holiday_calendar.ts';
import { type DayList, readHolidayPackHeader } from '../../../src/holidays/holiday_pack.ts';
import { expectNoDifferences, IS_PROOF, sample, sampleNumbers } from '../../proof.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

const libraryCalendars = listLibraryCalendars();
const corrected = parseCorrections(readCorrections());
/** Time for the library on a busy machine; alone it takes a second. */
const SLOW_TEST_MS = 60_000;
/** Compiling the whole table takes minutes. */
const PROOF_MS = 3_600_000;
/** Where a year's lunar arithmetic takes the library a tenth of a second and more. */
const SLOW = ['TW', 'HK', 'VN', 'CN', 'MY', 'SG', 'KR'];
const quickCalendars = libraryCalendars.filter(({ path }) => !SLOW.includes(path[0]));
const correctedCountries = new Set(corrected.map(({ code }) => code.slice(0, 2)));

function embeddedCalendar({ path }: LibraryCalendar) {
  return embeddedCalendars.calendar(path[0], path.slice(1).join('-') || null);
}

test('the table was made by the installed date-holidays from the corrections as they are: else run make holidays', () => {
  expect(readHolidayPackHeader(readHolidayPack())).toEqual({
    library: `date-holidays ${version}`,
    corrections: sha256Of(readCorrections()),
    weekends: 'CLDR 48',
    ...TABLE_YEARS,
  });
  expect(holidaysManifest.version).toBe(version);
});

test('the manifest names the bytes that are there, less than 1 MB', () => {
  const pack = readHolidayPack();
  expect(holidaysManifest.sha256).toBe(sha256Of(pack));
  expect(holidaysManifest.bytes).toBe(pack.length);
  expect(pack.length).toBeLessThan(1_000_000);
});

test('the table has every country, state and region of the library', () => {
  const codes = embeddedCalendars.countries.flatMap(({ code, subdivisions }) => [
    code,
    ...subdivisions.map(part => `${code}-${part.code}`),
  ]);
  expect(codes).toEqual(libraryCalendars.map(({ path }) => path.join('-')));
  expect(embeddedCalendars.countries.length).toBe(207);
});

/** Calendars with the years to compile: all of them in a proof, otherwise 57 with a random year each. */
function drawCalendars(): [LibraryCalendar, Years][] {
  if (IS_PROOF) return libraryCalendars.map(calendar => [calendar, TABLE_YEARS]);
  const slowCountries = libraryCalendars.filter(({ path }) => path.length === 1 && SLOW.includes(path[0]));
  const random = sampleNumbers();
  return [...sample(quickCalendars, 50), ...slowCountries].map(calendar => {
    const year = TABLE_YEARS.firstYear + Math.floor(random() * 131);
    return [calendar, { firstYear: year, lastYear: year }];
  });
}

test(
  'calendars that are compiled again equal those of the table',
  () => {
    extendCalendars();
    const wrong: string[] = [];
    let count = 0;
    for (const [calendar, years] of drawCalendars()) {
      const lists = compileCalendar(calendar, corrected, LIBRARY_SOURCE, years);
      for (let year = years.firstYear; year <= years.lastYear; year++) {
        for (const isWorkday of [false, true]) {
          const [ours, again] = [daysInTable(calendar, year, isWorkday), daysIn(lists, year, isWorkday)];
          count += again.length;
          if (!Bun.deepEquals(ours, again))
            wrong.push(`${calendar.path.join('-')} ${year}: ${ours}, not ${again}`);
        }
      }
    }
    expectNoDifferences('days of calendars compiled again', count, wrong, 1_000_000);
  },
  IS_PROOF ? PROOF_MS : SLOW_TEST_MS,
);

function daysInTable(calendar: LibraryCalendar, year: number, isWorkday: boolean): string[] {
  const inTable = embeddedCalendar(calendar);
  return sorted(isWorkday ? inTable.workdaysOf(year) : inTable.holidaysOf(year));
}

function daysIn(lists: readonly DayList[], year: number, isWorkday: boolean): string[] {
  const [from, until] = [dayNumberOf(year, 1, 1), dayNumberOf(year + 1, 1, 1)];
  const chosen = lists.filter(list => list.isWorkday === isWorkday);
  const days = chosen.flatMap(({ name, source, dayNumbers }) =>
    dayNumbers.map(dayNumber => ({ dayNumber, name, source })),
  );
  return sorted(days.filter(({ dayNumber }) => dayNumber >= from && dayNumber < until));
}

test(
  'a random calendar that needs no correction is the library’s own, in the years for which it has all calendars',
  () => {
    const uncorrected = libraryCalendars.filter(
      ({ path }) => !correctedCountries.has(path[0]) && isFoundByLibrary(path),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...uncorrected),
        fc.integer({ min: 1971, max: LAST_LIBRARY_YEARS.islamic }),
        ({ path, name }, year) => {
          const inTable = new Set(
            embeddedCalendar({ path, name })
              .holidaysOf(year)
              .map(day => day.dayNumber),
          );
          expect(inTable).toEqual(fullDaysOf(path, year));
        },
      ),
      { numRuns: 50 },
    );
  },
  SLOW_TEST_MS,
);

/** The library never finds the places that it does not spell in capitals. */
function isFoundByLibrary(path: LibraryCalendar['path']): boolean {
  return path.join('-') === path.join('-').toUpperCase();
}

/** Every civil day of a year that holidays of the library, with all its types, cover from midnight to midnight. */
function fullDaysOf([country, state, region]: LibraryCalendar['path'], year: number): Set<number> {
  const library = new Holidays(country, state ?? '', region ?? '', { timezone: 'UTC' });
  const days = new Set<number>();
  for (const holiday of [...library.getHolidays(year - 1), ...library.getHolidays(year)]) {
    if (holiday.type !== 'public') continue;
    // What begins in the evening belongs to the day after: its day begins six hours later.
    const shift = holiday.date.endsWith('-0600') ? 6 : 0;
    const beginsAt = holiday.start.getTime() / 3_600_000 + shift;
    const endsAt = holiday.end.getTime() / 3_600_000 + shift;
    for (let day = Math.floor(beginsAt / 24); (day + 1) * 24 <= endsAt; day++) {
      const isOfYear = day >= dayNumberOf(year, 1, 1) && day < dayNumberOf(year + 1, 1, 1);
      if (day * 24 >= beginsAt && isOfYear) days.add(day);
    }
  }
  return days;
}

test('Islamic and Hebrew holidays go on to 2100, where the library leaves them out', () => {
  const names = (country: string, year: number) =>
    embeddedCalendars
      .calendar(country, null)
      .holidaysOf(year)
      .map(day => day.name);
  for (let year = LAST_LIBRARY_YEARS.islamic + 1; year <= 2100; year++) {
    expect(names('SA', year)).toContain('عيد الفطر');
    expect(names('SA', year)).toContain('عيد الأضحى');
  }
  expect(names('IL', 2100)).toEqual(names('IL', 2099));
  expect(new Set(names('IL', 2100)).size).toBeGreaterThan(5);
});

test('the months that carry the calendars on are the library’s own where it has both', () => {
  expect([...monthStarts('hebrew', 1971, hebrew.year, LAST_LIBRARY_YEARS.hebrew)]).toEqual(
    Array.from({ length: LAST_LIBRARY_YEARS.hebrew - 1970 }, (_, index) => [
      1971 + index,
      hebrew[1971 + index]!,
    ]),
  );
  // Umm al-Qura tables differ by a day from one another; before 2000, when the rule was another, by two at times.
  for (const [year, months] of monthStarts(
    'islamic-umalqura',
    2000,
    islamic.year,
    LAST_LIBRARY_YEARS.islamic,
  )) {
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

test('weekends are those that ICU has for each country', () => {
  for (const { code, weekend } of embeddedCalendars.countries) {
    const locale = new Intl.Locale(`und-${code}`) as Intl.Locale & { getWeekInfo(): { weekend: number[] } };
    expect({ code, weekend }).toEqual({ code, weekend: locale.getWeekInfo().weekend });
    expect(weekendOf(code)).toEqual(weekend);
  }
});

test('a holiday that begins in the evening is the civil day that follows', () => {
  // Passover of 2026 begins in the evening of April 1.
  const days = embeddedCalendars.calendar('IL', null).holidaysOf(2026);
  expect(days.find(day => day.name === 'פסח')?.dayNumber).toBe(dayNumberOf(2026, 4, 2));
});

test('a holiday of several days is each of them, and its half days are worked', () => {
  const days = embeddedCalendars.calendar('TR', null).holidaysOf(2026);
  const feast = days.filter(day => day.name === 'Kurban Bayramı').map(day => day.dayNumber);
  expect(feast).toEqual([27, 28, 29, 30].map(day => dayNumberOf(2026, 5, day)));
});

test('a holiday that begins at noon leaves the day a working one', () => {
  const { businessDays, holidaysOf } = embeddedCalendars.calendar('IS', null);
  const christmasEve = dayNumberOf(2026, 12, 24);
  expect(businessDays.countBefore(christmasEve + 1) - businessDays.countBefore(christmasEve)).toBe(1);
  expect(holidaysOf(2026).map(day => day.dayNumber)).not.toContain(christmasEve);
  // On a Sunday it begins at midnight.
  expect(holidaysOf(2028).map(day => day.dayNumber)).toContain(dayNumberOf(2028, 12, 24));
});

function sorted(days: readonly NamedDay[]): string[] {
  return days.map(({ dayNumber, name, source }) => `${dayNumber} ${name} ${source}`).sort();
}
