import { expect, test } from 'bun:test';
import { clockConfig } from '../../src/operations/clock.ts';
import { type Target, zoneTarget } from '../../src/operations/target.ts';
import { momentAt } from '../../src/text/time_payload.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { readTzif } from '../../src/zones/tzif.ts';
import { Zone } from '../../src/zones/zone.ts';
import { tzifFile, zoneOf } from '../support/zones.ts';

/** The next change of a clock in a place, drawn at an instant. */
function transitionAt(epochMs: number, target: Target) {
  const request = {
    style: 'analog-station',
    target,
    selector: { kind: 'none' },
    format: null,
    isPinned: false,
    publicUrl: '',
  } as const;
  return clockConfig(request, momentAt(epochMs, target)).transition;
}

/** A zone with only a yearly rule. */
function ruledBy(footer: string): Target {
  const load = () => new Timeline(readTzif(tzifFile({ version: 2, footer })));
  return zoneTarget(new Zone('Test/Rule', 'Test/Rule', [], load));
}

test('a clock knows the next change of its offset or abbreviation', () => {
  expect(transitionAt(Date.UTC(2026, 5), zoneTarget(zoneOf('Europe/Paris')))).toEqual({
    unix_ms: Date.UTC(2026, 9, 25, 1),
    offset_minutes: 60,
    offset_seconds: 3600,
    abbreviation: 'CET',
  });
});

test('changes of only the DST flag are skipped, and a rule with no others ends the search', () => {
  expect(transitionAt(0, ruledBy('AAA0AAA0,M3.2.0,M11.1.0'))).toBeNull();
  expect(transitionAt(0, ruledBy('AAA0BBB0,M3.2.0,M11.1.0'))).toMatchObject({ abbreviation: 'BBB' });
});

test('a change beyond the range of times is ignored', () => {
  expect(transitionAt(8.64e15, zoneTarget(zoneOf('Europe/Paris')))).toBeNull();
});
