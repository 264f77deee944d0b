import { describe, expect, test } from 'bun:test';
import { civilDateOf, dayNumberOf } from '../../src/common/civil.ts';
import { DaySet } from '../../src/common/day_set.ts';
import { MS_PER_DAY, OpenTime } from '../../src/schedules/open_time.ts';
import { parseOpeningHours, readNamedSchedules } from '../../src/schedules/opening_hours.ts';
import { fc } from '../support/property.ts';

const MONDAY = dayNumberOf(2026, 6, 1);
const NO_HOLIDAYS = DaySet.union([]);

/** The open periods of a day, as text: `09:00-12:00 13:00-17:00`. */
function spansOf(text: string, day: number, holidays = NO_HOLIDAYS): string {
  const open = new OpenTime(parseOpeningHours(text, 'schedule'), holidays);
  const spans: string[] = [];
  const end = (day + 1) * MS_PER_DAY;
  for (let at = open.next(day * MS_PER_DAY, true); at !== null && at < end; at = open.next(at, true)) {
    const closes = Math.min(open.next(at, false) ?? end, end);
    spans.push([at, closes].map(time => timeText(time - day * MS_PER_DAY)).join('-'));
    at = closes;
    if (at === end) break;
  }
  return spans.join(' ');
}

function timeText(ms: number): string {
  const minute = ms / 60_000;
  return [Math.floor(minute / 60), minute % 60].map(part => `${part}`.padStart(2, '0')).join(':');
}

describe('a schedule', () => {
  // The first week of June 2026, starting on Monday; Thursday is a holiday.
  test.each([
    [
      'Mo-Fr 09:00-12:00,13:00-17:30; Sa 10:00-14:00; PH off',
      [
        '09:00-12:00 13:00-17:30',
        '09:00-12:00 13:00-17:30',
        '09:00-12:00 13:00-17:30',
        '',
        '09:00-12:00 13:00-17:30',
        '10:00-14:00',
        '',
      ],
    ],
    ['24/7', Array(7).fill('00:00-24:00')],
    ['off', Array(7).fill('')],
    ['Mo,We', ['00:00-24:00', '', '00:00-24:00', '', '', '', '']],
    ['Sa-Mo 10:00-11:00', ['10:00-11:00', '', '', '', '', '10:00-11:00', '10:00-11:00']],
    ['Mo 22:00-06:00', ['22:00-24:00', '00:00-06:00', '', '', '', '', '']],
    ['Mo 22:00-06:00; Tu 10:00-11:00', ['22:00-24:00', '10:00-11:00', '', '', '', '', '']],
    ['Mo 22:00-06:00, Tu 10:00-11:00', ['22:00-24:00', '00:00-06:00 10:00-11:00', '', '', '', '', '']],
    ['Mo 12:00-12:00', ['12:00-24:00', '00:00-12:00', '', '', '', '', '']],
    [
      '08:00-20:00; We 12:00-14:00 off',
      [
        '08:00-20:00',
        '08:00-20:00',
        '08:00-12:00 14:00-20:00',
        '08:00-20:00',
        '08:00-20:00',
        '08:00-20:00',
        '08:00-20:00',
      ],
    ],
    ['PH,Mo 10:00-11:00', ['10:00-11:00', '', '', '10:00-11:00', '', '', '']],
    [
      'Mo-Fr 09:00-10:00; PH 12:00-13:00',
      ['09:00-10:00', '09:00-10:00', '09:00-10:00', '12:00-13:00', '09:00-10:00', '', ''],
    ],
    ['We 22:00-02:00; PH off', ['', '', '22:00-24:00', '', '', '', '']],
    ['Jun 1,3,Jun 7 10:00-11:00', ['10:00-11:00', '', '10:00-11:00', '', '', '', '10:00-11:00']],
    [
      '  Mo - Tu,Th  09:00 - 10:00 , 11:00-12:00 ;We off',
      ['09:00-10:00 11:00-12:00', '09:00-10:00 11:00-12:00', '', '09:00-10:00 11:00-12:00', '', '', ''],
    ],
    ['Mo off, Mo 10:00-11:00', ['10:00-11:00', '', '', '', '', '', '']],
    ['Tu 10:00-11:00, 24/7', Array(7).fill('00:00-24:00')],
  ])('%s', (text, expected) => {
    const days = Array.from({ length: 7 }, (_, index) => MONDAY + index);
    const thursday = new DaySet({ firstDay: MONDAY, endDay: MONDAY + 7 }, [MONDAY + 3]);
    expect(days.map(day => spansOf(text, day, thursday))).toEqual(expected);
  });

  test('for February 29 is open only in leap years', () => {
    const open = new OpenTime(parseOpeningHours('Feb 29', 'schedule'), NO_HOLIDAYS);
    const next = open.next(dayNumberOf(2096, 3, 1) * MS_PER_DAY, true)!;
    expect(civilDateOf(next / MS_PER_DAY)).toEqual({ year: 2104, month: 2, day: 29 });
  });
});

