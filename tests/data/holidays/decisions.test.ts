import { describe, expect, spyOn, test } from 'bun:test';
import weeks from 'cldr-core/supplemental/weekData.json';
import { correct } from '../../../data/holidays/corrections.ts';
import { dayNumberOfIso } from '../../../data/holidays/dates.ts';
import { parseCalendars } from '../../../data/holidays/decisions/calendars.ts';
import { parseDifferences } from '../../../data/holidays/decisions/differences.ts';
import { kindOf, parseNames } from '../../../data/holidays/decisions/names.ts';
import { parseWorkWeeks, workWeekOf } from '../../../data/holidays/decisions/work_weeks.ts';
import type { Draft } from '../../../data/holidays/source_days.ts';
import { toLists } from '../../../data/holidays/table.ts';
import { isOnWeekend } from '../../../src/holidays/business_days.ts';
import { isoDate } from '../../holidays/table_of.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

const decisions = parseCalendars();
const differences = parseDifferences();

test('every decision has an existing calendar, and a source or reason', () => {
  for (const code of [...decisions.keys(), ...differences.keys()]) {
    const [country, ...part] = code.split('-');
    embeddedCalendars.calendar(country!, part.join('-') || null);
  }
  const sources = [...decisions.values()].flatMap(({ corrections }) =>
    corrections.map(({ source }) => source),
  );
  expect(sources.filter(source => source.length <= 10)).toEqual([]);
  const reasons = [...differences.values()].flatMap(byName => [...byName.values()]);
  expect(reasons.filter(reason => reason.length <= 3)).toEqual([]);
});

test.each([
  ['2026 holiday 01-01 New', 'calendars.txt:1: no [calendar] above this line'],
  ['[AT]\n2026 holiday 01-02 New', 'calendars.txt:2: no source above this line'],
  ['[AT]\nsource us\n\n2026 feast 01-02 New', "calendars.txt:4: cannot parse '2026 feast 01-02 New'"],
  ['[AT]\nsource us\n2026 holiday 02-30 New', 'calendars.txt:3: no date 2026-02-30'],
  ['[AT]\nsource us\n2026 holiday 13-01 New', 'calendars.txt:3: no date 2026-13-01'],
  ['[AT]\nsource us\n2026 holiday 03-00 New', 'calendars.txt:3: no date 2026-03-00'],
  ['[AT]\nsource us\n2026 remove\n  03-05..03-01', "calendars.txt:3: '03-05..03-01' ends before it begins"],
  ['[AT]\ncoverage soon', "calendars.txt:2: 'soon' is not a range of years"],
  ['[AT]\ncoverage 2030-2020', "calendars.txt:2: '2030-2020' is not a range of years"],
  ['[AT]\ncommon-of-subdivisions now', "calendars.txt:2: 'common-of-subdivisions' is followed by 'now'"],
  ['[AT]\ncoverage 1990-2000\n[AT]', 'calendars.txt:3: [AT] is already above'],
  ['[AT]\nsource us\n2026 holiday 01-02', "calendars.txt:3: '01-02' has no name"],
  ['[AT]\nsource us\n2026 remove easter', "calendars.txt:3: 'easter' is not a list of dates"],
  ['[AT]\nsource us\n2026 remove 01-01 New', "calendars.txt:3: '01-01 New' is not a list of dates"],
  ['[AT]\nsource us\nrule add 12-24 = New', "calendars.txt:3: '12-24' has no first year"],
  ['[AT]\nannounced-by', "calendars.txt:2: 'announced-by' does not say by whom"],
  ['[AT]\ncoverage 2000-2001\ncoverage 2000-2001', 'calendars.txt:3: this is decided twice'],
])('%p is rejected with its line', (text, message) => {
  expect(() => parseCalendars(text)).toThrow(message);
});

