import { describe, expect, test } from 'bun:test';
import { populationsOfGeoNames } from '../../data/populations/compile.ts';
import { readPopulationPack } from '../../data/populations/embedded.ts';
import { windowsZonesOfCldr } from '../../data/windows/compile.ts';
import { readWindowsPack } from '../../data/windows/embedded.ts';
import { decodePopulations, encodePopulations } from '../../src/zones/populations.ts';
import { encodeWindowsZones, WindowsZones } from '../../src/zones/windows_zones.ts';
import { NOW_MS, send } from '../support/service.ts';
import { seconds, zoneOf, zones } from '../support/zones.ts';

const WINDOWS_ZONES = windowsZonesOfCldr();
const timezoneOf = async (query: string) => (await send(`/v1/timezone?${query}`)).body.timezone;

describe('a Windows name', () => {
  test("from CLDR is CLDR's zone, with every territory and without one", async () => {
    expect(WINDOWS_ZONES.length).toBeGreaterThanOrEqual(500);
    for (const { name, territory, zone } of WINDOWS_ZONES) {
      const tz = `tz=${encodeURIComponent(name)}`;
      const expected = zoneOf(zone).canonicalName;
      if (territory === '001') expect([name, await timezoneOf(tz)]).toEqual([name, expected]);
      if (zones.find(name) !== undefined) continue; // `UTC` is also an IANA name, and takes no territory
      const found = await timezoneOf(`${tz}&territory=${territory.toLowerCase()}`);
      expect([name, territory, found]).toEqual([name, territory, expected]);
    }
  });

  test('uses the default if CLDR has no zone for the territory', async () => {
    expect(await timezoneOf('tz=Tokyo+Standard+Time&territory=DE')).toBe('Asia/Tokyo');
  });

  test('is found in any letter case, with a plus that became a space, in lists and specifiers', async () => {
    expect(await timezoneOf('tz=w.+europe+standard+time')).toBe('Europe/Berlin');
    expect(await timezoneOf('tz=UTC+12')).toBe('Etc/GMT-12');
    expect(await timezoneOf('tz=UTC%2B13')).toBe('Etc/GMT-13');
    const { body } = await send('/v1/time/current?tz=Romance+Standard+Time,UTC-11');
    expect(body.map(({ timezone }: { timezone: string }) => timezone)).toEqual([
      'Europe/Paris',
      'Etc/GMT+11',
    ]);
    const hinted = 'iso=2026-01-01T00:00:00&source_tz=Pacific+Standard+Time&source_territory=CA&utc=true';
    expect((await send(`/v1/time/convert?${hinted}`)).body.utc).toBe('2026-01-01T08:00:00Z');
    expect((await send('/v1/time/diff?from=tz=Tokyo+Standard+Time&to=now')).status).toBe(200);
  });

  test('comes after IANA names, and resolves in the zones of a release', async () => {
    expect(await timezoneOf('tz=UTC')).toBe('UTC');
    expect(await timezoneOf('tz=FLE+Standard+Time&tzdata=2022a')).toBe('Europe/Kiev');
  });

  const REJECTED = [
    ['tz=Europe/Paris&territory=FR', 'territory', 'it applies only to Windows names'],
    ['tz=Romance+Standard+Time,UTC&territory=FR', 'territory', 'not to a list'],
    ['tz=Tokyo+Standard+Time&territory=XX', 'territory', "'XX' is not an ISO 3166-1 alpha-2 code"],
    ['tz=Tokyo+Standard+Time&territory=', 'territory', 'it has no value'],
    ['tz=Tokio+Standard+Time&territory=JP', 'tz', "'Tokio+Standard+Time' is not a zone"],
    ['territory=FR', 'tz', "'territory' requires it"],
  ] as const;
  test.each(REJECTED)(
    'is rejected with a territory that does not apply: %s',
    async (query, parameter, message) => {
      const { status, body } = await send(`/v1/time/current?${query}`);
      expect(status).toBe(400);
      expect(body.error.details.parameter).toBe(parameter);
      expect(body.error.message.replaceAll(' Standard Time', '+Standard+Time')).toContain(message);
    },
  );

  test('comes from a committed table that equals CLDR', () => {
    expect(Buffer.compare(readWindowsPack(), encodeWindowsZones(WINDOWS_ZONES))).toBe(0);
    expect(new WindowsZones(readWindowsPack()).zoneNameOf('constructor')).toBeUndefined();
    expect(() => encodeWindowsZones([{ name: 'A', territory: 'DE', zone: 'Europe/Berlin' }])).toThrow(
      'A has no',
    );
  });
});

