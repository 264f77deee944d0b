import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Timeline } from '../../src/zones/timeline.ts';
import { readTzif } from '../../src/zones/tzif.ts';
import { standardOffsetAt } from '../../src/zones/zone.ts';
import { readZoneNames } from '../../src/zones/zone_pack.ts';
import {
  compileSource,
  type DumpedChange,
  dumpChanges,
  hasZdump,
  rearguardSource,
} from '../support/zdump.ts';
import { isoOf, seconds, tzifFile, zoneOf } from '../support/zones.ts';

setDefaultTimeout(120_000);

const HOUR = 3600;

function standardHours(name: string, iso: string): number {
  return zoneOf(name).standardOffsetAt(seconds(iso)) / HOUR;
}

describe('the standard offset', () => {
  test('is the offset itself outside DST', () => {
    expect(standardHours('Asia/Kolkata', '2026-07-01')).toBe(5.5);
    expect(standardHours('Europe/Paris', '2026-01-01')).toBe(1);
  });

  test('excludes the DST saving, whatever its size', () => {
    expect(standardHours('America/New_York', '2026-07-01')).toBe(-5);
    expect(standardHours('Australia/Lord_Howe', '2026-01-01')).toBe(10.5);
    expect(standardHours('Antarctica/Troll', '2026-07-01')).toBe(0);
    expect(standardHours('Europe/London', '1943-07-01')).toBe(0); // double summer time
    expect(standardHours('Europe/Paris', '+012026-07-01')).toBe(1);
  });

  test('is that of winter if the data marks winter as DST', () => {
    expect(standardHours('Europe/Dublin', '2026-07-01')).toBe(0);
    expect(standardHours('Europe/Dublin', '1970-07-01')).toBe(1); // standard time all year
    expect(standardHours('Africa/Casablanca', '2025-07-01')).toBe(0);
    expect(standardHours('Africa/Windhoek', '2010-01-01')).toBe(1);
  });

  test('is an hour behind if DST began without a clock change', () => {
    expect(standardHours('America/Argentina/Buenos_Aires', '1999-12-01')).toBe(-4);
    expect(standardHours('America/Indiana/Marengo', '1974-06-01')).toBe(-6);
  });

  test('is an hour behind in DST without adjacent standard time', () => {
    const types = [{ offsetSeconds: 7200, abbreviation: 'AAA', isDst: true }];
    const timeline = new Timeline(readTzif(tzifFile({ version: 2, types, footer: '' })));
    expect(standardOffsetAt(timeline, 0)).toBe(HOUR);
  });
});

/** Periods whose saving cannot be inferred; `standard_offset.ts` gives the reasons. */
const EXPECTED_DIFFERENCES = [
  'America/Montevideo 1923-10-01 -03',
  'America/Montevideo 1942-12-14 -0230',
  'Europe/Guernsey 1945-05-07 BDST',
  'Europe/Jersey 1945-05-07 BDST',
  'Europe/Monaco 1941-05-04 WEMT',
  'Europe/Monaco 1942-03-08 WEMT',
  'Europe/Monaco 1943-03-29 WEMT',
  'Europe/Monaco 1944-04-03 WEMT',
  'Europe/Monaco 1945-04-02 WEMT',
  'Europe/Moscow 1919-05-31 MDST',
  'Europe/Paris 1944-08-24 WEMT',
  'Europe/Paris 1945-04-02 WEMT',
  'Pacific/Rarotonga 1978-11-12 -0930',
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

test.skipIf(!hasZdump)(
  'the standard offset equals that of a source without savings (requires zic, zdump)',
  async () => {
    const special = new Set(EXPECTED_DIFFERENCES.map(difference => difference.split(' ')[0]!));
    const names = readZoneNames(SOURCE).zones.filter((name, index) => index % 8 === 0 || special.has(name));
    const changes = await dumpChanges(compileSource(sourceWithoutSavings()), names, 1850, 2038);
    expect(names.flatMap(name => differences(name, changes.get(name)!))).toEqual(EXPECTED_DIFFERENCES);
  },
);
