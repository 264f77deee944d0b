import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020';
import Ajv from 'ajv/dist/2020';
import {
  type ApiDocument,
  type ApiResponse,
  type JsonSchema,
  type Operation,
  operationsOf,
  type Parameter,
  type ShownExample,
} from '../../src/api/description/document.ts';
import { EXAMPLE_NOW_MS, EXAMPLE_REQUEST_ID } from '../../src/api/description/openapi.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { LazyData } from '../../src/common/lazy_data.ts';
import { corsHeaders } from '../../src/http/cors.ts';
import { STATUS_OF } from '../../src/http/errors.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { fc } from '../support/property.ts';
import { column, expectAll, expectEach, expectMessages } from '../support/responses.ts';
import {
  checkBy,
  JSON_ROUTES,
  keyedAccess,
  NOW_MS,
  type ParsedResponse,
  send,
  testPlaces,
  testServer,
} from '../support/service.ts';
import { sampleKey } from '../support/signing_keys.ts';

// Examples of data that has not been loaded yet have no responses.
const places = testPlaces();
await Promise.all([places.boundaries.load(), places.ip.load()]);
const signing = fixedKeys([sampleKey(2, 'ed25519-2026-04-01')]);
/** The clock of the examples. */
const hostClock = () => ({ isSynchronized: true, maxErrorSeconds: 0.012 });
const app = createApp(testServer({ signing, places, hostClock }));
const keyedApp = createApp(testServer({ signing, access: keyedAccess() }));
const document = (await send('/openapi.json', {}, app)).body as ApiDocument;
const keyedDocument = (await send('/openapi.json', {}, keyedApp)).body as ApiDocument;

/** The operation of a path. */
function operationAt(path: string, from = document): Operation {
  const { get, post } = from.paths[path]!;
  return (get ?? post)!; // each path has one
}

/** A response in the document, with its reference resolved. */
function responseOf(path: string, status: string, from = document): ApiResponse {
  const response = operationAt(path, from).responses[status]!;
  return '$ref' in response ? from.components.responses[response.$ref.split('/').at(-1)!]! : response;
}

