import { describe, expect, test } from 'bun:test';
import { dayNumberOf } from '../../src/common/civil.ts';
import { ServiceError } from '../../src/common/service_error.ts';
import { countBusinessDays } from '../../src/holidays/count_business_days.ts';
import { HolidayCalendars } from '../../src/holidays/holiday_calendars.ts';
import { encodeHolidayPack } from '../../src/holidays/holiday_pack.ts';
import { parseOrganisationCalendar } from '../../src/holidays/organisation_calendar.ts';
import { tableOf } from './table_of.ts';

const christmas = dayNumberOf(2026, 12, 25);
const workedSaturday = dayNumberOf(2026, 12, 19);
const table = tableOf({
  BE: [],
  'BE-DE': [],
  DE: [
    { name: 'Weihnachten', source: 'library', isWorkday: false, dayNumbers: [christmas] },
    { name: 'Arbeitssamstag', source: 'notice', isWorkday: true, dayNumbers: [workedSaturday] },
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
  test('are found in any letter case, regions with a hyphen or a dot, ISO 3166-2 codes whole', () => {
    const found = (country: string, part: string) => calendars.calendar(country, part).subdivision?.code;
    expect(calendars.calendar('de', null).country.code).toBe('DE');
    for (const code of ['BY', 'by', 'de-by', 'DE-By']) expect(found('De', code)).toBe('BY');
    for (const code of ['BY-A', 'by.a', 'DE-BY-A', 'de.by.a']) expect(found('DE', code)).toBe('BY-A');
    // Belgium's German-speaking community has the code that Germany has.
    expect(found('BE', 'de')).toBe('DE');
    expect(found('BE', 'be-de')).toBe('DE');
  });

  test('that are not known are answered with those that are', () => {
    const country = failure(() => calendars.calendar('XX', null));
    expect(country.code).toBe('INVALID_PARAMETER');
    expect(country.message).toBe(
      "Cannot read 'holiday_country': no holidays are known for 'XX'; there are those of BE, DE, SA",
    );
    expect(country.details).toEqual({ valid_countries: ['BE', 'DE', 'SA'] });
    const part = failure(() => calendars.calendar('DE', 'XX'));
    expect(part.code).toBe('INVALID_PARAMETER');
    expect(part.message).toBe(
      "Cannot read 'holiday_subdivision': Place DE (DE) has no 'XX'; it has BY, BY-A",
    );
    expect(part.details).toEqual({ valid_subdivisions: ['BY', 'BY-A'] });
    const none = failure(() =>
      calendars.calendar('SA', '01', { country: 'country', subdivision: 'subdivision' }),
    );
    expect(none.message).toBe(
      "Cannot read 'subdivision': Place SA (SA) has no '01'; it has one calendar for all",
    );
    expect(none.details).toEqual({ valid_subdivisions: [] });
  });

  test.each(['', '  ', 'DEU', 'D', '__proto__', 'constructor', 'ß', 'DE\0'])('%p is no country', code => {
    expect(failure(() => calendars.calendar(code, null)).code).toBe('INVALID_PARAMETER');
    expect(failure(() => calendars.calendar('DE', code)).details).toEqual({
      valid_subdivisions: ['BY', 'BY-A'],
    });
  });
});

test('a calendar counts weekends, holidays and worked days', () => {
  const [first, end] = [dayNumberOf(2026, 12, 1), dayNumberOf(2027, 1, 1)];
  expect(countBusinessDays(null, first, end)).toBe(23);
  expect(countBusinessDays(calendars.calendar('DE', null), first, end)).toBe(23 - 1 + 1);
  // Fridays and Saturdays instead of Saturdays and Sundays: as many in this month.
  const friday = dayNumberOf(2026, 12, 4);
  expect(countBusinessDays(calendars.calendar('SA', null), friday, friday + 2)).toBe(0);
  expect(countBusinessDays(calendars.calendar('SA', null), friday, friday + 3)).toBe(1);
});

test('a listing names the days of a year with their sources', () => {
  const { holidaysOf, workdaysOf, knownThrough } = calendars.calendar('DE', null);
  expect(holidaysOf(2026)).toEqual([{ dayNumber: christmas, name: 'Weihnachten', source: 'library' }]);
  expect(workdaysOf(2026)).toEqual([{ dayNumber: workedSaturday, name: 'Arbeitssamstag', source: 'notice' }]);
  expect(holidaysOf(2025)).toEqual([]);
  expect(knownThrough).toBe(2026);
});

describe('an organisation’s calendar', () => {
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
    countBusinessDays(own.calendar(country, part), date, date + 1) === 1;

  test('is laid over the public holidays, and a part’s lines over its country’s', () => {
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

  test('is named in a listing, in the place of what it takes back', () => {
    const { holidaysOf, workdaysOf } = own.calendar('DE', null);
    const source = 'organisation calendar';
    expect(holidaysOf(2026)).toEqual([
      { dayNumber: workedSaturday, name: 'Closing day', source },
      { dayNumber: dayNumberOf(2026, 12, 24), name: 'Closing day', source },
    ]);
    expect(workdaysOf(2026)).toEqual([{ dayNumber: christmas, name: 'Working day', source }]);
  });
});
