import { expect, test } from 'bun:test';
import { compileCalendars } from '../../../data/holidays/calendars.ts';
import { dayOf, parseReviews, reviewFaults } from '../../../data/holidays/reviews.ts';
import { isoDate } from '../../holidays/iso_date.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

const reviews = parseReviews();
const calendars = compileCalendars();

test('every reviewed calendar is marked as such, and has a text with days', () => {
  expect(reviews.size).toBeGreaterThan(80);
  for (const { code, month, lists } of reviews.values()) {
    const [country, ...part] = code.split('-');
    const { coverage } = embeddedCalendars.calendar(country!, part.join('-') || null);
    expect({ code, reviewed: coverage.reviewed }).toEqual({ code, reviewed: month });
    for (const { firstYear, lastYear } of lists) expect(firstYear).toBeLessThanOrEqual(lastYear);
    expect(lists.length).toBeGreaterThan(0);
  }
});

/** The faults of a calendar in the table under a review with these lines. */
function faults(code: string, lines: string): string[] {
  const review = parseReviews(`[${code}]\n2026-11 law https://example.org\n${lines}`).get(code);
  return reviewFaults({ ...calendars.find(calendar => calendar.code === code)!, review }, calendars);
}

test('a day in only the text or only the table is a fault', () => {
  const at = '01-01 01-06 E+1 05-01 E+39 E+50 E+60 08-15 10-26 11-01 12-08 12-25 12-26';
  expect(faults('AT', `2020-2030: ${at}`)).toEqual([]);
  expect(faults('AT', `2026: ${at} 12-27`)).toEqual([
    'AT: 2026-12-27 is in the text of reviews.txt, and not in the table',
  ]);
  expect(faults('AT', `2026: ${at.slice(6)}`)).toEqual([
    'AT: 2026-01-01 Neujahr is not in the text of reviews.txt',
  ]);
});

test("statutes omit substitutes, annual lists include them, and a country's days may be in its subdivisions", () => {
  const us =
    '01-01 Mon>=01-15 Mon>=02-15 Mon<=05-31 06-19 07-04 Mon>=09-01 Mon>=10-08 11-11 Thu>=11-22 12-25';
  expect(faults('US', `2021: ${us}`)).toEqual([]);
  expect(faults('US', `2021 all: ${us}`)).toContain(
    'US: 2021-07-05 Independence Day (observed) is not in the text of reviews.txt',
  );
  expect(faults('US-NJ', '2025: 02-12 E-2 Tue>=11-02 US')).toEqual([]);
});

test.each([
  ['12-25', '2026-12-25'],
  ['E-2', '2026-04-03'],
  ['O+1', '2026-04-13'],
  ['Mon>=01-15', '2026-01-19'],
  ['Mon<=05-31', '2026-05-25'],
  ['Thu>=10-01', '2026-10-01'],
])('%s is %s', (text, date) => {
  expect(isoDate(dayOf(text, 2026))).toBe(date);
});

test.each([
  ['2026-11 law https://example.org', 1],
  ['[AT]\n2026-11 law', 2],
  ['[AT]\n2026: 01-01', 2],
  ['[AT]\n2026-11 law https://example.org\n2026: 1-1', 3],
  ['[AT]\n2026-11 law https://example.org\n2026: ', 3],
])('%p is rejected with its line', (text, line) => {
  expect(() => parseReviews(text)).toThrow(`reviews.txt:${line}: cannot parse`);
});
