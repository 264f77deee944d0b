import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import opening_hours from 'opening_hours';
import { civilDateOf, dayNumberOf, MS_PER_DAY } from '../../src/common/civil.ts';
import { DaySet } from '../../src/common/day_set.ts';
import { OpenTime } from '../../src/schedules/open_time.ts';
import { parseOpeningHours, readNamedSchedules } from '../../src/schedules/opening_hours.ts';
import { WorkingTime } from '../../src/schedules/working_time.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { expectNoDifferences, runs, sampleNumbers } from '../support/proof.ts';
import { fc, pick, type Random } from '../support/property.ts';
import { rowsIn } from '../support/rows.ts';
import { zoneOf, zones } from '../support/zones.ts';

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A schedule of one to four rules, with dates near one of `epochMs`. */
function randomSchedule(random: Random, epochMs: readonly number[]): string {
  let text = '';
  let canAdd = false;
  const rules = 1 + Math.floor(random() * 4);
  for (let index = 0; index < rules; index++) {
    const isAdditional = canAdd && random() < 0.3;
    const { rule, endsDays } = randomRule(random, epochMs, isAdditional);
    text += index === 0 ? rule : `${isAdditional ? ', ' : '; '}${rule}`;
    canAdd = !endsDays && rule !== '24/7';
  }
  return text;
}

function randomRule(random: Random, epochMs: readonly number[], needsDays: boolean) {
  if (!needsDays && random() < 0.05) return { rule: '24/7', endsDays: false };
  const days = needsDays || random() < 0.8 ? randomDays(random, epochMs) : '';
  const times = random() < (days === '' ? 0.95 : 0.8) ? randomTimes(random) : '';
  const isOff = times === '' && days === '' ? true : random() < 0.2;
  const rule = [days, times, isOff ? 'off' : ''].filter(part => part !== '').join(' ');
  return { rule, endsDays: times === '' && !isOff };
}

function randomDays(random: Random, epochMs: readonly number[]): string {
  if (random() < 0.25) {
    return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const date = new Date(pick(random, epochMs) + Math.floor(random() * 8 - 4) * 86_400_000);
      return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
    }).join(',');
  }
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    if (random() < 0.25) return 'PH';
    return random() < 0.5 ? pick(random, WEEKDAYS) : `${pick(random, WEEKDAYS)}-${pick(random, WEEKDAYS)}`;
  }).join(',');
}

function randomTimes(random: Random): string {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const from = randomMinute(random, 1439);
    return `${timeText(from)}-${timeText(randomMinute(random, 1440))}`;
  }).join(',');
}

/** Often a full hour around midnight or a clock change. */
function randomMinute(random: Random, most: number): number {
  if (random() < 0.4) return Math.min(most, pick(random, [0, 1, 2, 3, 4, 22, 23, 24]) * 60);
  return Math.floor(random() * (most + 1));
}

