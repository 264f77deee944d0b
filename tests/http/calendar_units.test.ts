import { describe, expect, test } from 'bun:test';
import { errorOf, send } from '../support/service.ts';

/** The duration of `diff` in calendar units. */
async function apart(from: string, to: string, unit: string, more = ''): Promise<string> {
  const { body } = await send(`/v1/time/diff?from=iso=${from}&to=iso=${to}&largest_unit=${unit}${more}`);
  return body.duration ?? body.error.message;
}

test('largest_unit adds the duration in calendar units, and as ISO 8601', async () => {
  const { body } = await send(
    '/v1/time/diff?from=iso=1990-05-17&to=iso=2026-04-15T13:30:47&largest_unit=year',
  );
  expect(body.calendar).toEqual({ years: 35, months: 10, days: 29, hours: 13, minutes: 30, seconds: 47 });
  expect(body.duration).toBe('P35Y10M29DT13H30M47S');
  expect(body.days).toBe(13_117);
});

test.each([
  ['year', { years: 1, months: 2, days: 9, hours: 1, minutes: 0, seconds: 1 }],
  ['month', { months: 14, days: 9, hours: 1, minutes: 0, seconds: 1 }],
  ['week', { weeks: 61, days: 6, hours: 1, minutes: 0, seconds: 1 }],
  ['day', { days: 433, hours: 1, minutes: 0, seconds: 1 }],
  ['hour', { hours: 10_393, minutes: 0, seconds: 1 }],
  ['minute', { minutes: 623_580, seconds: 1 }],
  ['second', { seconds: 37_414_801 }],
])('%s is the largest unit, and weeks appear only with week', async (unit, calendar) => {
  const query = `from=iso=2025-01-31T00:00:00&to=iso=2026-04-09T01:00:01.999&largest_unit=${unit}`;
  expect((await send(`/v1/time/diff?${query}`)).body.calendar).toEqual(calendar);
});

describe('calendar units are computed in the zone of `from`', () => {
  test.each([
    // The day of the clock change has 23 hours.
    ['2026-03-28T12:00', '2026-03-29T12:00', '&from_tz=Europe/Berlin&to_tz=Europe/Berlin', 'P1D'],
    ['2026-03-28T12:00', '2026-03-29T12:00', '', 'P1D'],
    ['2026-03-28T12:00Z[Europe/Berlin]', '2026-03-29T11:00Z', '', 'P1D'],
    ['2026-03-28T12:00Z', '2026-03-29T11:00Z[Europe/Berlin]', '', 'PT23H'],
    // Midnight in Tokyo is 15:00 in UTC.
    ['2026-01-31T15:00Z[Asia/Tokyo]', '2026-02-28T15:00Z', '', 'P1M'],
    ['2026-01-31T15:00Z', '2026-02-28T15:00Z', '', 'P28D'],
  ])('%s to %s%s is %s', async (from, to, more, expected) => {
    expect(await apart(from, to, 'month', more)).toBe(expected);
  });
});

test('a duration is absolute: the sign is in direction, and calendar units count from `from`', async () => {
  expect(await apart('2026-03-31', '2026-02-28', 'month')).toBe('P1M');
  expect(await apart('2026-02-28', '2026-03-31', 'month')).toBe('P1M3D');
  expect(await apart('2024-02-29', '2023-02-28', 'year')).toBe('P1Y');
  expect(await apart('2023-02-28', '2024-02-29', 'year')).toBe('P1Y1D');
  const { body } = await send('/v1/time/diff?from=iso=2026-03-31&to=iso=2026-02-28&largest_unit=month');
  expect(body.direction).toBe('backward');
  expect(await apart('2026-03-31', '2026-03-31', 'year')).toBe('PT0S');
});

test('every unit is exact at the limits of the range', async () => {
  const ends = '/v1/time/diff?from=unix_ms=-8640000000000000&to=unix_ms=8640000000000000';
  expect((await send(`${ends}&largest_unit=year`)).body.duration).toBe('P547581Y4M24D');
  expect((await send(`${ends}&largest_unit=second`)).body.duration).toBe('PT17280000000000S');
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT%2B12', 'Africa/Casablanca']) {
    const within = `from=iso=-271821-04-20T00:00Z[${zone}]&to=unix=8640000000000`;
    for (const [from, to] of [
      ['from', 'to'],
      ['to', 'from'],
    ] as const) {
      const query = within.replace('from=iso', `${from}=iso`).replace('to=unix', `${to}=unix`);
      const { body } = await send(`/v1/time/diff?${query}&largest_unit=year`);
      expect(body.calendar.years).toBe(547_581);
    }
  }
});

test("elapsed uses the zone of its business days: the hint's, else the target's", async () => {
  const age = async (query: string) => (await send(`/v1/time/elapsed?${query}`)).body.duration;
  const march = 'compare_iso=2026-03-29T10:00Z&largest_unit=day';
  expect(await age(`iso=2026-03-28T12:00&source_tz=Europe/Berlin&${march}`)).toBe('P1D');
  expect(await age(`iso=2026-03-28T11:00Z&${march}`)).toBe('PT23H');
  expect(await age('iso=2026-03-16T01:00Z&tz=America/New_York&largest_unit=month')).toBe('P30DT16H30M47S');
  expect(await age('iso=2026-06-15T17:30:47Z&largest_unit=month')).toBe('P1M29DT23H59M59S');
});

test('a response without it has no calendar units, and an unknown unit is an error', async () => {
  const { body } = await send('/v1/time/elapsed?unix=0');
  expect(Object.keys(body)).not.toContain('calendar');
  expect(Object.keys(body)).not.toContain('duration');
  expect(await errorOf('/v1/time/elapsed?unix=0&largest_unit=years')).toBe('400 INVALID_PARAMETER');
  expect(await apart('2026-01-01', '2026-01-02', 'Year')).toBe(
    "Cannot read 'largest_unit': 'Year' is not 'year', 'month', 'week', 'day', 'hour', 'minute' or 'second'",
  );
});
