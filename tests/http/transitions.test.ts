import { describe, expect, test } from 'bun:test';
import { errorOf, send } from '../support/service.ts';

const PATH = '/v1/time/transitions';

/** The instants of the changes that a query lists. */
async function changesOf(query: string): Promise<string[]> {
  return utcOf((await send(`${PATH}?${query}`)).body);
}

function utcOf({ transitions }: { transitions: { utc: string }[] }): string[] {
  return transitions.map(({ utc }) => utc);
}

async function messageOf(query: string): Promise<string> {
  return (await send(`${PATH}?${query}`)).body.error.message;
}

test('without a range the changes of the current year are listed', async () => {
  expect((await send(`${PATH}?tz=us/eastern`)).body).toEqual({
    timezone: 'America/New_York',
    transitions: [
      {
        unix: 1772953200,
        utc: '2026-03-08T07:00:00Z',
        offset_before: -300,
        offset_after: -240,
        abbreviation_before: 'EST',
        abbreviation_after: 'EDT',
        dst_after: true,
      },
      {
        unix: 1793512800,
        utc: '2026-11-01T06:00:00Z',
        offset_before: -240,
        offset_after: -300,
        abbreviation_before: 'EDT',
        abbreviation_after: 'EST',
        dst_after: false,
      },
    ],
  });
});

describe('the range', () => {
  test('includes from and excludes to', async () => {
    const [spring, autumn] = ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z'];
    const range = (from: string, to: string) => changesOf(`tz=Europe/Paris&from=${from}&to=${to}`);
    expect(await range(spring, autumn)).toEqual([spring]);
    expect(await range(spring, '2026-10-25T01:00:00.001Z')).toEqual([spring, autumn]);
    expect(await range('2026-03-29T01:00:00.001Z', autumn)).toEqual([]);
    expect(await range(spring, spring)).toEqual([]);
  });

  test('is in the zone of the target without an offset', async () => {
    // Samoa skipped December 30, 2011, from 10:00 UTC.
    const change = ['2011-12-30T10:00:00Z'];
    const range = (from: string, to: string) => changesOf(`tz=Pacific/Apia&from=${from}&to=${to}`);
    expect(await range('2011-12-29T23:59:59', '2011-12-31')).toEqual([]);
    expect(await range('2011-12-29T23:59:59', '2011-12-31T00:00:01')).toEqual(change);
    expect(await range('2011-12-31', '2012-01-01')).toEqual(change);
    expect(await range('2011-12-30T10:00:00%2B00:00', '2011-12-30T10:01Z')).toEqual(change);
    expect(await range('2011-12-30T11:00[Europe/Paris]', '2011-12-31T01:00')).toEqual(change);
  });

  test('is a year from the one end that is given, on the same local date', async () => {
    expect(await changesOf('tz=Europe/Paris&from=2028-01-01')).toEqual([
      '2028-03-26T01:00:00Z',
      '2028-10-29T01:00:00Z',
    ]);
    expect(await changesOf('tz=Europe/Paris&from=2027-01-01')).toHaveLength(2);
    expect(await changesOf('tz=Europe/Paris&to=2020-01-01')).toEqual([
      '2019-03-31T01:00:00Z',
      '2019-10-27T01:00:00Z',
    ]);
    // From the change of 2028 at 01:00Z, 03:00 in Paris, to that of 2029 on March 25.
    expect(await changesOf('tz=Europe/Paris&from=2028-03-26T01:00Z')).toEqual([
      '2028-03-26T01:00:00Z',
      '2028-10-29T01:00:00Z',
      '2029-03-25T01:00:00Z',
    ]);
    expect(await changesOf('tz=Europe/Paris&to=2028-10-29T02:30[Europe/Paris]')).toEqual([
      '2027-10-31T01:00:00Z',
      '2028-03-26T01:00:00Z',
    ]);
    expect(await changesOf('tz=Europe/Paris&from=2024-02-29')).toHaveLength(2);
  });

  test('that is a year from an end at the limits of time is rejected for that end', async () => {
    expect(await messageOf('tz=UTC&from=%2B275760-01-01')).toStartWith("Cannot read 'from': it lies outside");
    expect(await messageOf('tz=UTC&to=-271821-05-01')).toStartWith("Cannot read 'to': it lies outside");
  });

  test('depends on the present without an end alone', async () => {
    for (const [range, control] of [
      ['', 'no-store'],
      ['&from=2028-01-01', 'public'],
      ['&to=2028-01-01', 'public'],
    ] as const) {
      for (const path of [PATH, `${PATH}.csv`]) {
        const { headers } = await send(`${path}?tz=Europe/Paris${range}`);
        expect(headers.get('Cache-Control')).toStartWith(control);
      }
    }
  });

  test('has local ends that disambiguation resolves where a clock change skips or repeats them', async () => {
    const autumn = '2026-10-25T01:00:00Z';
    const from = (disambiguation: string) =>
      changesOf(`tz=Europe/Paris&from=2026-10-25T02:30&to=2026-11-01${disambiguation}`);
    expect(await from('')).toEqual([autumn]);
    expect(await from('&disambiguation=earlier')).toEqual([autumn]);
    expect(await from('&disambiguation=later')).toEqual([]);
    for (const range of [
      'from=2026-03-29T02:30&to=2027-01-01',
      'to=2026-10-25T02:30',
      'from=2026-03-29T02:30',
    ])
      expect(await errorOf(`${PATH}?tz=Europe/Paris&${range}&disambiguation=reject`)).toBe(
        '400 INVALID_TIMESTAMP',
      );
    expect((await send(`${PATH}?tz=Europe/Paris&from=2026-01-01&disambiguation=reject`)).status).toBe(200);
    // The other end, which is not given, is never rejected: 02:30 is skipped on that date in 2026.
    expect((await send(`${PATH}?tz=Europe/Paris&to=2027-03-29T02:30&disambiguation=reject`)).status).toBe(
      200,
    );
    expect(await errorOf(`${PATH}?tz=UTC&disambiguation=first`)).toBe('400 INVALID_PARAMETER');
  });

  test('is at most 200 years for one zone, shared among several, but at least 5', async () => {
    for (const [targets, first, last] of [
      ['tz=Europe/Paris', '1900-01-01', '2100-01-01'],
      ['tz=Europe/Paris,Asia/Tokyo', '1900-01-01', '2000-01-01'],
      ['country=NZ', '1950-07-01', '2050-07-01'],
      ['all=true', '2024-02-29', '2029-03-01'],
    ]) {
      const query = `${PATH}?${targets}&from=${first}&to=${last}`;
      expect((await send(query)).status).toBe(200);
      expect(await errorOf(`${query}T00:00:01`)).toBe('400 INVALID_PARAMETER');
    }
    expect(await messageOf('tz=UTC&from=1900-01-01&to=2101-01-01')).toContain('more than 200 years');
    expect(await messageOf('all=true&from=2020-01-01&to=2026-01-01')).toContain('more than 5 years');
    expect(await messageOf('tz=UTC&from=2026-01-02&to=2026-01-01')).toContain('before the start');
  });
});

