import { describe, expect, test } from 'bun:test';
import { cronOccurrences, parseCron } from '../../src/schedules/cron.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { expectNoDifferences, runs, sample, sampleNumbers } from '../support/proof.ts';
import { pick, type Random } from '../support/property.ts';
import { rowsIn } from '../support/rows.ts';
import { isoOf, zoneOf, zones } from '../support/zones.ts';

const SECONDS_PER_DAY = 86_400;

/** The occurrences of an expression from one instant until before another. */
function occurrences(expression: string, zone: Zone, from: number, until: number): number[] {
  const found: number[] = [];
  for (const at of cronOccurrences(parseCron(expression, 'cron'), zone, from, () => false)) {
    if (at >= until) break;
    found.push(at);
  }
  return found;
}

/** The next occurrences after an instant, as local times. */
function next(expression: string, zone: Zone, from: number, count: number): string[] {
  const found: string[] = [];
  for (const at of cronOccurrences(parseCron(expression, 'cron'), zone, from, () => false)) {
    found.push(isoOf(at + zone.periodAt(at).offsetSeconds));
    if (found.length === count) break;
  }
  return found;
}

/** Whether a local minute, in minutes since 1970-01-01T00:00, matches an expression. */
function matcher(expression: string): (localMinute: number) => boolean {
  const fields = expression.split(' ');
  const names: Readonly<Record<string, number>> = { jan: 1, dec: 12, sun: 0, mon: 1, fri: 5, sat: 6 };
  const number = (text: string) => names[text] ?? Number(text);
  const ranges = [
    [0, 59],
    [0, 23],
    [1, 31],
    [1, 12],
    [0, 7],
  ] as const;
  const sets = fields.map((field, index) => {
    const allowed = new Set<number>();
    for (const item of field.split(',')) {
      const [range = '', step = '1'] = item.split('/');
      const [from, to] =
        range === '*'
          ? ranges[index]!
          : [range.split('-')[0]!, range.split('-')[1] ?? range.split('-')[0]!].map(number);
      for (let value = from!; value <= to!; value += Number(step))
        allowed.add(index === 4 ? value % 7 : value);
    }
    return allowed;
  });
  const days = new Map<number, boolean>();
  const isDay = (day: number) => {
    const date = new Date(day * SECONDS_PER_DAY * 1000);
    const [isMonthDay, isWeekday] = [sets[2]!.has(date.getUTCDate()), sets[4]!.has(date.getUTCDay())];
    const isEither = !fields[2]!.startsWith('*') && !fields[4]!.startsWith('*');
    return (
      sets[3]!.has(date.getUTCMonth() + 1) && (isEither ? isMonthDay || isWeekday : isMonthDay && isWeekday)
    );
  };
  return localMinute => {
    const day = Math.floor(localMinute / 1440);
    const matches = days.get(day) ?? isDay(day);
    days.set(day, matches);
    const minute = localMinute - day * 1440;
    return matches && sets[0]!.has(minute % 60) && sets[1]!.has(Math.floor(minute / 60));
  };
}

/** The main loop of cronie (cron.c), minute by minute: the jobs it runs between two instants. */
function cronie(expression: string, zone: Zone, from: number, until: number): number[] {
  const matches = matcher(expression);
  const [minute, hour] = expression.split(' ');
  const isWild = minute!.startsWith('*') || hour!.startsWith('*');
  const ran: number[] = [];
  const warmUp = from - 2 * SECONDS_PER_DAY;
  let virtual = Math.floor((warmUp + zone.periodAt(warmUp).offsetSeconds) / 60) - 1;
  for (let now = warmUp; now < until; now += 60) {
    const running = Math.floor((now + zone.periodAt(now).offsetSeconds) / 60);
    const difference = running - virtual;
    let runs = matches(running);
    if (difference <= 0 && difference > -180) {
      runs &&= isWild; // until the clock catches up
    } else {
      const isGap = difference > 5 && difference <= 180;
      for (let missed = virtual + 1; isGap && !isWild && missed < running; missed++) runs ||= matches(missed);
      virtual = running;
    }
    if (runs && now >= from) ran.push(now);
  }
  return ran;
}

function randomField(random: Random, first: number, last: number): string {
  const number = () => first + Math.floor(random() * (last - first + 1));
  const item = () => {
    const [from, to] = [number(), number()].sort((a, b) => a - b);
    const step = random() < 0.4 ? `/${1 + Math.floor(random() * 20)}` : '';
    if (random() < 0.4) return `${from}`;
    return random() < 0.3 ? `*${step}` : `${from}-${to}${step}`;
  };
  return Array.from({ length: 1 + Math.floor(random() * 3) }, item).join(',');
}

