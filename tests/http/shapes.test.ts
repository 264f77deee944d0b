import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020';
import { createApp } from '../../src/server/app.ts';
import { JSON_ROUTES, type ParsedResponse, send, testServer } from '../support/service.ts';

const TIME = [
  ...['unix', 'unix_ms', 'utc', 'iso_local', 'rfc2822', 'human'],
  ...['day_number', 'day_short', 'day_full', 'timezone'],
];
const SPAN = ['seconds', 'minutes', 'hours', 'days', 'human', 'direction'];

/** Requests without parameters of our own, and exactly the members that the specification gives their responses. */
const SHAPES: readonly (readonly [string, readonly string[]])[] = [
  ['/v1/time/current', TIME],
  ['/v1/time/current?tz=Asia/Tokyo', TIME],
  ['/v1/time/current?tz=Asia/Tokyo&format=%25Y', [...TIME, 'formatted']],
  ['/v1/time/convert?unix=0&utc=true', TIME],
  ['/v1/time/add?days=1', TIME],
  ['/v1/time/calendar', [...TIME, 'year', 'month', 'month_name', 'day']],
  ['/v1/time/calendar?week=true', [...TIME, 'year', 'month', 'month_name', 'day', 'week_number']],
  ['/v1/time/dst?tz=Europe/Dublin', [...TIME, 'dst_active']],
  ['/v1/time/dst?tz=Europe/Dublin&next=true', [...TIME, 'dst_active', 'next_transition']],
  ['/v1/time/diff?from=unix=0&to=now', [...SPAN, 'from', 'to']],
  [
    '/v1/time/diff?from=unix=0&to=now&business_days=true&format=%25days',
    [...SPAN, 'from', 'to', 'business_days', 'formatted'],
  ],
  ['/v1/time/elapsed?unix=0', SPAN],
  ['/v1/time/elapsed?unix=0&business_days=true', [...SPAN, 'business_days']],
  ['/v1/time/elapsed?unix=0&business_days=true&holiday_country=GB', [...SPAN, 'business_days']],
  [
    '/v1/time/diff?from=unix=0&to=now&business_days=true&holiday_country=DE&holiday_subdivision=BY',
    [...SPAN, 'from', 'to', 'business_days'],
  ],
  ['/v1/timezone?tz=Asia/Tokyo', [...TIME, 'offset', 'dst']],
  ['/v1/timezone?offset=%2B05:45', [...TIME, 'offset', 'dst', 'matching_zones']],
];

const ajv = new Ajv();

/** A schema with exactly these members, as in generated clients. */
function exactly(members: readonly string[]) {
  return ajv.compile({
    type: 'object',
    properties: Object.fromEntries(members.map(name => [name, {}])),
    required: members,
    additionalProperties: false,
  });
}

const membersOf = (value: object) => Object.keys(value).sort();

describe('without parameters of our own, a response has exactly the members of the specification', () => {
  test.each(SHAPES)('%s', async (path, members) => {
    const { status, body } = await send(path);
    const validate = exactly(members);
    expect(status).toBe(200);
    expect([validate(body), validate.errors]).toEqual([true, null]);
  });

  test('the elements of a bulk, and of matching zones', async () => {
    const bulk: ParsedResponse = await send('/v1/time/current?tz=Asia/Tokyo,Mars/Olympus');
    expect(membersOf(bulk.body[0])).toEqual(TIME.toSorted());
    expect(membersOf(bulk.body[1])).toEqual(['error', 'item', 'request_id']);
    const { body } = await send('/v1/timezone?offset=%2B05:45');
    expect(membersOf(body.matching_zones[0])).toEqual([...TIME, 'offset', 'dst'].sort());
  });

  test('an error', async () => {
    const { body } = await send('/v1/time/current?tz=Mars');
    expect(membersOf(body)).toEqual(['error', 'request_id']);
    expect(membersOf(body.error)).toEqual(['code', 'details', 'message']);
  });
});

