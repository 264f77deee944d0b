import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readZonePack } from '../../data/zones/embedded.ts';
import { parsePosixTz } from '../../src/zones/posix_tz.ts';
import { Timeline } from '../../src/zones/timeline.ts';
import { readZoneNames } from '../../src/zones/tzdata_tables.ts';
import { isTzif, readTzif, type TzifData } from '../../src/zones/tzif.ts';
import { standardOffsetAt, Zone } from '../../src/zones/zone.ts';
import { decodeZonePack } from '../../src/zones/zone_pack.ts';
import { given } from '../support/process.ts';
import { fc } from '../support/property.ts';
import { expectEach } from '../support/responses.ts';
import {
  compileSource,
  type DumpedChange,
  dumpChanges,
  hasZdump,
  rearguardSource,
} from '../support/zdump.ts';
import { isoOf, seconds, type TzifPlan, tzifFile, zoneOf } from '../support/zones.ts';

describe('a TZ string', () => {
  test('counts offsets positive west of Greenwich', () => {
    const est = { offsetSeconds: -18_000, abbreviation: 'EST', isDst: false };
    expect(parsePosixTz('EST5').standard).toEqual(est);
    expect(parsePosixTz('<+0530>-5:30').standard.offsetSeconds).toBe(19_800);
    const monrovia = { offsetSeconds: -2670, abbreviation: '-004430' };
    expect(parsePosixTz('<-004430>0:44:30').standard).toMatchObject(monrovia);
    expect(Object.is(parsePosixTz('UTC0').standard.offsetSeconds, 0)).toBe(true);
  });

  test('has DST an hour ahead by default', () => {
    expect(parsePosixTz('CET-1CEST,M3.5.0,M10.5.0/3').daylight?.type.offsetSeconds).toBe(7200);
    expect(parsePosixTz('<+1030>-10:30<+11>-11,M10.1.0,M4.1.0').daylight?.type.offsetSeconds).toBe(39_600);
  });

  test('has days and times of every form', () => {
    expect(parsePosixTz('AAA0BBB,J60/-167,365/167:59:59').daylight).toMatchObject({
      start: { day: { kind: 'julian', day: 60 }, secondsOfDay: -167 * 3600 },
      end: { day: { kind: 'ordinal', day: 365 }, secondsOfDay: 168 * 3600 - 1 },
    });
    expect(parsePosixTz('AAA0BBB,M12.5.6,M1.1.0/-0:30').daylight).toMatchObject({
      start: { day: { kind: 'weekday', month: 12, week: 5, weekday: 6 }, secondsOfDay: 7200 },
      end: { day: { kind: 'weekday', month: 1, week: 1, weekday: 0 }, secondsOfDay: -1800 },
    });
  });

  test('that is malformed is rejected and quoted', () => {
    const names = ['', 'E5', 'EST', '5EST', '<E>5', '<+0 1>5', 'É5', ':EST5', 'EST5 '];
    const offsets = ['EST25', 'EST5:60', 'EST5:00:60', 'EST5:0', 'EST005', 'EST--5', 'EST5EDT'];
    const days = ['M3.2', 'M0.2.0', 'M13.2.0', 'M3.0.0', 'M3.6.0', 'M3.2.7', 'M3.2.0/168'];
    const rules = [...days, 'J0', 'J366', '366', 'X1', ''];
    const wrong = [...names, ...offsets, ...rules.map(rule => `EST5EDT,${rule},M11.1.0`), 'EST5EDT,M3.2.0'];
    for (const text of wrong)
      expect(() => parsePosixTz(text)).toThrow(`${JSON.stringify(text)} is not a POSIX TZ string`);
  });

  test('of any length is rejected quickly', () => {
    for (const text of ['A'.repeat(100_000), `EST5EDT,${'M'.repeat(100_000)}`, `EST${'5:'.repeat(50_000)}`]) {
      expect(() => parsePosixTz(text)).toThrow('is not a POSIX TZ string');
    }
  });
});

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
    const first = { types: [STANDARD, DAYLIGHT, STANDARD], footer: null };
    expect(read({ ...BERLIN, version: 1 })).toMatchObject(first);
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
    const transitions: TzifPlan['transitions'] = [-1, 0].map((second, index) => [second, 1 - index]);
    const file = tzifFile({ version: 2, types, transitions, footer: 'CET-1' });
    new DataView(file.buffer, file.byteOffset).setBigInt64(file.length - 7 - 8 - 12 - 2 - 16, -(2n ** 59n));
    const data = readTzif(file);
    expect([...data.transitions]).toEqual([0]);
    expect(data.types.map(({ abbreviation }) => abbreviation)).toEqual(['LMT', 'CET']);
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
  const anyByte = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
  const anyDamage = fc.array(anyByte, { minLength: 1, maxLength: 8 });

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