function randomExpression(random: Random): string {
  const minute = random() < 0.3 ? pick(random, ['0', '30', '*/15', '*']) : randomField(random, 0, 59);
  const hour =
    random() < 0.5 ? pick(random, ['*', '0', '1', '2', '3', '1-3', '*/2', '23']) : randomField(random, 0, 23);
  const monthDay = random() < 0.5 ? '*' : randomField(random, 1, 31);
  const month = random() < 0.7 ? '*' : pick(random, ['jan', 'dec', '1-6', '2', '10-12', '3,10']);
  const weekday =
    random() < 0.5 ? '*' : pick(random, ['mon-fri', 'sat', '0', '7', '1-5/2', '*/2', '5-7', 'sun']);
  return [minute, hour, monthDay, month, weekday].join(' ');
}

/** A zone's changes in a year. */
function changesOf(zone: Zone, year: number): number[] {
  const found: number[] = [];
  for (
    let change = zone.nextTransition(Date.UTC(year, 0, 1) / 1000);
    change !== null;
    change = zone.nextTransition(change.epochSeconds)
  ) {
    if (change.epochSeconds >= Date.UTC(year + 1, 0, 1) / 1000) break;
    found.push(change.epochSeconds);
  }
  return found;
}

test('random expressions run when cronie runs them, minute by minute', () => {
  const random = sampleNumbers();
  const differences: string[] = [];
  const count = runs(300, 10_000);
  for (let run = 0; run < count; run++) {
    const zone = zoneOf(pick(random, zones.names()));
    const year = 1975 + Math.floor(random() * 60);
    const around =
      random() < 0.6
        ? pick(random, [...changesOf(zone, year), Date.UTC(year, 6, 1) / 1000])
        : Date.UTC(year, 0, 1) / 1000 + Math.floor(random() * 365) * SECONDS_PER_DAY;
    const expression = randomExpression(random);
    const from = around - Math.floor(random() * 6 * 1440) * 60;
    const until = from + 8 * SECONDS_PER_DAY;
    let found: number[] = [];
    try {
      found = occurrences(expression, zone, from, until);
    } catch (error) {
      if (!`${error}`.includes('never occurs')) throw error;
    }
    const expected = cronie(expression, zone, from, until);
    if (found.join() === expected.join()) continue;
    differences.push(
      `${expression} in ${zone.name} from ${isoOf(from)}: ${found.length} instead of ${expected.length} runs`,
    );
  }
  expectNoDifferences('cron', count, differences, 10_000);
});

test('in every zone, each skipped and repeated hour of 2026 runs the same jobs as cronie', () => {
  const differences: string[] = [];
  let comparisons = 0;
  for (const name of sample(zones.names(), 100)) {
    const zone = zoneOf(name);
    for (const change of changesOf(zone, 2026)) {
      const { before, after } = zone.nextTransition(change - 1)!;
      const local = (change + Math.min(before.offsetSeconds, after.offsetSeconds)) % SECONDS_PER_DAY;
      const [hour, minute] = [Math.floor(local / 3600), Math.floor((local % 3600) / 60)];
      for (const expression of [
        `${minute} ${hour} * * *`,
        `${(minute + 15) % 60},${(minute + 20) % 60} ${hour} * * *`,
        `${minute} * * * *`,
        `*/20 ${hour} * * *`,
        `0 0-23 * * *`,
      ]) {
        const [from, until] = [change - SECONDS_PER_DAY, change + SECONDS_PER_DAY];
        const [found, expected] = [occurrences, cronie].map(list =>
          list(expression, zone, from, until).map(isoOf).join(),
        );
        comparisons++;
        if (found !== expected) differences.push(`${expression} in ${name}: ${found} instead of ${expected}`);
      }
    }
  }
  expectNoDifferences('cron, changes of 2026', comparisons, differences, 1000);
});

