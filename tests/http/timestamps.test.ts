import { describe, expect, test } from 'bun:test';
import { fc } from '../support/property.ts';
import { errorOf, NOW_MS, send } from '../support/service.ts';

/** The instant that `convert` parses from a timestamp, in milliseconds, or its error. */
async function read(query: string): Promise<number | string> {
  const { body } = await send(`/v1/time/convert?utc=true&${query}`);
  return body.unix_ms ?? body.error.code;
}

describe('the three forms of a timestamp', () => {
  test('unix and unix_ms are whole numbers, with a sign or without', async () => {
    expect(await read('unix=1776274247')).toBe(1776274247000);
    expect(await read('unix=-1')).toBe(-1000);
    expect(await read('unix=%2B1')).toBe(1000);
    expect(await read('unix=+1')).toBe(1000);
    expect(await read('unix_ms=-1')).toBe(-1);
    for (const text of ['1.5', '1e3', '0x10', 'Infinity', '', '1_000', '١', '--1', ' ']) {
      expect(await read(`unix=${encodeURIComponent(text)}`)).toBe('INVALID_PARAMETER');
      expect(await read(`unix_ms=${encodeURIComponent(text)}`)).toBe('INVALID_PARAMETER');
    }
  });

  test('seconds floor toward the past', async () => {
    const { body } = await send('/v1/time/convert?unix_ms=-1&utc=true');
    expect(body).toMatchObject({ unix: -1, unix_ms: -1, utc: '1969-12-31T23:59:59Z' });
  });

  test('two forms are ambiguous, and none is an error', async () => {
    expect(await errorOf('/v1/time/convert?unix=0&unix_ms=0&utc=true')).toBe('400 AMBIGUOUS_TARGET');
    expect(await errorOf('/v1/time/convert?unix=0&iso=2026-01-01&utc=true')).toBe('400 AMBIGUOUS_TARGET');
    expect(await errorOf('/v1/time/convert?utc=true')).toBe('400 INVALID_TIMESTAMP');
    expect(await errorOf('/v1/time/convert?unix=0')).toBe('400 MISSING_TARGET');
    expect(await errorOf('/v1/time/convert')).toBe('400 INVALID_TIMESTAMP');
    expect(await errorOf('/v1/time/convert?source_tz=UTC&tz=UTC')).toBe('400 INVALID_TIMESTAMP');
    expect(await errorOf('/v1/time/elapsed?disambiguation=x')).toBe('400 INVALID_TIMESTAMP');
  });

  test('times outside the range of Date are rejected, and its limits are exact in every zone', async () => {
    expect(await read('unix=8640000000000')).toBe(8.64e15);
    expect(await read('unix=8640000000001')).toBe('INVALID_PARAMETER');
    expect(await read('unix_ms=-8640000000000001')).toBe('INVALID_PARAMETER');
    expect(await read(`unix=${'9'.repeat(400)}`)).toBe('INVALID_PARAMETER');
    for (const [offset, local] of [
      ['%2B23:59', '+275760-09-13T23:59:00+23:59'],
      ['-23:59', '+275760-09-12T00:01:00-23:59'],
    ]) {
      const { body } = await send(`/v1/time/convert?unix_ms=8640000000000000&offset=${offset}`);
      expect(body.iso_local).toBe(local);
    }
    const { body } = await send('/v1/time/convert?unix_ms=-8640000000000000&tz=America/New_York');
    expect(body.iso_local).toBe('-271821-04-19T19:03:58-04:56:02');
  });
});

