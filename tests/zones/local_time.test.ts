import { describe, expect, test } from 'bun:test';
import { ServiceError } from '../../src/common/errors.ts';
import {
  type Disambiguation,
  resolveLocalTime,
  resolveLocalTimeAtOffset,
} from '../../src/zones/local_time.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { readTzif } from '../../src/zones/tzif.ts';
import { Zone } from '../../src/zones/zone.ts';
import { fc } from '../support/property.ts';
import { isoOf, seconds, tzifFile, zoneOf, zones } from '../support/zones.ts';

const LAST_SECOND = 8.64e12;
const DAY = 86_400;
const CHOICES: readonly Disambiguation[] = ['compatible', 'earlier', 'later'];

/** The UTC time of a local time. */
function resolved(name: string, local: string, disambiguation: Disambiguation = 'compatible'): string {
  return isoOf(resolveLocalTime(zoneOf(name), seconds(local), disambiguation));
}

function rejection(name: string, local: string): string {
  try {
    return resolved(name, local, 'reject');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

describe('a local time', () => {
  test('that occurs once is that instant, whatever the disambiguation', () => {
    for (const disambiguation of [...CHOICES, 'reject'] as const) {
      expect(resolved('America/New_York', '2026-04-15T13:30:47', disambiguation)).toBe('2026-04-15T17:30:47');
    }
  });

  test('that is skipped moves forward by the gap', () => {
    const read = CHOICES.map(choice => resolved('America/New_York', '2026-03-08T02:30:00', choice));
    expect(read).toEqual(['2026-03-08T07:30:00', '2026-03-08T06:30:00', '2026-03-08T07:30:00']); // 03:30 EDT
  });

  test('that occurs twice is the earlier instant', () => {
    const read = CHOICES.map(choice => resolved('America/New_York', '2026-11-01T01:30:00', choice));
    expect(read).toEqual(['2026-11-01T05:30:00', '2026-11-01T05:30:00', '2026-11-01T06:30:00']); // EDT
  });

  test('skipped by the widest possible gap moves forward by it', () => {
    const [west, east] = [-89_999, 93_599]; // the limits of offsets
    const types = [west, east].map(offsetSeconds => ({ offsetSeconds, abbreviation: 'AAA', isDst: false }));
    const file = tzifFile({ version: 2, transitions: [[0, 1]], types, footer: '' });
    const zone = new Zone('Test/Gap', 'Test/Gap', [], () => new Timeline(readTzif(file)));
    for (const local of [west, 0, east - 1]) {
      expect(resolveLocalTime(zone, local, 'compatible')).toBe(local - west);
    }
    expect(resolveLocalTime(zone, east, 'reject')).toBe(0);
    expect(resolveLocalTime(zone, west - 1, 'reject')).toBe(-1);
  });

  test('at the edges of a gap or a repeated hour belongs to one side', () => {
    expect(rejection('America/New_York', '2026-03-08T01:59:59')).toBe('2026-03-08T06:59:59');
    expect(rejection('America/New_York', '2026-03-08T02:00:00')).toStartWith('INVALID_TIMESTAMP');
    expect(rejection('America/New_York', '2026-03-08T02:59:59')).toStartWith('INVALID_TIMESTAMP');
    expect(rejection('America/New_York', '2026-03-08T03:00:00')).toBe('2026-03-08T07:00:00');
    expect(rejection('America/New_York', '2026-11-01T00:59:59')).toBe('2026-11-01T04:59:59');
    expect(rejection('America/New_York', '2026-11-01T01:00:00')).toStartWith('INVALID_TIMESTAMP');
    expect(rejection('America/New_York', '2026-11-01T01:59:59')).toStartWith('INVALID_TIMESTAMP');
    expect(rejection('America/New_York', '2026-11-01T02:00:00')).toBe('2026-11-01T07:00:00');
  });

  test('throws with `reject`, listing both readings', () => {
    expect(rejection('America/New_York', '2026-03-08T02:30:00')).toBe(
      'INVALID_TIMESTAMP: 2026-03-08T02:30:00 is skipped by the clocks of America/New_York: ' +
        'it can be read as 2026-03-08T01:30:00-05:00 or as 2026-03-08T03:30:00-04:00',
    );
    expect(rejection('Europe/Paris', '2026-10-25T02:30:00')).toBe(
      'INVALID_TIMESTAMP: 2026-10-25T02:30:00 is shown twice by the clocks of Europe/Paris: ' +
        'it can be read as 2026-10-25T02:30:00+02:00 or as 2026-10-25T02:30:00+01:00',
    );
    expect(rejection('Africa/Monrovia', '1972-01-07T00:44:00')).toContain('1972-01-06T23:59:30-00:44:30');
  });

  test('beyond the year 9999 has a six-digit year in the message', () => {
    const message = 'can be read as +012026-03-08T01:30:00-05:00 or as +012026-03-08T03:30:00-04:00';
    const first = resolveLocalTime(zoneOf('America/New_York'), seconds('+012026-03-01'), 'reject');
    const change = zoneOf('America/New_York').nextTransition(first)!;
    const skipped = change.epochSeconds + change.before.offsetSeconds + 1800;
    expect(rejection('America/New_York', isoOf(skipped))).toContain(
      message.replaceAll('03-08', isoOf(skipped).slice(8, 13)),
    );
  });
});

describe('clock changes of unusual size', () => {
  test('half an hour: Lord Howe', () => {
    expect(resolved('Australia/Lord_Howe', '2026-10-04T02:15:00')).toBe('2026-10-03T15:45:00'); // 02:45 +11
    expect(resolved('Australia/Lord_Howe', '2026-04-05T01:45:00', 'later')).toBe('2026-04-04T15:15:00');
  });

  test('a skipped day: Apia 2011, Kwajalein 1993, Manila 1844', () => {
    const days = {
      'Pacific/Apia': '2011-12-30',
      'Pacific/Kwajalein': '1993-08-21',
      'Asia/Manila': '1844-12-31',
    };
    for (const [name, day] of Object.entries(days)) {
      for (const clock of ['00:00:00', '12:34:56', '23:59:59']) {
        const local = seconds(`${day}T${clock}`);
        const later = resolveLocalTime(zoneOf(name), local, 'compatible');
        const earlier = resolveLocalTime(zoneOf(name), local, 'earlier');
        expect(later + zoneOf(name).periodAt(later).offsetSeconds).toBe(local + DAY);
        expect(earlier + zoneOf(name).periodAt(earlier).offsetSeconds).toBe(local - DAY);
        expect(rejection(name, `${day}T${clock}`)).toContain('is skipped');
      }
    }
  });

  test('almost a whole repeated day: Kwajalein 1969, Juneau 1867', () => {
    expect(rejection('Pacific/Kwajalein', '1969-09-30T12:00:00')).toContain('is shown twice');
    const kwajalein = zoneOf('Pacific/Kwajalein');
    const noon = seconds('1969-09-30T12:00:00');
    const readings = CHOICES.map(choice => resolveLocalTime(kwajalein, noon, choice));
    expect(readings[0]).toBe(readings[1]!);
    expect(readings[2]! - readings[1]!).toBe(23 * 3600);
    expect(rejection('America/Juneau', '1867-10-18T20:00:00')).toContain('is shown twice');
  });

  test('minutes and seconds of local mean time: Paris 1911', () => {
    expect(rejection('Europe/Paris', '1911-03-10T23:55:00')).toContain('+00:09:21');
  });

  test('two changes within a day: each local time resolves to when clocks show it', () => {
    // 0 s: UTC+0. From 100,000 s: UTC+2. From 103,600 s on: UTC+1. The first hour after the first change is skipped …
    const type = { abbreviation: 'TST', isDst: false };
    const types = [0, 7200, 3600].map(offsetSeconds => ({ ...type, offsetSeconds }));
    const transitions = Float64Array.of(100_000, 103_600);
    const timeline = new Timeline({ transitions, types, footer: null });
    const zone = new Zone('Test/Twice', 'Test/Twice', [], () => timeline);
    expect(resolveLocalTime(zone, 99_999, 'reject')).toBe(99_999);
    expect(() => resolveLocalTime(zone, 100_000, 'reject')).toThrow('is skipped');
    expect(resolveLocalTime(zone, 100_000, 'compatible')).toBe(100_000);
    expect(resolveLocalTime(zone, 100_000, 'earlier')).toBe(92_800);
    // … then the clock goes back to hours already shown.
    expect(() => resolveLocalTime(zone, 107_200, 'reject')).toThrow('is shown twice');
    expect(resolveLocalTime(zone, 107_200, 'earlier')).toBe(100_000);
    expect(resolveLocalTime(zone, 107_200, 'later')).toBe(103_600);
    expect(resolveLocalTime(zone, 110_800, 'reject')).toBe(107_200);
  });
});

describe('for any zone and instant', () => {
  const anyName = fc.constantFrom(...zones.names());
  const anyInstant = fc.oneof(
    fc.integer({ min: -5e9, max: 1e10 }),
    fc.double({ min: -LAST_SECOND, max: LAST_SECOND, noNaN: true }).map(value => Math.round(value) + 0), // no −0
  );
  /** Instants around a zone's change, if there is one. */
  const anyNear = fc
    .tuple(anyName, anyInstant, fc.integer({ min: -2 * DAY, max: 2 * DAY }))
    .map(([name, instant, distance]) => {
      const change = zoneOf(name).nextTransition(instant)?.epochSeconds ?? instant;
      return { name, instant: Math.max(-LAST_SECOND, Math.min(LAST_SECOND, change + distance)) };
    });
  const anyPlace = fc.oneof(fc.record({ name: anyName, instant: anyInstant }), anyNear);

  test('instant → local time → instant is the identity, except for repeated times', () => {
    fc.assert(
      fc.property(anyPlace, ({ name, instant }) => {
        const zone = zoneOf(name);
        const local = instant + zone.periodAt(instant).offsetSeconds;
        const readings = CHOICES.map(choice => resolveLocalTime(zone, local, choice));
        expect(readings).toContain(instant);
        expect(readings[0]).toBe(Math.min(...readings));
      }),
    );
  });

  test('local time → instant → local time is the identity outside gaps', () => {
    fc.assert(
      fc.property(anyPlace, ({ name, instant: local }) => {
        const zone = zoneOf(name);
        const shown = CHOICES.map(choice => {
          const instant = resolveLocalTime(zone, local, choice);
          return instant + zone.periodAt(instant).offsetSeconds;
        });
        if (isSkipped(zone, local)) {
          // In a gap, the later reading is ahead and the earlier behind, by the length of the gap.
          expect(shown[0]).toBe(shown[2]!);
          expect(shown[0]! - local).toBeGreaterThan(0);
          expect(local - shown[1]!).toBe(shown[0]! - local);
        } else {
          expect(shown).toEqual([local, local, local]);
        }
      }),
    );
  });

  test('an offset is valid exactly if it leads back to the local time', () => {
    fc.assert(
      fc.property(anyPlace, ({ name, instant }) => {
        const zone = zoneOf(name);
        const { offsetSeconds } = zone.periodAt(instant);
        const local = instant + offsetSeconds;
        expect(resolveLocalTimeAtOffset(zone, local, offsetSeconds, 'seconds')).toBe(instant);
        expect(resolveLocalTimeAtOffset(zone, local, offsetSeconds + 1, 'seconds')).toBeNull();
      }),
    );
  });

  /** Whether no instant within two days has a local time, found by trying every nearby offset. */
  function isSkipped(zone: Zone, local: number): boolean {
    const offsets = new Set<number>();
    for (let hours = -72; hours <= 72; hours++)
      offsets.add(zone.periodAt(local + hours * 3600).offsetSeconds);
    return [...offsets].every(offset => zone.periodAt(local - offset).offsetSeconds !== offset);
  }
});

describe('a local time with an offset', () => {
  const at = (name: string, local: string, offsetSeconds: number, precision: 'minutes' | 'seconds') => {
    const instant = resolveLocalTimeAtOffset(zoneOf(name), seconds(local), offsetSeconds, precision);
    return instant === null ? null : isoOf(instant);
  };

  test('selects between the two readings of a repeated time', () => {
    expect(at('America/New_York', '2026-11-01T01:30:00', -4 * 3600, 'minutes')).toBe('2026-11-01T05:30:00');
    expect(at('America/New_York', '2026-11-01T01:30:00', -5 * 3600, 'minutes')).toBe('2026-11-01T06:30:00');
  });

  test('is invalid if the zone does not have the offset then', () => {
    expect(at('America/New_York', '2026-07-01T12:00:00', -5 * 3600, 'minutes')).toBeNull();
    expect(at('America/New_York', '2026-03-08T02:30:00', -5 * 3600, 'minutes')).toBeNull();
    expect(at('America/New_York', '2026-03-08T02:30:00', -4 * 3600, 'minutes')).toBeNull();
  });

  test('written to the minute matches an offset with seconds, rounded as Temporal rounds', () => {
    // Monrovia: −00:44:30
    expect(at('Africa/Monrovia', '1960-01-01T00:00:00', -2670, 'seconds')).toBe('1960-01-01T00:44:30');
    expect(at('Africa/Monrovia', '1960-01-01T00:00:00', -45 * 60, 'minutes')).toBe('1960-01-01T00:44:30');
    expect(at('Africa/Monrovia', '1960-01-01T00:00:00', -44 * 60, 'minutes')).toBeNull();
    expect(at('Africa/Monrovia', '1960-01-01T00:00:00', -45 * 60, 'seconds')).toBeNull();
  });
});
