import { afterAll, beforeAll, expect, test } from 'bun:test';
import opening_hours from 'opening_hours';
import { DaySet } from '../../src/common/day_set.ts';
import { OpenTime } from '../../src/schedules/open_time.ts';
import { parseOpeningHours } from '../../src/schedules/opening_hours.ts';
import { WorkingTime } from '../../src/schedules/working_time.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { expectNoDifferences, runs, sampleNumbers } from '../support/proof.ts';
import { zoneOf, zones } from '../support/zones.ts';
import { pick, type Random, randomSchedule } from './random_schedules.ts';

const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 86_400_000;
const DAYS = 9;
const NO_HOLIDAYS = DaySet.union([]);

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