describe('hints for a local iso', () => {
  test('without a hint it is UTC', async () => {
    expect(await read('iso=1970-01-01T00:00:01')).toBe(1000);
  });

  test('source_tz, source_offset and a bracketed zone place it', async () => {
    const instant = Date.parse('2026-04-15T17:30:47Z');
    for (const query of [
      'iso=2026-04-15T13:30:47&source_tz=America/New_York',
      'iso=2026-04-15T13:30:47&source_offset=-04:00',
      'iso=2026-04-15T13:30:47[America/New_York]',
      'iso=2026-04-15T13:30:47-04:00[America/New_York]',
      'iso=2026-04-15T17:30:47Z[America/New_York]',
      'iso=2026-04-15T23:00:47%2B05:30',
      'iso=2026-04-15T23:00:47+05:30',
      'iso=2026-04-15T23:00:47[%2B05:30]',
    ]) {
      expect([query, await read(query)]).toEqual([query, instant]);
    }
  });

  test('a hint with an offset, or without its iso, is rejected', async () => {
    expect(await read('iso=2026-04-15T13:30:47Z&source_tz=UTC')).toBe('INVALID_PARAMETER');
    expect(await read('iso=2026-04-15T13:30:47-04:00&source_offset=-04:00')).toBe('INVALID_PARAMETER');
    expect(await read('unix=0&source_tz=UTC')).toBe('INVALID_PARAMETER');
    expect(await errorOf('/v1/time/calendar?source_tz=UTC')).toBe('400 INVALID_PARAMETER');
  });

  test('two hints, or a bracketed zone with a hint, are ambiguous', async () => {
    expect(await read('iso=2026-04-15T13:30:47&source_tz=UTC&source_offset=-04:00')).toBe('AMBIGUOUS_TARGET');
    expect(await read('iso=2026-04-15T13:30:47[Europe/Paris]&source_tz=UTC')).toBe('AMBIGUOUS_TARGET');
  });

  test('an offset that the bracketed zone does not have at the time is rejected', async () => {
    expect(await read('iso=2026-04-15T13:30:47-05:00[America/New_York]')).toBe('INVALID_PARAMETER');
    expect(await read('iso=2026-04-15T13:30:47%2B02:00[%2B01:00]')).toBe('INVALID_PARAMETER');
    expect(await read('iso=2026-04-15T13:30:47[Mars/Olympus]')).toBe('INVALID_PARAMETER');
  });

  test('an offset with seconds is exact, one without may be rounded to the minute', async () => {
    const instant = Date.parse('1960-01-01T00:44:30Z'); // Monrovia was at -00:44:30
    expect(await read('iso=1960-01-01T00:00-00:44:30[Africa/Monrovia]')).toBe(instant);
    expect(await read('iso=1960-01-01T00:00-00:45[Africa/Monrovia]')).toBe(instant);
    expect(await read('iso=1960-01-01T00:00-00:45:00[Africa/Monrovia]')).toBe('INVALID_PARAMETER');
    expect(await read('iso=1960-01-01T00:00-004500[Africa/Monrovia]')).toBe('INVALID_PARAMETER');
  });
});

describe('local times that a clock change skips or repeats', () => {
  const skipped = 'iso=2026-03-08T02:30:00&source_tz=America/New_York';
  const repeated = 'iso=2026-11-01T01:30:00&source_tz=America/New_York';

  test('a skipped local time moves forward by the gap', async () => {
    expect(await read(skipped)).toBe(Date.parse('2026-03-08T03:30:00-04:00'));
    expect(await read(`${skipped}&disambiguation=earlier`)).toBe(Date.parse('2026-03-08T01:30:00-05:00'));
    expect(await read(`${skipped}&disambiguation=later`)).toBe(Date.parse('2026-03-08T03:30:00-04:00'));
  });

  test('a repeated local time is the earlier one', async () => {
    expect(await read(repeated)).toBe(Date.parse('2026-11-01T01:30:00-04:00'));
    expect(await read(`${repeated}&disambiguation=later`)).toBe(Date.parse('2026-11-01T01:30:00-05:00'));
  });

  test('reject rejects both and lists both readings', async () => {
    for (const [query, readings] of [
      [skipped, ['2026-03-08T01:30:00-05:00', '2026-03-08T03:30:00-04:00']],
      [repeated, ['2026-11-01T01:30:00-04:00', '2026-11-01T01:30:00-05:00']],
    ] as const) {
      const { status, body } = await send(`/v1/time/convert?utc=true&${query}&disambiguation=reject`);
      expect(`${status} ${body.error.code}`).toBe('400 INVALID_TIMESTAMP');
      for (const reading of readings) expect(body.error.message).toContain(reading);
    }
  });

  test('an unknown disambiguation is rejected, with any timestamp', async () => {
    expect(await read(`${skipped}&disambiguation=both`)).toBe('INVALID_PARAMETER');
    expect(await read('unix=0&disambiguation=both')).toBe('INVALID_PARAMETER');
  });
});