/** The media types of routes that do not respond with JSON. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  '/v1/time/clock': 'text/html',
  '/v1/time/clock.svg': 'image/svg+xml',
  '/embed/clock': 'text/html',
  '/embed/board': 'text/html',
  '/v1/time/current.txt': 'text/plain',
  '/v1/time/transitions.csv': 'text/csv',
  '/v1/timezones.csv': 'text/csv',
  '/v1/holidays.csv': 'text/csv',
  '/v1/timezone.ics': 'text/calendar',
  '/v1/holidays.ics': 'text/calendar',
};

describe('the API description', () => {
  test.each([
    ['an open server', document],
    ['a server with keys', keyedDocument],
  ])('of %s is valid OpenAPI 3.1 with JSON Schema 2020-12', async (_, described) => {
    const copy = structuredClone(described) as unknown as Record<string, unknown>;
    expect(await new Validator().validate(copy)).toEqual({ valid: true });
    expect(described.openapi).toStartWith('3.1.');
    const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
    ajv.addVocabulary(['components']);
    const { schemas } = described.components;
    for (const name of Object.keys(schemas)) {
      ajv.compile({ $ref: `#/components/schemas/${name}`, components: { schemas } });
    }
    for (const { operation } of operationsOf(described)) {
      for (const { schema } of operation.parameters) ajv.compile(schema);
    }
  });

  test('has every route with every parameter, and a unique name for each', () => {
    expect(Object.keys(document.paths)).toEqual([...API_ROUTES.map(({ path }) => path), '/v1/batch']);
    for (const { path, inputs } of API_ROUTES) {
      expect(column(operationAt(path).parameters, 'name')).toEqual(Object.keys(inputs.parameters));
    }
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('describes every parameter and every field', () => {
    for (const { path, operation } of operationsOf(document)) {
      for (const { name, description } of operation.parameters)
        expect(`${path} ${name}: ${description}`).toMatch(/: .+\.$/);
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(`${name}: ${schema['description']}`).toMatch(/: .+\.$/);
      const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Record<string, string>>);
      for (const [field, { description, $ref }] of fields) {
        if ($ref === undefined) expect(`${name}.${field}: ${description}`).toMatch(/: .+\.$/);
      }
    }
  });

  test('names every object in a response', () => {
    const unnamed = (schema: JsonSchema): boolean => {
      if (Array.isArray(schema['anyOf'])) return schema['anyOf'].some(unnamed);
      if (schema['type'] === 'array') return unnamed(schema['items'] as JsonSchema);
      return schema['$ref'] === undefined;
    };
    for (const path of Object.keys(document.paths)) {
      const { content = {} } = responseOf(path, '200');
      const json = content['application/json'];
      if (json === undefined) expect(Object.keys(content)).toEqual([OTHER_TYPES[path]!]);
      else expect([path, unnamed(json.schema)]).toEqual([path, false]);
    }
  });

  test('has every error code at its status', () => {
    for (const [code, status] of Object.entries(STATUS_OF)) {
      const { path } = operationsOf(keyedDocument).find(({ operation }) => operation.responses[status])!;
      expect(responseOf(path, String(status), keyedDocument).description).toContain(`\`${code}\``);
    }
  });

  test('requires credentials exactly where the server does', () => {
    expect(document.security).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('RateLimit');
    expect(keyedDocument.security).toEqual([
      { bearer: [] },
      { apiKey: [] },
      { marketplaceKey: [], marketplaceHost: [] },
    ]);
    const names = Object.values(keyedDocument.components.securitySchemes!).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['X-API-Key', 'X-RapidAPI-Key', 'X-RapidAPI-Host']));
    expect(operationAt('/.well-known/time-api-public-key', keyedDocument).security).toEqual([]);
    expect(responseOf('/v1/time/current', '429', keyedDocument).headers).toHaveProperty('Retry-After');
  });

  test('has every header that scripts on other origins may read', () => {
    const exposed = corsHeaders('*', true)['Access-Control-Expose-Headers']!.split(', ');
    expect(Object.keys(keyedDocument.components.headers)).toEqual(expect.arrayContaining(exposed));
  });

  test('has 304 for cacheable responses, and body errors for batches only', async () => {
    for (const { path, isMomentary } of API_ROUTES) {
      const statuses = Object.keys(operationAt(path).responses);
      expect([path, statuses.includes('304'), statuses.includes('413')]).toEqual([path, !isMomentary, false]);
    }
    expect(responseOf('/v1/holidays', '304')).not.toHaveProperty('content');
    const conditional = { headers: { 'If-None-Match': '*' } };
    const { status } = await send('/v1/holidays?country=DE&year=2026', conditional, app); // compared with the description
    expect(status).toBe(304);
    const { parameters, requestBody, responses } = document.paths['/v1/batch']!.post!;
    expect(parameters.map(({ name }) => name)).toEqual(['nonce', 'strict']);
    expect(requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/BatchRequest' } } },
    });
    expect(Object.keys(responses)).toEqual(['200', '400', '405', '413', '414', '415', '421', '500', '502']);
    const keyed = Object.keys(operationAt('/v1/batch', keyedDocument).responses);
    expect(keyed).toEqual(expect.arrayContaining(['401', '403', '429']));
  });

  test('is rebuilt when the first key is added', async () => {
    let isOpen = true;
    const changing = createApp(testServer({ access: keyedAccess(() => isOpen) }));
    const tag = async () => (await send('/openapi.json', {}, changing)).headers.get('ETag');
    const first = await tag();
    expect(await tag()).toBe(first);
    isOpen = false;
    expect(await tag()).not.toBe(first);
  });
});

describe('every example returns the response shown', () => {
  const examplesOf = (path: string, status: string): ShownExample[] =>
    Object.values(responseOf(path, status).content ?? {}).flatMap(type => Object.values(type.examples ?? {}));
  const examples = operationsOf(document).flatMap(({ path, operation }) =>
    Object.keys(operation.responses).flatMap(status =>
      examplesOf(path, status).map(example => ({
        path,
        operation,
        status,
        example,
        name: example.description,
      })),
    ),
  );

  test('each route has an example response', () => {
    for (const path of Object.keys(document.paths)) {
      const [mediaType] = Object.values(responseOf(path, '200').content ?? {});
      expect(mediaType!.examples, path).toBeDefined();
    }
    expect(EXAMPLE_NOW_MS).toBe(NOW_MS);
  });

  test.each(examples)('$name', async ({ operation: { requestBody }, status, example }) => {
    const headers = { 'X-Request-Id': EXAMPLE_REQUEST_ID, 'Content-Type': 'application/json' };
    const body = JSON.stringify(requestBody?.content['application/json'].example);
    const init = requestBody ? { method: 'POST', body, headers } : { headers };
    const response = await send(example['x-request'], init, app);
    expect(response.status).toBe(Number(status));
    expect(withoutIds(response.body)).toEqual(withoutIds(example.value));
  });
});

/** Each clock has its own id. */
function withoutIds(body: unknown): unknown {
  return typeof body === 'string' ? body.replaceAll(/service-clock-[0-9a-f]{12}/g, 'id') : body;
}

const good = await send('/v1/time/current?tz=Asia/Tokyo', {}, app);

