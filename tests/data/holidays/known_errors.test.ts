import { describe, expect, test } from 'bun:test';
import { dayNumberOfIso } from '../../../data/holidays/dates.ts';
import { isoDate } from '../../holidays/iso_date.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

/** Errors in the table from before it was compiled from two sources; each row names the authority for the correct days. */
type Row = readonly [calendar: string, off: readonly string[], worked: readonly string[], source: string];

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

describe('work weeks', () => {
  test.each<Row>([
    ['IN', ['2026-11-28', '1985-06-08'], ['1985-06-01'], 'DoPT O.M. No. 13/4/85-JCA of May 21, 1985'],
    ['UG', ['2026-11-28', '2026-11-29'], ['2026-11-27'], 'Saturday and Sunday are off'],
    ['BD', ['2026-11-27', '2026-11-28'], ['2026-11-29'], 'Cabinet: offices work Sunday to Thursday'],
    ['MY-02', ['2026-11-27', '2026-11-28'], ['2026-11-29'], 'Kedah rests on Friday and Saturday'],
    ['MY-03', ['2026-11-27', '2026-11-28'], ['2026-11-29'], 'Kelantan rests on Friday and Saturday'],
    ['MY-11', ['2026-11-27', '2026-11-28'], ['2026-11-29'], 'Terengganu rests on Friday and Saturday'],
    ['BN', ['2026-11-27', '2026-11-29'], ['2026-11-28'], 'Prime Minister’s Office: Friday and Sunday'],
    [
      'AE',
      ['2021-12-24', '2021-12-25', '2022-01-08'],
      ['2021-12-26', '2022-01-07'],
      'Cabinet, December 7, 2021',
    ],
    ['SA', ['2013-06-20', '2013-06-29'], ['2013-06-22', '2013-07-04'], 'royal order of June 23, 2013'],
    ['MY-01', ['2024-12-27', '2025-01-05'], ['2024-12-29', '2025-01-03'], 'Regent of Johor, October 7, 2024'],
    ['NP', ['2026-11-28', '2022-05-22'], ['2026-11-29', '2022-06-19'], 'Cabinet of Nepal, June 6, 2022'],
  ])('of %s', (code, off, worked) => expectDays(code, off, worked));
});

describe('substitutes', () => {
  test.each<Row>([
    ['US', ['2018-11-12', '2023-11-10', '2028-11-10'], [], '5 U.S.C. 6103(b), Executive Order 11582'],
    ['VN', ['2027-05-03', '2027-09-03'], [], 'Bộ luật Lao động 2019, Điều 111 and 112'],
    [
      'US-CA',
      ['2023-01-02', '2023-11-10', '2027-07-05'],
      ['2021-12-31', '2026-07-03', '2027-12-24'],
      'Government Code § 6701: no day off for a Saturday but Veterans Day',
    ],
    [
      'RW',
      ['2026-02-02', '2026-07-06', '2027-05-03'],
      [],
      'Presidential Order determining official holidays',
    ],
  ])('of %s', (code, off, worked) => expectDays(code, off, worked));
});

