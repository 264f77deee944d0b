import { describe, expect, test } from 'bun:test';
import { readZonePack } from '../../data/zones/embedded.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { isTzif, readTzif, type TzifData } from '../../src/zones/tzif.ts';
import { Zone } from '../../src/zones/zone.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';
import { fc } from '../support/property.ts';
import { isoOf, seconds, type TzifPlan, tzifFile } from '../support/zones.ts';

const { files } = decodeZonePack(readZonePack());

const STANDARD = { offsetSeconds: 3600, abbreviation: 'CET', isDst: false };
const DAYLIGHT = { offsetSeconds: 7200, abbreviation: 'CEST', isDst: true };
const BERLIN: TzifPlan = {
  version: 2,
  types: [STANDARD, DAYLIGHT],
  transitions: [
    [1_774_746_000, 1],
    [1_792_890_000, 0],
  ],
  footer: 'CET-1CEST,M3.5.0,M10.5.0/3',
};

function read(plan: TzifPlan): TzifData {
  return readTzif(tzifFile(plan));
}

/** A valid file with some bytes overwritten. */
function broken(at: number, ...bytes: number[]): () => TzifData {
  const file = tzifFile(BERLIN);
  file.set(bytes, at);
  return () => readTzif(file);
}

/** The position of BERLIN's second header: 44 bytes of header, 2 × 5 of transitions, 2 × 6 of types, 9 of names. */
const SECOND = 44 + 10 + 12 + 9;

describe('a valid file', () => {
  test('can have any version', () => {
    for (const version of [2, 3, 4]) {
      const { transitions, types, footer } = read({ ...BERLIN, version });
      expect([...transitions]).toEqual([1_774_746_000, 1_792_890_000]);
      expect(types).toEqual([STANDARD, DAYLIGHT, STANDARD]);
      expect(footer?.standard).toEqual(STANDARD);
      expect(footer?.daylight?.type).toEqual(DAYLIGHT);
    }
    expect(read({ ...BERLIN, version: 1 })).toMatchObject({
      types: [STANDARD, DAYLIGHT, STANDARD],
      footer: null,
    });
  });

  test('without a TZ string keeps its last type', () => {
    const data = read({ ...BERLIN, footer: '' });
    expect(data.footer).toBeNull();
    expect(new Timeline(data).periodAt(8.64e12)).toMatchObject({ offsetSeconds: 3600, isDst: false });
  });

  test('without transitions follows its TZ string', () => {
    const timeline = new Timeline(read({ ...BERLIN, transitions: [] }));
    expect(timeline.periodAt(seconds('1800-07-01'))).toMatchObject({ abbreviation: 'CEST' });
    expect(timeline.periodAt(seconds('1800-01-01'))).toMatchObject({ abbreviation: 'CET' });
  });

  test('has type 0 before its first transition', () => {
    const types = [{ offsetSeconds: 3208, abbreviation: 'LMT', isDst: false }, STANDARD];
    const timeline = new Timeline(read({ version: 2, types, transitions: [[0, 1]], footer: 'CET-1' }));
    expect(timeline.periodAt(-1)).toMatchObject({ abbreviation: 'LMT', untilEpochSeconds: 0 });
    expect(timeline.periodAt(0)).toMatchObject({ abbreviation: 'CET', untilEpochSeconds: Infinity });
  });

  test('may begin with a change at the Big Bang, which is ignored', () => {
    const types = [STANDARD, { offsetSeconds: 3208, abbreviation: 'LMT', isDst: false }];
    const file = tzifFile({
      version: 2,
      types,
      transitions: [
        [-1, 1],
        [0, 0],
      ],
      footer: 'CET-1',
    });
    new DataView(file.buffer, file.byteOffset).setBigInt64(file.length - 7 - 8 - 12 - 2 - 16, -(2n ** 59n));
    const { transitions, types: read } = readTzif(file);
    expect([...transitions]).toEqual([0]);
    expect(read.map(({ abbreviation }) => abbreviation)).toEqual(['LMT', 'CET']);
  });

  test('can specify permanent DST as in RFC 9636 §3.3.2', () => {
    const types = [{ offsetSeconds: -14_400, abbreviation: 'EDT', isDst: true }];
    for (const footer of ['XXX3EDT4,0/0,J365/23', 'EST5EDT,0/0,J365/25']) {
      const timeline = new Timeline(read({ version: 3, types, transitions: [], footer }));
      const { fromEpochSeconds, untilEpochSeconds } = timeline.periodAt(0);
      expect([fromEpochSeconds, untilEpochSeconds]).toEqual([-Infinity, Infinity]);
      expect(timeline.periodAt(8e12)).toMatchObject({ abbreviation: 'EDT', isDst: true });
      expect(new Zone('Test', 'Test', [], () => timeline).nextTransition(0)).toBeNull();
    }
  });

  test('whose last type contradicts the rule keeps it until the rule’s first real change', () => {
    // zic -b slim of 2022 ends America/Ojinaga with standard time on October 30, although the rule has DST until November 6.
    const types = [
      { offsetSeconds: -21_600, abbreviation: 'MDT', isDst: true },
      { offsetSeconds: -21_600, abbreviation: 'CST', isDst: false },
    ];
    const footer = 'CST6CDT,M3.2.0,M11.1.0';
    const ojinaga = new Timeline(read({ version: 2, types, transitions: [[1_667_116_800, 1]], footer }));
    const period = ojinaga.periodAt(seconds('2022-11-01'));
    expect(period).toMatchObject({ abbreviation: 'CST', fromEpochSeconds: 1_667_116_800 });
    expect(isoOf(period.untilEpochSeconds)).toBe('2023-03-12T08:00:00');
  });
});

