import { describe, expect, test } from 'bun:test';
import { LazyData } from '../../src/places/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { errorOf, JSON_ROUTES, send, testPlaces, testServer } from '../support/service.ts';

/** What routes require in addition to a target. */
const REQUIRED: Readonly<Record<string, string>> = {
  '/v1/time/convert': 'unix=0&',
  '/v1/time/add': 'days=0&',
  '/v1/time/elapsed': 'unix=0&',
  '/v1/work/status': 'schedule=24/7&',
  '/v1/work/add': 'schedule=24/7&duration=PT1H&',
  '/v1/work/diff': 'schedule=24/7&from=unix=0&to=unix=1&',
  '/v1/recurrence': 'cron=0 9 * * *&count=1&',
};

describe('place', () => {
  const routes = JSON_ROUTES.filter(({ inputs: { parameters } }) => 'lat' in parameters);
  expect(routes.length).toBeGreaterThan(9);

  for (const { path } of routes) {
    test(`selects the same zone as its coordinates on ${path}`, async () => {
      const request = `${path}?${REQUIRED[path] ?? ''}`;
      const byName = await send(`${request}place=Munich`);
      expect(byName.status).toBe(200);
      expect(byName.body).toEqual((await send(`${request}lat=48.13743&lon=11.57549`)).body);
      expect(await errorOf(`${request}place=Portland`)).toBe('400 AMBIGUOUS_TARGET');
      expect(await errorOf(`${request}place=Nowheresville`)).toBe('400 INVALID_PARAMETER');
    });
  }

  test('is a hint for a local time', async () => {
    const { body } = await send('/v1/time/convert?iso=2026-01-01T12:00&source_place=Wien&utc=true');
    expect(body.utc).toBe('2026-01-01T11:00:00Z');
    const hinted =
      '/v1/time/diff?from=iso=2026-01-01T12:00&from_place=Tokyo&to=iso=2026-01-01T12:00&to_place=Wien';
    expect((await send(hinted)).body.hours).toBe(8);
    const compared = '/v1/time/elapsed?iso=2026-01-01T12:00&source_place=Tokyo&compare_iso=2026-01-01T12:00';
    expect((await send(`${compared}&compare_source_place=Wien`)).body.hours).toBe(8);
  });

  test('is a specifier', async () => {
    const { body } = await send('/v1/time/diff?from=place=Perth, GB&to=now');
    expect(body.direction).toBe('same');
    expect(await errorOf('/v1/time/diff?from=place=Portland&to=now')).toBe('400 AMBIGUOUS_TARGET');
  });

  test('excludes other selectors', async () => {
    expect(await errorOf('/v1/time/current?place=Munich&tz=UTC')).toBe('400 AMBIGUOUS_TARGET');
    expect(await errorOf('/v1/time/convert?unix=0&place=Munich&utc=true')).toBe('400 AMBIGUOUS_TARGET');
  });

  test('may be a list separated by semicolons, with errors in place', async () => {
    const list = 'Munich;Portland, US-ME;Portland;;Mumich;Munich';
    const { status, body } = await send(`/v1/time/current?place=${list}`);
    expect(status).toBe(200);
    expect(body.map((entry: { timezone: string }) => entry.timezone)).toEqual([
      'Europe/Berlin',
      'America/New_York',
      undefined,
      undefined,
      undefined,
      'Europe/Berlin',
    ]);
    expect(
      body
        .slice(2, 5)
        .map((entry: { item: string; error: { code: string } }) => [entry.item, entry.error.code]),
    ).toEqual([
      ['Portland', 'AMBIGUOUS_TARGET'],
      ['', 'INVALID_PARAMETER'],
      ['Mumich', 'INVALID_PARAMETER'],
    ]);
    expect(await errorOf(`/v1/time/dst?place=${list}`)).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`/v1/time/current?place=${'Munich;'.repeat(100)}`)).toBe('400 INVALID_PARAMETER');
  });

  test('has its name, area, country and population in details', async () => {
    const { body } = await send('/v1/time/current?place=münchen&details=true');
    expect(body.details.place).toEqual({
      name: 'München',
      admin_area: 'DE-BY',
      country: 'DE',
      population: 1_260_391,
    });
    expect((await send('/v1/time/current?tz=UTC&details=true')).body.details.place).toBeUndefined();
  });

  test('resolves in the zones of a past release', async () => {
    const { body } = await send('/v1/timezone?place=Kyiv&tzdata=2018a');
    expect(body.timezone).toBe('Europe/Kiev');
  });

  test('names a clock', async () => {
    const { body } = await send('/v1/time/clock?style=analog-station&place=Kyiv');
    expect(body).toContain('"timezone_label":"Kyiv"');
    expect(body).toContain('"selector":{"kind":"place","place":"Kyiv"}');
  });
});