describe('stale or fabricated calendars', () => {
  test.each<Row>([
    [
      'EG',
      ['2026-01-29', '2026-03-19', '2026-03-23', '2026-07-02', '2026-10-08'],
      ['2026-03-24', '2026-06-30'],
      'Prime Minister: moved to Thursdays; Eid al-Fitr from March 19 to 23',
    ],
    ['NG', ['2026-03-19', '2026-03-20'], ['2026-06-16'], 'Ministry of Interior'],
    ['AE', ['2026-03-19'], ['2026-02-18', '2026-01-16'], 'FAHR: from Thursday, March 19, 2026'],
    ['ID', ['2026-03-19'], [], 'SKB 3 Menteri 2026: Nyepi'],
    [
      'TH',
      ['2027-02-22', '2027-05-20', '2027-07-20'],
      ['2027-03-03'],
      'Cabinet: holidays by the Thai lunar calendar',
    ],
    [
      'IN-MH',
      ['2026-03-03', '2026-05-28', '2026-09-14', '2026-11-10', '2026-11-11'],
      ['2026-03-04', '2026-05-27', '2026-09-04'],
      'Maharashtra, notification for 2026',
    ],
    [
      'IN-KA',
      ['2026-01-15', '2026-04-20', '2026-10-21', '2026-11-27'],
      ['2026-03-04', '2026-11-24'],
      'Karnataka, general holidays of 2026',
    ],
    ['IN-TN', ['2026-01-01', '2026-03-19', '2026-10-19'], ['2026-01-14', '2026-03-26'], 'Tamil Nadu, 2026'],
    ['SG', ['2028-05-09', '2030-05-16', '2031-11-14'], [], 'Holidays Act: Vesak Day and Deepavali'],
    [
      'LK',
      ['2027-02-04', '2027-03-26'],
      ['2027-03-02', '2027-02-15'],
      'full moons of 2026 are no holidays of 2027',
    ],
    [
      'CN',
      ['2033-09-08'],
      ['2033-10-10'],
      'GB/T 33661-2017: the month after the eleventh of 2033 is the leap month',
    ],
    [
      'KR',
      ['2033-09-07', '2033-09-08', '2033-09-09'],
      ['2033-10-06', '2033-10-07'],
      'the same rule at 135° E',
    ],
    ['HK', ['2033-09-09'], [], 'General Holidays Ordinance: the day following Mid-Autumn'],
    ['TW', ['2033-09-08'], ['2033-10-07'], 'the same rule'],
    ['VN', ['2033-01-31'], [], 'Tết of 2033'],
  ])('of %s', (code, off, worked) => expectDays(code, off, worked));

  test("Sri Lanka's coverage ends with the gazetted lists", () => {
    expect(calendarOf('LK').coverage.to).toBe(2026);
    const names = calendarOf('LK')
      .holidaysOf(2027)
      .map(day => day.name);
    expect(names.filter(name => name.includes('පෝය'))).toEqual([]);
  });
});

describe('subdivisions', () => {
  const SEPTEMBER_30 = ['2024-09-30', '2025-09-30', '2026-09-30'];
  test.each<Row>([
    ['CA-BC', SEPTEMBER_30, [], 'National Day for Truth and Reconciliation Act (British Columbia), 2023'],
    ['CA-MB', SEPTEMBER_30, [], 'The Orange Shirt Day Act (Manitoba), from 2024'],
    ['CA-NT', SEPTEMBER_30, [], 'Employment Standards Act (Northwest Territories), from 2022'],
    ['CA-NU', SEPTEMBER_30, [], 'Labour Standards Act (Nunavut), from 2022'],
    ['CA-PE', SEPTEMBER_30, [], 'Employment Standards Act (Prince Edward Island), from 2022'],
    ['CA-YT', SEPTEMBER_30, [], 'National Day for Truth and Reconciliation Act (Yukon), from 2023'],
    ['US-MA', [], ['2026-03-17', '2026-06-17'], 'Suffolk County alone, where offices are open since 2010'],
    ['US-TX', ['2026-11-27'], ['2026-10-12', '2026-03-02', '2026-04-21'], 'Government Code § 662.003'],
    ['US-TX', [], ['2026-07-03', '2027-07-05', '2027-12-23'], 'Government Code § 662.005: no substitutes'],
    ['US-IL', ['2026-11-27'], ['2026-03-02'], 'Department of Central Management Services: State Holidays'],
    ['US-WA', ['2026-11-27'], ['2026-10-12'], 'RCW 1.16.050: Native American Heritage Day, no Columbus Day'],
    ['US-PA', ['2026-11-27'], ['2024-06-14'], 'Flag Day is no day off of state offices'],
    [
      'US-MI',
      ['2026-11-27', '2026-11-03'],
      ['2026-10-12'],
      'civil service holidays: Election Day in even years',
    ],
    ['US-IN', ['2026-12-24'], ['2026-02-16'], 'state holiday calendar: Washington’s Birthday on December 24'],
    ['US-WI', ['2026-12-24', '2026-12-31'], ['2026-10-12', '2026-11-03'], 'Wis. Stat. 230.35(4)'],
    ['US-HI', ['2026-04-03'], [], 'Hawaii Revised Statutes § 8-1: Good Friday'],
    ['US-MO', ['2026-02-12', '2018-02-12', '2028-02-11'], [], 'Missouri Revised Statutes § 9.010'],
    [
      'US-SC',
      ['2027-05-10', '2026-12-24', '2025-12-26', '2026-11-27'],
      ['2026-04-27'],
      'S.C. Code § 53-5-10',
    ],
    [
      'US-VA',
      ['2025-11-04', '2026-11-03', '2026-11-27'],
      ['2019-11-05'],
      'Code of Virginia § 2.2-3300: Election Day from 2020, and the Friday after Thanksgiving',
    ],
    ['US-AR', ['2026-12-24'], ['2026-10-12'], 'Arkansas Code § 1-5-101'],
    ['ES-CB', ['2026-07-28'], [], 'BOE, relación de fiestas laborales para 2026'],
    ['ES-MC', ['2026-06-09'], [], 'BOE, relación de fiestas laborales para 2026'],
    ['MY-10', ['2027-02-08', '2026-12-11'], [], 'Selangor: Sultan’s birthday, Chinese New Year on a Sunday'],
    ['GB', ['2026-04-03'], ['2026-04-06', '2026-07-13', '2026-01-02'], 'days off in all four parts'],
    ['GB-ENG', ['2026-04-06'], [], 'Banking and Financial Dealings Act 1971, Schedule 1'],
    [
      'GB-SCT',
      ['2026-01-02', '2026-11-30'],
      ['2026-04-06'],
      'the same; St Andrew’s Day Bank Holiday (Scotland) Act 2007',
    ],
  ])('of %s', (code, off, worked) => expectDays(code, off, worked));

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
});