describe('several zones', () => {
  test('in a list are in its order, with errors in place', async () => {
    const { body } = await send(`${PATH}?tz=Europe/Paris,Mars/Olympus,Asia/Tokyo`);
    expect(body[0]).toEqual((await send(`${PATH}?tz=Europe/Paris`)).body);
    expect(body[1]).toMatchObject({ item: 'Mars/Olympus', error: { code: 'INVALID_PARAMETER' } });
    expect(body[2]).toEqual({ timezone: 'Asia/Tokyo', transitions: [] });
  });

  test('of a country, or all zones, equal the responses for each', async () => {
    const range = 'from=2025-01-01&to=2027-06-01';
    const all = (await send(`${PATH}?all=true&${range}`)).body;
    const listed = (await send('/v1/timezones')).body.map(({ name }: { name: string }) => name);
    expect(all.map(({ timezone }: { timezone: string }) => timezone)).toEqual(listed);
    for (const element of all) {
      expect((await send(`${PATH}?tz=${element.timezone}&${range}`)).body).toEqual(element);
    }
    expect((await send(`${PATH}?country=nz&${range}`)).body).toEqual(
      all.filter(({ timezone }: { timezone: string }) => /Auckland|Chatham/.test(timezone)),
    );
  });

  test('leave time for other requests', async () => {
    const order: string[] = [];
    await Promise.all([
      send(`${PATH}?all=true`).then(() => order.push('all')),
      send('/v1/time/current').then(() => order.push('current')),
    ]);
    expect(order).toEqual(['current', 'all']);
  });
});

test('every selector is accepted, and an offset has no changes', async () => {
  const { body: paris } = await send(`${PATH}?tz=Europe/Paris`);
  expect((await send(`${PATH}?lat=48.8566&lon=2.3522`)).body).toEqual(paris);
  expect((await send(`${PATH}?ip=2.125.160.216`)).body.timezone).toBe('Europe/London');
  expect((await send(`${PATH}?offset=%2B05:30`)).body).toEqual({ timezone: null, transitions: [] });
  expect((await send(`${PATH}?utc=true`)).body).toEqual({ timezone: 'UTC', transitions: [] });
});

test('conflicting targets are ambiguous, a target is required, and lists are of zones only', async () => {
  for (const query of [
    'tz=UTC&country=NZ',
    'country=NZ&all=true',
    'offset=%2B01:00&all=true',
    'tz=UTC&utc=true',
  ]) {
    expect(await errorOf(`${PATH}?${query}`)).toBe('400 AMBIGUOUS_TARGET');
  }
  expect(await errorOf(PATH)).toBe('400 MISSING_TARGET');
  expect(await errorOf(`${PATH}?all=yes`)).toBe('400 MISSING_TARGET');
  for (const query of ['offset=-08:00,%2B05:45', 'ip=8.8.8.8,1.1.1.1', 'country=XX', 'tz=UTC&from=junk']) {
    expect(await errorOf(`${PATH}?${query}`)).toBe('400 INVALID_PARAMETER');
  }
});
