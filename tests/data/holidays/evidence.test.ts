import { describe, expect, test } from 'bun:test';
import type { CompiledCalendar } from '../../../data/holidays/calendars.ts';
import { evidenceFaults } from '../../../data/holidays/checks/evidence.ts';
import { withCoverage, YEARS_AHEAD } from '../../../data/holidays/coverage.ts';
import { dayNumberOfIso, SNAPSHOT_YEAR, TABLE_YEARS, yearOf, yearsIn } from '../../../data/holidays/dates.ts';
import { type Evidence, parseDayOfYear, parseEvidence } from '../../../data/holidays/decisions/evidence.ts';
import { parseNames } from '../../../data/holidays/decisions/names.ts';
import type { Draft, SourceDay } from '../../../data/holidays/source_days.ts';
import { PYTHON_HOLIDAYS_SOURCE } from '../../../data/holidays/sources/python_holidays.ts';
import { weekdayOf } from '../../../src/common/civil.ts';
import { requireCoverage } from '../../../src/holidays/holiday_calendar.ts';
import type { Coverage } from '../../../src/holidays/holiday_pack.ts';
import { isoDate } from '../../holidays/table_of.ts';
import { embeddedCalendars } from './embedded_calendars.ts';

test.each([
  ['12-25', '2026-12-25'],
  ['E-2', '2026-04-03'],
  ['O+1', '2026-04-13'],
  ['Mon>=01-15', '2026-01-19'],
  ['Mon<=05-31', '2026-05-25'],
  ['Thu>=10-01', '2026-10-01'],
  ['Thu>=11-22+1', '2026-11-27'],
  ['08-17(Mon-3,Tue-1)', '2026-08-14'],
  ['08-16(Mon-3,Tue-1)', '2026-08-16'],
])('%s is %s', (text, date) => {
  expect(isoDate(parseDayOfYear(text)(2026))).toBe(date);
});

const LAW = '[AT]\nlaw 2026-11 Act https://example.org';
const LIST = '[AT]\nlist 2026-11 Days off https://example.org';

test.each([
  ['law 2026-11 Act https://example.org', '1: no [calendar]'],
  ['[AT]\nlaw 2026-11', "2: cannot parse '2026-11'"],
  ['[AT]\nlaw 2026-11 An Act without an address', '2: cannot parse'],
  ['[AT]\nlaw 2026-13 Act https://example.org', '2: cannot parse'],
  ['[AT]\n2026: 01-01', '2: no law or list above this line'],
  [`${LAW}\n2026: 1-1`, "3: cannot parse '1-1'"],
  [`${LAW}\n2026: 08-17(Sab-1)`, "3: cannot parse 'Sab-1'"],
  [`${LAW}\n2026: `, '3: cannot parse'],
  [`${LAW}\n2027-2026: 01-01`, '3: cannot parse'],
  [`${LAW}\n2026-2027: 02-29`, '3: no date 2026-02-29'],
  [`${LAW}\nsubstitutes 2026: Sat+10`, "3: cannot parse 'Sat+10'"],
  [`${LAW}\nsubstitutes 2026: Sat+; "Neujahr Sat+1`, "3: cannot parse '\"Neujahr Sat+1'"],
  [`${LIST}\nsubstitutes 2026: Sat+1`, '3: cannot parse'],
  [`${LIST}\n2026-2027: 01-01`, "3: cannot parse '2026-2027'"],
  ['[AT]\ncomplete 2026 as everybody knows', '2: cannot parse'],
  ['[AT]\nexcept 2026-01-01', '2: cannot parse'],
  ['[AT]\nsame as DE', 'evidence.txt: [AT] is the same as [DE], which has no evidence itself'],
  [`${LIST}\n2026: 01-01\nsame as DE`, "evidence.txt: [AT] has lines of its own beside 'same as DE'"],
  [`${LIST}\n2026: 01-01\n2026: 01-01`, "evidence.txt: [AT] has '2026' twice"],
  [
    `${LIST}\n2026: 01-01\ncomplete 2025-2026 Gazette https://example.org`,
    "evidence.txt: [AT] has '2026' twice",
  ],
  [`${LAW}\n2020-2026: 01-01\n2026-2100: 01-01`, "evidence.txt: [AT] has '2026' twice"],
  [`${LAW}\nsubstitutes 2020-2026: none\nsubstitutes 2026: none`, "evidence.txt: [AT] has '2026' twice"],
  [`${LAW}\n${LAW.slice(5)}`, "evidence.txt: [AT] has '2026-11 Act https://example.org' twice"],
  ['[AT]\nyearly: one\nyearly: two', '3: this is decided twice'],
])('%p is rejected with its line', (text, message) => {
  expect(() => parseEvidence(text)).toThrow(
    message.startsWith('evidence') ? message : `evidence.txt:${message}`,
  );
});

