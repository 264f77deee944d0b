import { expect, test } from 'bun:test';
import ICAL from 'ical.js';
import { readZonePack } from '../../data/zones/embedded.ts';
import { offsetTarget, zoneTarget } from '../../src/operations/target.ts';
import { timeZoneCalendar } from '../../src/operations/time_zone_component.ts';
import type { Zone } from '../../src/zones/zone.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';
import { expectNoDifferences, sample } from '../support/proof.ts';

const zones = openZonePack(readZonePack());
const FROM = Date.UTC(1990, 0, 1) / 1000;
const UNTIL = Date.UTC(2038, 0, 1) / 1000;

/** The VTIMEZONE of a text, parsed by ical.js. */
function timeZoneOf(text: string): ICAL.Timezone {
  const [component] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vtimezone');
  return new ICAL.Timezone(component!);
}

/** The changes of a VTIMEZONE expanded by ical.js, as `instant: offset`, without those that change nothing. */
function expanded(text: string): string[] {
  const timeZone = timeZoneOf(text);
  timeZone.utcOffset(ICAL.Time.fromData({ year: 2037, month: 12, day: 31 }, timeZone)); // expands it
  const { changes } = timeZone as unknown as { changes: readonly Change[] };
  return changes
    .map(change => ({
      ...change,
      epochSeconds:
        Date.UTC(change.year, change.month - 1, change.day, change.hour, change.minute, change.second) / 1000,
    }))
    .filter(
      ({ epochSeconds, utcOffset, prevUtcOffset }) => utcOffset !== prevUtcOffset && isInRange(epochSeconds),
    )
    .map(({ epochSeconds, prevUtcOffset, utcOffset }) => `${epochSeconds}: ${prevUtcOffset} ${utcOffset}`);
}

/** A change expanded by ical.js from a VTIMEZONE; the time is in UTC. */
interface Change {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly utcOffset: number;
  readonly prevUtcOffset: number;
}

function isInRange(epochSeconds: number): boolean {
  return epochSeconds >= FROM && epochSeconds < UNTIL;
}

/** Our own changes in the same form. */
function changesOf(zone: Zone): string[] {
  return zone
    .transitionsBetween(FROM, UNTIL)
    .filter(({ before, after }) => before.offsetSeconds !== after.offsetSeconds)
    .map(
      ({ epochSeconds, before, after }) => `${epochSeconds}: ${before.offsetSeconds} ${after.offsetSeconds}`,
    );
}

test('the VTIMEZONE of each zone, expanded by ical.js, has our changes from 1990 to 2037', () => {
  const differences: string[] = [];
  let comparisons = 0;
  for (const zone of sample(zones.canonicalZones(), 60)) {
    const [found, expected] = [expanded(timeZoneCalendar(zoneTarget(zone))), changesOf(zone)];
    comparisons += expected.length + 1;
    const unequal = new Set(expected).symmetricDifference(new Set(found));
    differences.push(...[...unequal].map(change => `${zone.name}: ${change}`));
    if (found.length !== expected.length) differences.push(`${zone.name}: a change occurs twice`);
  }
  expectNoDifferences('VTIMEZONE', comparisons, differences, 10_000);
});

/** What an observance begins: an abbreviation, DST or not, and the offset. */
function shownBy(observance: ICAL.Component): string {
  const name = observance.getFirstPropertyValue('tzname');
  return `${name} ${observance.name} ${secondsOf(observance, 'tzoffsetto')}`;
}

function secondsOf(observance: ICAL.Component, property: string): number {
  return (observance.getFirstPropertyValue(property) as ICAL.UtcOffset).toSeconds();
}

/**
 * What the observances of a VTIMEZONE begin from 1970 to 2037, as `minute: …` in order; ical.js ignores the seconds of an offset,
 * which Africa/Monrovia had until 1972.
 */
