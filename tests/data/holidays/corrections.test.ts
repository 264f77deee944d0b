import { describe, expect, spyOn, test } from 'bun:test';
import { readCorrections } from '../../../data/holidays/compile.ts';
import { compileCalendar } from '../../../data/holidays/compile_calendar.ts';
import { type CorrectedCalendar, parseCorrections } from '../../../data/holidays/parse_corrections.ts';
import { isoDate } from '../../holidays/iso_date.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

const corrected = parseCorrections(readCorrections());

test('every correction names its source, every calendar stands once, and the codes exist', () => {
  const codes = corrected.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const { code, corrections } of corrected) {
    const [country, ...part] = code.split('-');
    embeddedCalendars.calendar(country!, part.join('-') || null);
    for (const { source } of corrections) expect(source.length).toBeGreaterThan(10);
  }
});

test.each([
  ['2026 holiday 01-01 New', 'corrections.txt:1: this stands under no [calendar]'],
  ['[AT]\n2026 holiday 01-02 New', 'corrections.txt:2: this has no source above it'],
  ['[AT]\nsource us\n\n2026 feast 01-02 New', "corrections.txt:4: cannot read '2026 feast 01-02 New'"],
  ['[AT]\nsource us\n2026 holiday 02-30 New', 'corrections.txt:3: no date 2026-02-30'],
  ['[AT]\nsource us\n2026 holiday 01-02', "corrections.txt:3: '01-02' has no name"],
  ['[AT]\nsource us\n2026 remove easter', "corrections.txt:3: 'easter' is no list of dates"],
  ['[AT]\nsource us\n2026 remove 01-01 New', "corrections.txt:3: '01-01 New' is no list of dates"],
])('%p is refused with its line', (text, message) => {
  expect(() => parseCorrections(text)).toThrow(message);
});

/** The compiled calendar of a country, as dates and names of a year. */
function compiled(country: string, year: number, text: string) {
  const corrections: CorrectedCalendar[] = parseCorrections(`[${country}]\nsource us\n${text}`);
  const lists = compileCalendar({ path: [country], name: country }, corrections, 'library', {
    firstYear: year,
    lastYear: year,
  });
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
    const { holidays, workdays } = compiled(
      'AT',
      2026,
      '2026 remove 01-01 01-06\n2026 holiday 01-02..01-03 New\n2026 workday 01-10 Swap',
    );
    expect(holidays.slice(0, 3)).toEqual(['01-02 New (us)', '01-03 New (us)', '04-06 Ostermontag (library)']);
    expect(workdays).toEqual(['01-10 Swap (us)']);
  });

  test('adds and removes rules in the library’s grammar', () => {
    const { holidays } = compiled('AT', 2026, 'rule remove 01-01\nrule add monday after 01-10 = New');
    expect(holidays.slice(0, 2)).toEqual(['01-06 Heilige Drei Könige (library)', '01-12 New (us)']);
  });

  test.each([
    ['2026 holiday 12-25 Christmas', /corrections.txt:3: this changes nothing for 2026-12-25/],
    ['2026 remove 12-24', /corrections.txt:3: this changes nothing for 2026-12-24/],
    ['2026 workday 12-23 Swap', /corrections.txt:3: this changes nothing for 2026-12-23/],
    ['rule remove 12-24', /corrections.txt:3: this changes nothing/],
    ['rule add the day after = New', /corrections.txt:3: date-holidays does not understand 'the day after'/],
  ])('that does nothing, %p, is refused', (text, message) => {
    // The library prints what it does not understand.
    using _ = spyOn(console, 'error').mockImplementation(() => {});
    expect(() => compiled('AT', 2026, text)).toThrow(message);
  });

  test('makes up for holidays on a weekend, on days that are still free', () => {
    // December 25 and 26, 2027 are a Saturday and a Sunday, New Year's Day 2028 a Saturday.
    const next = compiled('AT', 2027, 'compensate weekend 2027-2027 next " (off)"').holidays;
    expect(next.filter(day => day.includes('(off)') && day > '12')).toEqual([
      '12-27 Christtag (off) (us)',
      '12-28 Stefanitag (off) (us)',
    ]);
    const nearest = compiled('AT', 2027, 'compensate weekend 2027-2028 nearest " (off)"').holidays;
    expect(nearest.filter(day => day.includes('(off)') && day > '12')).toEqual([
      '12-24 Christtag (off) (us)',
      '12-27 Stefanitag (off) (us)',
      '12-31 Neujahr (off) (us)',
    ]);
  });

  test('makes up for holidays of the names given that share their day with another', () => {
    const text = 'rule add 12-25 #1 = Birthday\ncompensate shared 2026-2026 next " (off)" for Birthday';
    expect(compiled('AT', 2026, text).holidays.filter(day => day > '12-24')).toEqual([
      '12-25 Birthday (us)',
      '12-25 Christtag (library)',
      '12-26 Stefanitag (library)',
      '12-28 Birthday (off) (us)',
    ]);
  });
});

describe('what was announced officially', () => {
  const dates = (country: string, year: number, kind: 'holidaysOf' | 'workdaysOf' = 'holidaysOf') => [
    ...new Set(
      embeddedCalendars
        .calendar(country, null)
        [kind](year)
        .map(day => isoDate(day.dayNumber).slice(5)),
    ),
  ];

  test('Korea 2025, with two temporary holidays and an election', () => {
    expect(dates('KR', 2025)).toEqual([
      ...[
        '01-01',
        '01-27',
        '01-28',
        '01-29',
        '01-30',
        '03-01',
        '03-03',
        '05-05',
        '05-06',
        '06-03',
        '06-06',
        '08-15',
      ],
      ...['10-03', '10-05', '10-06', '10-07', '10-08', '10-09', '12-25'],
    ]);
  });

  test('the Emirates 2025, with Eid al-Adha from June 5 and the National Day moved to a Monday', () => {
    expect(dates('AE', 2025)).toEqual([
      ...[
        '01-01',
        '03-30',
        '03-31',
        '04-01',
        '06-05',
        '06-06',
        '06-07',
        '06-08',
        '06-27',
        '09-05',
        '12-01',
        '12-02',
      ],
    ]);
  });

  test('the Netherlands, with Liberation Day in every fifth year', () => {
    expect(dates('NL', 2025)).toContain('05-05');
    expect(dates('NL', 2026)).not.toContain('05-05');
    expect(dates('NL', 2026)).toContain('04-03');
  });

  test('Hungary and Russia 2025, with the Saturdays that are worked for bridge days', () => {
    expect(dates('HU', 2025, 'workdaysOf')).toEqual(['05-17', '10-18', '12-13']);
    expect(dates('RU', 2025, 'workdaysOf')).toEqual(['11-01']);
  });

  test('Ukraine under martial law, without a holiday', () => {
    expect(dates('UA', 2024)).toEqual([]);
    expect(dates('UA', 2021).length).toBeGreaterThan(10);
  });

  test('Taiwan 2028 by its law of 2025: holidays on weekends are made up for, Children’s Day beside Tomb Sweeping Day too', () => {
    expect(dates('TW', 2027)).toContain('12-31');
    expect(dates('TW', 2028)).toContain('04-03');
    expect(dates('TW', 2028)).toContain('04-04');
  });
});