const NAMES = parseNames(
  '[AT]\nlaw: Neujahr | Christtag\nyearly: Opferfest\nonce: Wahltag\nsubstitute * (frei): Neujahr | Christtag',
);
const EVERY_YEAR = yearsIn({ firstYear: 2015, lastYear: 2035 });

function day(date: string, name: string, changes: Partial<SourceDay> = {}): SourceDay {
  return {
    dayNumber: dayNumberOfIso(date),
    name,
    nameEn: null,
    status: 'statutory',
    isSubstitute: name.endsWith(' (frei)'),
    source: PYTHON_HOLIDAYS_SOURCE,
    ...changes,
  };
}

/** New Year and Christmas from 2015 to 2035, the Monday after a Sunday, a sighted day in 2025 and later, and an election in 2024. */
const HOLIDAYS: readonly SourceDay[] = [
  ...EVERY_YEAR.flatMap(year => [day(`${year}-01-01`, 'Neujahr'), day(`${year}-12-25`, 'Christtag')]),
  ...EVERY_YEAR.flatMap(year =>
    ['01-01', '12-25']
      .filter(date => weekdayOf(dayNumberOfIso(`${year}-${date}`)) === 0)
      .map(date =>
        day(
          `${year}-${date === '01-01' ? '01-02' : '12-26'}`,
          `${date === '01-01' ? 'Neujahr' : 'Christtag'} (frei)`,
        ),
      ),
  ),
  ...EVERY_YEAR.filter(year => year >= 2025).map(year => day(`${year}-06-03`, 'Opferfest')),
  day('2024-09-30', 'Wahltag', { status: 'announced' }),
];
const WITHOUT_FEAST = HOLIDAYS.filter(({ name }) => name !== 'Opferfest');
const DAYS = '01-01 12-25';

function draftOf(holidays: readonly SourceDay[], workdays: readonly SourceDay[] = []): Draft {
  return { holidays, workdays, years: { firstYear: 2015, lastYear: 2035 } };
}

function evidenceOf(lines: string): Evidence | undefined {
  return parseEvidence(`[AT]\n${lines}`).get('AT');
}

/** The faults of a calendar by these lines. */
function faults(lines: string, holidays = HOLIDAYS, workdays: readonly SourceDay[] = []): string[] {
  const calendar: CompiledCalendar = {
    code: 'AT',
    name: 'Austria',
    aliases: [],
    pythonHolidays: undefined,
    dateHolidays: undefined,
    evidence: lines === '' ? undefined : evidenceOf(lines),
    names: NAMES('AT'),
    days: draftOf(holidays, workdays),
    coverage: { ...embeddedCalendars.calendar('AT', null).coverage, to: 2040 },
    workWeek: [{ firstDay: 0, weekend: [6, 7] }],
  };
  return evidenceFaults(calendar, [calendar]);
}