function begunBy(text: string): string[] {
  const [component] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vtimezone');
  const begun: { at: number; shown: string }[] = [];
  for (const observance of component!.getAllSubcomponents()) {
    const dtstart = observance.getFirstPropertyValue('dtstart') as ICAL.Time;
    const expansion = new ICAL.RecurExpansion({ component: observance, dtstart });
    for (let next = expansion.next(); next && next.year < 2039; next = expansion.next()) {
      const local = Date.UTC(next.year, next.month - 1, next.day, next.hour, next.minute, next.second) / 1000;
      begun.push({ at: local - secondsOf(observance, 'tzoffsetfrom'), shown: shownBy(observance) });
    }
  }
  const inRange = begun.filter(({ at }) => at >= 0 && at < UNTIL).sort((a, b) => a.at - b.at);
  return [...new Set(inRange.map(({ at, shown }) => `${Math.floor(at / 60)}: ${shown}`))];
}

/** The periods of a zone that begin from 1970 to 2037, in the same form. */
function periodsOf(zone: Zone): string[] {
  const periods: string[] = [];
  let period = zone.periodAfter(zone.periodAt(-1));
  for (; period !== null && period.fromEpochSeconds < UNTIL; period = zone.periodAfter(period)) {
    const { fromEpochSeconds, abbreviation, isDst, offsetSeconds } = period;
    const minute = Math.floor(fromEpochSeconds / 60);
    periods.push(`${minute}: ${abbreviation} ${isDst ? 'daylight' : 'standard'} ${offsetSeconds}`);
  }
  return periods;
}

test.each(['Pacific/Guam', 'Pacific/Saipan', 'Asia/Karachi', 'Africa/Windhoek', 'America/New_York'])(
  'the VTIMEZONE of %s has an observance for each abbreviation',
  name => {
    const zone = zones.find(name)!;
    const begun = begunBy(timeZoneCalendar(zoneTarget(zone))).filter(text => !text.startsWith('0: '));
    expect(begun).toEqual(periodsOf(zone));
  },
);

test('the VTIMEZONE of each zone has an observance wherever offset, abbreviation or DST flag change', () => {
  const differences: string[] = [];
  let comparisons = 0;
  for (const zone of sample(zones.canonicalZones(), 60)) {
    const [found, expected] = [begunBy(timeZoneCalendar(zoneTarget(zone))), periodsOf(zone)];
    comparisons += expected.length + 1;
    const unequal = new Set(expected).symmetricDifference(new Set(found));
    differences.push(
      ...[...unequal].filter(text => !text.startsWith('0: ')).map(text => `${zone.name}: ${text}`),
    );
  }
  expectNoDifferences('observances of VTIMEZONE', comparisons, differences, 10_000);
});

test.each([
  ['Europe/Berlin', ['FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU']],
  ['America/New_York', ['FREQ=YEARLY;BYMONTH=3;BYDAY=2SU', 'FREQ=YEARLY;BYMONTH=11;BYDAY=1SU']],
  // The Saturday before the last Sunday in March.
  [
    'America/Nuuk',
    ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA', 'FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'],
  ],
  // The Friday after the last Thursday of October, which can be in November.
  [
    'Africa/Cairo',
    [
      'FREQ=YEARLY;BYMONTH=4;BYDAY=-1FR',
      'FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=26,27,28,29,30,31;BYDAY=FR',
      'FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=1;BYDAY=FR',
    ],
  ],
  ['Africa/Casablanca', []],
  ['Asia/Tokyo', []],
])('the rules of %s are valid recurrence rules', (name, rules) => {
  const text = timeZoneCalendar(zoneTarget(zones.find(name)!)).replaceAll('\r\n ', '');
  expect([...text.matchAll(/^RRULE:(.*)\r$/gm)].map(([, rule]) => rule!).sort()).toEqual([...rules].sort());
});

test('an offset has a VTIMEZONE, too', () => {
  const timeZone = timeZoneOf(timeZoneCalendar(offsetTarget(-(3 * 3600 + 1800))));
  expect(timeZone.tzid).toBe('UTC-03:30');
  expect(timeZone.utcOffset(ICAL.Time.fromData({ year: 2026, month: 1, day: 1 }, timeZone))).toBe(-12_600);
});