describe('when the clock changes', () => {
  const berlin = zoneOf('Europe/Berlin');
  const gap = Date.UTC(2026, 2, 28, 23) / 1000; // midnight, two hours before the gap
  const fold = Date.UTC(2026, 9, 24, 22) / 1000;

  test.each([
    [
      'a fixed time in a gap runs once, right after it',
      '30 2 * * *',
      gap,
      ['2026-03-29T03:00:00', '2026-03-30T02:30:00'],
    ],
    [
      'several fixed times in a gap run once',
      '0,20,40 2 * * *',
      gap,
      ['2026-03-29T03:00:00', '2026-03-30T02:00:00'],
    ],
    [
      'a time in a gap and right after it is one run',
      '0 2,3 * * *',
      gap,
      ['2026-03-29T03:00:00', '2026-03-30T02:00:00'],
    ],
    ['a wildcard does not run in a gap', '*/30 2 * * *', gap, ['2026-03-30T02:00:00', '2026-03-30T02:30:00']],
    ['a fixed time in a fold runs once', '30 2 * * *', fold, ['2026-10-25T02:30:00', '2026-10-26T02:30:00']],
    [
      'a wildcard runs twice in a fold',
      '*/30 2 * * *',
      fold,
      ['2026-10-25T02:00:00', '2026-10-25T02:30:00', '2026-10-25T02:00:00', '2026-10-25T02:30:00'],
    ],
  ])('%s', (_, expression, from, expected) => {
    expect(next(expression, berlin, from, expected.length)).toEqual(expected);
  });

  test('a wildcard is found from within a repeated hour', () => {
    const from = Date.UTC(2026, 9, 25, 0, 45) / 1000; // 02:45, before the clock returns to 02:00
    expect(next('*/30 2 25 10 *', berlin, from, 3)).toEqual([
      '2026-10-25T02:00:00',
      '2026-10-25T02:30:00',
      '2027-10-25T02:00:00',
    ]);
  });

  test('a wildcard runs twice in a repeated hour, even days after the start of the search and with a week until the next run', () => {
    expect(next('0 2 * * 0', berlin, fold - 5 * SECONDS_PER_DAY, 2)).toEqual([
      '2026-10-25T02:00:00',
      '2026-11-01T02:00:00',
    ]);
    expect(next('*/30 2 * * 0', berlin, fold - 5 * SECONDS_PER_DAY, 5)).toEqual([
      ...['2026-10-25T02:00:00', '2026-10-25T02:30:00', '2026-10-25T02:00:00', '2026-10-25T02:30:00'],
      '2026-11-01T02:00:00',
    ]);
  });

  test.each([
    ['forward', Date.UTC(2009, 9, 17, 18) / 1000], // from 02:00 to 05:00
    ['back', Date.UTC(2010, 2, 4, 15) / 1000], // from 02:00 to 23:00
  ])('a change by exactly three hours %s, as at Casey, is the same for cronie', (_, change) => {
    const casey = zoneOf('Antarctica/Casey');
    const [from, until] = [change - SECONDS_PER_DAY, change + SECONDS_PER_DAY];
    for (const expression of ['30 4 * * *', '0 2,5 * * *', '30 23 * * *', '30 1 * * *', '*/30 0 * * *'])
      expect(occurrences(expression, casey, from, until)).toEqual(cronie(expression, casey, from, until));
  });

  test('a change by a whole day is a jump: no runs are made up', () => {
    const apia = zoneOf('Pacific/Apia'); // had no 2011-12-30
    const from = Date.UTC(2011, 11, 29, 12) / 1000;
    expect(next('0 9 * * *', apia, from, 3)).toEqual([
      '2011-12-29T09:00:00',
      '2011-12-31T09:00:00',
      '2012-01-01T09:00:00',
    ]);
  });
});

test('rare days are found quickly', () => {
  const utc = zoneOf('UTC');
  expect(next('0 0 29 2 *', utc, Date.UTC(1896, 2, 1) / 1000, 1)).toEqual(['1904-02-29T00:00:00']);
  expect(next('0 0 29 2 */7', utc, Date.UTC(2026, 0, 1) / 1000, 2)).toEqual([
    '2032-02-29T00:00:00',
    '2060-02-29T00:00:00',
  ]);
  expect(next('0 0 31 12 *', utc, Date.UTC(9999, 11, 31) / 1000 + 1, 1)).toEqual([]);
});

test.each(['0 9 * * *', '  5\t4 1,15 * 5 ', '0 0 * JAN,mar Mon-FRI', '0 0 * * 7', '*/100 * * * *'])(
  '%p is accepted',
  expression => expect(() => parseCron(expression, 'cron')).not.toThrow(),
);

test.each([
  ...rowsIn(new URL('rejected_cron.txt', import.meta.url)),
  ...[
    ['', "'' is not five fields"] as const,
    [`${'1,'.repeat(200)}1 * * * *`, 'the maximum is 256'] as const,
  ],
])('%p is rejected: %s', (expression, message) =>
  expect(() => parseCron(expression, 'cron')).toThrow(message),
);