describe('the table is held against', () => {
  const law = (lines: string) => `law 2026-11 Act https://example.org\n${lines}`;
  const list = (lines: string) => `list 2026-11 Days off https://example.org\n${lines}`;

  test("a law's recurring days, without substitutes, sighted and one-off days", () => {
    expect(faults(law(`2015-2035: ${DAYS}\nsubstitutes 2015-2035: Sun+1; "Opferfest" none`))).toEqual([]);
    expect(faults(law(`2026: ${DAYS} 12-27`))).toEqual([
      'AT: 2026-12-27 is in the law, and not in the table',
    ]);
    expect(faults(law('2026: 01-01'))).toEqual(['AT: 2026-12-25 Christtag is not in the law']);
    expect(faults(law('2026: 01-01 Sundays AT'))).toEqual([]);
  });

  test('days that a law names without a date', () => {
    expect(faults(law('2026: 01-01 and Christtag'))).toEqual([]);
    expect(faults(law(`2025-2026: ${DAYS} and Opferfest`))).toEqual([]);
    expect(faults(law(`2024-2025: ${DAYS} and Opferfest`))).toEqual([
      'AT: 2024-01-01 is in a year without Opferfest, which is in the law',
    ]);
    expect(faults(law(`2024-2025: ${DAYS} and Opferfest?`))).toEqual([]);
  });

  test('a year of an official list, on the days of the work week', () => {
    expect(faults(list('2024: 01-01 09-30 12-25'))).toEqual([]);
    // Sunday, which the list may lack, and the Monday after it.
    expect(faults(list('2022: 12-26'))).toEqual([]);
    expect(faults(list('2023: 12-25'))).toEqual([
      'AT: 2023-01-02 Neujahr (frei) is not in the official list',
    ]);
    expect(faults(list('2024: 01-01 12-25'))).toEqual(['AT: 2024-09-30 Wahltag is not in the official list']);
    expect(faults(list('2024: 01-01 05-31 09-30 12-25'))).toEqual([
      'AT: 2024-05-31 is in the official list, and not in the table',
    ]);
  });

  test('the weekends that a list has as worked, if it has any', () => {
    const worked = [day('2024-09-28', 'Einarbeitung')];
    expect(faults(list('2024: 01-01 09-30 12-25'), HOLIDAYS, worked)).toEqual([]);
    expect(faults(list('2024: 01-01 09-30 12-25 worked 09-28'), HOLIDAYS, worked)).toEqual([]);
    expect(faults(list('2024: 01-01 09-30 12-25 worked none'), HOLIDAYS, worked)).toEqual([
      'AT: 2024-09-28 is worked, and not in the official list',
    ]);
    expect(faults(list('2024: 01-01 09-30 12-25 worked 09-28'))).toEqual([
      'AT: 2024-09-28 is worked by the official list, and not in the table',
    ]);
  });

  test('the substitutes that a law gives, in both directions', () => {
    const given = (lines: string) => faults(law(lines), WITHOUT_FEAST);
    expect(given('substitutes 2015-2100: Sun+1')).toEqual([]);
    expect(given('substitutes 2022: none')).toEqual(['AT: 2022-12-26 is a substitute, and not by the law']);
    expect(given('substitutes 2027: Sat+2 Sun+1')).toEqual([
      'AT: 2027-12-27 is a substitute by the law, and not in the table',
    ]);
    expect(given('substitutes 2027: Sat+; 12-25 none')).toEqual([]);
  });

  test('the rules for single holidays, by their names too', () => {
    const given = (lines: string, holidays = HOLIDAYS) => faults(law(lines), holidays);
    expect(given('substitutes 2027: Sat+; "Neujahr | Christtag" none')).toEqual([]);
    expect(given('substitutes 2022-2023: none; "Neujahr" Sun+1')).toEqual([
      'AT: 2022-12-26 is a substitute, and not by the law',
    ]);
    // A feast on the same Sunday as a holiday that gives none has its own rule.
    const feast = [...HOLIDAYS, day('2022-12-25', 'Opferfest')];
    expect(given('substitutes 2022: none; "Opferfest" Sun+1', feast)).toEqual([]);
  });

  test('the substitutes in the coverage of a calendar alone', () => {
    const without = (date: string) =>
      faults(law('substitutes 2036-2100: Sun+1'), [...HOLIDAYS, day(date, 'Christtag')]);
    expect(without('2039-12-25')).toEqual([
      'AT: 2039-12-26 is a substitute by the law, and not in the table',
    ]);
    expect(without('2044-12-25')).toEqual([]);
  });

  test('the rule of its law for the substitutes of the years to come, unless they are decided year by year', () => {
    const years = `${SNAPSHOT_YEAR + 1}-${SNAPSHOT_YEAR + 9}`;
    const first = Math.min(
      ...HOLIDAYS.filter(({ isSubstitute }) => isSubstitute)
        .map(({ dayNumber }) => yearOf(dayNumber))
        .filter(year => year > SNAPSHOT_YEAR),
    );
    const fault = `AT: there are substitutes in ${first}, and evidence.txt has no rule of its law for them`;
    const days = `${SNAPSHOT_YEAR}-2035: ${DAYS}`;
    expect(faults(law(days))).toEqual([fault]);
    expect(faults(law(`${days}\nsubstitutes 2015-${SNAPSHOT_YEAR}: Sun+1`))).toEqual([fault]);
    expect(faults(law(`${days}\nsubstitutes ${years}: Sun+1; "Opferfest" none`))).toEqual([]);
    expect(faults(law(`${days}\nyearly: the government decides`))).toEqual([]);
    // A day that the law names where it is kept is none that needs a rule.
    expect(faults(law(`${days} 01-01(Sun+1) 12-25(Sun+1)`))).toEqual([]);
  });

  test('its own past: substitutes that end need a law that says so', () => {
    const ended = HOLIDAYS.filter(
      ({ isSubstitute, dayNumber }) =>
        !isSubstitute || dayNumber < dayNumberOfIso(`${SNAPSHOT_YEAR + 1}-01-01`),
    );
    const endedIn = (year: number) => [
      `AT: there are substitutes to ${year}, and none later: evidence.txt does not cite the law's change`,
    ];
    expect(faults('')).toEqual([]);
    expect(faults('', ended)).toEqual(endedIn(2023));
    expect(faults(list('2024: 01-01 09-30 12-25'), ended)).toEqual(endedIn(2023));
    expect(faults(law(`substitutes ${SNAPSHOT_YEAR + 1}-2100: none`), ended)).toEqual([]);
    // A list of the next year, with a substitute, does not speak for the years after it.
    const listed = [...ended, day('2027-05-03', 'Neujahr (frei)')];
    expect(faults(list('2027: 01-01 05-03 06-03 12-25'), listed)).toEqual(endedIn(2027));
  });

  test('the years to come, whose one-off days no text can complete', () => {
    const complete = (years: string) => faults(`complete ${years} Gazette https://example.org`);
    expect(complete(`2020-${SNAPSHOT_YEAR}`)).toEqual([]);
    expect(complete(`2020-${SNAPSHOT_YEAR + 1}`)).toEqual([
      `AT: complete to ${SNAPSHOT_YEAR + 1}: no text has the one-off days of years to come`,
    ]);
  });

  test('a text with exceptions, each of which is needed', () => {
    expect(faults(`${list('2024: 01-01 12-25')}\nexcept 2024-09-30 a copy that omits elections`)).toEqual([]);
    expect(
      faults(`${list('2024: 01-01 09-30 12-25')}\nexcept 2024-09-30 a copy that omits elections`),
    ).toEqual(['evidence.txt:4: the table does not differ on 2024-09-30']);
  });
});

