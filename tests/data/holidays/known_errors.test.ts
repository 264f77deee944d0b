import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dayNumberOfIso } from '../../../data/holidays/dates.ts';
import { weekdayOf } from '../../../src/common/civil.ts';
import vacanza from '../../fixtures/holidays/public-2024-2027.json';
import { isoDate } from '../../holidays/table_of.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

const KNOWN_ERRORS = new URL('known_errors.txt', import.meta.url);

/** A row of `known_errors.txt`, with the dates of the text. */
interface KnownError {
  readonly code: string;
  readonly off: readonly string[];
  readonly worked: readonly string[];
  readonly without: readonly string[];
}

/** The rows of `known_errors.txt`, each with its heading. */
function* knownErrors(): Generator<[heading: string, code: string, error: KnownError]> {
  let heading = '';
  for (const line of readFileSync(KNOWN_ERRORS, 'utf8').split('\n')) {
    heading = /^\[(.+)\]$/.exec(line)?.[1] ?? heading;
    const { code, off, worked, without } =
      /^(?<code>[A-Z0-9-]+)(?: off (?<off>[\d -]+?))?(?: worked (?<worked>[\d -]+?))?(?: without (?<without>[\d -]+?))? = ./.exec(
        line,
      )?.groups ?? {};
    if (code !== undefined)
      yield [heading, code, { code, off: datesIn(off), worked: datesIn(worked), without: datesIn(without) }];
    else if (!/^(\[|#|$)/.test(line)) throw new Error(`cannot parse '${line}'`);
  }
}

function datesIn(text = ''): string[] {
  return text.split(' ').filter(date => date !== '');
}

function calendarOf(code: string) {
  const [country, ...part] = code.split('-');
  return embeddedCalendars.calendar(country!, part.join('-') || null);
}

function isWorked(code: string, date: string): boolean {
  const { businessDays } = calendarOf(code);
  const day = dayNumberOfIso(date);
  return businessDays.countBefore(day + 1) - businessDays.countBefore(day) === 1;
}

function expectDays(code: string, off: readonly string[], worked: readonly string[]): void {
  for (const date of off)
    expect({ code, date, isWorked: isWorked(code, date) }).toEqual({ code, date, isWorked: false });
  for (const date of worked)
    expect({ code, date, isWorked: isWorked(code, date) }).toEqual({ code, date, isWorked: true });
}

test.each([...knownErrors()])('%s: %s', (_heading, _code, { code, off, worked, without }) => {
  expect(off.length + worked.length + without.length).toBeGreaterThan(0);
  expectDays(code, off, worked);
  for (const date of without) {
    const days = calendarOf(code).holidaysOf(Number(date.slice(0, 4)));
    const names = days.filter(({ dayNumber }) => isoDate(dayNumber) === date).map(({ name }) => name);
    expect({ code, date, names }).toEqual({ code, date, names: [] });
  }
});

test("Sri Lanka's coverage ends with the gazetted lists", () => {
  expect(calendarOf('LK').coverage.to).toBe(2027);
  const names = calendarOf('LK')
    .holidaysOf(2028)
    .map(day => day.name);
  expect(names.filter(name => name.includes('පෝය'))).toEqual([]);
});

test('the United Kingdom, Switzerland, Spain, Malaysia, Bosnia and Australia are marked as differing by subdivision', () => {
  for (const country of ['GB', 'CH', 'ES', 'MY', 'BA', 'AU']) {
    const { subdivisionsDiffer, businessDays } = calendarOf(country);
    expect({ country, subdivisionsDiffer }).toEqual({ country, subdivisionsDiffer: true });
    const [first, end] = [dayNumberOfIso('2026-01-01'), dayNumberOfIso('2027-01-01')];
    const parts = embeddedCalendars.country(country).subdivisions.filter(({ code }) => !code.includes('-'));
    for (const { code } of parts) {
      const part = embeddedCalendars.calendar(country, code);
      if (part.weekend.join() !== calendarOf(country).weekend.join()) continue;
      const count = part.businessDays.countBefore(end) - part.businessDays.countBefore(first);
      expect(count).toBeLessThanOrEqual(businessDays.countBefore(end) - businessDays.countBefore(first));
    }
  }
});

/** How many days after a holiday its substitute is, by its weekday, 0 for Sunday: gov.uk, bank holidays. */
const MONDAY = { 6: 2, 0: 1 };
const TWO_DAYS = { 6: 2, 0: 2 };
const BRITISH = { '01-01': MONDAY, '12-25': TWO_DAYS, '12-26': TWO_DAYS };

test.each<[string, Record<string, Record<number, number>>]>([
  ['GB-ENG', BRITISH],
  ['GB-WLS', BRITISH],
  ['GB-SCT', { ...BRITISH, '01-02': { ...TWO_DAYS, 1: 1 }, '11-30': MONDAY }],
  ['GB-NIR', { ...BRITISH, '03-17': MONDAY, '07-12': MONDAY }],
])('%s has exactly the substitutes of its law from 2007', (code, rules) => {
  const expected: string[] = [];
  for (let year = 2007; year <= 2100; year++) {
    for (const [date, distances] of Object.entries(rules)) {
      const day = dayNumberOfIso(`${year}-${date}`);
      const distance = distances[weekdayOf(day)];
      if (distance !== undefined) expected.push(`${isoDate(day + distance)} ${isoDate(day)}`);
    }
  }
  const found = calendarOf(code)
    .holidaysOf(2007, 2100)
    .filter(({ substituteFor }) => substituteFor !== null)
    .map(day => `${isoDate(day.dayNumber)} ${isoDate(day.substituteFor!.dayNumber!)}`);
  expect(found).toEqual(expected.sort());
});

test('44 formerly missing countries are included', () => {
  const codes = new Set(embeddedCalendars.countries.map(({ code }) => code));
  for (const code of 'AF AQ BT BV FK FM GS HM IO IQ JO KG KH KI KP KW LA LB MH MM MN MO MP MV NP NR NU OM PG PN PS PW QA SB SY TF TJ TK TL TM TV UM WS YE'.split(
    ' ',
  )) {
    expect({ code, isThere: codes.has(code) }).toEqual({ code, isThere: true });
  }
  expect(isWorked('QA', '2026-12-17')).toBe(true);
  expectDays('KW', ['2026-02-25', '2026-02-26'], ['2026-02-24']);
  expectDays('PG', ['2026-09-16'], []);
  expectDays('MN', ['2026-07-13'], []);
});

test('English names belong to the holiday, even if the sources have them for another on the same day', () => {
  const nameEnOf = (code: string, date: string) =>
    calendarOf(code)
      .holidaysOf(2026)
      .filter(day => isoDate(day.dayNumber) === date)
      .map(day => day.nameEn);
  expect(nameEnOf('NL', '2026-05-14')).toEqual(['Ascension Day']);
  expect(nameEnOf('LT', '2026-05-03')).toEqual(["Mother's Day"]);
  expect(nameEnOf('MY-14', '2026-02-18')).toEqual(['Chinese New Year (Second Day)']);
  expect(nameEnOf('MY-14', '2026-06-17')).toEqual(['Islamic New Year']);
  expect(nameEnOf('MY-14', '2026-06-02')).toEqual(['Vesak Day (observed)']);
  expect(nameEnOf('HT', '2026-11-18').toSorted()).toEqual([
    'Armed Forces Day',
    'Commemoration of the Battle of Vertieres',
  ]);
  expect(nameEnOf('SY', '2026-05-01')).toEqual(['Labor Day']);
});

test('a substitute for a day that depends on a sighting is an estimate', () => {
  const [day] = calendarOf('MY-14')
    .holidaysOf(2027)
    .filter(({ name }) => name === 'Cuti Tahun Baharu Cina (Hari Kedua)');
  expect({ status: day?.status, original: day?.substituteFor?.name }).toEqual({
    status: 'estimated',
    original: 'Tahun Baharu Cina (Hari Kedua)',
  });
});

test('a day set by an annual list is an estimate until the list is published', () => {
  const statusOf = (code: string, year: number, name: string) =>
    calendarOf(code)
      .holidaysOf(year)
      .find(day => day.name === name)?.status;
  expect(statusOf('ES-MD', 2026, 'Jueves Santo')).toBe('announced');
  expect(statusOf('ES-MD', 2027, 'Jueves Santo')).toBe('estimated');
  expect(statusOf('AU-VIC', 2027, 'Grand Final Day')).toBe('estimated');
});

test('the coverage of corrected calendars is correct before, within and after it', () => {
  const sample = (code: string, year: number) => {
    const { from, to } = calendarOf(code).coverage;
    return year < from ? 'before' : year > to ? 'after' : 'within';
  };
  expect([sample('DE', 1985), sample('DE', 2026)]).toEqual(['before', 'within']);
  // Announcements of Indian states are in no source, except for those whose 2026 list was reviewed.
  expect([calendarOf('IN-UP'), calendarOf('IN-KA')].map(({ coverage }) => coverage.announcedThrough)).toEqual(
    [null, 2026],
  );
  expect([sample('LK', 2002), sample('LK', 2027), sample('LK', 2028)]).toEqual(['before', 'within', 'after']);
  expect([sample('IN', 2035), sample('IN', 2036)]).toEqual(['within', 'after']);
  // The holiday ends with the table for Holi, so the coverage must not extend further.
  const datesOf = (name: string, year: number) =>
    calendarOf('IN')
      .holidaysOf(year)
      .filter(day => day.name.startsWith(name))
      .map(({ dayNumber }) => isoDate(dayNumber));
  expect([datesOf('Holi', 2035), datesOf('Holi', 2036)]).toEqual([['2035-03-24'], []]);
  // Diwali is computed, see hindu_days.ts.
  expect([datesOf('Diwali', 2035), datesOf('Diwali', 2036)]).toEqual([['2035-10-30'], ['2036-10-18']]);
});

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
  const workdays = (country: string, year: number) => {
    const days = embeddedCalendars.calendar(country, null).workdaysOf(year);
    return days.map(day => isoDate(day.dayNumber).slice('2026-'.length)).join(' ');
  };
  // Notices of the State Council's General Office for 2024, 2025 and 2026, and the DGPA's calendars.
  expect(workdays('CN', 2024)).toBe('02-04 02-18 04-07 04-28 05-11 09-14 09-29 10-12');
  expect(workdays('CN', 2025)).toBe('01-26 02-08 04-27 09-28 10-11');
  expect(workdays('CN', 2026)).toBe('01-04 02-14 02-28 05-09 09-20 10-10');
  expect([2024, 2025, 2026].map(year => workdays('TW', year))).toEqual(['02-17', '02-08', '']);
  expect(isWorked('CN', '2026-01-04')).toBe(true);
});
