import { expect, test } from 'bun:test';
import { parseDecisions, readDecisions } from '../../../data/holidays/decisions.ts';
import { isoDate } from '../../holidays/iso_date.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

/**
 * The days of 2026 by the official text that each reviewed calendar cites. Federal holidays are off in the states too:
 * banks and courts of the federation are closed.
 */
const FEDERAL = '01-01 01-19 02-16 05-25 06-19 07-04 09-07 10-12 11-11 11-26 12-25'.split(' ');
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  JP: '01-01 01-12 02-11 02-23 03-20 04-29 05-03 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23'.split(
    ' ',
  ),
  US: FEDERAL,
  'US-AR': '01-01 01-19 02-16 05-25 07-04 09-07 11-11 11-26 12-24 12-25'.split(' '),
  'US-HI': '01-01 01-19 02-16 03-26 04-03 05-25 06-11 07-04 08-21 09-07 11-03 11-11 11-26 12-25'.split(' '),
  'US-MO': '01-01 01-19 02-12 02-16 05-08 05-25 07-04 09-07 10-12 11-11 11-26 12-25'.split(' '),
  'US-SC': '01-01 01-19 02-16 05-10 05-25 07-04 09-07 11-11 11-26 11-27 12-24 12-25 12-26'.split(' '),
};
const REVIEWED = parseDecisions(readDecisions()).filter(({ reviewed }) => reviewed !== undefined);

test('every reviewed calendar has its text here, and says so', () => {
  expect(REVIEWED.map(({ code }) => code)).toEqual(Object.keys(TEXTS));
  for (const { code, reviewed } of REVIEWED) {
    const [country, part] = code.split('-');
    expect(embeddedCalendars.calendar(country!, part ?? null).coverage.reviewed).toBe(reviewed!.month);
  }
});

test.each(Object.entries(TEXTS))('%s of 2026 has the days of the text', (code, days) => {
  const [country, part] = code.split('-');
  const listed = embeddedCalendars.calendar(country!, part ?? null).holidaysOf(2026);
  const dateOf = ({ dayNumber }: (typeof listed)[number]) => isoDate(dayNumber).slice(5);
  const dates = new Set(listed.map(dateOf));
  // Texts list substitutes in words.
  const regular = new Set(listed.filter(({ substituteFor }) => substituteFor === null).map(dateOf));
  const missing = days.filter(date => !dates.has(date));
  const more = [...regular].filter(date => !days.includes(date) && !FEDERAL.includes(date));
  expect({ missing, more }).toEqual({ missing: [], more: [] });
});