describe('coverage', () => {
  const coverageOf = (lines: string, holidays: readonly SourceDay[] = WITHOUT_FEAST): Coverage =>
    withCoverage(
      draftOf(holidays),
      undefined,
      undefined,
      lines === '' ? undefined : evidenceOf(lines),
      NAMES('AT'),
    ).coverage;
  const law = `law 2026-10 Act https://example.org\n2015-2100: ${DAYS}`;
  const list = 'list 2026-11 Days off https://example.org\n2024: 01-01 09-30 12-25';

  test('claims nothing without evidence', () => {
    expect(coverageOf('')).toMatchObject({
      basis: null,
      certain: [],
      announcedThrough: null,
      reviewed: null,
    });
  });

  test('of a law is certain in the year of the data and the three after it', () => {
    expect(coverageOf(law)).toMatchObject({
      basis: 'law',
      certain: [{ from: SNAPSHOT_YEAR, to: SNAPSHOT_YEAR + 3 }],
      announcedThrough: null,
      reviewed: '2026-10',
    });
    // Without its days of these years, with other days each year, or with sighted days, nothing follows from it.
    for (const weaker of [
      `law 2026-10 Act https://example.org\n2015-${SNAPSHOT_YEAR + 2}: ${DAYS}`,
      'law 2026-10 Act https://example.org',
      `${law}\nyearly: the government adds days`,
    ])
      expect(coverageOf(weaker)).toMatchObject({ basis: 'list', certain: [] });
  });

  test('of a law with sighted days has years in which only these await an announcement, after the lists', () => {
    const ahead = { from: SNAPSHOT_YEAR + 1, to: SNAPSHOT_YEAR + 3 };
    expect(coverageOf(law, HOLIDAYS)).toMatchObject({ basis: 'list', certain: [], expected: ahead });
    const next = `${law}\ncomplete ${SNAPSHOT_YEAR + 1} Gazette https://example.org`;
    expect(coverageOf(next, HOLIDAYS).expected).toEqual({ ...ahead, from: SNAPSHOT_YEAR + 2 });
    for (const none of [list, `${law}\nyearly: the government moves days`])
      expect(coverageOf(none, HOLIDAYS).expected).toBeNull();
    expect(coverageOf(law).expected).toBeNull(); // they are certain
  });

  test('is certain in years of lists, and of texts that complete them', () => {
    expect(coverageOf(list)).toMatchObject({
      basis: 'list',
      certain: [{ from: 2024, to: 2024 }],
      announcedThrough: 2024,
      reviewed: '2026-11',
    });
    expect(coverageOf(`${law}\n${list}\ncomplete 2020-2022 Gazette https://example.org`)).toMatchObject({
      certain: [
        { from: 2020, to: 2022 },
        { from: 2024, to: 2024 },
        { from: SNAPSHOT_YEAR, to: SNAPSHOT_YEAR + 3 },
      ],
      announcedThrough: 2024,
    });
  });

  test('ends before a year in which a day is estimated', () => {
    const announced = (years: string) =>
      coverageOf(`${list}\ncomplete ${years} Gazette https://example.org`, HOLIDAYS);
    expect(announced('2026').announcedThrough).toBe(2024);
    expect(announced('2025-2026').announcedThrough).toBe(2026);
  });

  test('is announced through the run of complete years that reaches the present', () => {
    const announced = (...years: string[]) =>
      coverageOf(years.map(each => `complete ${each} Gazette https://example.org`).join('\n'))
        .announcedThrough;
    expect(announced('2018', `2022-${SNAPSHOT_YEAR + 1}`)).toBe(SNAPSHOT_YEAR + 1);
    expect(announced('2018-2020', `${SNAPSHOT_YEAR + 1}`)).toBe(2020);
    expect(announced(`${SNAPSHOT_YEAR + 1}`)).toBe(null);
  });

  test('a sighted day is announced in a complete year or by a text of its own, and estimated in any other', () => {
    const statusIn = (lines: string, changes: Partial<SourceDay> = {}) =>
      withCoverage(
        draftOf([day('2025-06-06', 'Opferfest', changes)]),
        undefined,
        undefined,
        evidenceOf(lines),
        NAMES('AT'),
      ).days.holidays[0]!.status;
    expect(statusIn(law)).toBe('estimated');
    expect(statusIn(law, { status: 'announced' })).toBe('estimated');
    expect(statusIn(law, { status: 'announced', source: 'Gazette 2025/12' })).toBe('announced');
    expect(statusIn('complete 2025 Gazette https://example.org')).toBe('announced');
  });
});