/** A calendar with three holidays in 2026, on a Thursday, a Friday and a Saturday. */
const draft: Draft = {
  holidays: [
    { date: '2026-01-01', name: 'Neujahr' },
    { date: '2026-12-25', name: 'Christtag' },
    { date: '2026-12-26', name: 'Stefanitag' },
  ].map(({ date, name }) => ({
    dayNumber: dayNumberOfIso(date),
    name,
    nameEn: null,
    status: 'statutory',
    isSubstitute: false,
    source: 'library',
  })),
  workdays: [],
  years: { firstYear: 1970, lastYear: 2100 },
};
const SATURDAY_AND_SUNDAY = [{ firstDay: 0, weekend: [6, 7] }];

/** The corrected calendar, as dates and names in 2026 or another year. */
function corrected(text: string, year = 2026) {
  const ofText = parseCalendars(`[AT]\nsource us\n${text}`);
  const lists = toLists(
    correct('AT', draft, ofText, SATURDAY_AND_SUNDAY, () => draft.holidays),
    { firstYear: year, lastYear: year },
  );
  const days = (isWorkday: boolean) =>
    lists
      .filter(list => list.isWorkday === isWorkday)
      .flatMap(({ name, source, dayNumbers }) =>
        dayNumbers.map(day => `${isoDate(day).slice(5)} ${name} (${source})`),
      )
      .sort();
  return { holidays: days(false), workdays: days(true) };
}