test('building examples loads no data: an example that needs it has only the request', async () => {
  const unread = new LazyData<never>('boundaries', 'none', () => Promise.reject(new Error('read')));
  const target = createApp(testServer({ places: testPlaces({ boundaries: unread }) }));
  const { body } = await send('/openapi.json', {}, target);
  const content = body.paths['/v1/timezone'].get.responses[200].content['application/json'];
  expect(content.examples).not.toHaveProperty('by-coordinates');
  expect(content['x-requests']['by-coordinates']).not.toHaveProperty('value');
  expect(unread.state).toEqual({ kind: 'unread' });
});

describe('a response that differs from the description is detected', () => {
  const check = checkBy(document);
  const path = '/v1/time/current';
  const withHeader = (name: string, value: string | null) => {
    const headers = new Headers(good.headers);
    if (value === null) headers.delete(name);
    else headers.set(name, value);
    return headers;
  };

  test('an extra field, a missing one, and one of another type', () => {
    expect(check(path, 200, good.headers, good.body)).toBeNull();
    expect(check(path, 200, good.headers, { ...good.body, zone: 'x' })).toContain('additional');
    expect(check(path, 200, good.headers, { ...good.body, utc: undefined })).toContain('utc');
    expect(check(path, 200, good.headers, { ...good.body, unix: 1.5 })).toContain('unix');
    expect(check(path, 200, good.headers, [good.body, { ...good.body, unix: 'x' }])).toContain('unix');
  });

  test('an error code that does not belong to its status', () => {
    const body = { error: { code: 'INTERNAL_ERROR', message: 'x' }, request_id: 'x' };
    expect(check(path, 500, good.headers, body)).toBeNull();
    expect(check(path, 400, good.headers, body)).toContain('code');
  });

  test('an undescribed status, header and type, and a missing header', () => {
    expect(check(path, 418, good.headers, good.body)).toContain('418');
    expect(check(path, 200, withHeader('X-New', '1'), good.body)).toContain('x-new');
    expect(check(path, 200, withHeader('Content-Type', 'text/plain'), 'x')).toContain('text/plain');
    expect(check(path, 200, withHeader('X-Request-Id', null), good.body)).toContain('x-request-id');
  });
});

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
      const all: { details?: object }[] = [body].flat();
      for (const { details } of all) expect(details).toBeObject();
      expect(all.map(({ details: _, ...rest }) => rest)).toEqual([plain].flat());
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
    await expectAll(clockOf, { synchronised: true, max_error_ms: 12 }, paths);
    await expectAll(clockOf, { synchronised: true, max_error_ms: 12 }, paths); // cached
    clock = { isSynchronized: false, maxErrorSeconds: 16 };
    await expectAll(clockOf, { synchronised: false, max_error_ms: 16_000 }, paths);
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

  test('suggests the parameter that was meant', () =>
    expectMessages('/v1/time/current?strict=true&', {
      'tz=UTC&fromat=%25Y': "Cannot read 'fromat': this route has no such parameter; did you mean 'format'?",
    }));
});

test('an error names the parameter', async () => {
  const parameterOf = async (path: string) => (await send(`/v1/${path}`)).body.error.details.parameter;
  await expectEach(parameterOf, {
    'time/current?tz=Mars': 'tz',
    'time/current?lat=91&lon=0': 'lat',
    'time/current?tz=UTC&format=%25Q': 'format',
    'time/current?tz=UTC&tz=UTC': 'tz',
    'time/current?tz=UTC&ip=8.8.8.8': 'ip',
    'time/convert?unix=x&utc=true': 'unix',
    'time/convert?iso=2026-01-01T00:00[Europe/Paris]&source_tz=UTC&utc=true': 'source_tz',
    'time/diff?from=now': 'to',
    'time/diff?from=now&to=now&business_days=true&holiday_country=XX': 'holiday_country',
    'time/diff?from=now&to=now&business_days=true&holiday_country=DE,XX': 'holiday_country',
    'timezones?country=ZZ': 'country',
    'time/clock?style=analog-cuckoo': 'style',
    'time/clock?style=analog-station&sign=true': 'sign',
  });
});

/** An locatingApp that knows every address, including its client's. */
const locatingApp = createApp(
  testServer({
    signing: fixedKeys([sampleKey(2, 'ed25519-2026-04-01')]),
    places: testPlaces({ ip: LazyData.of('ip', 'of the test', { zoneNameOf: () => 'Europe/Paris' }) }),
  }),
  { peerOf: () => '8.8.8.8' },
);