describe('wrong calendars', () => {
  test.each<Row>([
    [
      'EC',
      ['2026-05-25', '2026-10-09'],
      ['2026-04-02', '2026-09-10'],
      'Ley de feriados 2016; Guayaquil on October 9',
    ],
    ['TZ', ['2026-01-12'], ['2026-01-02'], 'Public Holidays Act: Zanzibar Revolution Day on January 12'],
    ['SV', ['2026-01-01', '2026-06-17'], [], 'Código de Trabajo, art. 190'],
    ['TT', ['2026-04-06'], [], 'Public Holidays and Festivals Act: Easter Monday'],
    [
      'ET',
      ['2026-01-07', '2026-05-05'],
      ['2026-01-06', '2026-02-18'],
      'Public Holidays Proclamation: Genna, Patriots’ Day',
    ],
    [
      'CR',
      ['2027-08-02', '2026-08-31', '2026-12-01', '2022-12-05'],
      ['2026-10-12', '2026-10-09', '2022-12-01'],
      'Código de Trabajo, art. 148; Ley 9803: October 12 is worked from 2020; Ley 9875: moved in 2022',
    ],
    ['VN', ['2026-11-24'], ['2025-11-24'], 'Nghị quyết 28/2026/QH16'],
    ['BO', ['2025-06-21'], ['2025-10-17'], 'Ley 424: no suspension of activities on October 17'],
    ['GT', [], ['2025-08-15'], 'Código de Trabajo, art. 127: the feast of the capital'],
    ['KE', ['2025-06-06'], [], 'Kenya Gazette: Idd-ul-Azha'],
    [
      'MO',
      ['2026-04-03', '2026-06-19', '2026-11-02', '2026-12-22', '2026-12-24'],
      ['2000-11-02'],
      'Ordem Executiva n.º 60/2000',
    ],
    [
      'BY',
      ['2026-01-02', '2026-04-20'],
      [],
      'Указ № 157; Council of Ministers on the transfer of working days',
    ],
    ['AZ', ['2026-01-20', '2026-03-24'], ['2026-10-19', '2026-11-12', '2026-11-17'], 'Labour Code, art. 105'],
    [
      'ME',
      ['2026-11-13'],
      ['2026-01-08', '2026-09-21'],
      'law on state holidays: Njegoš Day; religious days for believers',
    ],
    [
      'BA',
      ['2026-01-01', '2026-01-02', '2026-05-01'],
      ['2026-01-14', '2026-06-04'],
      'off in both entities and Brčko',
    ],
    [
      'BD',
      ['2025-08-05', '2026-03-19', '2026-05-31', '2026-10-21'],
      ['2025-03-17', '2026-03-18', '2028-08-15'],
      'Ministry of Public Administration: July Mass Uprising Day; holidays by executive order of 2026',
    ],
    ['NA', ['2026-05-28', '2026-09-10'], [], 'Government Gazette: Genocide Remembrance Day from 2025'],
    [
      'DZ',
      ['2026-05-28'],
      ['2016-01-12'],
      'Loi n° 63-278: two days of Eid; Loi n° 18-12: Yennayer from 2018',
    ],
    ['TN', ['2026-05-28', '2026-05-29'], [], 'three days of Eid al-Adha'],
    [
      'KY',
      ['2026-05-04', '2026-06-22', '2026-11-09'],
      ['2026-06-15'],
      'Public Holidays Act: Emancipation Day from 2024',
    ],
  ])('%s', (code, off, worked) => expectDays(code, off, worked));

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
});