describe('details=true', () => {
  test.each(JSON_ROUTES.map(({ path, examples }) => [path, examples[0].query] as const))(
    'adds one member to %s and changes nothing else',
    async (path, query) => {
      const { body: plain } = await send(`${path}?${query}`);
      const { body, status } = await send(`${path}?${query}&details=true`);
      expect(status).toBe(200);
      const elements: readonly (readonly [object, { details?: object }])[] = Array.isArray(plain)
        ? plain.map((element, index) => [element, body[index]] as const)
        : [[plain, body]];
      for (const [without, { details, ...rest }] of elements) {
        expect(details).toBeObject();
        expect(rest).toEqual(without);
      }
    },
  );

  test('is in each element of a bulk that succeeded', async () => {
    const { body } = await send('/v1/time/current?tz=Asia/Tokyo,Mars/Olympus&details=true');
    expect(body[0].details.zone.abbreviation).toBe('JST');
    expect('details' in body[1]).toBe(false);
  });

  test('describes the zone at the instant of the response', async () => {
    const { body } = await send('/v1/time/convert?iso=2026-01-15T12:00:00Z&tz=Europe/Dublin&details=true');
    expect(body.details).toEqual({
      zone: {
        abbreviation: 'GMT',
        country_codes: ['IE'],
        standard_offset: 0,
        posix_tz: 'IST-1GMT0,M10.5.0,M3.5.0/1',
        previous_transition: {
          unix: Date.parse('2025-10-26T01:00:00Z') / 1000,
          utc: '2025-10-26T01:00:00Z',
          offset_before: 60,
          offset_after: 0,
          abbreviation_before: 'IST',
          abbreviation_after: 'GMT',
          dst_after: false,
        },
        next_transition: {
          unix: Date.parse('2026-03-29T01:00:00Z') / 1000,
          utc: '2026-03-29T01:00:00Z',
          offset_before: 0,
          offset_after: 60,
          abbreviation_before: 'GMT',
          abbreviation_after: 'IST',
          dst_after: true,
        },
      },
      data: { tzdata: { release: '2026f', age_days: 0 } }, // the tests' current time precedes its release
      clock: null,
    });
  });

  test("has the state of the server's clock now, in every element", async () => {
    let clock = { isSynchronized: true, maxErrorSeconds: 0.0114 };
    const clocked = createApp(testServer({ hostClock: () => clock }));
    const clockOf = async (path: string) =>
      [(await send(path, {}, clocked)).body].flat().at(-1).details.clock;
    const paths = [
      '/v1/time/convert?unix=0&utc=true&details=true',
      '/v1/time/current?tz=UTC,Asia/Tokyo&details=true',
      '/v1/time/diff?from=unix=0&to=unix=1&details=true',
      '/v1/time/transitions?tz=UTC&from=2026-01-01&to=2026-02-01&details=true',
      '/v1/timezones?country=NZ&details=true',
    ];
    for (const path of [...paths, ...paths]) {
      expect([path, await clockOf(path)]).toEqual([path, { synchronised: true, max_error_ms: 12 }]);
    }
    clock = { isSynchronized: false, maxErrorSeconds: 16 };
    for (const path of paths) {
      expect([path, await clockOf(path)]).toEqual([path, { synchronised: false, max_error_ms: 16_000 }]);
    }
  });

  test('of a fixed offset has the offset and no zone', async () => {
    const { body } = await send('/v1/time/current?offset=%2B05:30&details=true');
    expect(body.details.zone).toEqual({
      abbreviation: 'UTC+05:30',
      country_codes: [],
      standard_offset: 330,
      posix_tz: null,
      previous_transition: null,
      next_transition: null,
    });
  });
});

describe('strict=true', () => {
  test.each([...JSON_ROUTES, { path: '/v1/time/clock', examples: [{ query: 'style=analog-station' }] }])(
    'makes an unknown parameter of $path an error naming it',
    async ({ path, examples: [{ query }] }) => {
      const strict = `${path}?${query}&strict=true`;
      expect((await send(strict)).status).toBe(200);
      const { status, body } = await send(`${strict}&colour=red`);
      expect([status, body.error.details.parameter]).toEqual([400, 'colour']);
      expect((await send(`${path}?${query}&strict=false&colour=red`)).status).toBe(200);
    },
  );

  test('suggests the parameter that was meant', async () => {
    const { body } = await send('/v1/time/current?tz=UTC&fromat=%25Y&strict=true');
    expect(body.error.message).toBe(
      "Cannot read 'fromat': this route has no such parameter; did you mean 'format'?",
    );
  });
});

test.each([
  ['/v1/time/current?tz=Mars', 'tz'],
  ['/v1/time/current?lat=91&lon=0', 'lat'],
  ['/v1/time/current?tz=UTC&format=%25Q', 'format'],
  ['/v1/time/current?tz=UTC&tz=UTC', 'tz'],
  ['/v1/time/current?tz=UTC&ip=8.8.8.8', 'ip'],
  ['/v1/time/convert?unix=x&utc=true', 'unix'],
  ['/v1/time/convert?iso=2026-01-01T00:00[Europe/Paris]&source_tz=UTC&utc=true', 'source_tz'],
  ['/v1/time/diff?from=now', 'to'],
  ['/v1/time/diff?from=now&to=now&business_days=true&holiday_country=XX', 'holiday_country'],
  ['/v1/time/add?days=1.5', 'days'],
  ['/v1/timezones?country=ZZ', 'country'],
  ['/v1/time/diff?from=now&to=now&business_days=true&holiday_country=DE,XX', 'holiday_country'],
  ['/v1/holidays?country=DE&year=1', 'year'],
  ['/v1/holidays?country=DE&year=2026&date=2026-12-24', 'date'],
  ['/v1/time/clock?style=analog-cuckoo', 'style'],
  ['/v1/time/clock?style=analog-station&sign=true', 'sign'],
])('the error of %s names the parameter %s', async (path, parameter) => {
  const { status, body } = await send(path);
  expect([status, body.error.details.parameter]).toEqual([400, parameter]);
});