describe('add', () => {
  test('moves the instant; a day is 86,400 seconds', async () => {
    const { body } = await send(
      '/v1/time/add?iso=2026-03-07T12:00:00&source_tz=America/New_York&days=1&tz=America/New_York',
    );
    expect(body.iso_local).toBe('2026-03-08T13:00:00-04:00');
  });

  test('starts from now without a timestamp', async () => {
    const { body } = await send('/v1/time/add?days=1&hours=-1&minutes=2&seconds=-3');
    expect(body.unix_ms).toBe(NOW_MS + (86_400 - 3600 + 120 - 3) * 1000);
  });

  test('requires an amount, in whole numbers', async () => {
    expect(await errorOf('/v1/time/add')).toBe('400 INVALID_PARAMETER');
    for (const amount of ['1.5', 'x', '', '1e3', '1d']) {
      expect(await errorOf(`/v1/time/add?days=${amount}`)).toBe('400 INVALID_PARAMETER');
    }
    expect(await errorOf('/v1/time/add?unix=0&unix_ms=0&days=1')).toBe('400 AMBIGUOUS_TARGET');
  });

  test('never leaves the range of times', async () => {
    expect(await errorOf('/v1/time/add?unix=8640000000000&seconds=1')).toBe('400 INVALID_PARAMETER');
    expect(await errorOf(`/v1/time/add?days=${'9'.repeat(30)}`)).toBe('400 INVALID_PARAMETER');
    const { body } = await send('/v1/time/add?unix=-8640000000000&days=200000000');
    expect(body.unix_ms).toBe(8.64e15);
  });
});

describe('calendar', () => {
  test('gives the date in the target zone', async () => {
    const paris = (await send('/v1/time/calendar?iso=2027-01-01T00:30:00Z&tz=Europe/Paris&week=true')).body;
    expect(paris).toMatchObject({ year: 2027, month: 1, month_name: 'January', day: 1, week_number: 53 });
    const york = (await send('/v1/time/calendar?iso=2027-01-01T00:30:00Z&tz=America/New_York')).body;
    expect(york).toMatchObject({ year: 2026, month: 12, month_name: 'December', day: 31 });
    expect('week_number' in york).toBe(false);
  });
});

describe('dst', () => {
  test('returns the next change in the local time before it, with details', async () => {
    const { body } = await send('/v1/time/dst?tz=America/New_York&next=true&details=true');
    expect(body).toMatchObject({
      dst_active: true,
      next_transition: '2026-11-01T02:00:00-04:00',
      details: {
        zone: {
          next_transition: {
            unix: Date.parse('2026-11-01T06:00:00Z') / 1000,
            utc: '2026-11-01T06:00:00Z',
            offset_before: -240,
            offset_after: -300,
            abbreviation_before: 'EDT',
            abbreviation_after: 'EST',
            dst_after: false,
          },
        },
      },
    });
  });

  test('a place without changes, a fixed offset and no target have no change and no DST', async () => {
    for (const selector of ['tz=Asia/Tokyo', 'offset=-04:00', '']) {
      const { body } = await send(`/v1/time/dst?next=true&details=true&${selector}`);
      expect(body).toMatchObject({
        dst_active: false,
        next_transition: null,
        details: { zone: { next_transition: null } },
      });
    }
  });

  test('without next the change is omitted', async () => {
    const { body } = await send('/v1/time/dst?tz=America/New_York');
    expect('next_transition' in body).toBe(false);
  });
});

describe('timezone', () => {
  test('adds offset, DST, abbreviation and countries', async () => {
    expect((await send('/v1/timezone?tz=US/Eastern&details=true')).body).toMatchObject({
      timezone: 'America/New_York',
      offset: -240,
      dst: true,
      details: { zone: { abbreviation: 'EDT', country_codes: ['US'] } },
    });
    expect(await errorOf('/v1/timezone')).toBe('400 MISSING_TARGET');
  });

  test('an offset lists the zones that have it now', async () => {
    const { body } = await send('/v1/timezone?offset=%2B05:45');
    expect(body).toMatchObject({ timezone: null, dst: false, offset: 345 });
    expect(body.matching_zones.map((zone: { timezone: string }) => zone.timezone)).toEqual([
      'Asia/Kathmandu',
    ]);
    const utc = (await send('/v1/timezone?offset=%2B00:00')).body.matching_zones;
    const names = utc.map((zone: { timezone: string }) => zone.timezone);
    expect(names).toContain('UTC');
    expect(names).toEqual([...names].sort());
    expect((await send('/v1/timezone?offset=%2B05:17')).body.matching_zones).toEqual([]);
  });

  test('an offset lists the zones that have it at an instant', async () => {
    const { body } = await send('/v1/timezone?offset=%2B05:30&unix=0');
    expect(body).toMatchObject({ unix: 0, offset: 330 });
    expect(body.matching_zones.map((zone: { timezone: string }) => zone.timezone)).toEqual([
      'Asia/Colombo',
      'Asia/Kathmandu',
      'Asia/Kolkata',
      'Asia/Thimphu',
    ]);
  });

  test('the list of zones can be filtered by country', async () => {
    const all = (await send('/v1/timezones')).body;
    expect(all.length).toBeGreaterThan(400);
    expect((await send('/v1/timezones?country=nz')).body.map((zone: { name: string }) => zone.name)).toEqual([
      'Pacific/Auckland',
      'Pacific/Chatham',
    ]);
    for (const country of ['XX', 'NZL', '']) {
      expect(await errorOf(`/v1/timezones?country=${country}`)).toBe('400 INVALID_PARAMETER');
    }
  });
});

