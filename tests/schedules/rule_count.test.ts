import { describe, expect, test } from 'bun:test';
import { parseRecurrence } from '../../src/schedules/recurrence_rule.ts';
import { countBefore, ruleOccurrences } from '../../src/schedules/rule_occurrences.ts';
import { instantsFrom, type RuleClock, searchOf } from '../../src/schedules/rule_search.ts';
import { resolveLocalTime } from '../../src/zones/local_time.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { expectNoDifferences, runs, sampleNumbers } from '../support/proof.ts';
import { zoneOf } from '../support/zones.ts';
import { randomRule } from './random_rules.ts';
import { pick } from './random_schedules.ts';

function clockOf(zone: Zone): RuleClock {
  return {
    periodAt: epochSeconds => zone.periodAt(epochSeconds),
    resolve: local => resolveLocalTime(zone, local, 'compatible'),
  };
}

function startText(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().replace(/[-:]/g, '').slice(0, 15);
}

/** With gaps and folds of an hour, half an hour, a day and others, and offsets with seconds. */
const ZONES = [
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  'Asia/Manila',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Antarctica/Troll',
  'America/Juneau',
];

/** Those for which a search takes too many steps or that never occur. */
const REJECTED = /never occurs|too rarely/;

test('occurrences before an instant are as many as are enumerated', () => {
  const random = sampleNumbers();
  const differences: string[] = [];
  const wanted = runs(60, 20_000);
  let compared = 0;
  while (compared < wanted) {
    const zone = zoneOf(pick(random, ZONES));
    const start = Math.floor(Date.UTC(1960, 0, 1) / 1000 + random() * 50 * 365 * 86_400);
    const rule = randomRule(random).replace(/;COUNT=\d+/, '');
    const text = `DTSTART;TZID=${zone.name}:${startText(start)}\nRRULE:${rule}`;
    const span = (random() < 0.5 ? 3 : 0.1) * 365 * 86_400;
    const from = start + Math.floor(random() * span);
    const search = () =>
      searchOf(parseRecurrence(text, 'rrule'), clockOf(zone), Number.POSITIVE_INFINITY, 'rrule', 100_000);
    try {
      let expected = 0;
      for (const at of instantsFrom(search(), Number.NEGATIVE_INFINITY)) {
        if (at >= from) break;
        expected++;
      }
      const found = countBefore(search(), from, Number.POSITIVE_INFINITY);
      compared++;
      if (found !== expected) differences.push(`${text} before ${from}: ${found} instead of ${expected}`);
    } catch (error) {
      if (!REJECTED.test(`${error}`)) throw error;
    }
  }
  expectNoDifferences('counts of occurrences', compared, differences, 20_000);
});

/** The occurrences of a rule from a year on, within the steps of a request. */
function fromYear(year: number, zone: string, start: string, rule: string): number[] {
  const text = `DTSTART;TZID=${zone}:${start}\nRRULE:${rule}`;
  const span = { from: Date.UTC(year, 0, 1) / 1000, last: Number.POSITIVE_INFINITY };
  return [...ruleOccurrences(parseRecurrence(text, 'rrule'), clockOf(zoneOf(zone)), span, 'rrule').take(3)];
}

describe('rules with COUNT that began long ago take few steps', () => {
  test.each([
    ['FREQ=DAILY;COUNT=100000'],
    ['FREQ=DAILY;INTERVAL=2;COUNT=100000'],
    ['FREQ=DAILY;BYHOUR=8,10,12,14,16;BYMINUTE=0,30;COUNT=1000000'],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=100000'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=100000'],
    ['FREQ=MONTHLY;BYDAY=-1FR;COUNT=10000'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=100'],
    ['FREQ=HOURLY;COUNT=10000000'],
    ['FREQ=HOURLY;INTERVAL=7;COUNT=10000000'],
    ['FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11,12;BYDAY=MO,FR;COUNT=1000000'],
    ['FREQ=MINUTELY;INTERVAL=15;BYHOUR=9,10,11,12,13,14,15,16;BYDAY=MO,TU,WE,TH,FR;COUNT=100000000'],
    ['FREQ=MINUTELY;BYDAY=MO;COUNT=100000000'],
    ['FREQ=SECONDLY;COUNT=999999999'],
  ])('%s', rule => {
    for (const zone of ['UTC', 'America/New_York']) {
      const counted = fromYear(1995, zone, '19700102T090000', rule);
      const uncounted = fromYear(1995, zone, '19700102T090000', rule.replace(/;COUNT=\d+/, ''));
      expect(counted).toEqual(uncounted);
      expect(counted).toHaveLength(3);
    }
  });
});

test('a rule ends after COUNT occurrences, also where they are before the range', () => {
  const start = '20150101T090000';
  expect(fromYear(2028, 'UTC', start, 'FREQ=DAILY;COUNT=5000')).toHaveLength(3);
  expect(fromYear(2029, 'UTC', start, 'FREQ=DAILY;COUNT=5000')).toEqual([]);
  // 4018 days until 2026.
  expect(fromYear(2026, 'UTC', start, 'FREQ=DAILY;COUNT=4018')).toEqual([]);
  expect(fromYear(2026, 'UTC', start, 'FREQ=DAILY;COUNT=4020').map(at => startText(at))).toEqual([
    '20260101T090000',
    '20260102T090000',
  ]);
});