const HOUR = 3600;

/** The hours of a zone's standard offset on a day. */
function standardHours(given: string): number {
  const [name, iso] = given.split(' ') as [string, string];
  return zoneOf(name).standardOffsetAt(seconds(iso)) / HOUR;
}

describe('the standard offset', () => {
  test('excludes the DST saving, however the data has it', () =>
    expectEach(standardHours, {
      'Asia/Kolkata 2026-07-01': 5.5,
      'Europe/Paris 2026-01-01': 1,
      'America/New_York 2026-07-01': -5,
      'Australia/Lord_Howe 2026-01-01': 10.5,
      'Antarctica/Troll 2026-07-01': 0,
      'Europe/London 1943-07-01': 0, // double summer time
      'Europe/Paris +012026-07-01': 1,
      // The data marks winter as DST.
      'Europe/Dublin 2026-07-01': 0,
      'Europe/Dublin 1970-07-01': 1, // standard time all year
      'Africa/Casablanca 2025-07-01': 0,
      'Africa/Windhoek 2010-01-01': 1,
      // DST began without a clock change: an hour behind.
      'America/Argentina/Buenos_Aires 1999-12-01': -4,
      'America/Indiana/Marengo 1974-06-01': -6,
    }));

  test('is an hour behind in DST without adjacent standard time', () => {
    const types = [{ offsetSeconds: 7200, abbreviation: 'AAA', isDst: true }];
    const timeline = new Timeline(readTzif(tzifFile({ version: 2, types, footer: '' })));
    expect(standardOffsetAt(timeline, 0)).toBe(HOUR);
  });
});

/** Periods whose saving cannot be inferred; `standard_offset.ts` gives the reasons. */
const EXPECTED_DIFFERENCES = [
  ...['America/Montevideo 1923-10-01 -03', 'America/Montevideo 1942-12-14 -0230'],
  ...['Europe/Guernsey 1945-05-07 BDST', 'Europe/Jersey 1945-05-07 BDST', 'Europe/Monaco 1941-05-04 WEMT'],
  ...['Europe/Monaco 1942-03-08 WEMT', 'Europe/Monaco 1943-03-29 WEMT', 'Europe/Monaco 1944-04-03 WEMT'],
  ...['Europe/Monaco 1945-04-02 WEMT', 'Europe/Moscow 1919-05-31 MDST', 'Europe/Paris 1944-08-24 WEMT'],
  ...['Europe/Paris 1945-04-02 WEMT', 'Pacific/Rarotonga 1978-11-12 -0930'],
];

const SOURCE = readFileSync(join(import.meta.dir, '../../data/zones/tzdata.zi'), 'utf8');

/** tzdata's source in rearguard form with all savings removed: its zones show standard time. */
function sourceWithoutSavings(): string {
  return rearguardSource(SOURCE)
    .replace(/^(R (?:\S+ ){7})\S+/gm, '$10')
    .replace(/^(Z \S+ \S+|-?\d[\d:]*) -?\d[\d:]* /gm, '$1 - ');
}

/** The DST periods of a zone whose standard offset differs from zdump's, in the form of `EXPECTED_DIFFERENCES`. */
function differences(name: string, standardTime: readonly DumpedChange[]): string[] {
  const zone = zoneOf(name);
  const wrong: string[] = [];
  let period = zone.periodAt(seconds('1850-01-01'));
  while (period.fromEpochSeconds < seconds('2038-01-01')) {
    const { fromEpochSeconds, untilEpochSeconds, abbreviation } = period;
    // Without savings, changes of standard time given in local time occur up to two hours later.
    const instant = Math.min(fromEpochSeconds + 7300, untilEpochSeconds - 1);
    const last = standardTime.findLast(({ after }) => after.epochSeconds <= instant);
    const expected = (last?.after ?? standardTime[0]?.before)?.offsetSeconds;
    if (period.isDst && zone.standardOffsetAt(instant) !== expected) {
      wrong.push(`${name} ${isoOf(fromEpochSeconds).slice(0, 10)} ${abbreviation}`);
    }
    if (untilEpochSeconds === Infinity) break;
    period = zone.periodAt(untilEpochSeconds);
  }
  return wrong;
}

given(hasZdump, 'zic, zdump')('the standard offset is that of a source without savings', async () => {
  const special = new Set(EXPECTED_DIFFERENCES.map(difference => difference.split(' ')[0]!));
  const names = readZoneNames(SOURCE).zones.filter((name, index) => index % 8 === 0 || special.has(name));
  const changes = await dumpChanges(compileSource(sourceWithoutSavings()), names, 1850, 2038);
  expect(names.flatMap(name => differences(name, changes.get(name)!))).toEqual(EXPECTED_DIFFERENCES);
});
