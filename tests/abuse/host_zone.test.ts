import { expect, test } from 'bun:test';
import { startServer } from '../support/process.ts';

/** Host time zones; the last two are invalid. */
const HOST_ZONES = [
  'UTC',
  'America/New_York',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'Africa/Monrovia',
  ':nowhere',
  '',
];

/** Local times within, before and after clock changes in New York and elsewhere, and at the limits. */
const PATHS = [
  '/v1/time/convert?iso=2026-03-08T02:30:00&source_tz=America/New_York&tz=Pacific/Apia&format=%25c+%25Z+%25s+%25j',
  '/v1/time/convert?iso=2026-11-01T01:30:00&tz=America/New_York&disambiguation=later',
  '/v1/time/convert?unix_ms=-8640000000000000&tz=America/New_York',
  '/v1/time/calendar?iso=2011-12-30&week=true&tz=Pacific/Apia',
  '/v1/time/dst?tz=America/New_York&next=true&format=%25H',
  '/v1/time/add?iso=2026-03-08&hours=24&tz=America/New_York',
  '/v1/time/elapsed?iso=2026-03-07&compare_iso=2026-03-09&business_days=true',
  '/v1/time/diff?from=iso=2026-10-31&to=iso=2026-11-02&business_days=true&holiday_country=US',
  '/v1/holidays?country=US&year=2026',
];

/** The members of a response that do not depend on the time of day. */
function lasting(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value) =>
    /^(unix|unix_ms|utc|iso_local|rfc2822|human|formatted|request_id)$/.test(name) &&
    text.includes('dst_active')
      ? undefined
      : value,
  );
}

test("the host's zone and DST, valid or not, change no response", async () => {
  let expected: string[] | undefined;
  for (const zone of HOST_ZONES) {
    using server = await startServer([], { TZ: zone });
    const responses = await Promise.all(
      PATHS.map(async path => lasting(await (await fetch(server.url + path)).text())),
    );
    expected ??= responses;
    expect([zone, responses]).toEqual([zone, expected]);
    const response = await fetch(`${server.url}/v1/time/current`);
    expect(response.headers.get('Date')).toMatch(/ GMT$/);
    const { unix } = (await response.json()) as { unix: number };
    expect(Math.abs(unix - Date.now() / 1000)).toBeLessThan(60);
  }
});