describe('an invalid file is rejected with the reason', () => {
  test('if it is not TZif', () => {
    expect(isTzif(new Uint8Array())).toBe(false);
    expect(isTzif(Buffer.from('TZi'))).toBe(false);
    expect(isTzif(Buffer.from('TZif'))).toBe(true); // a truncated one
    expect(() => readTzif(Buffer.from('TZif2'))).toThrow('it ends before its first header');
    const trailing = Buffer.concat([tzifFile({ ...BERLIN, version: 1 }), Buffer.from('more')]);
    expect(() => readTzif(trailing)).toThrow('it is longer than its header says');
    expect(() => readTzif(Buffer.from('# tzdb data\n'.repeat(10)))).toThrow('TZif header');
    expect(broken(4, 0x35)).toThrow('version');
    expect(broken(SECOND + 4, 0x33)).toThrow('version');
    expect(broken(SECOND, 0x20)).toThrow('second header');
  });

  test('if it counts leap seconds', () => {
    expect(() => read({ ...BERLIN, leapSeconds: 27 })).toThrow('leap seconds');
  });

  test('if its counts do not match its bytes', () => {
    for (const index of [0, 1, 3, 4, 5]) {
      expect(broken(SECOND + 20 + 4 * index, 0x7f, 0xff, 0xff, 0xff)).toThrow('shorter');
    }
    expect(broken(20 + 4 * 3, 0xff, 0xff, 0xff, 0xff)).toThrow('shorter');
    const whole = tzifFile(BERLIN);
    for (let length = 0; length < whole.length; length++) {
      expect(() => readTzif(whole.subarray(0, length))).toThrow();
    }
  });

  test('if a part of it is inconsistent', () => {
    const times = SECOND + 44;
    expect(broken(times + 4, 0x7f)).toThrow('ascending');
    expect(broken(times, 0x7f)).toThrow('after the year 275760');
    expect(broken(times + 16, 2)).toThrow('type that it does not have');
    expect(broken(times + 18, 0x7f)).toThrow('out of range');
    expect(broken(times + 18 + 4, 2)).toThrow('DST flag');
    expect(broken(times + 18 + 5, 200)).toThrow('abbreviation');
    expect(broken(times + 30, 0x3c)).toThrow('abbreviation');
    expect(() => read({ ...BERLIN, types: [] })).toThrow('types');
  });

  test('if its footer is not a TZ string, or belongs to another zone', () => {
    expect(() => read({ ...BERLIN, footer: 'CET' })).toThrow('"CET" is not a POSIX TZ string');
    expect(() => read({ ...BERLIN, footer: 'EST5EDT,M3.2.0,M11.1.0' })).toThrow('contradicts');
    expect(() => readTzif(Buffer.concat([tzifFile(BERLIN), Buffer.from('more')]))).toThrow('footer');
  });
});

describe('a corrupted file', () => {
  const anyFile = fc.constantFrom(...files.values());
  const anyDamage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
    minLength: 1,
    maxLength: 8,
  });

  test('is quickly rejected, or parsed and usable', () => {
    let rejected = 0;
    fc.assert(
      fc.property(anyFile, anyDamage, fc.integer({ min: -8e12, max: 8e12 }), (file, damage, instant) => {
        const copy = Uint8Array.from(file);
        for (const [place, value] of damage) copy[place % copy.length] = value;
        let timeline: Timeline;
        try {
          timeline = new Timeline(readTzif(copy));
        } catch (error) {
          rejected++;
          expect((error as Error).message).toMatch(/^(it|its|".*" is not) /s);
          return;
        }
        const zone = new Zone('Test', 'Test', [], () => timeline);
        const period = timeline.periodAt(instant);
        expect(period.fromEpochSeconds).toBeLessThanOrEqual(instant);
        expect(period.untilEpochSeconds).toBeGreaterThan(instant);
        expect(Math.abs(period.offsetSeconds)).toBeLessThan(26 * 3600);
        expect(period.abbreviation).toMatch(/^[A-Za-z0-9+-]{3,32}$/);
        zone.nextTransition(instant);
        zone.previousTransition(instant);
      }),
      { numRuns: 2000 },
    );
    expect(rejected).toBeGreaterThan(500);
  });

  test('with random bytes after a header is rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 44, maxLength: 400 }), bytes => {
        bytes.set(Buffer.from('TZif2'));
        expect(() => readTzif(bytes)).toThrow(Error);
      }),
    );
  });
});