function timeText(minute: number): string {
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

function pad(number: number): string {
  return `${number}`.padStart(2, '0');
}

const MONDAY = dayNumberOf(2026, 6, 1);
const NO_HOLIDAYS = DaySet.union([]);

/** The open periods of a day, as text: `09:00-12:00 13:00-17:00`. */
function spansOf(text: string, day: number, holidays = NO_HOLIDAYS): string {
  const open = new WorkingTime(new OpenTime(parseOpeningHours(text, 'schedule'), holidays), zoneOf('UTC'));
  const spans: string[] = [];
  const end = (day + 1) * MS_PER_DAY;
  for (let at = open.next(day * MS_PER_DAY, true); at !== null && at < end; at = open.next(at, true)) {
    const closes = Math.min(open.next(at, false) ?? end, end);
    spans.push([at, closes].map(time => clockText(time - day * MS_PER_DAY)).join('-'));
    at = closes;
    if (at === end) break;
  }
  return spans.join(' ');
}

function clockText(ms: number): string {
  const minute = ms / 60_000;
  return [Math.floor(minute / 60), minute % 60].map(part => `${part}`.padStart(2, '0')).join(':');
}

describe('a schedule', () => {
  // The first week of June 2026, starting on Monday; Thursday is a holiday.
  test.each([
    [
      'Mo-Fr 09:00-12:00,13:00-17:30; Sa 10:00-14:00; PH off',
      [
        ...['09:00-12:00 13:00-17:30', '09:00-12:00 13:00-17:30', '09:00-12:00 13:00-17:30', ''],
        ...['09:00-12:00 13:00-17:30', '10:00-14:00', ''],
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
        ...['08:00-20:00', '08:00-20:00', '08:00-12:00 14:00-20:00', '08:00-20:00', '08:00-20:00'],
        ...['08:00-20:00', '08:00-20:00'],
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
    const open = new WorkingTime(
      new OpenTime(parseOpeningHours('Feb 29', 'schedule'), NO_HOLIDAYS),
      zoneOf('UTC'),
    );
    const next = open.next(dayNumberOf(2096, 3, 1) * MS_PER_DAY, true)!;
    expect(civilDateOf(next / MS_PER_DAY)).toEqual({ year: 2104, month: 2, day: 29 });
  });
});

test.each([
  ...rowsIn(new URL('rejected_hours.txt', import.meta.url)),
  ['', 'is empty: expected a weekday'],
  ['Mo 09:00-17:00; ', 'ends too early: expected a weekday'],
  ['Mo 10:00-12:00\n', 'at character 15'],
  [`${'Mo,'.repeat(85)}Tu`, 'it has 257 characters; the maximum is 255'],
])('%p is rejected with its position', (text, message) => {
  expect(() => parseOpeningHours(text, 'schedule')).toThrow(message);
});

test('any text is a schedule or a ServiceError', () => {
  const word = fc.constantFrom(...'Mo|PH|Dec| |24|:|-|,|;|09:00|24/7|off|1|x'.split('|'));
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

const MS_PER_MINUTE = 60_000;
const DAYS = 9;

/** The library uses the host's clock. */
const hostZone = process.env['TZ'];
beforeAll(() => {
  process.env['TZ'] = 'UTC';
});
afterAll(() => {
  process.env['TZ'] = hostZone ?? '';
});

const BAVARIA = { lat: '48.1', lon: '11.6', address: { country_code: 'de', state: 'Bayern' } };

/** Whether a schedule is open according to the library, with local time as if it were UTC. */
function library(text: string): (localMs: number) => boolean {
  const schedule = new opening_hours(text, BAVARIA as never, { locale: 'en' } as never);
  return localMs => schedule.getState(new Date(localMs));
}

/** The library's public holidays of Bavaria, in days since 1970-01-01. */
function bavarianHolidays(): DaySet {
  const isHoliday = library('PH');
  const [firstDay, endDay] = [Date.UTC(1974, 0, 1) / MS_PER_DAY, Date.UTC(2038, 0, 1) / MS_PER_DAY];
  const days = Array.from({ length: endDay - firstDay }, (_, index) => firstDay + index);
  return new DaySet(
    { firstDay, endDay },
    days.filter(day => isHoliday(day * MS_PER_DAY)),
  );
}

/** A zone in 1975–2036, when all offsets are whole minutes, and error-prone instants. */
function randomPlace(random: Random): { zone: Zone; atMs: number } {
  const zone = zoneOf(pick(random, zones.names()));
  const atMs = Date.UTC(1975, 0, 1) + Math.floor(random() * 61 * 365.25) * MS_PER_DAY;
  const change = random() < 0.5 ? zone.nextTransition(atMs / 1000) : null;
  if (change !== null && change.epochSeconds < Date.UTC(2036, 0, 1) / 1000)
    return { zone, atMs: change.epochSeconds * 1000 };
  return { zone, atMs: random() < 0.3 ? Date.UTC(new Date(atMs).getUTCFullYear(), 11, 25) : atMs };
}

/** Consecutive local minutes of some days, each with the library's state. */
function minutesAround(text: string, zone: Zone, atMs: number) {
  const isOpen = library(text);
  const firstMs = Math.floor(atMs / MS_PER_DAY - DAYS / 2) * MS_PER_DAY;
  const states = new Map<number, boolean>();
  const open: boolean[] = [];
  for (let minute = 0; minute < DAYS * 1440; minute++) {
    const epochMs = firstMs + minute * MS_PER_MINUTE;
    const localMs = epochMs + zone.periodAt(epochMs / 1000).offsetSeconds * 1000;
    const start = stateStart(text, localMs);
    const known = states.get(start) ?? isOpen(start);
    states.set(start, known);
    open.push(known);
  }
  return { firstMs, open };
}

/** The latest local time at which a schedule's state could have changed: a midnight, or a time in the schedule. */
function stateStart(text: string, localMs: number): number {
  const midnight = Math.floor(localMs / MS_PER_DAY) * MS_PER_DAY;
  let latest = midnight;
  for (const minute of timesOf(text)) {
    const at = midnight + minute * MS_PER_MINUTE;
    if (at <= localMs && at > latest) latest = at;
  }
  return latest;
}

const timesOfTexts = new Map<string, number[]>();
function timesOf(text: string): number[] {
  const known = timesOfTexts.get(text);
  if (known !== undefined) return known;
  const times = [...text.matchAll(/(\d\d):(\d\d)/g)].map(
    ([, hour, minute]) => Number(hour) * 60 + Number(minute),
  );
  timesOfTexts.clear();
  timesOfTexts.set(text, times);
  return times;
}

test('state, working time and sums equal the opening_hours library, minute by minute', () => {
  const random = sampleNumbers();
  const holidays = bavarianHolidays();
  const differences: string[] = [];
  const count = runs(150, 20_000);
  for (let run = 0; run < count; run++) {
    const { zone, atMs } = randomPlace(random);
    const text = randomSchedule(random, [atMs]);
    const { firstMs, open } = minutesAround(text, zone, atMs);
    const time = new WorkingTime(new OpenTime(parseOpeningHours(text, 'schedule'), holidays), zone);
    const fault = faultOf(time, firstMs, open, random);
    if (fault !== null) differences.push(`${text} in ${zone.name}: ${fault}`);
  }
  expectNoDifferences('working time', count, differences, 20_000);
});

/** The first difference between a working time and the states of minutes, or null. */
function faultOf(
  time: WorkingTime,
  firstMs: number,
  open: readonly boolean[],
  random: Random,
): string | null {
  const at = (minute: number) => firstMs + minute * MS_PER_MINUTE;
  const shown = (epochMs: number | null) => (epochMs === null ? 'never' : new Date(epochMs).toISOString());
  const before = [0];
  for (const [minute, isOpen] of open.entries()) {
    if (time.isOpenAt(at(minute)) !== isOpen) return `${shown(at(minute))} is ${isOpen ? 'open' : 'closed'}`;
    before.push(before[minute]! + Number(isOpen));
  }
  for (let draw = 0; draw < 10; draw++) {
    const [from, until] = [random(), random()]
      .map(part => Math.floor(part * open.length))
      .sort((a, b) => a - b) as [number, number];
    const worked = before[until]! - before[from]!;
    const range = `${shown(at(from))} to ${shown(at(until))}`;
    const sum = time.msBetween(at(from), at(until)) / MS_PER_MINUTE;
    if (sum !== worked) return `${range}: ${sum} instead of ${worked} minutes`;
    if (worked === 0) continue;
    const later = at(before.indexOf(before[from]! + worked));
    const sumOf = time.add(at(from), worked * MS_PER_MINUTE);
    if (sumOf !== later)
      return `${worked} minutes after ${shown(at(from))}: ${shown(sumOf)} instead of ${shown(later)}`;
    const earlier = at(before.lastIndexOf(before[until]! - worked));
    const difference = time.add(at(until), -worked * MS_PER_MINUTE);
    if (difference !== earlier) {
      return `${worked} minutes before ${shown(at(until))}: ${shown(difference)} instead of ${shown(earlier)}`;
    }
    const state = random() < 0.5;
    const next = open.indexOf(state, from);
    const nextMs = time.next(at(from), state);
    if (next !== -1 && nextMs !== at(next))
      return `the next ${state} after ${shown(at(from))} is ${shown(nextMs)}`;
    if (next === -1 && nextMs !== null && nextMs < at(open.length)) return `a ${state} at ${shown(nextMs)}`;
    const previous = until === 0 ? -1 : open.lastIndexOf(state, until - 1);
    const endMs = time.previousEnd(at(until), state);
    if (previous !== -1 && endMs !== at(previous + 1))
      return `the last ${state} before ${shown(at(until))} ends ${shown(endMs)}`;
    if (previous === -1 && endMs !== null && endMs > at(0)) return `a ${state} until ${shown(endMs)}`;
  }
  return null;
}

test('adding the working time between two instants leads from one to the other, to the millisecond', () => {
  const random = sampleNumbers();
  const differences: string[] = [];
  const count = runs(500, 20_000);
  for (let run = 0; run < count; run++) {
    const { zone, atMs } = randomPlace(random);
    const text = randomSchedule(random, [atMs]);
    const time = new WorkingTime(new OpenTime(parseOpeningHours(text, 'schedule'), NO_HOLIDAYS), zone);
    const fromMs = atMs + Math.floor((random() - 0.5) * 4 * MS_PER_DAY);
    const untilMs = fromMs + Math.floor(random() ** 4 * 40_000 * MS_PER_DAY);
    const workMs = time.msBetween(fromMs, untilMs);
    const [later, earlier] = [time.add(fromMs, workMs), time.add(untilMs, -workMs)];
    const isInverse =
      later !== null &&
      earlier !== null &&
      time.msBetween(fromMs, later) === workMs &&
      time.msBetween(earlier, untilMs) === workMs &&
      (workMs === 0 || (later <= untilMs && time.msBetween(fromMs, later - 1) === workMs - 1)) &&
      (workMs === 0 || (earlier >= fromMs && time.msBetween(earlier + 1, untilMs) === workMs - 1));
    if (!isInverse)
      differences.push(`${text} in ${zone.name}: ${fromMs} to ${untilMs}: ${workMs}, ${later}, ${earlier}`);
  }
  expectNoDifferences('inverse of working time', count, differences, 20_000);
});

test('a repeated time is found from within its hour', () => {
  // On 2026-10-25 clocks go back from 03:00 to 02:00.
  const time = new WorkingTime(
    new OpenTime(parseOpeningHours('Oct 25 02:00-02:30', 'schedule'), NO_HOLIDAYS),
    zoneOf('Europe/Berlin'),
  );
  const [first, second] = [Date.UTC(2026, 9, 25, 0), Date.UTC(2026, 9, 25, 1)];
  expect(time.next(first + 45 * MS_PER_MINUTE, true)).toBe(second);
  expect(time.previousEnd(second, true)).toBe(first + 30 * MS_PER_MINUTE);
  expect(time.msBetween(first, second + 60 * MS_PER_MINUTE)).toBe(60 * MS_PER_MINUTE);
});

test('a schedule that is open never, always or only on February 29 is searched as fast as any other', () => {
  const zone = zoneOf('Europe/Berlin');
  const of = (text: string) =>
    new WorkingTime(new OpenTime(parseOpeningHours(text, 'schedule'), NO_HOLIDAYS), zone);
  const atMs = Date.UTC(2026, 3, 15);
  expect(of('off').next(atMs, true)).toBeNull();
  expect(of('off').add(atMs, 1)).toBeNull();
  expect(of('24/7').next(atMs, false)).toBeNull();
  expect(of('24/7').previousEnd(atMs, false)).toBeNull();
  expect(of('Feb 29').next(atMs, true)).toBe(Date.UTC(2028, 1, 28, 23));
  expect(of('Feb 29').add(Date.UTC(1896, 2, 1), 1000)).toBe(Date.UTC(1904, 1, 28, 23, 0, 1));
  expect(of('Feb 29').add(atMs, 98 * MS_PER_DAY)).toBeNull();
});
