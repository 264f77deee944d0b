import { describe, expect, test } from 'bun:test';
import { EMBEDDED_DATA } from '../../data/manifests.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { parseOwnNetworks } from '../../src/places/own_networks.ts';
import { createApp } from '../../src/server/app.ts';
import { NOW_MS, send, testPlaces, testServer } from '../support/service.ts';

const detailsOf = async (query: string) =>
  (await send(`/v1/time/current?${query}&details=true`)).body.details;
const placeOf = async (query: string) => (await detailsOf(query)).place;

/** Whole days from an embedded data set's release to the tests' current time. */
function ageOf(name: string): number {
  const { date } = EMBEDDED_DATA.find(manifest => manifest.name === name)!;
  return Math.max(0, Math.floor((NOW_MS - Date.parse(date)) / 86_400_000));
}

describe('details.place of an address', () => {
  test("has the database's network, also for 6to4 and NAT64 addresses", async () => {
    const expected = { network: '2.125.160.216/29', accuracy: 'database' };
    for (const ip of [
      '2.125.160.216',
      '64:ff9b::2.125.160.216',
      '2002:27d:a0d8::1',
      '::ffff:2.125.160.216',
    ]) {
      expect(await placeOf(`ip=${ip}`)).toEqual(expected);
      expect((await send(`/v1/timezone?ip=${ip}`)).body.timezone).toBe('Europe/London');
    }
    expect(await placeOf('ip=2001:218::1')).toEqual({ network: '2001:218::/32', accuracy: 'database' });
  });

  test('is in each element of a list', async () => {
    const { body } = await send('/v1/time/current?ip=2.125.160.216,2001:218::&details=true');
    const networks = body.map(({ details }: { details: { place: unknown } }) => details.place);
    expect(networks).toMatchObject([{ network: '2.125.160.216/29' }, { network: '2001:218::/32' }]);
  });

  test("has the operator's network, and marks anycast", async () => {
    const ownNetworks = parseOwnNetworks('10.0.0.0/8, Europe/Berlin\n10.1.0.0/16, Asia/Tokyo', () => true);
    const ip = LazyData.of('ip', 'Test', { zoneNameOf: () => 'Europe/Paris' });
    const app = createApp(testServer({ places: testPlaces({ ip, ownNetworks }) }));
    const place = async (address: string) =>
      (await send(`/v1/time/current?ip=${address}&details=true`, {}, app)).body.details.place;
    expect(await place('10.2.0.1')).toEqual({ network: '10.0.0.0/8', accuracy: 'operator' });
    expect(await place('64:ff9b::10.1.0.1')).toEqual({ network: '10.1.0.0/16', accuracy: 'operator' });
    for (const address of [
      '8.8.8.8',
      '1.1.1.1',
      '2001:4860:4860::8888',
      '64:ff9b::9.9.9.9',
      '193.0.14.129',
    ]) {
      expect(await place(address)).toEqual({ network: null, accuracy: 'anycast' });
    }
    expect(await place('8.8.9.8')).toEqual({ network: null, accuracy: 'database' });
  });

  test("is absent without details, and for a hint's address", async () => {
    const { body } = await send('/v1/time/current?ip=2.125.160.216');
    expect(body.details).toBeUndefined();
    const hinted = await send(
      '/v1/time/convert?iso=2026-01-01T00:00&source_ip=2.125.160.216&tz=UTC&details=true',
    );
    expect(hinted.body.details.place).toBeUndefined();
  });
});

describe('details.place of coordinates', () => {
  test('has all zones that claim the place, and the distance to another offset', async () => {
    expect(await placeOf('lat=43.8&lon=87.6')).toEqual({
      candidates: ['Asia/Shanghai', 'Asia/Urumqi'],
      border_km: 0,
    });
    expect(await placeOf('lat=38.88&lon=-6.97')).toEqual({ candidates: ['Europe/Madrid'], border_km: 5.4 });
    expect(await placeOf('lat=48.85&lon=2.35')).toEqual({ candidates: ['Europe/Paris'], border_km: null });
  });

  test('compares the offsets at the instant of the response', async () => {
    const kmAt = async (iso: string) =>
      (await send(`/v1/time/convert?iso=${iso}&lat=32.5&lon=-114.78&details=true`)).body.details.place
        .border_km;
    // San Luis Río Colorado in Sonora, which has no DST, is next to Baja California, which does.
    expect(await kmAt('2026-07-01T00:00:00Z')).toBeNull();
    expect(await kmAt('2026-01-01T00:00:00Z')).toBeLessThan(10);
  });
});