test.each([
  ['', 'is empty: expected a weekday'],
  ['Mo-Fr 9-17', "has '9-17' at character 7: expected a time like 09:00"],
  ['Mo-Fr 9:00-17:00', "has '9:00-17:00' at character 7"],
  ['Mo 09:00', 'ends too early: expected a hyphen'],
  ['Mo 09:00+', "has '+' at character 9: expected a hyphen"],
  ['Mo 09:60-10:00', "has the time '09:60' at character 4"],
  ['Mo 24:01-10:00', "has the time '24:01' at character 4"],
  ['Mo 10:00-26:00', "has the time '26:00' at character 10"],
  ['Mo 24:00-10:00', 'begins at 24:00 at character 4'],
  ['Mo 09:00-17:00; ', 'ends too early: expected a weekday'],
  ['Mo-', 'ends too early: expected a weekday like Fr'],
  ['Mo-PH', "has 'PH' at character 4: expected a weekday"],
  ['Mo,', "ends too early: expected a weekday like Mo, or 'PH'"],
  ['Montag 10:00-12:00', "has 'Montag 10:00' at character 1"],
  ['mo 10:00-12:00', "has 'mo 10:00-12:' at character 1"],
  ['Mo[1] 10:00-12:00', "has '[1] 10:00-12' at character 3: expected ';' or ','"],
  ['SH off', "has 'SH off' at character 1"],
  ['week 1-10 Mo', "has 'week 1-10 Mo' at character 1"],
  ['2026 Dec 24', "has '2026 Dec 24' at character 1: expected a time"],
  ['Dec 24-26', "has '-26' at character 7"],
  ['Dec 32', 'has the day 32 at character 6: Dec has 31 days'],
  ['Feb 30', 'has the day 30 at character 6: Feb has 29 days'],
  ['Dec', 'ends too early: expected a day of the month'],
  ['Dec 24,', 'ends too early: expected a date like Dec 24'],
  ['sunrise-sunset', "has 'sunrise-suns' at character 1"],
  ['Mo 10:00-12:00 || "by appointment"', "has '|| \"by appoi' at character 16"],
  ['Mo 10:00-12:00 open', "has 'open' at character 16"],
  ['Mo 10:00-12:00 offline', "has 'offline' at character 16"],
  ['24/70', "has '24/70' at character 1: expected a time"],
  ['Mo 10:00-12:00\n', 'at character 15'],
  [`${'Mo,'.repeat(85)}Tu`, 'it has 257 characters; the maximum is 255'],
])('%p is rejected with its position', (text, message) => {
  expect(() => parseOpeningHours(text, 'schedule')).toThrow(message);
});

test('any text is a schedule or a ServiceError', () => {
  const word = fc.constantFrom(
    'Mo',
    'PH',
    'Dec',
    ' ',
    '24',
    ':',
    '-',
    ',',
    ';',
    '09:00',
    '24/7',
    'off',
    '1',
    'x',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), words => {
      try {
        parseOpeningHours(words.join(''), 'schedule');
      } catch (error) {
        expect(error).toHaveProperty('code', 'INVALID_PARAMETER');
      }
    }),
    { numRuns: 2000 },
  );
});

describe('named schedules', () => {
  test('have names and texts', () => {
    const named = readNamedSchedules({ office: 'Mo-Fr 09:00-17:00; PH off', 'night-2': '22:00-06:00' });
    expect([...named.keys()]).toEqual(['office', 'night-2']);
    expect(named.get('office')?.usesHolidays).toBe(true);
  });

  test.each([
    [{ Office: '24/7' }, "'Office': a name is lower-case letters"],
    [{ '2nd': '24/7' }, "'2nd': a name is"],
    [{ office: 3 }, '\'office\': a schedule is a text like "Mo-Fr 09:00-17:30"'],
    [{ office: { mon: '1' } }, "'office': a schedule is a text"],
    [{ office: 'Mo 9-17' }, "Cannot read 'office': 'Mo 9-17' has '9-17' at character 4"],
  ])('%p is rejected', (parsed, message) => {
    expect(() => readNamedSchedules(parsed)).toThrow(message);
  });
});