describe('errors found in the official texts', () => {
  test.each<Row>([
    ['HK', ['2010-04-06'], [], 'gazetted general holidays of 2010: the day following Ching Ming'],
    [
      'NL',
      ['2025-05-05'],
      ['2026-04-03', '2026-05-05'],
      'Algemene termijnenwet, art. 3, and collective agreements',
    ],
    ['GP', ['2026-05-27'], ['2026-04-03', '2026-03-12'], 'Code du travail, art. L3422-2'],
    ['MQ', ['2026-05-22'], ['2026-04-03'], 'the same'],
    ['US-CO', [], ['2026-03-31'], 'Colorado Revised Statutes § 24-11-112: instead of another holiday'],
    ['US-KY', [], ['2026-04-03'], 'Kentucky Revised Statutes § 18A.190: half a day'],
    ['US-NY', ['2011-11-08', '2025-11-04'], [], 'General Construction Law § 24: each general election day'],
    ['US-MD', [], ['2021-01-20'], '5 U.S.C. § 6103(c): in two counties alone'],
    ['IN-TN', ['2026-05-01'], [], 'Negotiable Instruments Act, s. 25: the list of Tamil Nadu'],
    ['IN-WB', ['2026-05-01', '2026-01-12', '2026-01-23'], [], 'the same: the list of West Bengal'],
  ])('of %s', (code, off, worked) => expectDays(code, off, worked));
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
    .filter(({ name }) => name === 'Cuti Hari Raya Qurban');
  expect({ status: day?.status, original: day?.substituteFor?.name }).toEqual({
    status: 'estimated',
    original: 'Hari Raya Qurban',
  });
});

test('a day set by an annual list is an estimate until the list is published', () => {
  const statusOf = (code: string, year: number, name: string) =>
    calendarOf(code)
      .holidaysOf(year)
      .find(day => day.name === name)?.status;
  expect(statusOf('ES-MD', 2026, 'Jueves Santo')).toBe('statutory');
  expect(statusOf('ES-MD', 2027, 'Jueves Santo')).toBe('estimated');
  expect(statusOf('AU-VIC', 2027, 'Grand Final Day')).toBe('estimated');
});

describe('history', () => {
  test.each<Row>([
    [
      'SE',
      ['2004-05-31', '2005-06-06'],
      ['2005-05-16', '2004-06-07'],
      'SFS 1989:253: June 6 instead of Whit Monday from 2005',
    ],
    ['CZ', ['2016-03-25'], ['2015-04-03'], 'zákon 359/2015 Sb.: Good Friday from 2016'],
    ['RO', ['2018-04-06'], ['2017-04-14'], 'Legea 64/2018: Good Friday from 2018'],
    [
      'RU',
      ['2005-01-10', '2013-01-08'],
      ['2004-01-05', '1995-01-05'],
      'Федеральный закон 201-ФЗ of 2004, 35-ФЗ of 2012',
    ],
    ['DE', ['1990-10-03', '2026-10-03'], ['1985-10-03', '1989-10-03'], 'Einigungsvertrag, Art. 2 Abs. 2'],
    [
      'US',
      ['1986-01-20'],
      ['1985-01-21', '1980-01-21'],
      'Public Law 98-144: Martin Luther King Day from 1986',
    ],
    ['PL', ['2018-11-12'], [], 'Ustawa z 7 listopada 2018: one-off day'],
    ['GB-ENG', ['2011-04-29', '2012-06-05', '2022-09-19', '2023-05-08'], [], 'royal proclamations'],
    [
      'JP',
      ['2019-05-01', '2019-04-30', '2019-10-22'],
      ['2018-10-22'],
      '平成30年法律第99号: the enthronement',
    ],
  ])('of %s', (code, off, worked) => expectDays(code, off, worked));
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
  expect([sample('LK', 2002), sample('LK', 2026), sample('LK', 2027)]).toEqual(['before', 'within', 'after']);
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