describe('details.data', () => {
  const CASES = [
    ['tz=Europe/Paris', ['tzdata']],
    ['offset=%2B01:00', []],
    ['lat=48.85&lon=2.35', ['tzdata', 'boundaries']],
    ['ip=2.125.160.216', ['tzdata', 'ip']],
    ['place=Berlin', ['tzdata', 'places']],
    ['tz=Europe/Paris&lang=de', ['tzdata', 'languages']],
    ['tz=Romance+Standard+Time', ['tzdata', 'windows']],
  ] as const;
  test.each(CASES)('has exactly the data that %s uses', async (query, names) => {
    const { data } = await detailsOf(query);
    expect(Object.keys(data)).toEqual([...names]);
    const again = await detailsOf(query); // decoded queries are cached
    expect((await detailsOf(query)).data).toEqual(again.data);
    expect(again.data).toEqual(data);
  });

  test.each(['Mars/X', 'IST', 'Europe/Pari', ''])('has no data of a failing entry: %p', async failing => {
    const alone = await detailsOf('tz=Europe/Paris');
    for (const list of [`Europe/Paris,${failing}`, `${failing},Europe/Paris`]) {
      for (const route of ['time/current', 'work/status', 'time/transitions']) {
        const { body } = await send(`/v1/${route}?tz=${list}&schedule=24/7&details=true`);
        const [entry] = body.filter(({ error }: { error?: object }) => error === undefined);
        expect([list, route, entry.details.data]).toEqual([list, route, alone.data]);
      }
    }
    const both = await send(`/v1/time/current?tz=${failing},Romance+Standard+Time&details=true`);
    expect(Object.keys(both.body[1].details.data)).toEqual(['tzdata', 'windows']);
  });

  test('has no data that was only considered while other data was loading', async () => {
    const ip = new LazyData('ip', 'Test', async () => ({ zoneNameOf: () => 'Europe/Paris' }));
    const app = createApp(testServer({ places: testPlaces({ ip }) }));
    const { body } = await send('/v1/time/current?ip=2.125.160.216&details=true', {}, app);
    expect(Object.keys(body.details.data)).toEqual(['tzdata', 'ip']);
  });

  test('has releases and ages in days', async () => {
    const { data } = await detailsOf('lat=48.85&lon=2.35');
    expect(data).toEqual({
      tzdata: { release: '2026f', age_days: ageOf('tzdata') },
      boundaries: { release: '2026d', age_days: ageOf('boundaries') },
    });
    const { ip } = (await detailsOf('ip=2.125.160.216')).data;
    expect([ip.release, typeof ip.age_days]).toEqual(['GeoLite2-City', 'number']);
    const past = (await detailsOf('tz=UTC&tzdata=2018i')).data.tzdata;
    expect(past).toEqual({
      release: '2018i',
      age_days: Math.floor((NOW_MS - Date.parse('2018-12-30')) / 86_400_000),
    });
  });

  test('has the holidays of a count', async () => {
    const { body } = await send(
      '/v1/time/diff?from=iso=2026-01-01&to=iso=2026-02-01&business_days=true&holiday_country=DE&details=true',
    );
    expect(Object.keys(body.details.data)).toEqual(['holidays']);
  });

  test.each([
    'time/add?days=1',
    'time/diff?from=unix=0&to=now&business_days=true',
    'time/elapsed?unix=0&business_days=true',
    'recurrence?cron=0+9+*+*+*',
    'work/diff?schedule=24/7&from=unix=0&to=unix=9',
  ])('has no holidays without a calendar: %s', async path => {
    const { body } = await send(`/v1/${path}&details=true`);
    expect(body.details.data).not.toHaveProperty('holidays');
  });
});
