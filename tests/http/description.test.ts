import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020';
import {
  type ApiDocument,
  type ApiResponse,
  type Operation,
  operationsOf,
  type ShownExample,
} from '../../src/api/description/document.ts';
import { EXAMPLE_NOW_MS, EXAMPLE_REQUEST_ID } from '../../src/api/description/example_responses.ts';
import type { JsonSchema } from '../../src/api/description/publish_schema.ts';
import { API_ROUTES } from '../../src/api/routes.ts';
import { STATUS_OF } from '../../src/http/errors.ts';
import { corsHeaders } from '../../src/http/response.ts';
import { LazyData } from '../../src/places/lazy_data.ts';
import { createApp } from '../../src/server/app.ts';
import { fixedKeys } from '../../src/signing/key_set.ts';
import { checkBy, keyedAccess, NOW_MS, send, testPlaces, testServer } from '../support/service.ts';
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
  for (const [name, described] of [
    ['an open server', document],
    ['a server with keys', keyedDocument],
  ] as const) {
    test(`of ${name} is valid OpenAPI 3.1 according to a public validator`, async () => {
      const result = await new Validator().validate(
        structuredClone(described) as unknown as Record<string, unknown>,
      );
      expect(result).toEqual({ valid: true });
      expect(described.openapi).toStartWith('3.1.');
    });

    test(`of ${name} contains only JSON Schema 2020-12 schemas`, () => {
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
  }

  test('has every route with every parameter, and a unique name for each', () => {
    expect(Object.keys(document.paths)).toEqual([...API_ROUTES.map(({ path }) => path), '/v1/batch']);
    for (const {
      path,
      inputs: { parameters },
    } of API_ROUTES) {
      expect(document.paths[path]!.get!.parameters.map(({ name }) => name)).toEqual(Object.keys(parameters));
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
      return schema['type'] === 'array'
        ? unnamed(schema['items'] as JsonSchema)
        : schema['$ref'] === undefined;
    };
    for (const path of Object.keys(document.paths)) {
      const { content = {} } = responseOf(path, '200');
      const json = content['application/json'];
      if (json === undefined) expect(Object.keys(content)).toEqual([OTHER_TYPES[path]!]);
      else expect([path, unnamed(json.schema)]).toEqual([path, false]);
    }
  });

  test('has every error code at its status', () => {
    const described = operationsOf(keyedDocument).flatMap(({ operation }) =>
      Object.keys(operation.responses),
    );
    for (const [code, status] of Object.entries(STATUS_OF)) {
      expect(described).toContain(String(status));
      const path = Object.keys(keyedDocument.paths).find(
        path => operationAt(path, keyedDocument).responses[status] !== undefined,
      )!;
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
  const examples: [status: number, example: ShownExample][] = Object.keys(document.paths).flatMap(path =>
    Object.keys(operationAt(path).responses).flatMap(status =>
      Object.values(responseOf(path, status).content ?? {}).flatMap(({ examples }) =>
        Object.values(examples ?? {}).map((example): [number, ShownExample] => [Number(status), example]),
      ),
    ),
  );

  test('each route has an example response', () => {
    for (const path of Object.keys(document.paths)) {
      const [mediaType] = Object.values(responseOf(path, '200').content ?? {});
      expect(mediaType!.examples).toBeDefined();
    }
    expect(EXAMPLE_NOW_MS).toBe(NOW_MS);
  });

  for (const [status, example] of examples) {
    test(example.description, async () => {
      const headers = { 'X-Request-Id': EXAMPLE_REQUEST_ID, 'Content-Type': 'application/json' };
      const [path] = example['x-request'].split('?') as [string];
      const { requestBody } = operationAt(path);
      const init = requestBody
        ? { method: 'POST', body: JSON.stringify(requestBody.content['application/json'].example) }
        : {};
      const response = await send(example['x-request'], { ...init, headers }, app);
      expect(response.status).toBe(status);
      expect(withoutIds(response.body)).toEqual(withoutIds(example.value));
    });
  }
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