describe('in the table', () => {
  const evidence = parseEvidence();
  const calendars = embeddedCalendars.countries.flatMap(({ code, subdivisions }) => [
    { code, calendar: embeddedCalendars.calendar(code, null) },
    ...subdivisions.map(part => ({
      code: `${code}-${part.code}`,
      calendar: embeddedCalendars.calendar(code, part.code),
    })),
  ]);

  /** The years for which a line of a calendar speaks. */
  const statedYears = ({ lists, complete, recurring, decidedYearly }: Evidence) => {
    const states = (year: number) => recurring.some(law => law.firstYear <= year && year <= law.lastYear);
    const ahead = decidedYearly === null && yearsIn(YEARS_AHEAD).every(states) ? yearsIn(YEARS_AHEAD) : [];
    return new Set([...lists.map(({ year }) => year), ...complete.flatMap(yearsIn), ...ahead]);
  };

  test('no year is certain without a line of evidence, and nothing is known of a calendar without any', () => {
    for (const { code, calendar } of calendars) {
      const { basis, certain, announcedThrough, reviewed } = calendar.coverage;
      const own = evidence.get(code);
      const years = certain.flatMap(({ from, to }) => yearsIn({ firstYear: from, lastYear: to }));
      const stated = own === undefined ? new Set<number>() : statedYears(own);
      expect({ code, unstated: years.filter(year => !stated.has(year)) }).toEqual({ code, unstated: [] });
      expect({ code, isNull: basis === null }).toEqual({ code, isNull: own === undefined });
      expect({ code, isRead: reviewed !== null }).toEqual({ code, isRead: own !== undefined });
      if (own === undefined)
        expect({ code, announcedThrough, reviewed }).toEqual({
          code,
          announcedThrough: null,
          reviewed: null,
        });
      if (announcedThrough !== null)
        expect({ code, isStated: stated.has(announcedThrough) }).toEqual({ code, isStated: true });
    }
  });

  test('a whole year passes require_coverage only if a line of evidence speaks for it', () => {
    for (const { code, calendar } of calendars) {
      const own = evidence.get(code);
      const stated = own === undefined ? new Set<number>() : statedYears(own);
      const passing = yearsIn(TABLE_YEARS).filter(year => {
        try {
          requireCoverage([calendar], dayNumberOfIso(`${year}-01-01`), dayNumberOfIso(`${year}-12-31`));
          return true;
        } catch {
          return false;
        }
      });
      expect({ code, unstated: passing.filter(year => !stated.has(year)) }).toEqual({ code, unstated: [] });
      const { certain } = calendar.coverage;
      const certainYears = certain.flatMap(({ from, to }) => yearsIn({ firstYear: from, lastYear: to }));
      expect({ code, rejected: certainYears.filter(year => !passing.includes(year)) }).toEqual({
        code,
        rejected: [],
      });
    }
  });

  test('no day is estimated in a year that a text completes', () => {
    for (const { code, calendar } of calendars) {
      const own = evidence.get(code);
      const complete = new Set(
        own === undefined ? [] : [...own.lists.map(({ year }) => year), ...own.complete.flatMap(yearsIn)],
      );
      const estimated = calendar
        .holidaysOf(TABLE_YEARS.firstYear, TABLE_YEARS.lastYear)
        .filter(
          ({ status, dayNumber }) =>
            status === 'estimated' && complete.has(Number(isoDate(dayNumber).slice(0, 4))),
        )
        .map(({ dayNumber, name }) => `${isoDate(dayNumber)} ${name}`);
      expect({ code, estimated }).toEqual({ code, estimated: [] });
    }
  });

  // A holiday that ends in the table ends the coverage too: these ends are those of the sources' tables.
  test('the rules of countries end before the Islamic tables only where a table of feasts does', () => {
    const ends = calendars
      .filter(({ code, calendar }) => !code.includes('-') && calendar.coverage.to < 2076)
      .map(({ code, calendar }) => `${code} ${calendar.coverage.to}`);
    expect(ends.join(' | ')).toBe(
      'BD 2035 | BT 2035 | FJ 2035 | GY 2035 | ID 2050 | IN 2035 | LK 2027 | MU 2035 | NP 2032 | NZ 2052 | SR 2035',
    );
  });

  test('the claims of large economies are those of their laws, and of their lists as far as published', () => {
    const isCertain = (code: string, year: number) => {
      const { coverage } = calendars.find(each => each.code === code)!.calendar;
      return coverage.certain.some(({ from, to }) => from <= year && year <= to);
    };
    const ahead = yearsIn(YEARS_AHEAD);
    for (const code of 'AT BE BR CA CH CL CO CZ DE DK FI FR HK IE IT JP KR MX NL NO PE PL PT RO SE US ZA'.split(
      ' ',
    ))
      expect({ code, years: ahead.filter(year => isCertain(code, year)) }).toEqual({ code, years: ahead });
    for (const [code, first, last] of [
      ['GB-ENG', 2019, 2028],
      ['CN', 2008, 2026],
      ['RU', 2015, 2026],
      ['TW', 2017, 2026],
      ['SG', 2016, 2026],
      ['AR', 2022, 2026],
      ['US', 2019, 2026],
    ] as const) {
      const years = yearsIn({ firstYear: first, lastYear: last });
      expect({ code, lacking: years.filter(year => !isCertain(code, year)) }).toEqual({ code, lacking: [] });
    }
    // How many of their parts follow from law: fewer are a lost claim.
    for (const [country, count] of Object.entries({ US: 30, CH: 26, DE: 22, CA: 11, AT: 9 })) {
      const parts = calendars.filter(({ code }) => code.startsWith(`${country}-`));
      const byLaw = parts.filter(({ calendar }) => calendar.coverage.basis === 'law').length;
      expect({ country, byLaw: Math.min(byLaw, count) }).toEqual({ country, byLaw: count });
    }
    for (const code of ['IN', 'MY', 'SA', 'CN', 'EG'])
      expect({ code, isCertain: isCertain(code, SNAPSHOT_YEAR + 1) }).toEqual({ code, isCertain: false });
  });

  test('many calendars follow from law, each with a text and an address', () => {
    const basedOn = (basis: Coverage['basis']) =>
      calendars.filter(({ calendar }) => calendar.coverage.basis === basis).length;
    expect(basedOn('law') + basedOn('list')).toBeGreaterThanOrEqual(250);
    expect(basedOn('law')).toBeGreaterThanOrEqual(200);
    for (const [code, { laws, lists, complete }] of evidence)
      expect({ code, hasText: laws.length + lists.length + complete.length > 0 }).toEqual({
        code,
        hasText: true,
      });
  });
});