/** Whether a published schema rejects the text of a query parameter. */
function refuses({ schema }: Parameter, text: string): boolean {
  const { type, pattern, minimum, maximum, minLength, maxLength } = schema;
  const isWithin = (value: number) => value >= Number(minimum) && value <= Number(maximum);
  switch (type) {
    case 'boolean':
      return false; // any text other than `true` is off
    // A space in place of a sign is a `+` decoded by the query string.
    case 'integer':
      return !(/^[+ -]?[0-9]+$/.test(text) && isWithin(Number(text.replace(/^ /, '+'))));
    case 'number':
      return !(/^[+ -]?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text) && isWithin(Number(text.replace(/^ /, '+'))));
    default: {
      const length = [...text].length;
      if (length < Number(minLength ?? 0) || length > Number(maxLength ?? Infinity)) return true;
      if (Array.isArray(schema['enum'])) return !schema['enum'].includes(text);
      return typeof pattern === 'string' && !new RegExp(pattern, 'u').test(text);
    }
  }
}

function request(path: string, query: URLSearchParams, name: string, value: string): string {
  const changed = new URLSearchParams(query);
  changed.set(name, value);
  return `${path}?${changed}`;
}

/** Variants of the route's example queries: without one or two parameters, and with those that the parameter requires. */
function* queriesNear(path: string, name: string): Generator<URLSearchParams> {
  const other = /lat$/.test(name) ? name.replace(/lat$/, 'lon') : name.replace(/lon$/, 'lat');
  for (const { query } of API_ROUTES.find(route => route.path === path)!.examples) {
    const names = [...new URLSearchParams(query).keys()];
    for (const first of [undefined, ...names]) {
      for (const second of [undefined, ...names]) {
        const near = new URLSearchParams(query);
        for (const left of [first, second]) if (left !== undefined) near.delete(left);
        if (other !== name) near.set(other, '1');
        if (name === 'signature') near.set('sign', 'true');
        if (name.endsWith('territory')) near.set(name.replace(/territory$/, 'tz'), 'W. Europe Standard Time');
        yield near;
      }
    }
  }
}

/** A query that is valid with the parameter's example value, so that only another value can be invalid. */
async function queryFor(path: string, { name, schema }: Parameter): Promise<URLSearchParams> {
  const [value] = schema['examples'] as unknown[];
  for (const query of queriesNear(path, name)) {
    const { status } = await send(request(path, query, name, String(value)), {}, locatingApp);
    if (status === 200 || status === 404) return query;
  }
  throw new Error(`No example of ${path} takes ${name}=${value}`);
}

/** Nearly valid texts, and arbitrary ones. */
function textsNear(value: string) {
  const inserted = fc.constantFrom('', ' ', '0', '9', ':', '.', '-', '+', 'e', ',', '٣', '\n');
  const edit = fc
    .tuple(fc.nat(value.length), fc.nat(2), inserted)
    .map(([at, removed, text]) => value.slice(0, at) + text + value.slice(at + removed));
  const ODD = ['', ' ', '+', '-', '1e5', '0x10', '1.5', '.', '1_000', '91', '-181', '+24:00', 'Infinity'];
  const large = fc.bigInt().map(String);
  const any = fc.string({ unit: 'binary', maxLength: 300 }).map(text => text.toWellFormed());
  return fc.oneof(edit, fc.constantFrom(...ODD), large, any);
}

test("the longest accepted length is the schema's maximum", async () => {
  const found: Record<string, unknown> = {};
  for (const { path, operation } of operationsOf(document).filter(({ method }) => method === 'GET')) {
    for (const parameter of operation.parameters.filter(({ schema }) => schema['type'] === 'string')) {
      const url = request(path, await queryFor(path, parameter), parameter.name, 'a '.repeat(1500));
      const { body } = await send(url, {}, locatingApp);
      const maximum = / characters; the maximum is (\d+)$/.exec(body.error?.message ?? '')?.[1];
      if (maximum === undefined) continue;
      found[parameter.name] = Number(maximum);
      expect(parameter.schema['maxLength'], `${path} ${parameter.name}`).toBe(Number(maximum));
    }
  }
  expect(found).toMatchObject({ cron: 256, rrule: 1000, schedule: 255, nonce: 128 });
});

for (const { path, operation } of operationsOf(document).filter(({ method }) => method === 'GET')) {
  describe(path, () => {
    for (const parameter of operation.parameters) {
      const { name, schema } = parameter;
      const [example] = schema['examples'] as unknown[];

      test(`${name}: the example is accepted, and what the schema rejects is 400`, async () => {
        expect(refuses(parameter, String(example))).toBe(false);
        const query = await queryFor(path, parameter);
        const refused = textsNear(String(example)).filter(text => refuses(parameter, text));
        if (schema['type'] === 'boolean') return;
        await fc.assert(
          fc.asyncProperty(refused, async text => {
            const { status, body } = await send(request(path, query, name, text), {}, locatingApp);
            expect([status, (body.error?.message ?? body).includes(`'${name}'`)]).toEqual([400, true]);
          }),
          { numRuns: 50 },
        );
      });
    }
  });
}
