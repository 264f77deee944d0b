import { expect, test } from 'bun:test';
import { readZonePack } from '../../data/zones/embedded.ts';
import { zoneDifferences } from '../../src/cli/zone_comparison.ts';
import { openZonePack } from '../../src/zones/zone_database.ts';

const zones = openZonePack(readZonePack());
const NOW_SECONDS = 1_776_274_247; // 2026-04-15
const paris = zones.find('Europe/Paris')!;
const offsetIn = (at: number) => paris.periodAt(at).offsetSeconds;
const seconds = (iso: string) => Date.parse(iso) / 1000;

test('a source does not differ from itself', () => {
  const same = (name: string) => (at: number) => zones.find(name)!.periodAt(at).offsetSeconds;
  expect(zoneDifferences(zones.canonicalZones(), same, NOW_SECONDS)).toEqual([]);
});

test('the first second of a difference is found, with both offsets', () => {
  for (const [since, until, isPast] of [
    ['1986-04-26T01:23:40Z', '2400-01-01T00:00:00Z', false],
    ['2030-01-01T00:00:01Z', '2400-01-01T00:00:00Z', false],
    ['1998-02-03T04:05:06Z', '1998-12-31T00:00:00Z', true], // in the past
  ] as const) {
    const isOff = (at: number) => at >= seconds(since) && at < seconds(until);
    const other = () => (at: number) => (isOff(at) ? 5400 : offsetIn(at));
    expect(zoneDifferences([paris], other, NOW_SECONDS)).toEqual([
      {
        zone: 'Europe/Paris',
        sinceEpochSeconds: seconds(since),
        offsetSeconds: offsetIn(seconds(since)),
        otherOffsetSeconds: 5400,
        isPast,
      },
    ]);
  }
});

test('a change one second late is found on both sides', () => {
  const change = seconds('2026-10-25T01:00:00Z');
  const late = () => (at: number) => (at === change ? 7200 : offsetIn(at));
  const early = () => (at: number) => (at === change - 1 ? 3600 : offsetIn(at));
  expect(zoneDifferences([paris], late, NOW_SECONDS)[0]?.sinceEpochSeconds).toBe(change);
  expect(zoneDifferences([paris], early, NOW_SECONDS)[0]?.sinceEpochSeconds).toBe(change - 1);
});

test('a zone that the other source lacks is reported', () => {
  expect(zoneDifferences([paris], () => undefined, NOW_SECONDS)).toMatchObject([
    { zone: 'Europe/Paris', sinceEpochSeconds: null },
  ]);
});