describe('dst, timezone and timezones at an instant', () => {
  // Portugal was on Central European Time from 1992 to 1996.
  const at = 'iso=1993-07-01T12:00&source_tz=Europe/Lisbon';

  test('every field is for the instant', async () => {
    const instant = { unix: 741520800, iso_local: '1993-07-01T12:00:00+02:00', day_short: 'Thu' };
    const zone = {
      abbreviation: 'CEST',
      standard_offset: 60,
      previous_transition: { utc: '1993-03-28T01:00:00Z', abbreviation_before: 'CET' },
      next_transition: { utc: '1993-09-26T01:00:00Z', abbreviation_after: 'CET' },
    };
    const query = `tz=Europe/Lisbon&${at}&details=true`;
    expect((await send(`/v1/time/dst?${query}&next=true&format=%25Z`)).body).toMatchObject({
      ...instant,
      dst_active: true,
      next_transition: '1993-09-26T03:00:00+02:00',
      formatted: 'CEST',
      details: { zone },
    });
    expect((await send(`/v1/timezone?${query}`)).body).toMatchObject({
      ...instant,
      offset: 120,
      dst: true,
      details: { zone },
    });
    const listed = (await send(`/v1/timezones?country=PT&${at}&details=true`)).body;
    expect(listed.find(({ name }: { name: string }) => name === 'Europe/Lisbon')).toMatchObject({
      offset: 120,
      abbreviation: 'CEST',
      dst: true,
      details: { zone },
    });
  });

  test('accept exactly one timestamp, in any form', async () => {
    for (const path of ['/v1/time/dst?tz=UTC', '/v1/timezone?tz=UTC', '/v1/timezones?country=PT']) {
      for (const form of ['unix=741520800', 'unix_ms=741520800000', 'iso=1993-07-01T10:00Z']) {
        const [given, anew] = [await send(`${path}&${form}`), await send(`${path}&${at}`)];
        expect(given.body).toEqual(anew.body);
        expect(given.headers.get('X-Service-Ignored-Parameters')).toBeNull();
      }
      expect(await errorOf(`${path}&unix=0&iso=1970-01-01`)).toBe('400 AMBIGUOUS_TARGET');
      expect(await errorOf(`${path}&unix=0&source_tz=UTC`)).toBe('400 INVALID_PARAMETER');
      expect(await errorOf(`${path}&iso=1970-01-32`)).toBe('400 INVALID_PARAMETER');
    }
  });
});

test('a pattern adds formatted; the error for an invalid one names its directive and position', async () => {
  expect((await send('/v1/time/current?tz=Europe/Paris&format=%H:%M%20%Z')).body.formatted).toBe(
    '19:30 CEST',
  );
  const { status, body } = await send('/v1/time/current?format=ab%25Q');
  expect(status).toBe(400);
  expect(body.error.message).toContain('%Q');
});

test('a bulk equals the single responses, and convert never changes unix_ms', async () => {
  const zones = ['Asia/Tokyo', 'America/St_Johns', 'Africa/Monrovia', 'UTC', 'Nowhere'];
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.array(fc.constantFrom(...zones), { minLength: 2, maxLength: 8 }),
      async (unixMs, list) => {
        const url = `/v1/time/convert?unix_ms=${unixMs}&tz=`;
        const { body: bulk } = await send(url + list.join(','));
        for (const [index, zone] of list.entries()) {
          const { body } = await send(url + zone);
          if (zone === 'Nowhere') {
            expect(bulk[index].error).toEqual(body.error);
          } else {
            expect(bulk[index]).toEqual(body);
            expect(body.unix_ms).toBe(unixMs);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