/** The zones and offsets of each abbreviation since 1970, by period. */
function usesSince1970(): Map<string, Map<string, Set<number>>> {
  const uses = new Map<string, Map<string, Set<number>>>();
  for (const zone of zones.canonicalZones()) {
    let period = zone.periodAt(0);
    for (;;) {
      const { abbreviation, offsetSeconds, untilEpochSeconds } = period;
      const ofZones = uses.get(abbreviation) ?? new Map<string, Set<number>>();
      uses.set(abbreviation, ofZones);
      ofZones.set(zone.name, (ofZones.get(zone.name) ?? new Set()).add(offsetSeconds / 60));
      if (untilEpochSeconds > seconds('2100-01-01')) break;
      period = zone.periodAt(untilEpochSeconds);
    }
  }
  return uses;
}

describe('an abbreviation', () => {
  test('used since 1970 lists its zones and offsets, most populous first', async () => {
    const populations = decodePopulations(readPopulationPack());
    const uses = usesSince1970();
    expect(uses.size).toBeGreaterThan(100);
    for (const [abbreviation, ofZones] of uses) {
      const { body } = await send(`/v1/abbreviations?name=${encodeURIComponent(abbreviation)}`);
      const listed: { name: string; meanings: number[]; population: number }[] = body.candidates;
      const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
      expect(Object.fromEntries(listed.map(({ name, meanings }) => [name, sorted(meanings)]))).toEqual(
        Object.fromEntries([...ofZones].map(([name, offsets]) => [name, sorted(offsets)])),
      );
      expect(listed.map(({ population }) => population)).toEqual(
        listed.map(({ name }) => populations.get(name) ?? 0).sort((a, b) => b - a),
      );
    }
  });

  test('has candidates with their offsets at the instant', async () => {
    const now = await send('/v1/abbreviations?name=ist');
    expect(now.body.candidates.slice(0, 3)).toMatchObject([
      { name: 'Asia/Kolkata', country_codes: ['IN'], offset: 330, abbreviation: 'IST', meanings: [330] },
      { name: 'Asia/Jerusalem', offset: 180, abbreviation: 'IDT', dst: true, meanings: [120] },
      { name: 'Europe/Dublin', offset: 60, abbreviation: 'IST', dst: true, meanings: [60] },
    ]);
    const winter = await send('/v1/abbreviations?name=IST&iso=2026-01-01');
    expect(winter.body.candidates[2]).toMatchObject({
      name: 'Europe/Dublin',
      offset: 0,
      abbreviation: 'GMT',
    });
    const numeric = await send('/v1/abbreviations?name=+0530');
    expect(numeric.body.candidates[0].name).toBe('Asia/Kathmandu');
  });

  test('is an error in tz, with the candidates and their offsets now', async () => {
    const { status, body } = await send('/v1/time/current?tz=ist');
    expect([status, body.error.code, body.error.details.parameter]).toEqual([400, 'INVALID_PARAMETER', 'tz']);
    expect(body.error.message).toContain("'ist' is an abbreviation, not a zone");
    const listed = await send(`/v1/abbreviations?name=IST&unix_ms=${NOW_MS}`);
    expect(body.error.details.candidates).toEqual(listed.body.candidates);
    const bulk = await send('/v1/time/current?tz=UTC,PST');
    expect(bulk.body[1].error.details.candidates.length).toBeGreaterThan(3);
  });

  test('has at most 20 candidates in an error', async () => {
    const { body } = await send('/v1/time/current?tz=CEST');
    expect(body.error.details.candidates.length).toBe(20);
    expect((await send('/v1/abbreviations?name=CEST')).body.candidates.length).toBeGreaterThan(30);
  });

  test.each(['XYZ', 'LMT', 'constructor', '%20'])(
    'that no zone has used since 1970 is rejected: %s',
    async name => {
      const { status, body } = await send(`/v1/abbreviations?name=${name}`);
      expect([status, body.error.details]).toEqual([400, { parameter: 'name' }]);
      expect(body.error.message).toContain('is not an abbreviation');
    },
  );

  test('is ordered by a committed table that equals GeoNames with our boundaries', async () => {
    const pack = readPopulationPack();
    expect(pack.length).toBeLessThan(30_000);
    expect(Buffer.compare(pack, encodePopulations(await populationsOfGeoNames()))).toBe(0);
  });
});
