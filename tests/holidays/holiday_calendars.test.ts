import { describe, expect, test } from 'bun:test';
import { encodeHolidayPack } from '../../data/holidays/pack.ts';
import { dayNumberOf } from '../../src/common/civil.ts';
import { ServiceError } from '../../src/common/errors.ts';
import { countBusinessDays } from '../../src/holidays/business_days.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { parseOrganisationCalendar } from '../../src/holidays/organisation_calendar.ts';
import { thrownBy } from '../support/thrown.ts';
import { dayList, REVIEWED, tableOf } from './table_of.ts';

const christmas = dayNumberOf(2026, 12, 25);
const workedSaturday = dayNumberOf(2026, 12, 19);
const table = tableOf({
  BE: [],
  'BE-DE': [],
  DE: [
    dayList('Weihnachten', [christmas], { nameEn: 'Christmas' }),
    dayList('Arbeitssamstag', [workedSaturday], { source: 'notice', isWorkday: true, status: 'announced' }),
  ],
  'DE-BY': [],
  'DE-BY-A': [],
  SA: [],
});
const pack = encodeHolidayPack(table);
const calendars = new HolidayCalendars(pack);

function failure(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('This should have failed');
}

describe('codes', () => {
  test('are found in any letter case, subdivisions with a hyphen or a dot, and full ISO 3166-2 codes', () => {
    const found = (country: string, part: string) => calendars.calendar(country, part).subdivision?.code;
    expect(calendars.calendar('de', null).country.code).toBe('DE');
    for (const code of ['BY', 'by', 'de-by', 'DE-By']) expect(found('De', code)).toBe('BY');
    for (const code of ['BY-A', 'by.a', 'DE-BY-A', 'de.by.a']) expect(found('DE', code)).toBe('BY-A');
    // Belgium's German-speaking community has Germany's code.
    expect(found('BE', 'de')).toBe('DE');
    expect(found('BE', 'be-de')).toBe('DE');
  });

  test('that are unknown cause an error that lists the known ones', () => {
    const country = failure(() => calendars.calendar('XX', null));
    expect(country.code).toBe('INVALID_PARAMETER');
    expect(country.message).toBe(
      "Cannot read 'holiday_country': no holidays are known for 'XX'; there are those of BE, DE, SA",
    );
    expect(country.details).toEqual({ parameter: 'holiday_country', valid_countries: ['BE', 'DE', 'SA'] });
    const part = failure(() => calendars.calendar('DE', 'XX'));
    expect(part.code).toBe('INVALID_PARAMETER');
    expect(part.message).toBe(
      "Cannot read 'holiday_subdivision': Place DE (DE) has no 'XX'; it has BY, BY-A",
    );
    expect(part.details).toEqual({ parameter: 'holiday_subdivision', valid_subdivisions: ['BY', 'BY-A'] });
    const none = failure(() =>
      calendars.calendar('SA', '01', { country: 'country', subdivision: 'subdivision' }),
    );
    expect(none.message).toBe(
      "Cannot read 'subdivision': Place SA (SA) has no '01'; it has one calendar for all",
    );
    expect(none.details).toEqual({ parameter: 'subdivision', valid_subdivisions: [] });
  });

  test.each(['', '  ', 'DEU', 'D', '__proto__', 'constructor', 'ß', 'DE\0'])('%p is not a country', code => {
    expect(failure(() => calendars.calendar(code, null)).code).toBe('INVALID_PARAMETER');
    expect(failure(() => calendars.calendar('DE', code)).details).toEqual({
      parameter: 'holiday_subdivision',
      valid_subdivisions: ['BY', 'BY-A'],
    });
  });
});

test('a calendar counts weekends, holidays and worked days', () => {
  const [first, end] = [dayNumberOf(2026, 12, 1), dayNumberOf(2027, 1, 1)];
  expect(countBusinessDays([], first, end)).toBe(23);
  expect(countBusinessDays([calendars.calendar('DE', null)], first, end)).toBe(23 - 1 + 1);
  // Fridays and Saturdays instead of Saturdays and Sundays: the same number in this month.
  const friday = dayNumberOf(2026, 12, 4);
  expect(countBusinessDays([calendars.calendar('SA', null)], friday, friday + 2)).toBe(0);
  expect(countBusinessDays([calendars.calendar('SA', null)], friday, friday + 3)).toBe(1);
});

test('a listing has the days of a year with names, status and sources', () => {
  const { holidaysOf, workdaysOf, coverage } = calendars.calendar('DE', null);
  expect(holidaysOf(2026)).toEqual([
    {
      dayNumber: christmas,
      name: 'Weihnachten',
      nameEn: 'Christmas',
      source: 'library',
      status: 'statutory',
      substituteFor: null,
    },
  ]);
  expect(workdaysOf(2026)).toEqual([
    {
      dayNumber: workedSaturday,
      name: 'Arbeitssamstag',
      nameEn: null,
      source: 'notice',
      status: 'announced',
      substituteFor: null,
    },
  ]);
  expect(holidaysOf(2025)).toEqual([]);
  expect(coverage.announcedThrough).toBe(2026);
});

