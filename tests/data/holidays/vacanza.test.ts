import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dayNumberOf } from '../../../src/common/civil.ts';
import vacanza from '../../fixtures/holidays/public-2024-2027.json';
import { isoDate } from '../../holidays/iso_date.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

/** Places with another code in date-holidays, or outside their country there. */
const OTHER_CODES: Readonly<Record<string, string>> = {
  'DE-Augsburg': 'DE-BY-A',
  'FR-6AE': 'FR-6AE',
  'FR-971': 'GP',
  'FR-972': 'MQ',
  'FR-973': 'GF',
  'FR-974': 'RE',
  'FR-976': 'YT',
  'FR-NC': 'NC',
  'FR-PF': 'PF',
  'FR-PM': 'PM',
  'FR-TF': 'FR',
  'FR-WF': 'WF',
};
const YEARS = [2024, 2025, 2026, 2027];

/** The rows of `expected_differences.txt`. */
const EXPECTED_DIFFERENCES = readFileSync(new URL('expected_differences.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => {
    const [, calendars, ours, theirs] = /^(.+?)(?: ours (.+?))?(?: theirs (.+?))? = ./.exec(line)!;
    return { calendars: calendars!.split(' '), ours: ours?.split(' '), theirs: theirs?.split(' ') };
  });

test.each(Object.keys(vacanza))(
  "%s has vacanza's public holidays for 2024–2027, except for explained differences",
  code => {
    const [country, ...part] = (OTHER_CODES[code] ?? code).split('-');
    const calendar = embeddedCalendars.calendar(country!, part.join('-') || null);
    const ours = new Set(YEARS.flatMap(year => calendar.holidaysOf(year).map(day => isoDate(day.dayNumber))));
    const theirs = new Set(vacanza[code as keyof typeof vacanza].map(([date]) => date!));
    const explained = EXPECTED_DIFFERENCES.filter(({ calendars }) => calendars.includes(code));
    expect({ ours: ours.difference(theirs), theirs: theirs.difference(ours) }).toEqual({
      ours: new Set(explained.flatMap(({ ours }) => everyYear(ours))),
      theirs: new Set(explained.flatMap(({ theirs }) => everyYear(theirs))),
    });
  },
);

function everyYear(dates: readonly string[] = []): string[] {
  return dates.flatMap(date =>
    date.startsWith('*') ? YEARS.map(year => date.replace('*', String(year))) : [date],
  );
}

test('China and Taiwan work on weekends to make up for bridge days', () => {
  const workdays = (country: string, year: number) =>
    embeddedCalendars
      .calendar(country, null)
      .workdaysOf(year)
      .map(day => isoDate(day.dayNumber));
  // Notices of the State Council's General Office for 2024, 2025 and 2026, and the DGPA's calendars.
  expect(workdays('CN', 2024)).toEqual(
    ['02-04', '02-18', '04-07', '04-28', '05-11', '09-14', '09-29', '10-12'].map(day => `2024-${day}`),
  );
  expect(workdays('CN', 2025)).toEqual(
    ['01-26', '02-08', '04-27', '09-28', '10-11'].map(day => `2025-${day}`),
  );
  expect(workdays('CN', 2026)).toEqual(
    ['01-04', '02-14', '02-28', '05-09', '09-20', '10-10'].map(day => `2026-${day}`),
  );
  expect(workdays('TW', 2024)).toEqual(['2024-02-17']);
  expect(workdays('TW', 2025)).toEqual(['2025-02-08']);
  expect(workdays('TW', 2026)).toEqual([]);
  const china = embeddedCalendars.calendar('CN', null).businessDays;
  const sunday = dayNumberOf(2026, 1, 4);
  expect(china.countBefore(sunday + 1) - china.countBefore(sunday)).toBe(1);
});