describe('a correction', () => {
  test('adds and removes days, and marks worked ones', () => {
    const { holidays, workdays } = corrected(
      '2026 remove 01-01\n2026 holiday 01-02..01-03 New\n2026 workday 01-10 Swap',
    );
    expect(holidays.slice(0, 2)).toEqual(['01-02 New (us)', '01-03 New (us)']);
    expect(workdays).toEqual(['01-10 Swap (us)']);
  });

  test('adds rules in the grammar of date-holidays, and drops holidays by name', () => {
    const { holidays } = corrected('drop 2000-2030 Neujahr\nrule add monday after 01-10 since 1970 = New');
    expect(holidays).toEqual(['01-12 New (us)', '12-25 Christtag (library)', '12-26 Stefanitag (library)']);
    expect(corrected('rule add easter 1 since 2030 = New', 2029).holidays).toEqual([]);
    expect(corrected('rule add easter 1 since 2030 = New', 2030).holidays).toEqual(['04-22 New (us)']);
    // date-holidays itself has no Islamic days after 2076.
    expect(corrected('rule add 1 Shawwal since 1970 = Eid', 2090).holidays).toEqual(['04-01 Eid (us)']);
  });

  test.each([
    ['2026 holiday 12-25 Christmas', /calendars.txt:3: this changes nothing for 2026-12-25/],
    ['2026 remove 12-24', /calendars.txt:3: this changes nothing for 2026-12-24/],
    ['2026 workday 12-23 Swap', /calendars.txt:3: this changes nothing for 2026-12-23/],
    ['drop 2027-2030 Neujahr', /calendars.txt:3: this changes nothing/],
    [
      '2026 holiday\n  01-02 New\nrule add 01-02 since 2026 and prior to 2027 = New',
      /calendars.txt:5: this changes nothing/,
    ],
    ['2026 workday 01-10 A\n2026 workday 01-10 B', /calendars.txt:4: this changes nothing for 2026-01-10/],
    ['compensate 2027-2027 " (off)" for Christtag', /calendars.txt:3: this changes nothing/],
    ['borrow DE Neujahr = Neujahr', /calendars.txt:3: this changes nothing/],
    ['borrow DE Neujahrstag = Neujahr', /calendars.txt:3: there is no 'Neujahrstag'/],
    ['rule add the day after since 1970 = New', /calendars.txt:3: there are no rules such as 'the day after/],
    ['rule add chinese 13-0-05 since 2000 = New', /calendars.txt:3: there are no rules such as/],
    ['rule add korean 8-0-15 since 2033 = New', /calendars.txt:3: there are no rules such as/],
  ])('without effect, %p, is rejected', (text, message) => {
    // The library logs what it cannot parse.
    using _ = spyOn(console, 'error').mockImplementation(() => {});
    expect(() => corrected(text)).toThrow(message);
  });

  test('adds substitutes for named holidays that coincide with another', () => {
    const text = 'rule add 12-25 since 1970 = Birthday\ncompensate 2026-2026 " (off)" for Birthday';
    expect(corrected(text).holidays.filter(day => day > '12-24')).toEqual([
      '12-25 Birthday (us)',
      '12-25 Christtag (library)',
      '12-26 Stefanitag (library)',
      '12-28 Birthday (off) (us)',
    ]);
  });
});

describe('work weeks', () => {
  test('apply to the calendars below them', () => {
    const table = parseWorkWeeks();
    expect(workWeekOf('AE-AZ', table)).toEqual(workWeekOf('AE', table));
    expect(workWeekOf('DE-BY', table)).toEqual(SATURDAY_AND_SUNDAY);
  });

  test("are CLDR's, but where a text says otherwise", () => {
    const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    const starts: Readonly<Record<string, string>> = weeks.supplemental.weekData.weekendStart;
    const ends: Readonly<Record<string, string>> = weeks.supplemental.weekData.weekendEnd;
    const dayIn = (days: typeof starts, code: string) => weekdays.indexOf(days[code] ?? days['001']!) + 1;
    const differing = embeddedCalendars.countries.flatMap(({ code }) => {
      const ofCldr = [...new Set([dayIn(starts, code), dayIn(ends, code)])];
      const { weekend } = embeddedCalendars.calendar(code, null).workWeek.at(-1)!;
      return weekend.join() === ofCldr.join() ? [] : [`${code} ${weekend.join()}`];
    });
    expect(differing).toEqual(['BD 5,6', 'BN 5,7', 'DJ 5,6', 'IN 6,7', 'MV 5,6', 'PS 5,6', 'SO 5', 'UG 6,7']);
  });

  test.each([
    ['1970-01-01 Sat = text', '1: no [calendar] above this line'],
    ['[AT]\n1971-01-01 Sat = text', '2: the first period begins in 1970'],
    ['[AT]\n1970-01-01 Sab = us', '2: cannot parse'],
    [
      '[AT]\n1970-01-01 Sat = text\n1970-01-01 Sun = text',
      '3: this period does not begin after the one above',
    ],
    ['[AT]\n1970-01-01 Sat = text\n2006-02-31 Sun = text', '3: no date 2006-02-31'],
    ['[AT]\n1970-01-01 Sat', '2: cannot parse'],
    ['[AT]\n1970-01-01 Sat = us', '2: cannot parse'],
  ])('%p is rejected with its line', (text, message) => {
    expect(() => parseWorkWeeks(text)).toThrow(`work_weeks.txt:${message}`);
  });

  test('a day in 1969 is in the first period', () => {
    expect(isOnWeekend(SATURDAY_AND_SUNDAY, -5)).toBe(true);
    expect(isOnWeekend(SATURDAY_AND_SUNDAY, -1)).toBe(false);
  });
});

describe('names', () => {
  test('a substitute is what its holiday is', () => {
    const names = parseNames(
      '[AT]\nyearly: Eid\nlaw: Neujahr\nsubstitute * (frei): Eid\nsubstitute Ersatztag: *',
    )('AT-1');
    expect(
      ['Eid', 'Eid (frei)', 'Ersatztag', 'Neujahr', 'Christtag'].map(name => kindOf(name, names)),
    ).toEqual(['yearly', 'yearly', 'law', 'law', undefined]);
  });

  test.each([
    ['law: Neujahr', '1: cannot parse'],
    ['[AT]\nlabel estimated: ca.', '2: cannot parse'],
    ['label estimated: ca.\nlabel dated: ca.', "2: 'ca.' is decided twice"],
    ['[AT]\nlaws: Neujahr', '2: cannot parse'],
    ['[AT]\nlaw: A | B\nonce: B', "3: 'B' is decided twice"],
  ])('%p is rejected with its line', (text, message) => {
    expect(() => parseNames(text)).toThrow(`names.txt:${message}`);
  });
});