describe('an error for a place', () => {
  const errorFor = async (place: string) =>
    (await send(`/v1/timezone?place=${encodeURIComponent(place)}`)).body.error;

  test('that is ambiguous has the candidates, largest first, and how to write them', async () => {
    const { message, details } = await errorFor('portland');
    expect(message).toBe(
      "Cannot read 'place': 'portland' is the name of several places: write 'Portland, US-OR' or 'Portland, US-ME' or 'Portland, US-TX', or give coordinates",
    );
    expect(details.parameter).toBe('place');
    expect(details.candidates).toHaveLength(10);
    expect(details.candidates[1]).toEqual({
      name: 'Portland',
      admin_area: 'US-ME',
      country: 'US',
      population: 66_881,
      lat: 43.65737,
      lon: -70.2589,
      timezone: 'America/New_York',
    });
  });

  test('that is unknown has suggestions, none of which is used', async () => {
    expect((await errorFor('Mumich')).message).toBe(
      "Cannot read 'place': 'Mumich' is not a city or town in GeoNames; did you mean 'Munich, DE-BY'?",
    );
    expect((await errorFor('Paris, TX')).message).toContain("did you mean 'Paris, FR-IDF', 'Paris, US-TX'");
    expect((await errorFor('Qqqqqqqq')).message).toEndWith('is not a city or town in GeoNames');
  });
});

describe('/v1/places', () => {
  const namesOf = async (query: string) =>
    (await send(`/v1/places?${query}`)).body.places.map(({ name }: { name: string }) => name);

  test('lists places by name prefix', async () => {
    const { status, body } = await send('/v1/places?q=mun&limit=1');
    expect(status).toBe(200);
    expect(body).toEqual({
      places: [
        {
          name: 'Munich',
          admin_area: 'DE-BY',
          country: 'DE',
          population: 1_260_391,
          lat: 48.13743,
          lon: 11.57549,
          timezone: 'Europe/Berlin',
        },
      ],
    });
    expect(await namesOf('q=lodnon&limit=1')).toEqual(['London']);
    expect(await namesOf('q=Qqqqqqqq')).toEqual([]);
  });

  test('has ten places by default and at most fifty', async () => {
    expect(await namesOf('q=san')).toHaveLength(10);
    expect(await namesOf('q=san&limit=50')).toHaveLength(50);
    for (const limit of ['0', '51', '-1', '1.5', 'x', ''])
      expect(await errorOf(`/v1/places?q=san&limit=${limit}`)).toBe('400 INVALID_PARAMETER');
  });

  test('accepts 1 to 64 characters', async () => {
    expect(await namesOf(`q=${encodeURIComponent('\u{1f600}'.repeat(64))}`)).toEqual([]);
    for (const query of ['', 'q=', `q=${'a'.repeat(65)}`])
      expect(await errorOf(`/v1/places?${query}`)).toBe('400 INVALID_PARAMETER');
  });

  test('is unavailable if the places cannot be read', async () => {
    const gazetteer = new LazyData<never>('places', 'none', () => Promise.reject(new Error('cut short')));
    const app = createApp(testServer({ places: testPlaces({ gazetteer }) }));
    for (const path of ['/v1/places?q=a', '/v1/timezone?place=Munich']) {
      expect((await send(path, {}, app)).body.error.code).toBe('DEPENDENCY_NOT_READY');
    }
    expect((await send('/v1/timezone?tz=UTC', {}, app)).status).toBe(200);
  });
});