test('a substitute names its holiday, even if all substitutes have the same name', () => {
  const sunday = dayNumberOf(2026, 7, 5);
  const monday = sunday + 1;
  const own = new HolidayCalendars(
    encodeHolidayPack(
      tableOf(
        {
          JP: [
            dayList('海の日', [sunday - 7, sunday]),
            dayList('振替休日', [monday], { isSubstitute: true }),
          ],
          US: [
            dayList('Other Day', [sunday]),
            dayList('Independence Day', [sunday - 1]),
            dayList('Independence Day (observed)', [monday, sunday + 13, sunday + 14], {
              isSubstitute: true,
            }),
            dayList('Epiphany (observed)', [monday + 21], { isSubstitute: true }),
          ],
        },
        new Map(),
        new Map([
          ['振替休日', null],
          ['Independence Day (observed)', { name: 'Independence Day', nameEn: null }],
          ['Epiphany (observed)', { name: 'Epiphany', nameEn: null }],
        ]),
      ),
    ),
  );
  const originals = (country: string) =>
    own
      .calendar(country, null)
      .holidaysOf(2026)
      .map(day => [day.name, day.substituteFor]);
  expect(originals('JP')).toContainEqual(['振替休日', { dayNumber: sunday, name: '海の日', nameEn: null }]);
  expect(originals('US')).toContainEqual([
    'Independence Day (observed)',
    { dayNumber: sunday - 1, name: 'Independence Day', nameEn: null },
  ]);
  // Fourteen days after it, and fifteen.
  expect(originals('US').slice(-3, -1)).toEqual([
    ['Independence Day (observed)', { dayNumber: sunday - 1, name: 'Independence Day', nameEn: null }],
    ['Independence Day (observed)', { dayNumber: null, name: 'Independence Day', nameEn: null }],
  ]);
  expect(originals('US')).toContainEqual([
    'Epiphany (observed)',
    { dayNumber: null, name: 'Epiphany', nameEn: null },
  ]);
});

test('calendars have a coverage and a work week, and countries are marked if their subdivisions differ', () => {
  const germany = calendars.calendar('DE', null);
  expect(germany.coverage).toEqual(REVIEWED);
  expect(germany.workWeek).toEqual([{ firstDay: 0, weekend: [6, 7] }]);
  expect(germany.subdivisionsDiffer).toBe(true);
  expect(calendars.calendar('DE', 'BY').subdivisionsDiffer).toBe(false);
  expect(calendars.calendar('SA', null).subdivisionsDiffer).toBe(false);
});

test('names and aliases are accepted for subdivision codes', () => {
  expect(calendars.calendar('DE', 'Place DE-BY').subdivision?.code).toBe('BY');
  expect(calendars.calendar('DE', 'alias de-by').subdivision?.code).toBe('BY');
});

test('business days of several calendars are business days in each of them', () => {
  const both = [calendars.calendar('DE', null), calendars.calendar('SA', null)];
  // Monday to Thursday: Friday is off in Riyadh, Saturday and Sunday in Berlin.
  const monday = dayNumberOf(2026, 12, 7);
  expect(countBusinessDays(both, monday, monday + 7)).toBe(4);
  // Friday, December 25, is off in both, the worked Saturday in one.
  expect(countBusinessDays(both, dayNumberOf(2026, 12, 14), dayNumberOf(2026, 12, 28))).toBe(8);
});

describe("an organisation's calendar", () => {
  const organisation = parseOrganisationCalendar(
    [
      '2026-12-24 holiday Closing day',
      'DE 2026-12-25 workday',
      'DE 2026-12-19 holiday',
      'DE-BY 2026-12-24 workday',
      'DE-BY-A 2026-12-28 holiday Bridge',
    ].join('\n'),
    table,
  );
  const own = new HolidayCalendars(pack, organisation);
  const isWorked = (country: string, part: string | null, date: number) =>
    countBusinessDays([own.calendar(country, part)], date, date + 1) === 1;

  test("overrides the public holidays, and a subdivision's lines override its country's", () => {
    const christmasEve = dayNumberOf(2026, 12, 24);
    expect(isWorked('SA', null, christmasEve)).toBe(false);
    expect(isWorked('DE', null, christmasEve)).toBe(false);
    expect(isWorked('DE', null, christmas)).toBe(true);
    expect(isWorked('DE', null, workedSaturday)).toBe(false);
    expect(isWorked('DE', 'BY', christmasEve)).toBe(true);
    expect(isWorked('DE', 'BY-A', christmasEve)).toBe(true);
    expect(isWorked('DE', 'BY-A', dayNumberOf(2026, 12, 28))).toBe(false);
    expect(isWorked('DE', 'BY', dayNumberOf(2026, 12, 28))).toBe(true);
  });

  test('is named in a listing, in place of the days it removes', () => {
    const { holidaysOf, workdaysOf, datesBetween } = own.calendar('DE', null);
    const source = 'organisation calendar';
    expect(holidaysOf(2026)).toMatchObject([
      { dayNumber: workedSaturday, name: 'Closing day', source },
      { dayNumber: dayNumberOf(2026, 12, 24), name: 'Closing day', source },
    ]);
    expect(workdaysOf(2026)).toMatchObject([{ dayNumber: christmas, name: 'Working day', source }]);
    expect(datesBetween(christmas, christmas)).toMatchObject([{ dayNumber: christmas, isWorkday: true }]);
  });
});

