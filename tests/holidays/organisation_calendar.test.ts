import { expect, test } from 'bun:test';
import { dayNumberOf } from '../../src/common/civil.ts';
import { parseOrganisationCalendar } from '../../src/holidays/organisation_calendar.ts';
import { tableOf } from './table_of.ts';

const table = tableOf({ DE: [], 'DE-BY': [], FR: [] });

test('lines of all forms are parsed; comments and empty lines are skipped', () => {
  const text = [
    ...['\uFEFF# Our year', '', '2026-12-24 holiday Closing day  ', '  # indented', '2026-02-14 workday'],
    'de 2026-12-31 holiday\tInventory, "all day" # no comment',
    ...['DE-by 2026-08-08   workday   Trade fair\r', ''],
  ].join('\n');
  const calendar = parseOrganisationCalendar(text, table);
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
  expect(parseOrganisationCalendar('', table).size).toBe(0);
  expect(parseOrganisationCalendar('# nothing\n\n', table).daysOf('DE', null).size).toBe(0);
});

test.each([
  ['2026-13-01 holiday', 'there is no 2026-13-01'],
  ['2026-02-29 holiday', 'there is no 2026-02-29'],
  ['2026-00-10 holiday', 'there is no 2026-00-10'],
  ['2026-01-00 holiday', 'there is no 2026-01-00'],
  ['2101-01-01 holiday', 'calendars reach from 1970 to 2100, not to 2101'],
  ['1969-12-31 workday', 'calendars reach from 1970 to 2100, not to 1969'],
  ['XX 2026-01-02 holiday', "no country 'XX' is known"],
  ['DE-ZZ 2026-01-02 holiday', "Place DE has no subdivision 'ZZ'"],
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
])('%p is rejected with its line number', (line, reason) => {
  expect(() => parseOrganisationCalendar(`# first\n2026-05-05 holiday\n${line}\n`, table)).toThrow(
    `line 3: ${reason}`,
  );
});

test('a day given twice for one place is rejected, but not for different places', () => {
  expect(() => parseOrganisationCalendar('2026-05-05 holiday\n2026-05-05 workday', table)).toThrow(
    'line 2: line 1 has this day too',
  );
  expect(parseOrganisationCalendar('2026-05-05 holiday\nDE 2026-05-05 workday', table).size).toBe(2);
});

// A backtracking pattern takes a quarter of an hour.
test('a line of a million spaces is parsed in linear time', () => {
  const name = `a${' '.repeat(1e6)}b`;
  const calendar = parseOrganisationCalendar(`2026-05-05 holiday ${name}   \n`, table);
  expect([...calendar.daysOf('FR', null).values()].map(day => day.name === name)).toEqual([true]);
});