const countries = tableOf({ DE: [], 'DE-BY': [], FR: [] });

test('lines of all forms are parsed; comments and empty lines are skipped', () => {
  const text = [
    ...['\uFEFF# Our year', '', '2026-12-24 holiday Closing day  ', '  # indented', '2026-02-14 workday'],
    'de 2026-12-31 holiday\tInventory, "all day" # no comment',
    ...['DE-by 2026-08-08   workday   Trade fair\r', ''],
  ].join('\n');
  const calendar = parseOrganisationCalendar(text, countries);
  expect(calendar.size).toBe(4);
  const days = [...calendar.daysOf('DE', 'BY').values()].map(({ dayNumber, name, isWorkday }) => [
    dayNumber,
    name,
    isWorkday,
  ]);
  expect(days).toEqual([
    [dayNumberOf(2026, 12, 24), 'Closing day', false],
    [dayNumberOf(2026, 2, 14), 'Working day', true],
    [dayNumberOf(2026, 12, 31), 'Inventory, "all day" # no comment', false],
    [dayNumberOf(2026, 8, 8), 'Trade fair', true],
  ]);
  expect([...calendar.daysOf('FR', null).keys()]).toEqual([
    dayNumberOf(2026, 12, 24),
    dayNumberOf(2026, 2, 14),
  ]);
});

test('an empty file is a calendar without days', () => {
  expect(parseOrganisationCalendar('', countries).size).toBe(0);
  expect(parseOrganisationCalendar('# nothing\n\n', countries).daysOf('DE', null).size).toBe(0);
});

test.each([
  ['2026-13-01 holiday', 'there is no 2026-13-01'],
  ['2026-02-29 holiday', 'there is no 2026-02-29'],
  ['2026-00-10 holiday', 'there is no 2026-00-10'],
  ['2026-01-00 holiday', 'there is no 2026-01-00'],
  ['2101-01-01 holiday', 'calendars reach from 1970 to 2100, not to 2101'],
  ['1969-12-31 workday', 'calendars reach from 1970 to 2100, not to 1969'],
  ['XX 2026-01-02 holiday', "no country 'XX' is known"],
  [
    '2026-1-2 holiday',
    "'2026-1-2 holiday' is not like '2026-12-24 holiday Closing day' or 'DE 2026-02-14 workday'",
  ],
  ['2026-01-02', "'2026-01-02' is not like '2026-12-24 holiday Closing day' or 'DE 2026-02-14 workday'"],
  [
    '2026-01-02 Holiday',
    "'2026-01-02 Holiday' is not like '2026-12-24 holiday Closing day' or 'DE 2026-02-14 workday'",
  ],
  [
    '2026-01-02 holidays',
    "'2026-01-02 holidays' is not like '2026-12-24 holiday Closing day' or 'DE 2026-02-14 workday'",
  ],
  [
    'DEU 2026-01-02 holiday',
    "'DEU 2026-01-02 holiday' is not like '2026-12-24 holiday Closing day' or 'DE 2026-02-14 workday'",
  ],
])('%p is rejected with its line and column, as are further lines', (line, reason) => {
  const text = `# first\n2026-05-05 holiday\n${line}\nXY 2026-01-02 holiday\n`;
  expect(thrownBy(() => parseOrganisationCalendar(text, countries))).toEqual([
    `line 3, column 1: ${reason}`,
    "line 4, column 1: no country 'XY' is known",
  ]);
});

test.each([
  ['DE-ZZ 2026-01-02 holiday', 4, "Place DE has no subdivision 'ZZ'"],
  ['DE 2026-02-30 holiday', 4, 'there is no 2026-02-30'],
  ['2026-01-02 holiday a\u001bb', 20, 'the name has a control character'],
  ['2026-01-02 holiday a\tb', 20, 'the name has a control character'],
])('the fault of %p is in column %d', (line, column, reason) => {
  expect(() => parseOrganisationCalendar(line, countries)).toThrow(`line 1, column ${column}: ${reason}`);
});

test('a day given twice for one place is rejected, but not for different places', () => {
  expect(() => parseOrganisationCalendar('2026-05-05 holiday\n2026-05-05 workday', countries)).toThrow(
    'line 2, column 1: this day is already on line 1',
  );
  expect(parseOrganisationCalendar('2026-05-05 holiday\nDE 2026-05-05 workday', countries).size).toBe(2);
});

// A backtracking pattern takes a quarter of an hour.
test('a line of a million spaces is parsed in linear time', () => {
  const name = `a${' '.repeat(1e6)}b`;
  const calendar = parseOrganisationCalendar(`2026-05-05 holiday ${name}   \n`, countries);
  expect([...calendar.daysOf('FR', null).values()].map(day => day.name === name)).toEqual([true]);
});
